#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# families: a program that makes 5,000 classes whose names differ in their numbers, and drops them:
# methods of the first thousand are told apart, those of the others share the names of their family;
# calls are exact, in every way of seeing them.
. "$(dirname "$0")/common.sh"
need sqlite3
many=5000 apart=1000

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/Families.java" || exit 1
	for calls in instrument events; do
		rm -f "$work/p.jprof"
		timeout 300 "$java" -Xmx128m \
			"-agentpath:$agent=file=$work/p.jprof,calls=$calls,metrics=wall" \
			-cp "$work" Families $many >"$work/out" 2>"$work/err" ||
			fail "$java, $calls: exit status $?: $(head -3 "$work/err")"
		found=$(query "$work/p.jprof" "SELECT sum(calls) FROM methods
			WHERE class LIKE 'Families\$Made%' AND method = 'count'")
		[ "$found" = $((2 * many)) ] || fail "$java, $calls: $found calls instead of $((2 * many))"
		found=$(query "$work/p.jprof" "SELECT count(DISTINCT class) FROM method
			WHERE class LIKE 'Families\$Made%'")
		[ "$found" = $((apart + 1)) ] || fail "$java, $calls: $found classes"
		found=$(query "$work/p.jprof" "SELECT sum(calls) FROM methods
			WHERE class = 'Families\$Made*' AND method = 'count'")
		[ "$found" = $((2 * (many - apart))) ] || fail "$java, $calls: $found calls of the family"
	done
done
finish
