#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# same-file: two JVMs with the same `file`: both run; the second says in a line where its own
# profile is instead; nothing of either is lost.
. "$(dirname "$0")/common.sh"
need jq sqlite3

for java in "${javas[@]}"; do
	profile=$work/shared.jprof
	rm -f "$profile"* "$work/first.log"
	"$java" "-agentpath:$agent=file=$profile,calls=events,metrics=wall,flush=1" \
		-cp "$classes" agent.Workload steps 3000 "$work/first.log" \
		>"$work/first.out" 2>"$work/first.err" &
	first=$!
	await test -s "$work/first.log"
	run "$java" "file=$profile,calls=events,metrics=wall,flush=1" count 500
	expect_ran 'the second JVM' 500
	expect_lines 'the second JVM' 1 "$profile"
	set -- "$profile".*[0-9]
	[ $# = 1 ] || fail "the second JVM's profile is not to be found: $*"
	expect_lines 'the second JVM' 1 "$1"
	expect_profile "$1" 500
	wait $first || fail "the first JVM's exit status is $?"
	[ ! -s "$work/first.err" ] || fail "the first JVM said: $(cat "$work/first.err")"
	# The last line may have been written some steps before the end: the calls are whole
	# rounds of 200, and the loop ends within 10 ms of the last line.
	steps=$(tail -1 "$work/first.log" | cut -d' ' -f2)
	found=$("$jprof" report "$profile" --view methods --format json |
		jq '[.rows[] | select(.method == "step") | .calls] | add')
	[ "${found:-0}" -ge "$steps" ] ||
		fail "the first JVM's profile has $found steps, it walked $steps"
	expect_profile "$profile" "$found"
done
finish
