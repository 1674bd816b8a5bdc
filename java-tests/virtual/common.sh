# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# common: what the tests of virtual threads share. Sourced by each of them, which is called
# with   SOURCE_DIR BUILD_DIR CLASSES JAVA   and WAY: how calls are seen, instrument, attach or events.
#
# PLATFORM=1 has platform threads do what virtual ones are to do, where that makes no difference to
# calls: what is compared then is the test.
here=$source_dir/java-tests/virtual
java=${javas[0]}
way=${WAY:-instrument}
platform=${PLATFORM:+platform}
calls=instrument
[ "$way" != events ] || calls=events
known_end='^$' # what it may say on its standard output after its last answer
two_carriers=(-Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2)
jvm_words=(-Xcheck:jni) # of each JVM; a test may have others
need jq python3

# compile WORDS... of javac: the programs, by the JDK that runs them.
compile() {
	"$(dirname "$java")/javac" -Xlint:all,-preview -d "$work/classes" "$@" >"$work/said" 2>&1 || {
		cat "$work/said"
		exit 1
	}
}

# program RECORDED-CLASSES OPTIONS CLASS WORDS...: starts it; unless it is to be attached to, with
# the agent.
program() {
	local options="calls=$calls,include=$1${2:+,$2}"

	shift 2
	recording=$options
	# What -Xcheck:jni says is among the program's answers, where nothing is expected.
	# shellcheck disable=SC2086 # no word, or one
	set -- "${jvm_words[@]}" -XX:+EnableDynamicAgentLoading --enable-native-access=ALL-UNNAMED \
		"-Djava.library.path=$classes/.." -cp "$work/classes" "$@" $platform
	[ "$way" = attach ] || set -- "-agentpath:$agent=file=$work/p.jprof,$options" "$@"
	start_target "$java" "$@"
}

# do_it WORDS...: the program does that, and says nothing beside.
do_it() {
	tell "$@" || return
	[ ! -s "$work/answer" ] || fail "$*: $(head -20 "$work/answer")"
}

# Begins to record, of a JVM that was started without the agent.
attach() {
	local words=() word

	[ "$way" = attach ] || return 0
	do_it forget # the JVM has got so far
	for word in ${recording//,/ }; do
		words+=("--${word%%=*}" "${word#*=}")
	done
	jp attach "$target" --file "$work/p.jprof" "${words[@]}"
}

# Ends the program, and so the profile. What it says at its end is in $work/answer.
end_program() {
	local status

	[ "$way" != attach ] || jp stop "$target"
	echo quit >&"$to"
	cat <&"$from" >"$work/answer"
	wait "$target"
	status=$?
	target=0
	exec {to}>&- {from}<&-
	[ $status = 7 ] || fail "the program's exit status is $status instead of 7"
	! grep -vE "$known_errors" "$work/err" >"$work/said" || fail "standard error: $(head -20 "$work/said")"
	! grep -vE "$known_end" "$work/answer" >"$work/said" || fail "at its end: $(head -20 "$work/said")"
}

# reports WHAT PROFILE: the views $work/VIEW.json. The command says nothing beside.
reports() {
	local name

	for name in tree threads summary methods; do
		"$jprof" report "$2" --calibration off --view $name --format json >"$work/$name.json" \
			2>"$work/told" || fail "$1: jprof report --view $name: exit status $?"
		[ ! -s "$work/told" ] || fail "$1: jprof report --view $name: $(head -5 "$work/told")"
	done
}

# compare WHAT PROFILE TRUTH: path by path.
compare() {
	local different

	reports "$1" "$2"
	expect_sums "$2" "$1"
	different=$(python3 "$here/compare.py" "$3" "$work/tree.json" "$work/threads.json" "$way" 2>&1)
	[ -z "$different" ] || fail "$1 ($way): $different"
	sound "$1" "$2"
}
