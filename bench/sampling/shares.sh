#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# shares: whether samples name the right methods. A program measures itself what processor time each of its
# methods uses (java-tests/agent/SampleShares.java); their shares of the samples should be the same. By jprof, by
# the async-profiler, where ASYNC_PROFILER names its library (build it from its public source: `make`), and, on a
# JDK that has it, by the flight recorder's sampling by processor time; with both compilers, and with each alone.
#
#   shares.sh BUILD_DIR [SECONDS]
#
# Each profiler has runs of its own, so that none sees what another does to the program, with a sample each
# millisecond of processor time; each run lasts SECONDS of it, 20 unless given, and has the program's own figures
# to be compared with. In all that takes six minutes. `./dev bench` leaves it out.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
# Files in memory: a disk would have the program wait.
if [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
prepare shares 20 "$@"

one_jdk() {
	rm -rf "$work/classes"
	"$1/bin/javac" -XDsuppressNotes -d "$work/classes" "$here/Stacks.java" \
		"$here/../../java-tests/agent/SampleShares.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	"$here/shares.py" "$build" "$work" "$1" "$(release "$1")" "$repetitions"
}

echo "shares: the methods' shares of samples beside those of the time that they measure"
describe_machine
each_jdk one_jdk
