#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-records: each operation of a program that knows what it does has one record, in its order,
# by its thread, of its method; what finds no room is counted, and sums stay exact. With and
# without calls. The metrics that count I/O are the sums of the accounts.
. "$(dirname "$0")/common.sh"
need jq sqlite3

# once JAVA OPTIONS THREADS WRITES
once() {
	rm -rf "$work/files" "$work/p.jprof"
	mkdir "$work/files"
	timeout 100 "$1" -Xcheck:jni "-agentpath:$agent=file=$work/p.jprof,$2" -cp "$work" IoRecords \
		"$work/files" "$3" "$4" >"$work/out" 2>"$work/err" || fail "$2: the program failed: $(head -5 "$work/err")"
	grep -qx 'received 5050' "$work/out" || fail "$2: printed $(head -5 "$work/out")"
	[ ! -s "$work/err" ] || fail "$2: said $(head -5 "$work/err")"
}

sql() {
	query "$work/p.jprof" "$1"
}

# is WHAT EXPECTED SQL
is() {
	local found

	found=$(sql "$3")
	[ "$found" = "$2" ] || fail "$1: '$found' instead of '$2'"
}

# Every write of every thread, in its order: the k-th of a thread has the k-th size.
check_order() {
	is "$1: writes out of place" 0 "
		WITH writes AS (
			SELECT thread, bytes, class, method, begin, ns, name,
				row_number() OVER (PARTITION BY thread ORDER BY begin) - 1 AS k,
				lag(begin + ns, 1, 0) OVER (PARTITION BY thread ORDER BY begin) AS before
			FROM records WHERE operation = 'write' AND thread LIKE 'writer-%')
		SELECT count(*) FROM writes
		WHERE bytes <> 1 + k % 1000 OR begin < before OR class <> 'IoRecords'
			OR method <> CASE bytes % 2 WHEN 1 THEN 'writeOdd' ELSE 'writeEven' END
			OR name <> '$work/files/out-' || substr(thread, 8)"
}

# Both are of the same operations: sums of records, and accounts.
check_sums() {
	is "$1: records and sums differ" 0 "
		SELECT count(*) FROM (
			SELECT operation, name, count(*) AS ops, sum(bytes), sum(failed) FROM records GROUP BY 1, 2
			EXCEPT SELECT operation, name, sum(ops), sum(bytes), sum(failures) FROM operations GROUP BY 1, 2)"
	is "$1: ns of records and of sums differ" 1 "
		SELECT (SELECT sum(ns) FROM records WHERE operation IN ('read', 'receive')) =
			(SELECT sum(ns) FROM operations WHERE operation IN ('read', 'receive'))"
}

check_all() {
	once "$1" "$2" 4 10000
	is "$2: writes" 40000 "SELECT count(*) FROM records WHERE operation = 'write' AND thread LIKE 'writer-%'"
	is "$2: sends" '100|5050' "SELECT count(*), sum(bytes) FROM records WHERE operation = 'send'"
	is "$2: received" 5050 "SELECT sum(bytes) FROM records WHERE operation = 'receive' AND thread = 'receiver'"
	check_order "$2"
	check_sums "$2"
	[ "$(fact io.records.lost)" = 0 ] || fail "$2: $(fact io.records.lost) records lost"
	is "$2: the fact" "$(fact io.records)" "SELECT count(*) FROM records"
	[ "$("$jprof" report "$work/p.jprof" --view records --format json --method IoRecords.writeOdd \
		--thread 'writer-*' | jq '.rows | length')" = 20000 ] || fail "$2: the view records"
}

# Little memory, much to tell.
check_loss() {
	local lost

	once "$1" calls=instrument,io=records,max_memory=1m,metrics=wall 4 100000
	lost=$(fact io.records.lost)
	echo "of 400000 writes, with little memory, $lost records were lost"
	[ "$lost" -gt 0 ] || fail "no record was lost: nothing was tried"
	is "records and lost ones" 1 "
		SELECT (SELECT count(*) FROM records) + $lost = (SELECT sum(ops) FROM operations)"
	is "sums" 400000 "SELECT sum(ops) FROM operations WHERE operation = 'write' AND name LIKE '$work/files/out-%'"
}

# The profile of a running program is whole at every instant: what records and sums refer to is
# there, too.
check_live() {
	local reports=0

	rm -rf "$work/files" "$work/p.jprof"
	mkdir "$work/files"
	"$1" "-agentpath:$agent=file=$work/p.jprof,calls=instrument,io=records,flush=1,metrics=wall" -cp "$work" IoRecords \
		"$work/files" 2 400000 paths >/dev/null 2>"$work/err" &
	until [ "$(query "$work/p.jprof" 'SELECT count(*) > 0 FROM record' 2>/dev/null)" = 1 ]; do
		kill -0 $! 2>/dev/null || break
		sleep 0.05
	done
	while kill -0 $! 2>/dev/null && [ $failures = 0 ]; do
		if "$jprof" report "$work/p.jprof" --view io-methods >"$work/out" 2>"$work/said"; then
			reports=$((reports + 1))
		else
			fail "while the program runs: $(cat "$work/said")"
		fi
		is "while the program runs: records of what is not there" 0 "
			SELECT count(*) FROM record r LEFT JOIN record_thread t ON t.id = r.thread
				LEFT JOIN file f ON f.id = r.subject LEFT JOIN node n ON n.id = r.node
				LEFT JOIN forward w ON w.id = r.node
			WHERE t.id IS NULL OR (r.subject > 0 AND f.id IS NULL) OR (n.id IS NULL AND
				w.id IS NULL AND r.node < (SELECT max(id) FROM node
				WHERE id BETWEEN r.node & ~4294967295 AND r.node | 4294967295))"
	done
	wait
	[ $reports -gt 1 ] || fail "only $reports reports of a running program"
}

check_metrics() {
	local found

	once "$1" calls=instrument,metrics=wall+io-write+io-write-ops+net-in+net-out+net-out-ops,io_class_loading=yes 4 5000
	found=$("$jprof" report "$work/p.jprof" --view threads --format json | jq -r '[.rows[].total] |
		[map(.["io-write-ops"]), map(.["io-write"]), map(.["net-in"]), map(.["net-out"]),
			map(.["net-out-ops"])] | map(add) | join("|")')
	is "metrics" "$found" "
		SELECT (SELECT sum(ops) || '|' || sum(bytes) FROM operations WHERE operation = 'write'),
			(SELECT sum(bytes) FROM operations WHERE operation = 'receive'),
			(SELECT sum(bytes) || '|' || sum(ops) FROM operations WHERE operation = 'send')"
	found=$("$jprof" report "$work/p.jprof" --view methods --format json | jq -r '.rows[] |
		select(.method == "writeOdd") | .base["io-write-ops"] + .base["net-out-ops"]')
	[ "$found" = 10050 ] || fail "metrics: writeOdd has $found operations, not 10050"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/IoRecords.java" || exit 1
	check_all "$java" io=records,calls=instrument
	check_all "$java" io=records,calls=off
	check_loss "$java"
	check_live "$java"
	check_metrics "$java"
	once "$java" io=off,calls=instrument 1 100
	is "io=off" 0 "SELECT count(*) FROM operations"
done
finish
