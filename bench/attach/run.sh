#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: how long it takes to attach to a JVM with 10,000 loaded classes, until all of them have
# their probes; and the longest pause that the program sees meanwhile.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# The program attaches to itself (AttachTime.java); each number is the median of the runs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare attach 3 "$@"
classes=10000

one_jdk() {
	local n name

	"$1/bin/javac" -d "$work" "$here"/*.java
	"$1/bin/java" -version 2>&1 | sed -n 2p
	rm -f "$work/times"
	for _ in $(seq "$repetitions"); do
		"$1/bin/java" -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
			-Djdk.attach.allowAttachSelf=true -cp "$work" AttachTime $classes \
			"$build/libjprof.so" "file=$work/p.jprof,include=Copied*" >>"$work/times"
	done
	n=0
	for name in "longest pause in 2 s before" "attaching" "longest pause meanwhile" \
		"a round of calls before" "the first round after" "the 200th"; do
		n=$((n + 1))
		printf '  %-28s %8.1f ms\n' "$name" "$(cut -d' ' -f$n "$work/times" | median)"
	done
}

echo "attach: to a JVM with $classes loaded classes"
describe_machine
each_jdk one_jdk
