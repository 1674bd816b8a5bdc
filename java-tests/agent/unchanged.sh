#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# unchanged: what the application prints and returns is the same with and without the agent.
. "$(dirname "$0")/common.sh"
need jq sqlite3

for java in "${javas[@]}"; do
	"$java" -cp "$classes" agent.Workload count 1234 >"$work/plain.out" 2>"$work/plain.err"
	plain=$?
	for options in calls=events calls=off start=no \
		calls=events,metrics=wall+cpu+alloc+vm-objects+vm-bytes log=error; do
		run "$java" "file=$work/p.jprof,$options" count 1234
		[ "$status" = "$plain" ] || fail "$options: exit status $status instead of $plain"
		cmp "$work/plain.out" "$work/out" || fail "$options: standard output differs"
		cmp "$work/plain.err" "$work/err" || fail "$options: standard error differs"
	done
	# No option at all: the profile is jprof-PID.jprof where the JVM was started.
	mkdir "$work/here"
	(cd "$work/here" && "$java" "-agentpath:$agent" -cp "$classes" agent.Workload count 77) \
		>"$work/out" 2>"$work/err"
	status=$?
	expect_ran 'no options' 77
	expect_lines 'no options' 0
	set -- "$work"/here/jprof-*.jprof
	expect_profile "$1" 77
	[ "$(ls "$work/here" | wc -l)" = 1 ] || fail "left behind: $(ls "$work/here")"
	rm -rf "$work/here"
done
finish
