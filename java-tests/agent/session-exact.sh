#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-exact: sessions in a JVM that has been running for long, one after another, each with
# options of its own: every call between start and stop is in the profile, once, and no other
# one; bytes allocated and written are what the program says; snapshots and resets cut at the
# call.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq sqlite3

# phase COUNT FILE: the calls that were made; FILE.use: bytes and writes.
phase() {
	tell phase "$1" || return
	grep '^Jobs\.' "$work/answer" | sort >"$2"
	grep -v '^Jobs\.' "$work/answer" >"$2.use"
}

# plus A B: the sums of two phases' calls.
plus() {
	cat "$1" "$2" | awk '{calls[$1] += $2} END {for (m in calls) print m, calls[m]}' | sort
}

# compare WHAT PROFILE TRUTH WORDS...
compare() {
	local what=$1 profile=$2 truth=$3

	shift 3
	calls_of "$profile" '^Jobs$' "$@" >"$work/found"
	same "$what" "$truth" "$work/found"
	sound "$what" "$profile" "$@"
}

# The noise was seen, too, though it never stopped to let a session begin.
has_noise() {
	calls_of "$1" '^Noise$' | grep -q '^Noise.step [0-9]' || fail "$1: nothing of the noise"
}

by_wall() {
	jp attach "$target" --calls instrument --file "$work/1.jprof" --include 'Jobs+Noise' --metrics wall
	phase 300 "$work/truth"
	jp stop "$target"
	phase 50 "$work/after" # nobody's
	compare "wall" "$work/1.jprof" "$work/truth"
	has_noise "$work/1.jprof"
}

by_alloc() {
	local told found

	jp start "$target" --calls instrument --file "$work/2.jprof" --metrics wall+cpu+alloc
	phase 411 "$work/truth"
	jp stop "$target"
	compare "alloc" "$work/2.jprof" "$work/truth"
	has_noise "$work/2.jprof"
	told=$(sed -n 's/^bytes //p' "$work/truth.use")
	found=$(view "$work/2.jprof" methods |
		jq '.rows[] | select(.class == "Jobs" and .method == "allocate") | .cum.alloc')
	[ "$told" = "$found" ] || fail "alloc: $found bytes in the profile, $told by the JVM"
}

by_records() {
	local told found

	jp start "$target" --calls instrument --file "$work/3.jprof" --include 'Jobs.fib+Jobs.write' --io records
	phase 217 "$work/all"
	jp stop "$target"
	grep -E '\.(fib|write) ' "$work/all" >"$work/truth"
	compare "records" "$work/3.jprof" "$work/truth"
	calls_of "$work/3.jprof" '^Noise$' | grep -q . && fail "records: noise, which was not asked for"
	told=$(sed -n 's/^writes //p' "$work/all.use")
	found=$(query "$work/3.jprof" "SELECT count(*) || ' ' || sum(bytes) FROM records
		WHERE operation = 'write' AND class = 'Jobs' AND method = 'write' AND name = '$work/written'")
	[ "$told" = "$found" ] || fail "records: $found written in the profile, $told by the program"
}

without_calls() {
	local told found

	jp start "$target" --file "$work/4.jprof" --calls off
	phase 333 "$work/all"
	jp stop "$target"
	: >"$work/truth"
	compare "calls=off" "$work/4.jprof" "$work/truth"
	told=$(sed -n 's/^writes //p' "$work/all.use")
	found=$(view "$work/4.jprof" files | jq -r --arg path "$work/written" \
		'.rows[] | select(.path == $path) | "\(.writes.ops) \(.writes.bytes)"')
	[ "$told" = "$found" ] || fail "calls=off: $found written in the profile, $told by the program"
}

by_interval() {
	jp start "$target" --file "$work/5.jprof" --exclude 'Jobs.leaf' --metrics wall+alloc
	jp snapshot "$target" a
	phase 120 "$work/ab.all"
	jp snapshot "$target" b
	phase 77 "$work/bc.all"
	jp snapshot "$target" c
	jp reset "$target"
	phase 201 "$work/truth.all"
	jp stop "$target"
	for name in ab bc truth; do
		grep -v '\.leaf ' "$work/$name.all" >"$work/$name"
	done
	plus "$work/ab" "$work/bc" >"$work/ac"
	compare "snapshots a..b" "$work/5.jprof" "$work/ab" --snapshot a..b
	compare "snapshots b..c" "$work/5.jprof" "$work/bc" --snapshot b..c
	compare "snapshots a..c" "$work/5.jprof" "$work/ac" --snapshot a..c
	compare "up to the reset" "$work/5.jprof" "$work/ac" --snapshot ..reset1
	compare "after the reset" "$work/5.jprof" "$work/truth"
}

# Counted by method; and once more, with nothing left of the first time.
by_counts() {
	jp start "$target" --file "$work/7.jprof" --calls count --sample off --include 'Jobs+Noise'
	jp snapshot "$target" a
	phase 120 "$work/ab"
	jp snapshot "$target" b
	phase 77 "$work/rest"
	jp stop "$target"
	plus "$work/ab" "$work/rest" >"$work/truth"
	compare "counts" "$work/7.jprof" "$work/truth"
	compare "counts, snapshots a..b" "$work/7.jprof" "$work/ab" --snapshot a..b
	has_noise "$work/7.jprof"
	jp start "$target" --file "$work/8.jprof" --calls count --include Jobs
	phase 155 "$work/truth"
	jp stop "$target"
	compare "counts, once more" "$work/8.jprof" "$work/truth"
}

# After it was taken out, the agent comes again; the JVM's second copy of everything.
after_detach() {
	jp detach "$target"
	phase 99 "$work/nobodys"
	jp attach "$target" --calls instrument --file "$work/6.jprof" --include 'Jobs'
	phase 149 "$work/truth"
	jp detach "$target" # ends the recording
	compare "after detach" "$work/6.jprof" "$work/truth"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$work" "$source_dir/java-tests/agent/Phases.java" || exit 1
	rm -f "$work"/*.jprof
	start_target "$java" -Xcheck:jni -XX:+EnableDynamicAgentLoading -cp "$work" Phases "$work/written"
	phase 8000 "$work/warm-up"
	for part in by_wall by_alloc by_records without_calls by_interval by_counts after_detach; do
		kill -0 "$target" 2>/dev/null || break
		$part
	done
	end_target
done
finish
