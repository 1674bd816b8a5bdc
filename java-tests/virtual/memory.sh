#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# memory: 200,000 virtual threads in 16 megabytes: paths may be folded, but no call is lost, and the
# agent stays within its bound.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
jvm_words=(-Xmx2g "${two_carriers[@]}")

compile "$here"/{Told,Native,VirtualMany}.java
program 'Work' max_memory=16m VirtualMany
do_it early
attach
do_it work "${THREADS:-200000}"
do_it truth "$work/truth"
end_program
reports memory "$work/p.jprof"

fact_of() {
	jq -r --arg key "$1" '.rows[] | select(.key == $key) | .value' "$work/summary.json"
}

# The calls of all paths, folded ones among them.
expected=$(jq '[.rows[].nodes[][2]] | add' "$work/truth")
found=$(jq '[.rows[].calls] | add' "$work/tree.json")
lost=$(fact_of lost) peak=$(fact_of memory.peak)
echo "calls $found, lost $lost, memory $peak"
[ $((found + lost)) = "$expected" ] || fail "expected $expected calls, found $found, and $lost lost"
[ "$peak" -le $((16 << 20)) ] || fail "the agent took $peak bytes of 16 MB"
finish
