#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# inside: a program that uses jprof.jar runs without the agent, starts and stops recordings of its
# own, and is bound and left alone again when the agent comes and goes, in every class loader.
. "$(dirname "$0")/common.sh"
need jq sqlite3
jar=$build/jprof.jar

# program JAVA [JVM WORDS] -- WORDS: leaves out and err.
program() {
	local java=$1 words=()

	shift
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	timeout 120 "$java" -Xcheck:jni ${words[@]+"${words[@]}"} agent.InsideLife "$@" \
		>"$work/out" 2>"$work/err"
	status=$?
}

# expect_done WHAT LINE: nothing else was printed.
expect_done() {
	[ "$status" = 0 ] || fail "$1: exit status $status"
	[ "$(cat "$work/out")" = "$2" ] || fail "$1: printed $(head -20 "$work/out")"
	[ ! -s "$work/err" ] || fail "$1: said $(head -20 "$work/err")"
}

without_agent() {
	program "$1" -cp "$classes:$jar" -- absent
	expect_done 'without the agent' 'done, named module false'
	program "$1" -p "$jar" --add-modules jprof -cp "$classes" -- absent
	expect_done 'as a module, without the agent' 'done, named module true'
}

# recordings JAVA NAMED JVM-WORDS...
recordings() {
	local java=$1 named=$2 what="recordings, named module $2"

	shift 2
	rm -rf "$work/life"
	mkdir "$work/life"
	program "$java" "-agentpath:$agent=start=no,file=$work/life/other.jprof" "$@" -- \
		life "$work/life"
	expect_done "$what" "done, named module $named"
	[ "$(ls "$work/life")" = 'one.jprof
two.jprof' ] || fail "$what: $(ls "$work/life")"
	expect_profile "$work/life/one.jprof" 150
	expect_profile "$work/life/two.jprof" 7
	"$jprof" report "$work/life/one.jprof" --view snapshots --format json |
		jq -r '.rows[] | [.kind, .thread // "-", .label] | @tsv' >"$work/moments"
	printf '%s\t%s\t%s\n' mark main 'phase begins' snapshot - half \
		mark main 'phase ends 😀' >"$work/expected"
	diff "$work/expected" "$work/moments" >"$work/diff" || fail "$what: $(cat "$work/diff")"
	found=$("$jprof" report "$work/life/one.jprof" --view methods --snapshot half.. --format json |
		jq '[.rows[] | select(.method == "step") | .calls] | add')
	[ "$found" = 50 ] || fail "$what: $found steps since the snapshot"
	"$jprof" report "$work/life/one.jprof" --view methods --format json |
		jq -e '[.rows[] | select((.class // "") | startswith("jprof."))] == []' >/dev/null ||
		fail "$what: the profile has methods of jprof's own"
}

# says LINE: the waiting program's last line, which may take some seconds.
says() {
	for _ in $(seq 200); do
		[ "$(tail -1 "$work/out")" != "$1" ] || return 0
		kill -0 "$child" 2>/dev/null || break
		sleep 0.05
	done
	fail "coming and going: the program says '$(tail -1 "$work/out")' instead of '$1'"
}

control() {
	"$jprof" "$@" >"$work/control" 2>&1 || fail "jprof $*: $(cat "$work/control")"
}

coming_and_going() {
	rm -f "$work/end"
	timeout 120 "$1" -Xcheck:jni -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
		-cp "$classes:$jar" agent.InsideLife wait "$work/end" "$jar" \
		>"$work/out" 2>"$work/err" &
	child=$!
	says 'false false false'
	read -r pid _ <"/proc/$child/task/$child/children"
	for _ in 1 2 3; do
		control attach "$pid" --file "$work/late.jprof"
		says 'true true true'
		control snapshot "$pid"
		control stop "$pid"
		control start "$pid"
		control detach "$pid"
		says 'false false false'
	done
	touch "$work/end"
	wait "$child" || fail "coming and going: exit status $?"
	grep -vxE '((true|false) ?){3}|done, named module false' "$work/out" >"$work/rest"
	[ ! -s "$work/rest" ] || fail "coming and going: printed $(head -20 "$work/rest")"
	[ ! -s "$work/err" ] || fail "coming and going: said $(head -20 "$work/err")"
}

# A jprof.jar of before there were tags.
older() {
	timeout 120 "$1" -Xcheck:jni "-agentpath:$agent=start=no,file=$work/older.jprof" -cp "$work/older" jprof.JProf \
		>"$work/out" 2>"$work/err"
	status=$?
	expect_done 'an older JProf' 'loaded true, recording false true false'
}

"$(dirname "${javas[0]}")/javac" -d "$work/older" "$source_dir/java-tests/agent/OlderJProf.java" || exit 1
for java in "${javas[@]}"; do
	older "$java"
	without_agent "$java"
	recordings "$java" false -cp "$classes:$jar"
	recordings "$java" true -p "$jar" --add-modules jprof -cp "$classes"
	coming_and_going "$java"
done
finish
