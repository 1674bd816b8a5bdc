#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-late: what is under way when a session ends, or begins, does no harm to the next one:
# jprof's own thread, native threads that come and go, an archive that stays open, a thread that
# waits in accept() across a detach, native methods that are called all the time (also where
# their functions cannot be found), a disk that hangs, commands to a JVM that has hardly begun.
#
# Not tested: a disk that hangs for longer than the agent waits for it, a minute.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq sqlite3 python3
library=$(dirname "$classes") # the folder of libcases.so
session=0                     # counts them; the profile is $work/$session.jprof

start_late() {
	start_target "$@" -Xcheck:jni -XX:+EnableDynamicAgentLoading \
		--enable-native-access=ALL-UNNAMED "-Djava.library.path=$library" -cp "$work" \
		agent.Late "$work"
	tell read # nothing; but it is there now
}

# begin COMMAND OPTIONS...: attach or start; sets profile.
begin() {
	local command=$1

	shift
	session=$((session + 1))
	profile=$work/$session.jprof
	jp "$command" "$target" --file "$profile" "$@"
}

# end WHAT COMMAND: stop or detach; of the profile, what always holds.
end() {
	jp "$2" "$target"
	sound "$1" "$profile"
	no_own_thread "$1" "$profile"
	bounded "$1" "$profile"
}

no_own_thread() {
	view "$2" threads | jq -e '[.rows[] | select(.thread | test("jprof"))] == []' >/dev/null ||
		fail "$1: a thread of jprof's is in the profile"
}

# No node has more time than has passed, or more bytes than the program could have allocated.
bounded() {
	local wrong

	wrong=$( (view "$2" summary && view "$2" tree) | jq -s -r '
		(.[0].rows[] | select(.key == "duration_ns") | .value) as $time |
		{wall: $time, cpu: ($time + 100000000), alloc: 1000000000} as $most |
		.[1].rows[] | . as $row | .base | to_entries[] |
		select(.value < 0 or .value > $most[.key]) |
		"\($row.class).\($row.method): \(.key) \(.value)"' | head -3)
	[ -z "$wrong" ] || fail "$1: not possible: $wrong"
}

# found WHAT CLASSES: as told in $work/truth.
found() {
	calls_of "$profile" "$2" >"$work/found"
	same "$1" "$work/truth" "$work/found"
}

# truth METHOD COUNT ...
truth() {
	printf '%s %s\n' "$@" | sort >"$work/truth"
}

# ---- the parts ----

own_thread() {
	local turn

	begin attach --include 'agent.Late*'
	end "own thread" stop
	for turn in 1 2 3; do
		begin start --include '*'
		tell phase 1
		end "own thread, $turn" stop
	done
}

# Each native thread has another fate between the sessions.
native_threads() {
	local i

	begin start --include 'agent.Late'
	for i in 0 1 2 3; do
		tell native "$i" attach
		tell native "$i" work 10
	done
	for i in 0 1 2; do
		tell native "$i" detach # 3 stays
	done
	truth agent.Late.enter 4 agent.Late.step 40
	tell native 0 attach # and again
	tell native 0 detach
	end "native threads, first" stop
	calls_of "$profile" '^agent.Late$' | grep -E '\.(enter|step) ' >"$work/found"
	same "native threads, first" "$work/truth" "$work/found"
	tell native 0 attach
	tell native 3 detach
	tell native 3 attach
	begin start --include 'agent.Late'
	tell native 1 attach
	for i in 0 1 3; do
		tell native "$i" work $((i + 20))
	done
	tell native 0 detach
	tell native 0 attach
	tell native 0 work 5
	end "native threads, second" stop
	truth agent.Late.enter 4 agent.Late.step $((20 + 21 + 23 + 5))
	calls_of "$profile" '^agent.Late$' | grep -E '\.(enter|step) ' >"$work/found"
	same "native threads, second" "$work/truth" "$work/found"
}

# entries WHAT: those that the profile must have.
entries() {
	view "$profile" entries | jq -r --arg archive "$work/late.zip" '.rows[] |
		select(.archive == $archive and .reads.ops > 0) | .entry' | grep '^entry' | sort >"$work/found"
	same "$1" "$work/entries" "$work/found"
}

archive() {
	python3 -c '
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for i in range(3):
        archive.writestr(f"entry-{i}", os.urandom(20000))' "$work/late.zip"
	printf 'entry-%s\n' 0 1 2 >"$work/entries"
	for turn in first second third; do
		begin start --include 'agent.Late'
		tell archive
		end "archive, $turn" stop
		entries "archive, $turn"
	done
}

accepts() {
	local path number sockets=0

	for number in $(seq 0 19); do
		echo text >"$work/file-$number"
	done
	begin start --include 'agent.Late'
	tell accept
	end "accept, first" detach
	tell connect
	cp "$work/answer" "$work/open"
	while read -r number; do
		sockets=$((sockets + 1))
		grep -q "/file-.* $number\$" "$work/open" || fail "accept: no file has the number $number"
	done < <(sed -n 's/^socket //p' "$work/open")
	[ $sockets = 2 ] || fail "accept: $sockets sockets instead of 2"
	begin attach --include 'agent.Late'
	tell read
	end "accept, second" stop
	grep 'file-' "$work/open" | sort | sed 's/$/ attach 1/' >"$work/truth"
	view "$profile" files | jq -r --arg folder "$work/file-" '.rows[] |
		select(.path | startswith($folder)) |
		"\(.path) \(.descriptor) \(.known_from) \(.reads.ops)"' | sort >"$work/found"
	same "accept: files" "$work/truth" "$work/found"
	while read -r path number; do
		view "$profile" connections | jq -e --argjson number "$number" \
			'[.rows[] | select(.descriptor == $number)] == []' >/dev/null ||
			fail "accept: a connection in place of $path"
	done < <(grep 'file-' "$work/open")
}

# jobs WHAT: a phase, all of which is in the profile.
jobs_counted() {
	tell phase "$2"
	end "$1" stop
	cp "$work/answer" "$work/truth"
	found "$1" '^agent.LateJobs$'
}

# nothing WHAT CLASSES: a session is over, in which nothing of these was to be recorded.
nothing() {
	: >"$work/truth"
	found "$1" "$2"
}

# Sessions of many shapes one after another, while native methods are called all the time: a thread
# that is held up in the midst of an event finds another session than the one it came for.
shapes() {
	local turn metrics

	tell noise
	begin start --include 'agent.LateJobs+agent.LateNoise' --metrics wall
	jobs_counted "wall" 500
	begin start --include 'agent.LateJobs+agent.LateNoise' --metrics wall+cpu+alloc
	jobs_counted "wall+cpu+alloc" 300
	begin start --calls off --metrics wall+cpu+alloc
	tell phase 500
	end "calls=off" stop
	nothing "calls=off" '^agent'
	begin start --include 'agent.LateJobs.job' --metrics cpu
	tell phase 300
	end "job alone" stop
	truth agent.LateJobs.job 1500
	found "job alone" '^agent'
	for turn in 1 2; do
		for metrics in wall wall+cpu+alloc alloc; do
			begin start --include agent.LateNoise --metrics "$metrics"
			jp stop "$target"
			bounded "$metrics in haste, $turn" "$profile"
		done
	done
}

# Natives that were bound in a session keep what was put in front of them. Whether they are seen in
# the next session is not promised; but then it is each call.
natives_kept() {
	local turn

	begin attach --include 'agent.LateJobs+agent.LateNoise' --metrics wall
	tell noise
	jobs_counted "kept, wall" 300
	[ -e "$work/refused" ] || fail "kept: nobody has called process_vm_readv"
	for turn in 1 2; do
		begin start --calls off --metrics wall+cpu+alloc
		tell phase 200
		end "kept, calls=off, $turn" stop
		nothing "kept, calls=off, $turn" '^agent'
		begin start --include 'agent.LateJobs.job' --metrics wall+alloc
		tell phase 300
		end "kept, job alone, $turn" stop
		truth agent.LateJobs.job 1500
		found "kept, job alone, $turn" '^agent'
		begin start --include 'agent.LateJobs+agent.LateNoise' --metrics wall+cpu+alloc
		tell phase 200
		end "kept, wall+cpu+alloc, $turn" stop
		calls_of "$profile" '^agent.LateJobs$' >"$work/found"
		for method in add back; do
			grep -q "\.$method " "$work/found" || sed -i "/\.$method /d" "$work/answer"
		done
		same "kept, wall+cpu+alloc, $turn" "$work/answer" "$work/found"
	done
}

# The disk hangs for 3 s while a session ends: the application does not, and nothing is lost.
hanging_disk() {
	local began stopping

	begin start --include 'agent.LateJobs' --metrics wall --flush 1
	tell phase 400
	cp "$work/answer" "$work/truth"
	touch "$work/hang"
	began=$(date +%s%3N)
	"$jprof" stop "$target" >"$work/stopped" 2>&1 &
	stopping=$!
	wait_for "$work/hang.hung"
	tell phase 100 # whether or not it is recorded
	sleep 3
	kill -0 $stopping 2>/dev/null || fail "hanging disk: stop did not wait: $(cat "$work/stopped")"
	echo "the disk hung for $(($(date +%s%3N) - began)) ms"
	rm -f "$work/hang"
	wait $stopping || fail "hanging disk: $(cat "$work/stopped")"
	[ "$(query "$profile" "SELECT value FROM meta WHERE key = 'complete'")" = yes ] ||
		fail "hanging disk: the profile is not complete"
	[ "$(query "$profile" 'PRAGMA integrity_check')" = ok ] || fail "hanging disk: not sound"
	sound "hanging disk" "$profile"
	calls_of "$profile" '^agent.LateJobs$' >"$work/found"
	awk 'NR == FNR {least[$1] = $2; next} $2 < least[$1] || $2 > least[$1] * 1.25' \
		"$work/truth" "$work/found" >"$work/wrong"
	[ ! -s "$work/wrong" ] || fail "hanging disk: $(cat "$work/wrong")"
	rm -f "$work/hang.hung"
	begin start --include 'agent.LateJobs.job+agent.LateJobs.leaf' --metrics wall
	tell phase 50
	end "after a hanging disk" stop
	truth agent.LateJobs.job 250 agent.LateJobs.leaf 500
	found "after a hanging disk" '^agent'
}

# wait_for FILE: at most 10 s.
wait_for() {
	local i

	for i in $(seq 200); do
		[ ! -e "$1" ] || return 0
		sleep 0.05
	done
	fail "no '$1' after 10 s"
}

# The JVM goes on for a while when it is told something, or ends at once.
early() {
	local each calls

	for calls in 1000000 10; do
		python3 -B "$(dirname "$0")/early.py" 5 "$work" "$1" \
			"-agentpath:$agent=file=$work/early-%p-1.jprof" \
			-cp "$classes" agent.Workload count "$calls" >"$work/said" 2>&1 ||
			fail "early commands: $(head -20 "$work/said")"
		cat "$work/said"
	done
	for each in "$work"/early-*.jprof; do
		[ "$(query "$each" "SELECT value FROM meta WHERE key = 'complete'")" = yes ] ||
			fail "early commands: $each is not complete"
		no_own_thread "early commands" "$each"
	done
}

# With a shim before the C library, if one can be made.
make_shim() {
	command -v cc >/dev/null || {
		echo "not run: natives that are kept, a disk that hangs (there is no cc)"
		return 1
	}
	cc -shared -fPIC -O1 -o "$work/shim.so" "$source_dir/java-tests/native/shim.c" -ldl ||
		fail "cannot make the shim"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$work" "$source_dir/java-tests/agent/Late.java" || exit 1
	rm -f "$work"/*.jprof "$work/late.zip"
	start_late "$java"
	for part in own_thread native_threads archive accepts shapes; do
		kill -0 "$target" 2>/dev/null || break
		$part
	done
	end_target
	if make_shim; then
		known_errors='^jprof: [0-9]+ native methods that do I/O were in use'
		start_late env "LD_PRELOAD=$work/shim.so" "SHIM_REFUSE=$work/refused" "SHIM_HANG=$work/hang" "$java"
		natives_kept
		hanging_disk
		end_target
		rm -f "$work/refused"
		known_errors='^$'
	fi
	early "$java"
done
finish
