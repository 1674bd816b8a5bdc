#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what it costs that virtual threads are mounted and unmounted, begin and end: without an agent, with
# one whose callbacks are empty, and under jprof. And a million short ones: within what memory.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# Two carriers. The variants take turns; each number is the median of the repetitions, each of them the
# fastest of some rounds.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare virtual 5 "$@"
carriers="-Djdk.virtualThreadScheduler.parallelism=2 -Djdk.virtualThreadScheduler.maxPoolSize=2"
profile=$work/p.jprof

# variant | the JVM's option
variants="
none|
empty|-agentpath:$build/bench/libempty_virtual_agent.so
jprof|-agentpath:$build/libjprof.so=file=$profile
"

# work | n | rounds | what a unit is
works="
yield|300000|4|yield: an unmount and a mount
hand-over|100000|4|hand-over: two unmounts, two mounts
deep|20000|4|the same, 1,000 recorded frames deep
short|1000000|1|a million short threads, each
parked|200000|2|200,000 threads parked at once, each
"

# time_of WORK VARIANT: a file's name.
time_of() {
	echo "$work/$1-$2.ns"
}

one_work() {
	local java=$1 name option

	for _ in $(seq "$repetitions"); do
		while IFS='|' read -r name option <&3; do
			# shellcheck disable=SC2086
			"$java" -Xmx1g $carriers $option -cp "$work" Mounts "$2" "$3" "$4" \
				>>"$(time_of "$2" "$name")"
		done 3< <(sed '/^$/d' <<<"$variants")
	done
}

print_work() {
	local none empty own

	none=$(median <"$(time_of "$1" none)")
	empty=$(median <"$(time_of "$1" empty)")
	own=$(median <"$(time_of "$1" jprof)")
	printf '  %-42s %9.0f %9.0f %9.0f %9s %9s\n' "$2" "$none" "$empty" "$own" \
		"$(awk -v a="$own" -v b="$none" 'BEGIN {printf "%.2f", a / b}')" \
		"$(awk -v a="$own" -v b="$empty" 'BEGIN {printf "%.2f", a / b}')"
}

# What the profile says of a million short threads.
print_million() {
	local calls

	# shellcheck disable=SC2086
	"$1" -Xmx1g $carriers "-agentpath:$build/libjprof.so=file=$profile,max_memory=64m" -cp "$work" \
		Mounts short 1000000 1 >/dev/null
	"$build/jprof" report "$profile" --view summary --format json >"$work/summary"
	calls=$("$build/jprof" report "$profile" --view methods --format json |
		jq '[.rows[] | select(.method == "step") | .calls] | add')
	printf '  a million short threads: %s calls of their method; max_memory=64m, used at most %s bytes\n' \
		"$calls" "$(fact memory.peak "$work/summary")"
}

one_jdk() {
	local name n rounds unit

	[ "$(release "$1")" -ge 21 ] || return 0
	"$1/bin/javac" -d "$work" "$here/Mounts.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	rm -f "$work"/*.ns
	printf '  %-42s %9s %9s %9s %9s %9s\n' "ns" "no agent" "empty" "jprof" "to none" "to empty"
	while IFS='|' read -r name n rounds unit <&4; do
		one_work "$1/bin/java" "$name" "$n" "$rounds"
		print_work "$name" "$unit"
	done 4< <(sed '/^$/d' <<<"$works")
	print_million "$1/bin/java"
}

echo "virtual: what mounts cost"
describe_machine
each_jdk one_jdk
