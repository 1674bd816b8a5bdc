#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: whether the intervals that a calibrated profile shows hold the truth. Programs whose methods'
# own time and allocation are known (Programs.java); a tree in which one method at a time is made
# slower (SlowDown.java); and what no subtraction gives back (Examples.java). The same
# profiles of programs are reported by simpler ideas of what a delta costs, too (variant.jq).
#
#   run.sh BUILD_DIR [--runs 5] [--jdk HOME]... [--timing fast|precise]... [--calibrations DIR]
#          [PROGRAM...]
#
# All JDKs and both timings, all programs, unless some are named. Each run of a program is a JVM
# of its own, where truth and profile are measured one after another; programs and timings take
# turns. A calibration is made first for each JDK and timing; with --calibrations it stays in
# that folder, or is there already.
# shellcheck disable=SC2016 # the dollars are those of nested classes
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"

usage() {
	sed -n 's/^#   //p' "$0" >&2
	exit 2
}

runs=5 calibrations='' folder='' homes=() timings=() chosen=()
while [ $# -gt 0 ]; do
	case $1 in
	--runs) runs=${2:?} && shift 2 ;;
	--jdk) homes+=("${2:?}") && shift 2 ;;
	--timing) timings+=("${2:?}") && shift 2 ;;
	--calibrations) calibrations=$(realpath "${2:?}") && shift 2 ;;
	-*) usage ;;
	*) if [ -z "$folder" ]; then folder=$1; else chosen+=("$1"); fi && shift ;;
	esac
done
[ -n "$folder" ] || usage
prepare accuracy "$runs" "$folder"
[ ${#timings[@]} -gt 0 ] || timings=(fast precise)
calibrations=${calibrations:-$work}

# Programs that are recorded with calibration=off, too.
uncalibrated="Allocate Allocations"

# How wide an interval may be beside 2 % of its figure: ns a call.
declare -A slack=([fast]=10 [precise]=3)

# run_java TIMING CALIBRATION INCLUDE ARGUMENTS...: with an agent that waits.
run_java() {
	local options=start=no,file=$work/p.jprof,timing=$1,calibration=$2,include=$3

	shift 3
	rm -f "$work"/p.jprof*
	"$java_home/bin/java" -XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED \
		-XX:+UseSerialGC -Xms640m -Xmx640m -Xmn400m -XX:+AlwaysPreTouch \
		-XX:CompileCommand=quiet '-XX:CompileCommand=exclude,Programs$Interpreted*::work' \
		'-XX:CompileCommand=exclude,Programs$Interpreted*::none' \
		'-XX:CompileCommand=dontinline,Programs*::*' '-XX:CompileCommand=dontinline,SlowDown*::*' \
		"-agentpath:$build/libjprof.so=$options" "-Djava.library.path=$build/bench" \
		-cp "$work:$build/jprof.jar" "$@"
}

# report VIEW SNAPSHOTS CALIBRATION...
report() {
	"$build/jprof" report "$work/p.jprof" --view "$1" --snapshot "$2" --format json "${@:3}"
}

names() {
	"$java_home/bin/java" -cp "$work:$build/jprof.jar" Accuracy "$1"
}

# is_chosen NAME: all are, unless some are named.
is_chosen() {
	[ ${#chosen[@]} -eq 0 ] || [[ " ${chosen[*]} " == *" $1 "* ]]
}

# Sets the programs and examples there are, and makes sure that what is chosen is among them.
list_programs() {
	local name known

	programs=$(names programs) examples=$(names examples)
	# shellcheck disable=SC2086
	known=$(printf '%s ' '' $programs $examples SlowDown)
	for name in "${chosen[@]}"; do
		[[ $known == *" $name "* ]] || { echo "no program '$name'; there are:$known" >&2 && exit 2; }
	done
}

# figures RUN CALIBRATION [OPTION...]: of what has just run, by a report with the options.
figures() {
	report callers begin..end "${@:3}" |
		jq -c --slurpfile program "$work/ran.json" --argjson run "$1" --arg calibration "$2" \
			-f "$here/join.jq"
}

# estimate TIMING RUN: of what has just run, by the other estimators.
estimate() {
	local estimator

	for estimator in minimum mean; do
		figures "$2" "$estimator" --calibration "$work/$release-$1-$estimator.json" \
			>>"$work/Programs.$estimator.$1" || return
	done
}

# one_program CLASS PROGRAM TIMING RUN [off]: its figures are added to those of the class.
one_program() {
	local calibration=$calibrations/$release-$3.json adjust=()

	if [ "${5:-on}" = off ]; then
		calibration=off adjust=(--calibration off)
	fi
	{
		run_java "$3" "$calibration" "$1\$$2" Accuracy run "$2" >"$work/ran.json" &&
			figures "$4" "${5:-on}" "${adjust[@]}" >>"$work/$1${5:+.$5}.$3" &&
			{ [ "$1${5:-}" != Programs ] || estimate "$3" "$4"; }
	} || failed "$3, run $4: $1 $2 ${5:-}"
}

# What gave no figures is told at the end.
failed() {
	echo "failed: JDK $release, $*" | tee -a "$work/failures"
}

# slow_down TIMING RUN
slow_down() {
	local setting plain slower

	run_java "$1" "$calibrations/$release-$1.json" 'SlowDown$Tree' SlowDown >"$work/ran.json" ||
		{ failed "$1, run $2: SlowDown" && return; }
	while read -r setting; do
		read -r plain slower < <(jq -r '"\(.plain) \(.slower)"' <<<"$setting")
		report methods "$plain" >"$work/plain.json"
		report methods "$slower" >"$work/slower.json"
		jq -c --slurpfile plain "$work/plain.json" --slurpfile slower "$work/slower.json" \
			--argjson run "$2" -f "$here/join_slow.jq" <<<"$setting" >>"$work/SlowDown.$1"
	done <"$work/ran.json"
}

# one_run TIMING RUN
one_run() {
	local name

	for name in $programs; do
		is_chosen "$name" || continue
		one_program Programs "$name" "$1" "$2"
		[[ " $uncalibrated " != *" $name "* ]] || one_program Programs "$name" "$1" "$2" off
	done
	for name in $examples; do
		! is_chosen "$name" || one_program Examples "$name" "$1" "$2"
	done
	! is_chosen SlowDown || slow_down "$1" "$2"
}

# score PROGRAM TIMING FIGURES...: Markdown of the figures that there are.
score() {
	local program=$1 timing=$2 files=() file

	shift 2
	for file in "$@"; do
		[ ! -e "$work/$file.$timing" ] || files+=("$work/$file.$timing")
	done
	[ ${#files[@]} -gt 0 ] || return 0
	jq -rs -L "$here" --arg title "JDK $release, $timing" --arg slack "${slack[$timing]}" \
		-f "$here/$program.jq" "${files[@]}"
	echo
}

scores() {
	score accuracy "$1" Programs
	score estimators "$1" Programs Programs.minimum Programs.mean
	score allocation "$1" Programs Programs.off
	score slow_down "$1" SlowDown
	score examples "$1" Examples
}

calibrate() {
	[ -e "$calibrations/$release-$1.json" ] ||
		"$build/jprof" calibrate --java "$java_home/bin/java" --timing "$1" \
			-o "$calibrations/$release-$1.json" >"$work/told" 2>&1 ||
		{ cat "$work/told" >&2 && exit 1; }
}

# make_variants TIMING: the calibration as the other estimators have it.
make_variants() {
	local estimator

	for estimator in minimum mean; do
		jq --arg estimator "$estimator" -f "$here/variant.jq" "$calibrations/$release-$1.json" \
			>"$work/$release-$1-$estimator.json"
	done
}

one_jdk() {
	local timing run

	java_home=$1 release=$(release "$1")
	rm -f "$work"/*.fast "$work"/*.precise
	"$1/bin/javac" -cp "$build/jprof.jar" -d "$work" "$here"/*.java
	list_programs
	for timing in "${timings[@]}"; do
		calibrate "$timing"
		make_variants "$timing"
	done
	for run in $(seq "$repetitions"); do
		for timing in "${timings[@]}"; do
			one_run "$timing" "$run"
		done
	done
	for timing in "${timings[@]}"; do
		scores "$timing" | tee -a "$work/results"
	done
}

echo "accuracy: whether the intervals of a calibrated profile hold the truth"
describe_machine
if [ ${#homes[@]} -eq 0 ]; then
	each_jdk one_jdk
else
	for home in "${homes[@]}"; do
		one_jdk "$(realpath "$home")"
	done
fi
grep '^JDK ' "$work/results" || true
[ ! -e "$work/failures" ] || cat "$work/failures"
