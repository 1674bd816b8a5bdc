#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# chosen: what of virtual threads is recorded can be chosen like that of others: by their names, by a
# method that they have to be in; and without any calls, they have rows by name all the same.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
count=200 # of each name

# chosen WHAT OPTIONS: the views of a whole run.
chosen() {
	timeout 100 "$java" -Xcheck:jni "${two_carriers[@]}" \
		"-agentpath:$agent=file=$work/p.jprof,calls=$calls,$2" -cp "$work/classes" \
		VirtualChosen $count >"$work/out" 2>"$work/err" || fail "$1: exit status $?"
	[ "$(cat "$work/out")" = "leaf $((6 * count))" ] || fail "$1: printed $(head -5 "$work/out")"
	[ ! -s "$work/err" ] || fail "$1: said $(head -5 "$work/err")"
	reports "$1" "$work/p.jprof"
	sound "$1" "$work/p.jprof"
}

# expect_rows WHAT ROWS: name, threads and whether they used the processor, of virtual threads.
expect_rows() {
	local found

	found=$(jq -r '.rows[] | select(.virtual) | select(.events > 0 or .thread != "(no recorded call)")
		| "\(.thread) \(.folded) \(.total.cpu > 0)"' "$work/threads.json" | sort)
	[ "$found" = "$2" ] || fail "$1: rows are $found"
}

# expect_calls WHAT METHOD CALLS
expect_calls() {
	local found

	found=$(jq --arg method "$2" '[.rows[] | select(.method == $method) | .calls] | add // 0' \
		"$work/methods.json")
	[ "$found" = "$3" ] || fail "$1: $2 has $found calls instead of $3"
}

compile "$here/VirtualChosen.java"
chosen 'by name' 'threads=in-*'
expect_rows 'by name' "in-* $count true"
expect_calls 'by name' outer $count
expect_calls 'by name' inner $((2 * count))
expect_calls 'by name' leaf $((3 * count))

chosen 'by a method' 'scope=VirtualChosen.inner'
expect_rows 'by a method' "in-* $count true
out-* $count true"
expect_calls 'by a method' outer 0
expect_calls 'by a method' inner $((4 * count))
expect_calls 'by a method' leaf $((4 * count))
expect_calls 'by a method' pause $((8 * count))

calls=off
chosen 'without calls' 'io=off'
expect_rows 'without calls' "in-* $count true
out-* $count true"
finish
