#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# memory: 200,000 virtual threads in 16 megabytes. Where some are alive at a time the agent stays within
# its bound. Where all are alive at once it goes beyond it by what each of them cannot do without, its
# frames and sums: 256 bytes at most. No call and no thread is lost.   THREADS: another number of them
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
threads=${THREADS:-200000} waves=10
jvm_words=(-Xmx2g "${two_carriers[@]}")

fact_of() {
	jq -r --arg key "$1" '.rows[] | select(.key == $key) | .value' "$work/summary.json"
}

# record NAME BOUND COMMAND...: the program does that, and the agent takes so many bytes at most.
record() {
	local name=$1 bound=$2

	shift 2
	rm -f "$work/p.jprof"
	program 'Work' max_memory=16m VirtualMany
	do_it "$@"
	do_it truth "$work/truth"
	end_program
	reports "$name" "$work/p.jprof"
	echo "$name: $(fact_of memory.peak) bytes, $(fact_of threads.lost) threads lost"
	[ "$(fact_of memory.peak)" -le "$bound" ] ||
		fail "$name: the agent took $(fact_of memory.peak) bytes instead of $bound"
	[ "$(fact_of threads.lost)" = 0 ] || fail "$name: $(fact_of threads.lost) threads lost"
}

in_waves() {
	record 'in waves' $((16 << 20)) waves $waves $((threads / waves))
	compare 'in waves' "$work/p.jprof" "$work/truth"
}

# per_thread COUNT: lines "METHOD CALLS" of the threads "many-*", of what each of them does alike.
per_thread() {
	jq -r --argjson threads "$1" 'map(select(.[0] | IN("Work.leaf", "Work.talks") | not))
		| group_by(.[0])[] | "\(.[0][0]) \((map(.[1]) | add) / $threads)"'
}

all_at_once() {
	local found known_errors="$known_errors|memory was short: to lose no count"

	record 'all at once' $(((16 << 20) + 256 * threads)) work "$threads"
	grep -q 'to lose no count, .* beyond max_memory (16.0 MB)' "$work/err" ||
		fail "all at once: nobody says what it took: $(cat "$work/err")"
	found=$(jq '[.rows[] | select(.thread | startswith("many-")) | .folded] | add' "$work/threads.json")
	jq '.rows["many-*"].nodes[1:] | map(.[1:])' "$work/truth" | per_thread "$threads" >"$work/expected"
	jq '[.rows[] | select((.thread | startswith("many-")) and .class != null)
		| [.class + "." + .method, .calls]]' "$work/tree.json" | per_thread "$found" >"$work/found"
	same "all at once, calls of each of $found threads" "$work/expected" "$work/found"
	found=$(jq '[.rows[] | select(.thread | test("^(many|echo)-")) | .folded] | add' "$work/threads.json")
	[ $((found + $(fact_of threads.lost))) = $((threads + threads / 100)) ] ||
		fail "all at once: $found threads recorded, $(fact_of threads.lost) told as lost"
}

compile "$here"/{Told,Native,VirtualMany}.java
in_waves
[ -n "$platform" ] || all_at_once
finish
