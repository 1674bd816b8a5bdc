# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# target: a JVM that does what it is told, a line at a time, and the command beside it. Sourced
# by the tests of sessions, after common.sh.
#
# The program reads lines, and answers each with lines of its own and then "done". So a test
# knows what was called between two commands, without a clock.
target=0
known_errors='^$' # what it may say on its standard error
trap '' PIPE # a program that has ended is told so by tell

# start_target COMMAND...: sets target, its process id.
start_target() {
	rm -f "$work/to" "$work/from"
	mkfifo "$work/to" "$work/from"
	(
		forget "$BASHPID"
		exec "$@"
	) <"$work/to" >"$work/from" 2>"$work/err" &
	target=$!
	exec {to}>"$work/to" {from}<"$work/from"
}

# tell WORDS...: the program does it; what it answers is in $work/answer.
tell() {
	local line

	: >"$work/answer"
	echo "$*" >&"$to"
	while read -r -t 90 line <&"$from"; do
		[ "$line" != "done" ] || return 0
		echo "$line" >>"$work/answer"
	done
	fail "the program did not do '$*': $(head -5 "$work/err")"
	return 1
}

# end_target: it ends by itself, with the status 7, and nothing was said on its standard error.
end_target() {
	local status

	echo quit >&"$to"
	wait "$target"
	status=$?
	target=0
	exec {to}>&- {from}<&-
	[ $status = 7 ] || fail "the program's exit status is $status instead of 7"
	! grep -qvE "$known_errors" "$work/err" || fail "the program's standard error: $(head -5 "$work/err")"
}

cleanup() {
	[ "$target" = 0 ] && return
	kill -9 "$target" 2>/dev/null
	forget "$target"
}

# jp WORDS...: a command that must not fail; its standard output is in $work/said, and what it
# told in $work/told.
jp() {
	"$jprof" "$@" >"$work/said" 2>"$work/told" </dev/null && return
	fail "jprof $*: exit status $?: $(head -3 "$work/told")"
	return 1
}

# refused WORDS-ABOUT COMMAND...: a command that must fail with one line that holds the words.
refused() {
	local words=$1 status

	shift
	"$@" >"$work/said" 2>"$work/told" </dev/null
	status=$?
	[ $status = 1 ] || fail "$*: exit status $status instead of 1"
	[ "$(wc -l <"$work/told")" = 1 ] || fail "$*: not one line: $(cat "$work/told")"
	grep -qE -- "$words" "$work/told" || fail "$*: '$words' is not in: $(cat "$work/told")"
}

# view PROFILE VIEW WORDS...: in JSON.
view() {
	local profile=$1 name=$2

	shift 2
	"$jprof" report "$profile" --view "$name" --format json "$@" ||
		fail "no view $name of $profile"
}

# calls_of PROFILE CLASSES-PATTERN WORDS...: lines "CLASS.METHOD CALLS", sorted.
calls_of() {
	local profile=$1 classes_wanted=$2

	shift 2
	view "$profile" methods "$@" | jq -r --arg wanted "$classes_wanted" '.rows[] |
		select((.class | test($wanted)) and .calls > 0) | "\(.class).\(.method) \(.calls)"' | sort
}

# same WHAT EXPECTED-FILE FOUND-FILE
same() {
	cmp -s "$2" "$3" || fail "$1: expected (<) and found (>): $(diff "$2" "$3" | grep '^[<>]' | head -12 | tr '\n' ';')"
}

# sound WHAT PROFILE WORDS...: nothing lost, sums hold.
sound() {
	local what=$1 profile=$2 wrong

	shift 2
	wrong=$(view "$profile" summary "$@" | jq -r '.rows[] |
		select(.key | IN("lost", "repaired", "unmatched", "pruned", "interval.clamped")) |
		select((.value | tostring) | IN("0", "no") | not) | "\(.key)=\(.value)"')
	[ -z "$wrong" ] || fail "$what: $wrong"
	view "$profile" callers "$@" | jq -e '.invariants == "hold"' >/dev/null ||
		fail "$what: the view callers does not hold"
	wrong=$( (view "$profile" tree "$@" && view "$profile" threads "$@") | jq -s -r '
		(.[0].metrics[].name) as $metric |
		([.[0].rows[] | select(.how.calls != "sampled") | (.raw_base // .base)[$metric]] | add // 0) -
		([.[1].rows[] | (.raw_total // .total)[$metric]] | add // 0) |
		select(. != 0) | "\($metric) by \(.)"')
	[ -z "$wrong" ] || fail "$what: bases and totals differ: $wrong"
}
