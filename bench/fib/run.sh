#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what one call costs under the agent, beside an agent whose callbacks are empty and
# beside the JDK's own method timing (release 25 and later); and whether 64 threads on the
# machine's cores lose a call.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# The variants take turns, so that a machine that gets slower meanwhile is slower for all.
# Each number is the median of the repetitions, each of them the best of 40 rounds of some
# milliseconds: what other programs on the machine take away is not in it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare fib 5 "$@"
agent="-agentpath:$build/libjprof.so=file=$work/p.jprof"

# variant | n of fib | options | bar: at most FACTOR times VARIANT
table="
no agent (the compiler at work)   | 28 |
empty callbacks                   | 20 | -agentpath:$build/bench/libempty_agent.so
calls=events,metrics=wall         | 20 | $agent,calls=events,metrics=wall | 1.50 empty callbacks
calls=events                      | 20 | $agent,calls=events
the JDK's method timing           | 24 | -Xlog:disable -XX:StartFlightRecording:method-timing=Fib::fib,filename=$work/t.jfr
calls=instrument,metrics=wall     | 25 | $agent,calls=instrument,metrics=wall | 0.45 the JDK's method timing
calls=instrument                  | 25 | $agent,calls=instrument | 0.60 the JDK's method timing
calls=instrument,timing=precise   | 25 | $agent,calls=instrument,timing=precise
"

# rows RELEASE: the table without blanks around the fields, and without what that JDK lacks.
rows() {
	sed -e '/^$/d' -e 's/ *| */|/g' -e 's/ *$//' <<<"$table" |
		if [ "$1" -lt 25 ]; then grep -v '^the JDK'; else cat; fi
}

# A file's name for a variant.
times_of() {
	echo "$work/${1//[^a-z]/_}.ns"
}

# print_bar NS BAR: the bar is "FACTOR VARIANT", or empty.
print_bar() {
	local other ratio

	[ -n "$2" ] && [ -e "$(times_of "${2#* }")" ] || return 0
	other=$(median <"$(times_of "${2#* }")")
	ratio=$(awk -v a="$1" -v b="$other" 'BEGIN {printf "%.2f", a / b}')
	printf '%s of %s %s' "$ratio" "${2#* }" "$(against "$ratio" "${2%% *}")"
}

one_call() {
	local java=$1 name n options bar ns

	rm -f "$work"/*.ns
	for _ in $(seq "$repetitions"); do
		while IFS='|' read -r name n options bar <&3; do
			# shellcheck disable=SC2086
			"$java" $options -cp "$work" Fib "$n" 40 | tail -n 1 >>"$(times_of "$name")"
		done 3< <(rows "$2")
	done
	printf '  %-34s %9s\n' "agent" "ns a call"
	while IFS='|' read -r name n options bar <&3; do
		ns=$(median <"$(times_of "$name")")
		printf '  %-34s %9.1f  %s\n' "$name" "$ns" "$(print_bar "$ns" "$bar")"
	done 3< <(rows "$2")
}

# many_threads JAVA METRICS: the program's own number of calls, and the profile's.
many_threads() {
	local own counted ns

	"$1" "$agent,calls=instrument,metrics=$2" -cp "$work" FibThreads 64 22 40 >"$work/made"
	read -r own ns <"$work/made"
	counted=$("$build/jprof" report "$work/p.jprof" --view methods --format json |
		jq '[.rows[] | select(.method == "fib") | .calls] | add')
	printf '  64 threads, %-14s %s calls made, %s counted: %s; %s ns a call and core\n' \
		"$2" "$own" "$counted" \
		"$([ "$own" = "$counted" ] && echo "none lost" || echo "NOT EQUAL")" "$ns"
}

one_jdk() {
	"$1/bin/javac" -d "$work" "$here/Fib.java" "$here/FibThreads.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	one_call "$1/bin/java" "$(release "$1")"
	many_threads "$1/bin/java" wall
	many_threads "$1/bin/java" wall+cpu+alloc
}

echo "fib: what one call costs"
describe_machine
each_jdk one_jdk
