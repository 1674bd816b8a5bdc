#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# switches: what a change of a thread's tags costs, from Java, on each JDK: while something is recorded with some metrics, while nothing
# is, and without an agent; and in C (bench_labels).
#
#   switches.sh BUILD_DIR JAVA...
set -eu
build=$(cd "$1" && pwd)
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$(dirname "$0")/Switches.java

"$build/bench/bench_labels"
for java; do
	"$(dirname "$java")/javac" -cp "$build/jprof.jar" -d "$work" "$source"
	for options in calls=sample,metrics=wall calls=sample calls=instrument,include=Nothing start=no; do
		echo "$java, $options"
		"$java" "-agentpath:$build/libjprof.so=$options,log=error,file=$work/profile" \
			-cp "$build/jprof.jar:$work" Switches
		rm -f "$work/profile"
	done
	echo "$java, no agent"
	"$java" -cp "$build/jprof.jar:$work" Switches
done
