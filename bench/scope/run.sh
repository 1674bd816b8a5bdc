#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what one call of a small method costs in a running JVM that jprof is attached to: while
# nothing is recorded, in a session, in one whose scope the thread is outside of, in one that
# has not chosen the thread; and when the session is over.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# One JVM goes through all of them, one after another; each number is the median over the JVMs
# of the best of 40 rounds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare scope 3 "$@"
jprof=$build/jprof

# title | where the calls are made | the session's options, or a command
table="
before jprof came|outside|none
agent there, no session|outside|attach
session|outside|--include ScopeSpeed.fib
session, metrics=wall|outside|--include ScopeSpeed.fib --metrics wall
scope, thread inside|inside|--include ScopeSpeed.fib --scope ScopeSpeed.entry
scope, thread outside|outside|--include ScopeSpeed.fib --scope ScopeSpeed.entry
thread not chosen|outside|--include ScopeSpeed.fib --threads nobody-*
session over|outside|none
agent taken out|outside|detach
"

rows() {
	sed '/^$/d' <<<"$table"
}

# quietly WORDS...: a command of jprof's.
quietly() {
	"$jprof" "$@" >"$work/told" 2>&1 || {
		cat "$work/told" >&2
		exit 1
	}
}

# measure PLACE: nanoseconds a call, now.
measure() {
	local ns

	echo "$1" >&"$to"
	read -r ns <&"$from"
	echo "$ns"
}

# one_row JVM PLACE SESSION
one_row() {
	case $3 in
	none) measure "$2" ;;
	attach) quietly attach "$1" --start no && measure "$2" ;;
	detach) quietly detach "$1" && measure "$2" ;;
	*)
		# shellcheck disable=SC2086
		(set -f && quietly start "$1" --file "$work/p.jprof" $3)
		measure "$2"
		quietly stop "$1"
		rm -f "$work/p.jprof"
		;;
	esac
}

one_jvm() {
	local jvm title place session number=0

	rm -f "$work/to" "$work/from"
	mkfifo "$work/to" "$work/from"
	"$1/bin/java" -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading -cp "$work" ScopeSpeed \
		<"$work/to" >"$work/from" &
	jvm=$!
	exec {to}>"$work/to" {from}<"$work/from"
	measure outside >/dev/null
	while IFS='|' read -r title place session <&3; do
		number=$((number + 1))
		one_row "$jvm" "$place" "$session" >>"$work/$number.ns"
	done 3< <(rows)
	exec {to}>&- {from}<&-
	wait "$jvm"
}

one_jdk() {
	local title place session number=0

	"$1/bin/javac" -d "$work" "$here/ScopeSpeed.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	rm -f "$work"/*.ns
	for _ in $(seq "$repetitions"); do
		one_jvm "$1"
	done
	while IFS='|' read -r title place session <&3; do
		number=$((number + 1))
		printf '  %-28s %8.2f ns a call\n' "$title" "$(median <"$work/$number.ns")"
	done 3< <(rows)
}

echo "scope: what a call costs inside and outside of what is recorded"
describe_machine
each_jdk one_jdk
