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
#   // run[WAY...]: NAME ...                        only if calls are seen in one of these ways
# Among the words @BUILD@ stands for BUILD, and @AGENT@ for the agent where it is not to come
# first.
#   // exit: STATUS                                 if another than 0 is right
#   // stderr: REGEX                                lines that may appear there
#   // may-be-above-0: KEY ...                      of the summary; others count what went wrong
#   // attaches: itself                             the case calls Attach.await() in its midst
# WAY=events|instrument|attach chooses how calls are seen: by the JVM's events, by probes from the
# start, or by probes of an agent that is loaded by jcmd, just before the case's main is called.
# ASM is the jar of the class-file library that some cases generate classes with. KEEP=1 keeps
# the directory.
set -u
java=$1 jprof=$2 agent=$3 build=$4 case=$5
here=$(cd "$(dirname "$0")" && pwd)
source=$here/cases/$case.java
way=${WAY:-events}
calls=instrument
[ "$way" != events ] || calls=events
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-$case.XXXXXX")
trap '[ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT
# No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
export XDG_CACHE_HOME=/dev/null
failures=0

directive() {
	sed -n -e "s,^// $1: *,,p" -e "s,^// $1\[[^]]*\b$way\b[^]]*\]: *,,p" "$source"
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

# Loads the agent into the JVM when that has got so far. Both words are quoted for jcmd.
attach() {
	while [ ! -e "$dir/attach.ready" ]; do
		kill -0 "$1" 2>/dev/null || return
		sleep 0.02
	done
	"$(dirname "$java")/jcmd" "$1" JVMTI.agent_load "\"$agent\"" "\"$2\"" >"$dir/jcmd" 2>&1
	grep -q '^return code: 0' "$dir/jcmd" || fail "jcmd: $(tail -3 "$dir/jcmd")"
	touch "$dir/attach.go"
}

# run_child AGENT-OPTIONS WORDS: the words are separate options, paths among them may hold blanks.
run_child() {
	local options="file=$dir/case.jprof,calls=$calls,exclude=cases.Truth+cases.Attach${1:+,$1}"
	local load="-agentpath:$agent=$options"
	local word words=() main=("cases.$case") child

	for word in $2; do
		word=${word//@AGENT@/$load}
		words+=("${word//@BUILD@/$build}")
	done
	case "$way $2" in
	attach*) [ -n "$(directive attaches)" ] || main=(cases.Attach "cases.$case") ;;
	*@AGENT@*) ;;
	*) words=("$load" ${words[@]+"${words[@]}"}) ;;
	esac
	timeout 300 "$java" -Xcheck:jni -XX:+EnableDynamicAgentLoading -XX:-UsePerfData -XX:+IgnoreUnrecognizedVMOptions \
		--enable-native-access=ALL-UNNAMED "${words[@]}" \
		"-Dtruth.file=$dir/truth.txt" "-Dtruth.run=$name" "-Dtruth.way=$way" \
		"-Dtruth.agent=$agent" "-Dattach.directory=$dir" "-Djava.library.path=$build" \
		-cp "$build/classes:${ASM:-/usr/share/java/asm.jar}:${agent%/*}/jprof.jar" "${main[@]}" >"$dir/stdout" 2>"$dir/stderr" &
	child=$!
	# timeout's own child is the JVM.
	[ "$way" != attach ] || attach "$(child_of $child)" "$options"
	wait $child
}

# The one child of a process, which may not have begun yet.
child_of() {
	local children=

	while [ -z "$children" ] && kill -0 "$1" 2>/dev/null; do
		read -r children <"/proc/$1/task/$1/children"
	done
	echo "${children%% *}"
}

# JDK 17 with -Xcheck:jni counts the references that the JVM itself makes for method events,
# and warns, with a stack, whatever the agent does (an agent with empty callbacks included).
# They end with the callback.
without_reference_counts() {
	awk '/^WARNING: JNI local refs: [0-9]+, exceeds capacity/ {skip = 1; next}
		skip && /^\t(at |- )/ {next}
		{skip = 0; print}' "$1"
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
	without_reference_counts "$dir/stdout" >>"$dir/unexpected"
	[ ! -s "$dir/unexpected" ] || fail "unexpected output:
$(head -40 "$dir/unexpected")"
	[ -s "$dir/truth.txt" ] || fail "the case wrote no facts"
}

check_profile() {
	local view zero word

	for view in summary methods tree threads; do
		"$jprof" report "$dir/case.jprof" --view $view --format json \
			>"$dir/$view.json" 2>"$dir/report.err" && [ ! -s "$dir/report.err" ] || {
			fail "jprof report --view $view: $(cat "$dir/report.err")"
			return
		}
	done
	zero=
	for word in lost repaired unmatched threads.lost methods.lost metric.losses; do
		directive may-be-above-0 | grep -qw -- "$word" || zero+="$word "
	done
	jq -n -r --rawfile truth "$dir/truth.txt" --arg zero "${zero% }" \
		--slurpfile methods "$dir/methods.json" --slurpfile tree "$dir/tree.json" \
		--slurpfile threads "$dir/threads.json" --slurpfile summary "$dir/summary.json" \
		-f "$here/check.jq" >"$dir/differences" 2>&1 || fail "jq could not compare"
	"$here/sums.py" "$jprof" "$dir/case.jprof" >>"$dir/differences" 2>&1
	[ ! -s "$dir/differences" ] || fail "$(wc -l <"$dir/differences") differences
$(head -40 "$dir/differences")"
}

run_one() {
	local line=$1 options="" words

	case $line in
	*' -- '*) options=${line##* -- } line=${line%% -- *} ;;
	esac
	read -r name words <<<"$line"
	dir=$work/$name
	mkdir -p "$dir"
	# shellcheck disable=SC2086
	if lacks_collector $words; then
		echo "not run: $case ($name): this JVM has no $words"
		return
	fi
	run_child "$options" "$words"
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
