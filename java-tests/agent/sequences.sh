#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# sequences: between which methods the deltas of a thread were, as the profile has them and as a
# program says that knows: static or not, native or not, left by an exception or not; in both ways of
# seeing calls, in both timings; and what must hold for the sums whatever the program does.
. "$(dirname "$0")/common.sh"
need sqlite3

# sequences PROFILE: those of the table, interpreted and jitted ones together.
sequences() {
	query "$1" "SELECT ifnull(first, ''), ifnull(begin, ''), second, end, ifnull(third, ''),
			sum(count) AS count
		FROM (SELECT replace(replace(first, 'interpreted', 'java'), 'jitted', 'java') AS first,
			begin,
			replace(replace(second, 'interpreted', 'java'), 'jitted', 'java') AS second,
			end,
			replace(replace(third, 'interpreted', 'java'), 'jitted', 'java') AS third,
			count FROM sequence)
		GROUP BY 1, 2, 3, 4, 5" | sort
}

# holds WHAT SQL: a condition on the profile.
holds() {
	[ "$(query "$work/p.jprof" "SELECT $2")" = 1 ] || fail "$1: not so: $2"
}

# differences EXPECTED FOUND: where jprof stood aside for a moment (it binds a native method, say), what
# goes on is no whole delta, and outside; that may be so a few times.
differences() {
	awk -F '|' -v few=12 '
		{
			count = $NF
			sub(/\|[^|]*$/, "")
			all[$0]
			if (NR == FNR) expected[$0] = count
			else found[$0] = count
		}
		END {
			for (sequence in all) {
				more = found[sequence] - expected[sequence]
				balance += more
				aside += more > 0 ? more : 0
				if (more > 0 && sequence !~ /outside/)
					print sequence ": " more " too many"
			}
			if (balance != 0 || aside > few)
				print aside " are otherwise, " balance " more in all"
		}' "$1" "$2"
}

# compare OPTIONS JVM-WORDS...
compare() {
	local what="$java $*" options=$1

	shift
	timeout 120 "$java" "$@" "-agentpath:$agent=file=$work/p.jprof,include=agent.Sequences,$options" \
		"-Djava.library.path=$build/java-tests" -cp "$classes" \
		agent.Sequences 8000 "$work/truth" >"$work/out" 2>"$work/err" ||
		fail "$what: exit status $?: $(head -5 "$work/err")"
	sort "$work/truth" >"$work/expected"
	sequences "$work/p.jprof" >"$work/found"
	differences "$work/expected" "$work/found" >"$work/differences"
	[ ! -s "$work/differences" ] || fail "$what: $(head -20 "$work/differences")"
	[ -s "$work/expected" ] || fail "$what: the program says nothing"
	holds "$what" "(SELECT sum(count) FROM sequence) = (SELECT sum(events) FROM thread)"
	holds "$what" "NOT EXISTS (SELECT * FROM sequence WHERE min_0 * count > sum_0)"
	holds "$what" "NOT EXISTS (SELECT * FROM node WHERE spent_0 > base_0 OR spent_1 > base_1)"
	holds "$what" "(SELECT sum(spent_0) FROM node) > 0"
	# Beside deltas, nodes have what was spent, and what a thread used before its first event
	# is known, or behind its last.
	holds "$what" "(SELECT sum(sum_0) FROM sequence) + (SELECT sum(spent_0) FROM node)
		<= (SELECT sum(base_0) FROM node)"
}

for java in "${javas[@]}"; do
	for calls in instrument events; do
		compare "calls=$calls"
		compare "calls=$calls,timing=precise"
		compare "calls=$calls" -Xint
		holds "-Xint" "NOT EXISTS (SELECT * FROM sequence
			WHERE second LIKE 'jitted%' OR first LIKE 'jitted%' OR third LIKE 'jitted%')"
	done
	holds "$java" "(SELECT count(*) FROM meta WHERE key = 'jprof.build' AND length(value) >= 32) = 1"
	holds "$java" "(SELECT count(*) FROM meta WHERE key = 'machine.cpu' AND value <> '') = 1"
done
finish
