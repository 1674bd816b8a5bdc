# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# common: what the benchmarks of Java programs share; sourced by them.
# shellcheck shell=bash

# No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
export XDG_CACHE_HOME=/dev/null

# prepare NAME REPETITIONS BUILD_DIR [REPETITIONS]: sets build, repetitions, unless given, and a
# folder `work` that goes at the end.
prepare() {
	build=$(realpath "${3:?the folder of a build}")
	repetitions=${4:-$2}
	work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-$1.XXXXXX")
	trap 'rm -rf "$work"' EXIT
}

# each_jdk FUNCTION: calls it with the folder of each JDK of the machine.
each_jdk() {
	local home seen=

	for home in ${JAVA_HOME:-} /usr/lib/jvm/*; do
		home=$(realpath "$home")
		case " $seen " in *" $home "*) continue ;; esac
		[ -x "$home/bin/javac" ] || continue
		seen="$seen $home"
		"$1" "$home"
	done
}

# release HOME: 17, say.
release() {
	sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# The middle one of the numbers, one a line.
median() {
	sort -g | awk '{v[NR] = $1} END {print v[int((NR + 1) / 2)]}'
}

# seconds COMMAND...: how long it takes, its standard output thrown away.
seconds() {
	local begin=$EPOCHREALTIME

	"$@" >/dev/null || echo "failed: $*" >&2
	awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN {printf "%.4f\n", end - begin}'
}

# fact KEY SUMMARY: a value of a summary in JSON.
fact() {
	jq -r --arg key "$1" '.rows[] | select(.key == $key) | .value' "$2"
}

# against VALUE BAR: says whether the value is within its bar.
against() {
	awk -v value="$1" -v bar="$2" 'BEGIN {
		printf "(bar: %.2f, %s)", bar, value <= bar ? "met" : "MISSED"}'
}

describe_machine() {
	echo "machine: $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1)," \
		"$(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg), $(date -u +%Y-%m-%d)"
}
