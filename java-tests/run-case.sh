#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run-case: runs one case in a child JVM under the agent, and compares its profile with what
# the case counted itself.
#
#   run-case.sh JAVA JPROF LIBJPROF BUILD CASE
#
# BUILD holds classes/, libcases.so and premain.jar. How a case is run stands in its first
# lines:
#   // run: NAME [JVM WORDS] [-- AGENT OPTIONS]    once for each such line
#   // exit: STATUS                                 if another than 0 is right
#   // stderr: REGEX                                lines that may appear there
#   // summary: KEY ...                             counts that need not be 0
# CALLS=events|instrument chooses how calls are seen. KEEP=1 keeps the directory.
set -u
java=$1 jprof=$2 agent=$3 build=$4 case=$5
here=$(cd "$(dirname "$0")" && pwd)
source=$here/cases/$case.java
calls=${CALLS:-events}
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-$case.XXXXXX")
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
failures=0

directive() {
	sed -n "s,^// $1: *,,p" "$source"
}

fail() {
	echo "FAIL $case ($name): $1"
	failures=$((failures + 1))
}

# Collectors differ between JVMs: a run whose collector this JVM lacks is left out.
lacks_collector() {
	local word

	for word in "$@"; do
		case $word in
		-XX:+Use*GC) "$java" "$word" -version >/dev/null 2>&1 || return 0 ;;
		esac
	done
	return 1
}

run_child() {
	local options=$1
	shift
	timeout 300 "$java" -Xcheck:jni -XX:-UsePerfData -XX:+IgnoreUnrecognizedVMOptions \
		--enable-native-access=ALL-UNNAMED "$@" \
		"-agentpath:$agent=file=$dir/case.jprof,calls=$calls,exclude=cases.Truth${options:+,$options}" \
		"-Dtruth.file=$dir/truth.txt" "-Dtruth.run=$name" "-Djava.library.path=$build" \
		-cp "$build/classes" "cases.$case" >"$dir/stdout" 2>"$dir/stderr"
}

check_output() {
	local expected

	expected=$(directive exit)
	[ "$status" = "${expected:-0}" ] || fail "exit status $status, expected ${expected:-0}"
	directive stderr >"$dir/allowed"
	if [ -s "$dir/allowed" ]; then
		grep -v -P -e "$(paste -sd'|' "$dir/allowed")" "$dir/stderr" >"$dir/unexpected"
	else
		cp "$dir/stderr" "$dir/unexpected"
	fi
	cat "$dir/stdout" >>"$dir/unexpected"
	[ ! -s "$dir/unexpected" ] || fail "unexpected output:
$(head -40 "$dir/unexpected")"
	[ -s "$dir/truth.txt" ] || fail "the case wrote no facts"
}

# callers checks its invariants itself, and exits with another status if one fails.
check_profile() {
	local view zero word

	for view in summary methods tree threads callers; do
		"$jprof" report "$dir/case.jprof" --view $view --format json \
			>"$dir/$view.json" 2>"$dir/report.err" && [ ! -s "$dir/report.err" ] || {
			fail "jprof report --view $view: $(cat "$dir/report.err")"
			return
		}
	done
	zero="lost_events repaired_frames unmatched_exits"
	for word in $(directive summary); do
		zero=${zero/$word/}
	done
	jq -n -r --rawfile truth "$dir/truth.txt" --arg zero "${zero## }" \
		--slurpfile methods "$dir/methods.json" --slurpfile tree "$dir/tree.json" \
		--slurpfile threads "$dir/threads.json" --slurpfile summary "$dir/summary.json" \
		-f "$here/check.jq" >"$dir/differences" 2>&1 || fail "jq could not compare"
	[ ! -s "$dir/differences" ] || fail "$(wc -l <"$dir/differences") differences
$(head -40 "$dir/differences")"
}

run_one() {
	local line=$1 options= words

	case $line in
	*' -- '*) options=${line##* -- } line=${line%% -- *} ;;
	esac
	line=${line//@BUILD@/$build}
	read -r name words <<<"$line"
	dir=$work/$name
	mkdir -p "$dir"
	# The words are separate options on purpose.
	# shellcheck disable=SC2086
	if lacks_collector $words; then
		echo "not run: $case ($name): this JVM has no $words"
		return
	fi
	# shellcheck disable=SC2086
	run_child "$options" $words
	status=$?
	check_output
	if grep -q '^nothing' "$dir/truth.txt" && [ ! -e "$dir/case.jprof" ]; then
		return
	fi
	check_profile
}

[ -r "$source" ] || {
	echo "no such case: $case"
	exit 2
}
while IFS= read -r line <&3; do
	run_one "$line"
done 3< <(directive run)
[ $failures = 0 ]
