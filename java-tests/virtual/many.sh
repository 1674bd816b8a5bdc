#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# many: 40,000 virtual threads on two carriers sleep, wait for queues and locks, and talk over
# sockets: every call of every path is there, and what the carriers used is the carriers' or the
# virtual threads', in sum.
#   THREADS=N     another number of them
#   CHECK_JNI=1   the JVM looks at what the agent asks of it
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
[ "$way" != events ] || THREADS=${THREADS:-10000} # in the interpreter
threads=${THREADS:-40000}
[ -n "${CHECK_JNI:-}" ] || jvm_words=()
jvm_words+=(-Xmx1g "${two_carriers[@]}")

# sum_of METRIC: of carriers and virtual threads, since the first look.
sum_of() {
	jq --arg metric "$1" '[.rows[] | select(.virtual or (.thread | test("^ForkJoinPool-1-worker-")))
		| .total[$metric]] | add' "$work/since.json"
}

# What the carriers used between the looks: from their first instructions, or in attach mode from when
# both have been seen.
told() {
	jq ".last_$1 - (.first_$1 // 0)" "$work/truth"
}

# Both counters are the JVM's of each carrier: what the profile has is what it read at their last events,
# and a carrier allocates nothing behind that: the last one is the end of the thread that it
# carried last, and then it waits.
compare_alloc() {
	local found

	found=$(sum_of alloc)
	[ "$found" = "$(told alloc)" ] ||
		fail "alloc: expected $(told alloc) bytes, found $found"
}

# Of a thread that waits the clock stands still: the two readings differ by what the carriers' waking
# costs, and by the kernel's own grains.
compare_cpu() {
	local found expected

	found=$(sum_of cpu)
	expected=$(told cpu)
	[ $((found > expected ? found - expected : expected - found)) -le $((expected / 100)) ] ||
		fail "cpu: expected $expected ns to 1 %, found $found"
}

compile "$here"/{Told,Native,VirtualMany}.java
program 'Work' '' VirtualMany
do_it early
attach
since=()
if [ "$way" = attach ]; then
	do_it release # of the threads that run, one is on each carrier
	do_it look first
	jp snapshot "$target"
	since=(--snapshot 1..)
fi
do_it work "$threads"
do_it silent 100
do_it look last
do_it truth "$work/truth"
end_program
compare "$threads threads" "$work/p.jprof" "$work/truth"
if [ -z "$platform" ]; then
	view "$work/p.jprof" threads "${since[@]}" >"$work/since.json"
	compare_alloc
	compare_cpu
fi
finish
