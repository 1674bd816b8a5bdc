#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: whether jprof names the methods that use the processor, beside what sampling without any
# probe says, for two real programs: javac with a package of jdk.hotspot.agent (100 files; the call
# trees of the whole module do not fit into any sensible memory), and the H2 database with the
# demo's script, on disk.
#
#   run.sh BUILD_DIR [SECONDS [PROGRAMS [RELEASES]]]
#
# E.g. `run.sh build 10 h2 25` or `run.sh build 10 "h2 javac" "17 25"`, which is what is done
# otherwise, in some eight minutes. Each run is a fresh JVM, which is warmed up for so many seconds
# and measured for as many, of the CPU time of the thread that works: sampled by the flight
# recorder, the same without inlining, and with probes, timing=fast and timing=precise. jprof and
# the samples have the same classes: those of the program's package; what these use of the JDK is
# theirs.
#
# KEEP=FOLDER keeps profiles, samples and calibrations there, and uses calibrations that are there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare ranking 10 "$@"
programs=${3:-javac h2}
releases=${4:-}
keep=${KEEP:-$work/kept}
seconds=$repetitions
h2=${H2_JAR:-/usr/share/java/h2.jar}

# name | what the JVM is told; the agent's options follow for those with probes
ways="
plain|
noinline|-XX:-Inline
fast|
precise|
"

package_of() {
	case $1 in
	javac) echo com.sun.tools.javac ;;
	h2) echo org.h2 ;;
	esac
}

have_javac() {
	[ -r "$1/lib/src.zip" ]
}

# The other classes of the module are those of the JDK.
prepare_javac() {
	rm -rf "$work/jdk.hotspot.agent"
	(cd "$work" && "$1/bin/jar" xf "$1/lib/src.zip" \
		jdk.hotspot.agent/sun/jvm/hotspot/runtime)
	find "$work/jdk.hotspot.agent" -name '*.java' >"$work/sources"
}

name_javac() {
	echo "javac, $(wc -l <"$work/sources") source files"
}

arguments_javac() {
	printf '%s\n' javac "$work/sources" -nowarn -proc:none -XDignore.symbol.file \
		--patch-module "jdk.hotspot.agent=$work/jdk.hotspot.agent" -d "$work/compiled"
}

have_h2() {
	[ -r "$h2" ]
}

prepare_h2() {
	:
}

name_h2() {
	echo "H2, $(basename "$(readlink -f "$h2")")"
}

arguments_h2() {
	printf '%s\n' h2 "jdbc:h2:$work/db" "$here/../../demo/shop.sql"
}

# calibrate HOME TIMING: its file.
calibrate() {
	local file
	file=$keep/calibration-$(release "$1")-$2.json

	[ -s "$file" ] || "$build/jprof" calibrate --java "$1" --timing "$2" -o "$file" >&2
	echo "$file"
}

# run_way HOME PROGRAM WAY OPTION RECORDING|-: one JVM.
run_way() {
	local -a arguments

	mapfile -t arguments < <("arguments_$2")
	"$1/bin/java" ${4:+"$4"} -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints \
		-Xlog:disable -cp "$work/classes:$build/jprof.jar:$h2" \
		Ranking "$seconds" "$seconds" "$5" "${arguments[@]}" >"$data/$3.run"
}

sample() {
	local home=$1 program=$2 way=$3

	run_way "$home" "$program" "$way" "$4" "$work/samples.jfr"
	"$home/bin/java" -cp "$work/classes" Samples "$work/samples.jfr" \
		"$(package_of "$program")" >"$data/$way.samples"
}

count() {
	local home=$1 program=$2 timing=$3 calibration view options
	local profile=$data/$timing.jprof

	calibration=$(calibrate "$home" "$timing")
	rm -f "$profile"
	options="file=$profile,include=$(package_of "$program").*,timing=$timing"
	options+=,calibration=off,max_memory=1g,flush=86400
	run_way "$home" "$program" "$timing" "-agentpath:$build/libjprof.so=$options" -
	for view in methods summary; do
		"$build/jprof" report "$profile" --view "$view" --snapshot begin..end --thread main \
			--calibration "$calibration" --format json >"$work/$view.json"
	done
	mv "$work/methods.json" "$data/$timing.json"
	mv "$work/summary.json" "$data/$timing.summary"
}

one_program() {
	local home=$1 program=$2 way option

	if ! "have_$program" "$home"; then
		printf '%s: not here, not run\n\n' "$program"
		return
	fi
	"prepare_$program" "$home"
	data=$keep/$program-$(release "$home")
	mkdir -p "$data"
	while IFS='|' read -r way option <&3; do
		case $way in
		fast | precise) count "$home" "$program" "$way" ;;
		*) sample "$home" "$program" "$way" "$option" ;;
		esac
	done 3< <(sed '/^$/d' <<<"$ways")
	python3 "$here/compare.py" "$data" "$("name_$program"), JDK $(release "$home")"
}

one_jdk() {
	local program

	[[ -z $releases || " $releases " == *" $(release "$1") "* ]] || return 0
	"$1/bin/java" -version 2>&1 | sed -n 2p
	echo
	rm -rf "$work/classes"
	"$1/bin/javac" -d "$work/classes" -cp "$build/jprof.jar:$h2" "$here"/*.java
	for program in $programs; do
		one_program "$1" "$program"
	done
}

mkdir -p "$keep"
echo "ranking: methods by their own CPU time, beside samples"
describe_machine
each_jdk one_jdk
