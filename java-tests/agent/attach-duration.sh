#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# attach-duration: a recording that was started for so long ends then, whatever becomes of the command
# that wanted it.
. "$(dirname "$0")/common.sh"
need jq
pid=

cleanup() {
	[ -n "$pid" ] || return 0
	kill -9 "$pid" 2>/dev/null
	forget "$pid"
}

state() {
	"$jprof" status "$pid" --format json | jq -r .state
}

is_armed() {
	[ "$(state)" = armed ]
}

for java in "${javas[@]}"; do
	rm -f "$work/log"
	"$java" -cp "$classes" agent.Workload steps 300000 "$work/log" >"$work/out" 2>"$work/err" &
	pid=$!
	await test -s "$work/log"
	for signal in KILL HUP; do
		rm -f "$work/p.jprof"
		"$jprof" attach "$pid" --duration 6 --file "$work/p.jprof" >"$work/said" 2>&1 &
		command=$!
		await grep -q "recording into" "$work/said"
		kill -$signal $command
		wait $command 2>/dev/null
		[ "$(state)" = recording ] || fail "$java, $signal: it does not record: $(cat "$work/said")"
		await is_armed || await is_armed || fail "$java, $signal: it still records: $("$jprof" status "$pid")"
		[ "$("$jprof" report "$work/p.jprof" --view summary --format json |
			jq -r '.rows[] | select(.key == "complete") | .value')" = yes ] ||
			fail "$java, $signal: the profile is not complete"
		# Whoever stops it then is told where it is; but once.
		"$jprof" stop "$pid" >"$work/said" 2>&1 || fail "$java, $signal: stop: $(cat "$work/said")"
		grep -q "$work/p.jprof" "$work/said" || fail "$java, $signal: stop: $(cat "$work/said")"
		"$jprof" stop "$pid" >"$work/said" 2>&1 && fail "$java, $signal: a second stop"
	done
	# The next one has no end of its own.
	"$jprof" start "$pid" --file "$work/q.jprof" 2>"$work/said" || fail "$java: start: $(cat "$work/said")"
	sleep 7
	[ "$(state)" = recording ] || fail "$java: an old duration ended the next recording"
	"$jprof" detach "$pid" 2>"$work/said" || fail "$java: detach: $(cat "$work/said")"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	forget "$pid"
	pid=
done
finish
