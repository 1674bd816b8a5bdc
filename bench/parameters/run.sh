#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what it costs to read a value of a call, by its kind: beside the same call timed without.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# Both take turns. Each number is the median of the repetitions, each of them the best of 40 rounds of some milliseconds: what
# other programs on the machine take away is not in it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare parameters 5 "$@"
tests=$here/../../java-tests/agent
agent="-agentpath:$build/libjprof.so=file=$work/p.jprof,calls=instrument,metrics=wall,include=ParametersSpeed*"
speed=ParametersSpeed
read="parameters=$speed.callInt(0)+$speed.callShort(0)+$speed.callLong(0)+$speed.callBoxed(0)+$speed.callEnum(0)"
read="$read+$speed.callField(0.name)+$speed.callGetter(0.getName())+$speed.callShape(0):shape+$speed.callResult(result)+jdbc"
read="$read,tags=user:$speed.callTag(0)"

# figure WAY KIND: the median in ns.
figure() {
	sed -n "s/^$2 //p" "$work/$1.ns" | median
}

one_jdk() {
	local kind without with

	"$1/bin/java" "$tests/ParametersStubs.java" "$work"
	"$1/bin/javac" -d "$work" "$work"/Stub*.java "$here/ParametersSpeed.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	rm -f "$work"/*.ns
	for _ in $(seq "$repetitions"); do
		"$1/bin/java" "$agent" -cp "$work" $speed 40 >>"$work/timed.ns"
		"$1/bin/java" "$agent,$read" -cp "$work" $speed 40 >>"$work/read.ns"
	done
	printf '  %-20s %9s %9s %9s\n' "kind (ns a call)" "timed" "read" "more"
	sed 's/ [^ ]*$//' "$work/timed.ns" | awk '!seen[$0]++' | while read -r kind; do
		without=$(figure timed "$kind")
		with=$(figure read "$kind")
		awk -v kind="$kind" -v a="$without" -v b="$with" \
			'BEGIN {printf "  %-20s %9.1f %9.1f %9.1f\n", kind, a, b, b - a}'
	done
}

echo "parameters: what reading a value costs"
describe_machine
each_jdk one_jdk
