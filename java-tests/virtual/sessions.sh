#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# sessions: recordings begin and end while virtual threads are parked, pinned, and run. Each
# has the calls that began in it: what was under way hangs below the thread's root.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
jvm_words+=("${two_carriers[@]}")

# begun start|attach NAME: a recording, and the program's record.
begun() {
	do_it forget
	jp "$1" "$target" --calls instrument --include Work --file "$work/$2.jprof"
}

# stopped NAME: the recording's own.
stopped() {
	do_it truth "$work/$1.truth"
	jp stop "$target"
	compare "$1" "$work/$1.jprof" "$work/$1.truth"
}

# Threads that wait while nobody records, and end while somebody does.
over_start() {
	do_it early
	begun start "$1"
	do_it work 1000
	stopped "$1"
}

# Threads that are seen to begin, and go on when nobody looks; then they end in the next.
over_stop() {
	begun start "$1"
	do_it early
	stopped "$1"
	begun start "$1-next"
	do_it work 500
	stopped "$1-next"
}

compile "$here"/{Told,Native,VirtualMany}.java
way=attach
program 'Work' '' VirtualMany
do_it early
# The JVM calls it while it mounts a thread: a carrier's first event, at which jprof must not wait for that.
jp attach "$target" --include java.lang.Thread.isInterrupted --file "$work/mounting.jprof"
do_it work 100
jp stop "$target"
begun start first
do_it work 500
stopped first
over_start second
over_start third
over_stop fourth
over_start fifth
jp detach "$target"
do_it early
begun attach again
do_it work 500
stopped again
jp detach "$target"
way=instrument end_program
finish
