#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: a program's speed before jprof records, while it does, and after it has stopped: the
# probes are out then, and nothing of them may be left.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# The program measures itself (StopSpeed.java); each number is the median of the runs, which
# take turns. The control does the same without jprof: what it differs by is the noise.
set -eu
build=$(realpath "$1")
repetitions=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-stop.XXXXXX")
trap 'rm -rf "$work"' EXIT
agent=$build/libjprof.so
options=file=$work/%p.jprof,calls=instrument

# speed JAVA WAY: a line "BEFORE RECORDING AFTER".
speed() {
	local words=()

	[ "$2" != start ] || words=("-agentpath:$agent=$options,start=no")
	"$1" -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
		--enable-native-access=ALL-UNNAMED "-Djava.library.path=$build/bench" \
		"-Dagent=$agent" "${words[@]}" -cp "$work" StopSpeed "$2" "$options"
	rm -f "$work"/*.jprof
}

# column N FILE: the median of one of the three; of after to before with N=ratio.
column() {
	if [ "$1" = ratio ]; then
		awk '{print $3 / $1}' "$2" | median
	else
		awk -v n="$1" '{print $n}' "$2" | median
	fi
}

one_jdk() {
	local way ratio control

	"$1/bin/javac" -d "$work" "$here/StopSpeed.java" "$here/../Control.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	rm -f "$work"/*.us
	for _ in $(seq "$repetitions"); do
		for way in control start attach; do
			speed "$1/bin/java" $way >>"$work/$way.us"
		done
	done
	printf '  %-28s %9s %9s %9s  %s\n' "us a round" before recording after "after to before"
	control=$(column ratio "$work/control.us")
	for way in control start attach; do
		ratio=$(column ratio "$work/$way.us")
		printf '  %-28s %9.0f %9.0f %9.0f  %.3f%s\n' "$(title $way)" \
			"$(column 1 "$work/$way.us")" "$(column 2 "$work/$way.us")" \
			"$(column 3 "$work/$way.us")" "$ratio" \
			"$([ $way = control ] || verdict "$ratio" "$control")"
	done
}

title() {
	case $1 in
	control) echo "control, no jprof" ;;
	start) echo "there with start=no, started" ;;
	attach) echo "loaded by jcmd" ;;
	esac
}

verdict() {
	awk -v ratio="$1" -v control="$2" 'BEGIN {
		printf ", to control %.3f (bar: 1.02, %s)", ratio / control,
			ratio / control <= 1.02 ? "met" : "MISSED"}'
}

echo "stop: a program's speed before, while and after jprof records"
describe_machine
each_jdk one_jdk
