#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# sample-joins: a thread that runs as jprof is attached has a row of samples until its first recorded call, and the trace's row
# from then on. An interval that began before loses nothing.
. "$(dirname "$0")/common.sh"
need jq

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/SampleJoins.java" || exit 1
	"$java" -XX:+EnableDynamicAgentLoading -cp "$work" SampleJoins >"$work/out" 2>&1 &
	target=$!
	sleep 1
	rm -f "$work/p.jprof"
	"$jprof" attach "$target" --include Called --file "$work/p.jprof" >"$work/out" 2>&1 ||
		fail "attach: $(cat "$work/out")"
	sleep 2
	"$jprof" snapshot "$target" a >"$work/out" 2>&1 || fail "snapshot: $(cat "$work/out")"
	sleep 5
	"$jprof" snapshot "$target" b >"$work/out" 2>&1 || fail "snapshot: $(cat "$work/out")"
	"$jprof" stop "$target" >"$work/out" 2>&1 || fail "stop: $(cat "$work/out")"
	kill "$target"
	wait "$target" 2>"$work/out" || true
	"$jprof" report "$work/p.jprof" --snapshot a..b --view summary --format json >"$work/summary" ||
		fail "no summary"
	fell=$(jq '[.rows[] | select(.key == "interval.clamped") | .value] | add // 0' "$work/summary")
	calls=$(jq '[.rows[] | select(.key == "calls") | .value] | add // 0' "$work/summary")
	[ "$fell" = 0 ] || fail "$java: $fell counts fell from one snapshot to the next"
	[ "$calls" -gt 5 ] || fail "$java: only $calls calls, the thread may not have joined"
done
finish
