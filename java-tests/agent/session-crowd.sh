#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-crowd: 20 clients ask all at once, some of them start and stop, others come and go:
# every answer is the one to its request, and the JVM is none the worse. What is recorded
# afterwards is exact.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq sqlite3 python3
control=$(dirname "$0")/control.py

# Of the JVM: the agent keeps none of a client that has gone, once it has seen that. The fewest
# of some looks.
descriptors() {
	for _ in $(seq 10); do
		find "/proc/$target/fd" -mindepth 1 | wc -l
		sleep 0.1
	done | sort -n | head -1
}

one_jdk() {
	local before after profile

	mkdir -p "$work/profiles"
	start_target "$1" -Xcheck:jni -XX:+EnableDynamicAgentLoading -cp "$work" Phases "$work/written"
	tell phase 500
	jp attach "$target" --start no
	python3 "$control" "$target" ask status >/dev/null || fail "no status"
	before=$(descriptors)
	python3 "$control" "$target" crowd 20 6 "$work/profiles" >"$work/crowd" 2>&1 ||
		fail "the crowd: $(head -20 "$work/crowd")"
	cat "$work/crowd"
	for profile in "$work"/profiles/*.jprof; do
		"$jprof" report "$profile" --view summary >/dev/null || fail "cannot read $profile"
	done
	rm -f "$work"/profiles/*
	after=$(descriptors)
	[ "$before" = "$after" ] || fail "$after descriptors are open, $before before the crowd"
	jp start "$target" --include Jobs --file "$work/p.jprof"
	tell phase 100
	jp stop "$target"
	grep '^Jobs\.' "$work/answer" | sort >"$work/truth"
	calls_of "$work/p.jprof" '^Jobs$' >"$work/found"
	same "after the crowd" "$work/truth" "$work/found"
	jp detach "$target"
	end_target
	rm -f "$work/p.jprof"
}

# The control socket is jprof's own code: one JVM is enough.
"$(dirname "${javas[-1]}")/javac" -XDsuppressNotes -d "$work" "$source_dir/java-tests/agent/Phases.java" || exit 1
one_jdk "${javas[-1]}"
finish
