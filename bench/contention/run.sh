#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: whether adjusted wall-clock time holds the truth where a program has to share its processor:
# the H2 database with the demo's script, on one processor with two busy loops. The truth is the
# same without jprof, before and after each profile: between the two, or as far from the
# interval as they differ. Beside it how often the truth is in the interval, how far off the figure
# is, and the same of what was counted.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# A calibration is made first, with the machine quiet.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare contention 10 "$@"
h2=${H2_JAR:-/usr/share/java/h2.jar}
[ -r "$h2" ] || { echo "contention: there is no '$h2': install libh2-java, or set H2_JAR" && exit 0; }
processor=$(($(nproc) - 1))
loops=()

stop_loops() {
	local loop

	for loop in ${loops[@]+"${loops[@]}"}; do
		kill "$loop" 2>/dev/null || true
	done
	loops=()
}

start_loops() {
	for _ in 1 2; do
		taskset -c "$processor" bash -c 'while :; do :; done' &
		loops+=($!)
	done
}

# h2_run OPTION...: the script, by the thread main; prints its wall-clock time, ms.
h2_run() {
	rm -f "$work"/db.*
	taskset -c "$processor" "$java_home/bin/java" "$@" -cp "$work:$h2" Pinned \
		-url "jdbc:h2:$work/db" -user sa -script "$here/../../demo/shop.sql"
}

# total GROUP: of main, ms.
total() {
	jq -r --arg group "$1" '.rows[] | select(.thread == "main") | .[$group].wall / 1e6' "$work/threads"
}

one_run() {
	local before after

	start_loops
	before=$(h2_run)
	rm -f "$work/p.jprof"
	h2_run "-agentpath:$build/libjprof.so=file=$work/p.jprof,exclude=Pinned,calibration=$work/$release.json" \
		>/dev/null
	after=$(h2_run)
	stop_loops
	"$build/jprof" report "$work/p.jprof" --view threads --format json >"$work/threads"
	echo "$before $after $(total total) $(total error) $(total raw_total)"
}

one_jdk() {
	java_home=$1 release=$(release "$1")
	"$1/bin/javac" -cp "$h2" -d "$work" "$here/Pinned.java"
	"$build/jprof" calibrate --java "$1/bin/java" -o "$work/$release.json" >/dev/null
	echo "JDK $release, ms:   without, before and after | counted | adjusted"
	# Loops that are left hold the pipe open, and never end.
	for _ in $(seq "$repetitions"); do
		(
			trap stop_loops EXIT
			one_run
		)
	done | awk '{
		truth = ($1 + $2) / 2; spread = ($1 > $2 ? $1 - $2 : $2 - $1) / 2
		off = ($3 > truth ? $3 - truth : truth - $3)
		holds = (off <= $4 + spread); held += holds
		printf "  %8d %8d | %8d | %8d +-%d  %s\n", $1, $2, $5, $3, $4, holds ? "holds" : "OUTSIDE"
	} END {
		printf "  held in %d of %d (bar: 9 of 10, %s)\n", held, NR, (NR > 0 && held * 10 >= NR * 9 ? "met" : "MISSED")
	}'
}

echo "contention: wall-clock time on a processor that is shared"
describe_machine
each_jdk one_jdk
