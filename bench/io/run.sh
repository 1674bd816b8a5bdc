#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what an I/O operation costs under the agent, beside the JDK's flight recorder with every
# operation recorded; and whether 300,000 operations a second are recorded without a loss.
#
#   run.sh BUILD_DIR [REPETITIONS] [SECONDS]
#
# Operations are those of IoSpeed.java, which takes the best of many rounds; each number here
# is the median of the repetitions, whose variants take turns. Costs are differences of two
# variants, so that a few ns of them are noise.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare io 7 "$@"
seconds=${3:-30}
agent="-agentpath:$build/libjprof.so=file=$work/p.jprof"

# The flight recorder's default settings, but every read and write: no threshold, no throttle.
recorder="-Xlog:disable -XX:StartFlightRecording:settings=$work/io.jfc,filename=$work/t.jfr"

# variant | options | than | bar of read and write | bar of open and close
table="
no agent|
no session|$agent,start=no|no agent|10|100
calls alone|$agent,io=off
io=summary|$agent,io=summary|calls alone|60
io=records|$agent,io=records|calls alone|150
flight recorder, threshold 0|$recorder|no agent
"

rows() {
	sed -e '/^$/d' <<<"$table"
}

# of VARIANT OPERATION: the median.
of() {
	sed -n "s/^$2 //p" "$work/${1//[^a-z0-9]/_}.ns" | median
}

# cost VARIANT THAN OPERATION BAR
cost() {
	local ns

	ns=$(awk -v a="$(of "$1" "$3")" -v b="$(of "$2" "$3")" 'BEGIN {printf "%.1f", a - b}')
	printf ' %8s %-18s' "$ns" "${4:+$(against "$ns" "$4")}"
}

make_settings() {
	local settings=(jdk.FileRead#threshold=0ns jdk.FileWrite#threshold=0ns)

	[ "$(release "$1")" -lt 25 ] ||
		settings+=(jdk.FileRead#throttle=off jdk.FileWrite#throttle=off)
	"$1/bin/jfr" configure --input default.jfc --output "$work/io.jfc" "${settings[@]}" \
		>/dev/null
}

operations() {
	local java=$1 name options than bar pair operation

	rm -f "$work"/*.ns
	for _ in $(seq "$repetitions"); do
		while IFS='|' read -r name options than bar pair <&3; do
			# shellcheck disable=SC2086
			"$java" $options -cp "$work" IoSpeed 60 40 >>"$work/${name//[^a-z0-9]/_}.ns"
			[ "$name" != io=records ] || lost
		done 3< <(rows)
	done
	printf '  %-30s %8s %8s %10s   more than without, ns\n' "ns" read write open+close
	while IFS='|' read -r name options than bar pair <&3; do
		printf '  %-30s' "$name"
		for operation in read write open+close; do
			printf ' %8s' "$(of "$name" "$operation")"
		done
		[ -z "$than" ] || for operation in read write; do
			cost "$name" "$than" "$operation" "$bar"
		done
		[ -z "$pair" ] || cost "$name" "$than" open+close "$pair"
		echo
	done 3< <(rows)
	compare_recorder read
	compare_recorder write
}

# A record that is lost costs less.
lost() {
	"$build/jprof" report "$work/p.jprof" --view summary --format json >"$work/summary.json"
	[ "$(fact io.records.lost "$work/summary.json")" = 0 ] ||
		echo "  records were lost: the figures of io=records are too low"
}

compare_recorder() {
	local ratio

	ratio=$(awk -v a="$(of io=records "$1")" -v b="$(of "calls alone" "$1")" \
		-v c="$(of "flight recorder, threshold 0" "$1")" -v d="$(of "no agent" "$1")" \
		'BEGIN {printf "%.2f", (a - b) / (c - d)}')
	echo "  a recorded $1 is $ratio of the flight recorder's $(against "$ratio" 0.5)"
}

rate() {
	local made ms

	"$1" "$agent,io=records" -cp "$work" IoRate 2 300000 "$seconds" >"$work/made"
	read -r made ms <"$work/made"
	"$build/jprof" report "$work/p.jprof" --view summary --format json >"$work/summary.json"
	printf '  %s writes in %s ms: %s records, %s lost; the profile has %s MB\n' "$made" "$ms" \
		"$(fact io.records "$work/summary.json")" \
		"$(fact io.records.lost "$work/summary.json")" \
		"$(($(stat -c %s "$work/p.jprof") >> 20))"
}

one_jdk() {
	"$1/bin/javac" -d "$work" "$here/IoSpeed.java" "$here/IoRate.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	make_settings "$1"
	operations "$1/bin/java"
	rate "$1/bin/java"
}

describe_machine
each_jdk one_jdk
