#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what one call costs under the agent, beside an agent whose callbacks are empty.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# The variants take turns, so that a machine that gets slower meanwhile is slower for all.
# Each number is the median of the repetitions, each of them the best of 40 rounds of some
# milliseconds: what other programs on the machine take away is not in it.
set -eu
build=$(realpath "$1")
repetitions=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-fib.XXXXXX")
trap 'rm -rf "$work"' EXIT
variants="none empty wall default"

# measure JAVA VARIANT: nanoseconds a call.
measure() {
	local options=() n=20

	case $2 in
	none) n=28 ;;
	empty) options=("-agentpath:$build/bench/libempty_agent.so") ;;
	wall) options=("-agentpath:$build/libjprof.so=file=$work/p.jprof,calls=events,metrics=wall") ;;
	default) options=("-agentpath:$build/libjprof.so=file=$work/p.jprof,calls=events") ;;
	esac
	"$1" "${options[@]}" -cp "$work" Fib $n 40
}

median() {
	sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

one_jdk() {
	local java=$1/bin/java variant cost=()

	"$1/bin/javac" -d "$work" "$here/Fib.java"
	rm -f "$work"/*.ns
	for _ in $(seq "$repetitions"); do
		for variant in $variants; do
			measure "$java" "$variant" >>"$work/$variant.ns"
		done
	done
	for variant in $variants; do
		cost+=("$(median <"$work/$variant.ns")")
	done
	"$java" -version 2>&1 | sed -n 2p
	awk -v a="${cost[0]}" -v b="${cost[1]}" -v c="${cost[2]}" -v d="${cost[3]}" 'BEGIN {
		row = "  %-34s %9.1f %10.2f  %s\n"
		printf "  %-34s %9s %10s\n", "agent", "ns a call", "to empty"
		printf row, "none (the compiler at work)", a, a / b, ""
		printf row, "empty callbacks", b, 1, ""
		printf row, "jprof calls=events,metrics=wall", c, c / b, \
			c / b <= 1.5 ? "(bar: 1.50, met)" : "(bar: 1.50, MISSED)"
		printf row, "jprof calls=events", d, d / b, "(wall+cpu+alloc)"
	}'
}

echo "fib: what one call costs, $(date -u +%Y-%m-%d)"
echo "machine: $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, $(uname -srm)"
seen=
for home in ${JAVA_HOME:-} /usr/lib/jvm/*; do
	home=$(realpath "$home")
	case " $seen " in *" $home "*) continue ;; esac
	[ -x "$home/bin/javac" ] || continue
	seen="$seen $home"
	one_jdk "$home"
done
