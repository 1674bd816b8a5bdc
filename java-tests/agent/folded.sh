#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# folded: eight methods that call one another in ever new orders, with too little memory for their call
# paths: of each method calls and bytes are what the program says, callers' calls add up to them, and
# the agent says how much has no path. In one thread, in 64, and in virtual ones; however calls are seen.
# And in 2,000 threads that live at the same time: what they cannot do without is taken, and that is said.
. "$(dirname "$0")/common.sh"
need jq
# Bytes that a thread cannot do without.
thread_bytes=20480
# Bytes that the JVM itself may allocate in the program's methods: ThreadMXBean shows 120 more than the
# program made in some runs of JDK 25, without any agent.
jvm_bytes=512

# same_bytes FOUND TRUTH: calls are equal, bytes too but for what the JVM allocated.
same_bytes() {
	paste -d' ' <(printf '%s\n' "$1") <(sort "$2") | awk -v most=$jvm_bytes '
		$1 != $4 || $2 != $5 || $3 < $6 { wrong = 1 }
		{ more += $3 - $6; rows++ }
		END { exit wrong || rows != 8 || more > most }'
}

# check WHAT MEMORY THREADS
check() {
	local what=$1 memory=$2 threads=$3 found peak limit

	"$jprof" report "$work/p.jprof" --view methods --format json >"$work/methods"
	found=$(jq -r '.rows[] | select(.method == "go") | "\(.class) \(.calls) \(.base.alloc)"' \
		"$work/methods" | sort)
	same_bytes "$found" "$work/truth" ||
		fail "$what: by method: $found instead of $(sort "$work/truth")"
	found=$(jq '[.rows[] | .calls - (.entered | add)] | map(select(. != 0)) | length' "$work/methods")
	[ "$found" = 0 ] || fail "$what: $found methods whose calls by state are not their calls"
	found=$("$jprof" report "$work/p.jprof" --view callers --format json |
		jq -r '.rows[] | select(.self.method == "go")
			| "\(.self.class) \([.callers[].calls] | add)"' | sort)
	[ "$found" = "$(cut -d' ' -f1,2 "$work/truth" | sort)" ] || fail "$what: by caller: $found"
	expect_sums "$work/p.jprof" "$what"
	peak=$(fact memory.peak) limit=$(fact memory.limit)
	[ "$peak" -le $((limit + threads * thread_bytes + (64 << 10))) ] ||
		fail "$what: $peak bytes instead of $limit"
	found=$(grep -c 'memory was short: [0-9]* % of the calls have no call path' "$work/err")
	[ "$memory" = 64m ] || [ "$found" = 1 ] || fail "$what: said $found times: $(cat "$work/err")"
}

# record JAVA CALLS MEMORY THREADS WORD...: the program with so many threads.
record() {
	local java=$1 calls=$2 memory=$3 threads=$4

	shift 4
	rm -f "$work/p.jprof"
	timeout 120 "$java" -Xmx256m \
		"-agentpath:$agent=file=$work/p.jprof,calls=$calls,metrics=cpu+wall+alloc,max_memory=$memory,include=Folded\$Step*" \
		-cp "$work" Folded "$@" "$work/truth" 2>"$work/err" ||
		fail "$java, $*: exit status $?: $(head -3 "$work/err")"
	check "$java, calls=$calls, max_memory=$memory, $*" "$memory" "$threads"
}

"$(dirname "${javas[0]}")/javac" -d "$work" "$source_dir/java-tests/agent/Folded.java" || exit 1
# Trees and memory are the same however calls are seen, so not each memory in each way in each JVM.
for java in "${javas[@]}"; do
	runs=("instrument 1m" "events 4m")
	[ "$java" != "${javas[-1]}" ] ||
		runs=("instrument 1m" "instrument 4m" "instrument 64m" "events 1m")
	for run in "${runs[@]}"; do
		read -r calls memory <<<"$run"
		part=1
		[ "$memory" != 64m ] || part=20 # where nothing is folded, trees are large soon
		record "$java" "$calls" "$memory" 1 1 $((15000 / part))
		record "$java" "$calls" "$memory" 64 64 $((500 / part))
		[ "$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "${java%/bin/java}/release")" -lt 21 ] ||
			record "$java" "$calls" "$memory" 4 virtual 200 $((150 / part))
	done
	record "$java" instrument 1m 2000 together 2000 10
	grep -q 'memory was short: to lose no count, .* beyond max_memory (1.0 MB)' "$work/err" ||
		fail "$java: nobody says what 2,000 threads took: $(cat "$work/err")"
	found=$("$jprof" report "$work/p.jprof" --view threads --format json |
		jq '[.rows[] | select(.thread | startswith("walk-")) | .events] | add')
	[ "$found" = 400000 ] || fail "$java: by thread: $found events of 200,000 calls"
done
finish
