#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# include: patterns that match nothing are said once, with what comes near; everything, the JDK's
# own packages too, can be included; so can what the compilers replace, which is left alone.
. "$(dirname "$0")/common.sh"
need jq sqlite3

for java in "${javas[@]}"; do
	rm -f "$work/p.jprof"
	run "$java" "file=$work/p.jprof,include=agent.Workload+agnet.*+agent.Workloda+agent.Workload.setp" \
		count 300
	expect_ran 'wrong patterns' 300
	expect_lines 'wrong patterns' 3 "include=agnet.*" "'agent.*'" "include=agent.Workloda" \
		"'agent.Workload'" "include=agent.Workload.setp" "'agent.Workload.step'"
	expect_profile "$work/p.jprof" 300
	[ "$(grep -c 'include=agnet' "$work/err")" = 1 ] || fail 'said more than once'

	rm -f "$work/p.jprof"
	run "$java" "file=$work/p.jprof,include=*+java.*+jdk.*+sun.*,max_memory=1g" count 300
	expect_ran 'everything' 300
	expect_lines 'everything' 0
	expect_profile "$work/p.jprof" 300
	[ "$(fact probes.classes)" -gt 300 ] || fail "only $(fact probes.classes) classes"
	left_out=$(query "$work/p.jprof" \
		"SELECT count(*) FROM meta WHERE key LIKE 'untouched.%' AND value LIKE 'java.lang.Object: %'")
	[ "$left_out" = 1 ] || fail "everything: java.lang.Object is listed $left_out times"
	for key in repaired unmatched lost; do
		[ "$(fact $key)" = 0 ] || fail "everything: $key is $(fact $key)"
	done

	rm -f "$work/p.jprof"
	run "$java" "file=$work/p.jprof,include=agent.*+java.lang.System.arraycopy" count 300
	expect_ran 'an intrinsic' 300
	expect_lines 'an intrinsic' 0
	fact untouched.1 | grep -q 'System.arraycopy: native, ' ||
		fail "an intrinsic: the summary says '$(fact untouched.1)'"

	# Classes with the boot loader that are not the JDK's.
	timeout 120 "$java" "-Xbootclasspath/a:$classes" "-agentpath:$agent=file=$work/p.jprof" \
		agent.Workload count 300 >"$work/out" 2>"$work/err"
	[ "$(grep -c "'$classes' (-Xbootclasspath/a, or" "$work/err")" = 1 ] ||
		fail "-Xbootclasspath/a: it said '$(cat "$work/err")'"
	timeout 120 "$java" "-Xbootclasspath/a:$classes" \
		"-agentpath:$agent=file=$work/p.jprof,include=+agent.*" \
		agent.Workload count 300 >"$work/out" 2>"$work/err"
	[ "$(cat "$work/err")" = done ] || fail "-Xbootclasspath/a and include: it said '$(cat "$work/err")'"
	expect_profile "$work/p.jprof" 300
done
finish
