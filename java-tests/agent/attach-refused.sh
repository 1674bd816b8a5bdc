#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# attach-refused: `jprof attach` at JVMs that cannot be attached to: one line says why and what
# to do, and the JVM runs on unharmed: it prints what it prints without.
. "$(dirname "$0")/common.sh"
pid=

cleanup() {
	[ -n "$pid" ] || return 0
	kill -9 "$pid" 2>/dev/null
	forget "$pid"
}

# begin JAVA [OPTION...]: a workload of some seconds, at its work.
begin() {
	local java=$1

	shift
	rm -f "$work/log"
	"$java" "$@" -cp "$classes" agent.Workload steps 3000 "$work/log" \
		>"$work/out" 2>"$work/err" &
	pid=$!
	await test -s "$work/log" ||
		fail "$java $*: does not start: $(head -3 "$work/err")"
}

# attach WORD...: sets status, leaves said.
attach() {
	timeout 60 "$jprof" attach "$@" >"$work/said" 2>&1
	status=$?
}

# expect_said WHAT PATTERN
expect_said() {
	[ "$status" = 1 ] || fail "$1: exit status $status instead of 1"
	[ "$(wc -l <"$work/said")" = 1 ] || fail "$1: more than a line: $(cat "$work/said")"
	grep -qE -- "^jprof: .*$2" "$work/said" || fail "$1: no '$2' in: $(cat "$work/said")"
}

# expect_unharmed WHAT: it ends by itself as if nobody had been there.
expect_unharmed() {
	wait "$pid"
	status=$?
	[ "$status" = 0 ] || fail "$1: the JVM's exit status is $status"
	[ ! -s "$work/out" ] || fail "$1: it printed: $(head -3 "$work/out")"
	! grep -vE '^(Picked up .*_OPTIONS|NOTE: Picked up .*)' "$work/err" ||
		fail "$1: standard error: $(head -3 "$work/err")"
	[ ! -e "/tmp/.attach_pid$pid" ] || fail "$1: the file .attach_pid is left"
	pid=
}

# refused PATTERN JAVA [OPTION...]
refused() {
	local pattern=$1 what="$2 ${*:3}"

	shift
	begin "$@"
	attach "$pid"
	expect_said "$what" "$pattern"
	expect_unharmed "$what"
}

for java in "${javas[@]}"; do
	refused 'XX:\+DisableAttachMechanism' "$java" -XX:+DisableAttachMechanism
	refused 'XX:\+DisableAttachMechanism' "$java" -XX:+DisableAttachMechanism -XX:-UsePerfData
	refused 'XX:-EnableDynamicAgentLoading' "$java" -XX:-EnableDynamicAgentLoading
	echo '-Xmx64m -XX:+DisableAttachMechanism' >"$work/words"
	refused 'XX:\+DisableAttachMechanism' "$java" -XX:-UsePerfData "@$work/words"
	# Known by the JVM's counters alone.
	echo '+DisableAttachMechanism' >"$work/flags"
	refused 'XX:\+DisableAttachMechanism' "$java" "-XX:Flags=$work/flags"
	JAVA_TOOL_OPTIONS='-XX:+DisableAttachMechanism -XX:-UsePerfData' \
		refused 'XX:\+DisableAttachMechanism' "$java"

	begin "$java"
	kill -STOP "$pid"
	sleep 0.2
	attach "$pid"
	expect_said "$java, stopped" "is stopped; continue it with: kill -CONT $pid"
	kill -CONT "$pid"
	attach "$pid" --colour red
	[ "$status" = 2 ] || fail "$java, unknown option: exit status $status"
	thread=$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | grep -vx "$pid" | head -1)
	attach "$thread"
	expect_said "$java, a thread" "is a thread of process $pid"
	expect_unharmed "$java"

	# The agent itself refuses.
	begin "$java" -XX:+EnableDynamicAgentLoading
	forget "$pid"
	"$jprof" stop "$pid" >"$work/said" 2>&1
	status=$?
	expect_said "$java, no agent" "no jprof agent in process $pid; load it with: jprof attach $pid"
	expect_unharmed "$java, no agent"
done
finish
