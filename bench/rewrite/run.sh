#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: bytes of class files a second, of the agent's rewriter beside ASM putting in the same calls.
#
#   run.sh BUILD_DIR
#
# The same classes, java.base of each JDK, in memory; each on one thread, warmed up, and in the
# time of that thread: the median of 15 rounds. ASM's garbage is collected by other threads, and
# is not in its time. Exit: 1 if the rewriter is less than five times as fast.
set -eu
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
asm=${ASM_JAR:-/usr/share/java/asm.jar}
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-rewrite.XXXXXX")
trap 'rm -rf "$work"' EXIT
missed=0

[ -r "$asm" ] || {
	echo "rewrite: no $asm (Debian package libasm-java): not run"
	exit 0
}

one_jdk() {
	local java=$1/bin/java run=("$1/bin/java" -Xmx2g -cp "$asm:$work" AsmSpeed) ours theirs

	"$1/bin/javac" -cp "$asm" -d "$work" "$here/AsmSpeed.java"
	"${run[@]}" write "$work/classes"
	ours=$("$build/bench/bench_rewrite" "$work/classes")
	theirs=$("${run[@]}")
	"$java" -version 2>&1 | sed -n 2p
	printf '%s\n' "rewrite_class $ours" "ASM,_COMPUTE_MAXS $theirs" | awk '
		BEGIN { printf "  %-20s %9s %9s %9s %9s\n", "java.base", "MB in", "MB out",
			"methods", "MB/s" }
		{ sub("_", " ", $1)
		  printf "  %-20s %9.1f %9.1f %9d %9.1f\n", $1, $2 / 1e6, $3 / 1e6, $4, $5
		  speed[NR] = $5 }
		END { ratio = speed[1] / speed[2]
		  printf "  %-20s %39.1f  (bar: 5.0, %s)\n", "ratio", ratio,
			(ratio >= 5 ? "met" : "MISSED")
		  exit (ratio < 5) }' || missed=1
}

echo "rewrite: class bytes a second, $(date -u +%Y-%m-%d)"
echo "machine: $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs, $(uname -srm)"
seen=
for home in ${JAVA_HOME:-} /usr/lib/jvm/*; do
	home=$(realpath "$home")
	case " $seen " in *" $home "*) continue ;; esac
	[ -x "$home/bin/javac" ] || continue
	seen="$seen $home"
	one_jdk "$home"
done
exit $missed
