#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# unwritable: where no profile can be made the application runs on, and one line says so.
. "$(dirname "$0")/common.sh"
need jq sqlite3

# unprofiled FILE
unprofiled() {
	for java in "${javas[@]}"; do
		run "$java" "file=$1,calls=events" count 500
		expect_ran "$1" 500
		expect_lines "$1" 1 "$1"
	done
}

unprofiled "$work/no/such/directory/p.jprof"
unprofiled /proc/jprof-test.jprof
unprofiled "$work"
echo 'the notes of somebody' >"$work/notes"
unprofiled "$work/notes"
[ "$(cat "$work/notes")" = 'the notes of somebody' ] || fail "a foreign file was changed"
sqlite3 "$work/other.db" 'CREATE TABLE mine(x); INSERT INTO mine VALUES (42)'
unprofiled "$work/other.db"
[ "$(query "$work/other.db" 'SELECT x FROM mine')" = 42 ] || fail "a foreign database was changed"
if [ "$(id -u)" != 0 ]; then
	mkdir -m 555 "$work/locked"
	unprofiled "$work/locked/p.jprof"
fi

# A profile of an earlier run is replaced.
for java in "${javas[@]}"; do
	run "$java" "file=$work/again.jprof,calls=events" count 20
	run "$java" "file=$work/again.jprof,calls=events" count 30
	expect_ran 'a second run' 30
	expect_lines 'a second run' 0
	expect_profile "$work/again.jprof" 30
done
finish
