#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: bytes of class files a second, of the agent's rewriter beside ASM putting in the same calls.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# The same classes, java.base of each JDK, in memory; each on one thread, warmed up, and in the
# time of that thread: the median of 15 rounds. ASM's garbage is collected by other threads, and
# is not in its time. The two take turns; each number is the median of the repetitions. Exit: 1
# if the rewriter is less than five times as fast.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare rewrite 5 "$@"
asm=${ASM_JAR:-/usr/share/java/asm.jar}
missed=0

[ -r "$asm" ] || {
	echo "rewrite: no $asm (Debian package libasm-java): not run"
	exit 0
}

# row TITLE FILE: the run in the middle, of lines "BYTES_IN BYTES_OUT METHODS MB/S".
row() {
	sort -g -k 4 "$2" | awk -v title="$1" '{line[NR] = $0}
		END {split(line[int((NR + 1) / 2)], v)
		     printf "  %-20s %9.1f %9.1f %9d %9.1f\n",
			title, v[1] / 1e6, v[2] / 1e6, v[3], v[4]}'
}

one_jdk() {
	local java=$1/bin/java run=("$1/bin/java" -Xmx2g -cp "$asm:$work" AsmSpeed) ours theirs

	"$1/bin/javac" -cp "$asm" -d "$work" "$here/AsmSpeed.java"
	"${run[@]}" write "$work/classes"
	rm -f "$work/ours" "$work/theirs"
	for _ in $(seq "$repetitions"); do
		"$build/bench/bench_rewrite" "$work/classes" >>"$work/ours"
		"${run[@]}" >>"$work/theirs"
	done
	"$java" -version 2>&1 | sed -n 2p
	printf '  %-20s %9s %9s %9s %9s\n' java.base "MB in" "MB out" methods MB/s
	row "rewrite_class" "$work/ours"
	row "ASM, COMPUTE_MAXS" "$work/theirs"
	ours=$(awk '{print $4}' "$work/ours" | median)
	theirs=$(awk '{print $4}' "$work/theirs" | median)
	awk -v ours="$ours" -v theirs="$theirs" 'BEGIN {
		ratio = ours / theirs
		printf "  %-20s %39.1f  (bar: 5.0, %s)\n", "ratio", ratio,
			(ratio >= 5 ? "met" : "MISSED")
		exit (ratio < 5) }' || missed=1
}

echo "rewrite: class bytes a second"
describe_machine
each_jdk one_jdk
exit $missed
