#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# killed: kill -9 at 20 random moments: every file opens, is sound, and lacks at most the last
# `flush` second. The program notes its own calls every 10 ms; those noted more than a second
# (and the time that writing takes) before its end are in the profile.
. "$(dirname "$0")/common.sh"
need jq sqlite3
slack=500000000 # ns: to notice that a second is over, and to write

# round NUMBER JAVA SECONDS
round() {
	local number=$1 java=$2 seconds=$3 dir=$work/$1 steps found

	mkdir "$dir"
	"$java" -Xshare:auto "-agentpath:$agent=file=$dir/p.jprof,calls=events,metrics=wall,flush=1" \
		-cp "$classes" agent.Workload steps 60000 "$dir/log" >/dev/null 2>"$dir/err" &
	pid=$!
	sleep "$seconds"
	kill -9 $pid
	wait $pid 2>/dev/null
	forget $pid
	if [ ! -e "$dir/p.jprof" ]; then
		[ ! -s "$dir/log" ] || fail "killed after $seconds s: no profile"
		return
	fi
	# A copy for the other reader: both must cope with what the killed JVM left.
	cp -r "$dir" "$dir.copy"
	[ "$(sqlite3 "$dir.copy/p.jprof" 'PRAGMA integrity_check')" = ok ] ||
		fail "killed after $seconds s: not sound"
	"$jprof" report "$dir/p.jprof" --view methods --format json >"$dir/methods.json" ||
		fail "killed after $seconds s: jprof report fails"
	found=$(jq '[.rows[] | select(.method == "step") | .calls] | add // 0' \
		"$dir/methods.json")
	steps=$(awk -v slack=$((1000000000 + slack)) 'NF == 2 {when[NR] = $1; calls[NR] = $2; last = $1}
		END {for (i in when) if (last - when[i] > slack && calls[i] > most) most = calls[i]
			print most + 0}' "$dir/log" 2>/dev/null)
	echo "killed after $seconds s: $found steps recorded, ${steps:-0} or more expected"
	[ "${found:-0}" -ge "${steps:-0}" ] || fail "killed after $seconds s: too little recorded"
}

for number in $(seq 20); do
	round "$number" "${javas[$((number % ${#javas[@]}))]}" \
		"$((RANDOM % 4)).$((100 + RANDOM % 900))"
done
finish
