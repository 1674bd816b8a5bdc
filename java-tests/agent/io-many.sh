#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-many: IO_MANY (10,000) connections and as many files, each used once. Rows of the profile, and
# its bytes, are bounded; sums by operation, by name and by call path are what the program says;
# the largest stay apart; with io=records each record has the name of its file.
. "$(dirname "$0")/common.sh"
need sqlite3 jq
many=${IO_MANY:-10000}
# Of each class: what is kept, at the smallest max_memory that keeps more than the least.
memory=16m kept=128

# once JAVA COUNT [OPTIONS]: the program's own figures into $said.
once() {
	local java=$1 count=$2 options=$3

	rm -rf "$work/files" "$work/p.jprof"
	mkdir "$work/files"
	timeout 300 "$java" "-agentpath:$agent=file=$work/p.jprof,calls=instrument,max_memory=$memory$options" \
		-cp "$work" IoMany "$count" "$count" "$work/files" >"$work/said" 2>"$work/err" ||
		fail "$java: exit status $?: $(head -3 "$work/err")"
}

said() {
	awk -v what="$1" '$1 == what {print $2}' "$work/said"
}

# what FACT SQL: the profile says what the program said.
expect() {
	local found

	found=$(query "$work/p.jprof" "$2")
	[ "$found" = "$3" ] || fail "$java: $1: $found instead of $3"
}

check_sums() {
	local port

	port=$(said port)
	expect "sent by the server" "SELECT sum(bytes) FROM operations WHERE operation = 'send'
		AND name = '127.0.0.1:$port'" "$(said answered)"
	expect "received by the server" "SELECT sum(bytes) FROM operations
		WHERE operation = 'receive' AND name = '127.0.0.1:$port'" "$(said received)"
	expect "answers received" "SELECT sum(bytes) FROM operations WHERE operation = 'receive'
		AND peer = '127.0.0.1:$port'" "$(said answered)"
	expect "accepted" "SELECT sum(ops) FROM operations WHERE operation = 'accept'" \
		"$(said connections)"
	expect "connected" "SELECT sum(ops) FROM operations WHERE operation = 'connect'" \
		"$(said connections)"
	expect "written, by path" "SELECT sum(bytes) FROM operations WHERE operation = 'write'
		AND name LIKE '%/files/%' AND class = 'IoMany' AND method = 'upload'" \
		"$(said written)"
	expect "opened" "SELECT sum(ops) FROM operations WHERE operation = 'open'
		AND name LIKE '%/files/%' AND kind = 'file'" "$(said files)"
	expect "deleted" "SELECT sum(ops) FROM operations WHERE operation = 'delete'" \
		"$(said files)"
}

check_rows() {
	local port

	port=$(said port)
	expect "rows without a name" "SELECT count(*) FROM account WHERE subject NOT IN (SELECT id FROM file)" 0
	expect "the large one" "SELECT max(bytes) / 4000000 FROM operations WHERE operation = 'send'
		AND name = '127.0.0.1:$port' AND folded = 0" 1
	expect "the large file" "SELECT max(bytes) / 4000000 FROM operations WHERE operation = 'write'
		AND folded = 0" 1
	expect "openings of what was accepted" "SELECT sum(ops) FROM operations WHERE operation = 'open'
		AND name = '127.0.0.1:$port' AND peer IS NOT NULL" "$(said connections)"
	expect "folded, in the summary" "SELECT (SELECT sum(value) FROM meta
		WHERE key LIKE 'io.folded.%') - (SELECT sum(folded) FROM file)" 0
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/IoMany.java" || exit 1
	once "$java" "$many" ""
	check_sums
	check_rows
	rows=$(query "$work/p.jprof" "SELECT count(*) FROM file")
	# Three classes, groups, what is open.
	[ "$rows" -lt $((2 * kept + 100)) ] || fail "$java: $rows rows of files"
	bytes=$(stat -c %s "$work/p.jprof")
	[ "$bytes" -lt 3000000 ] || fail "$java: a profile of $bytes bytes"
	"$jprof" report "$work/p.jprof" --view connections >"$work/out"
	grep -q "127.0.0.1:$(said port) - 127.0.0.1:\* ([0-9]* connections folded into this row)" \
		"$work/out" || fail "$java: the view does not say what was folded"

	once "$java" $((many / 10)) ,io=records
	check_sums
	expect "records without a name" "SELECT count(*) FROM record WHERE subject NOT IN
		(SELECT id FROM file)" 0
	expect "records by name" "SELECT count(DISTINCT name) FROM records WHERE operation = 'write'
		AND name LIKE '%/files/%'" "$(said files)"
	expect "records lost" "SELECT value FROM meta WHERE key = 'io.records.lost'" 0
done
finish
