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

# Removed, with its folder or alone, or renamed while the program runs: that is said, by the
# JVM as by the command; the program's output and exit status are its own.
for java in "${javas[@]}"; do
	for what in 'rm -r FOLDER' 'rm FOLDER/p.jprof' 'mv FOLDER FOLDER.else' 'mv FOLDER/p.jprof FOLDER/q.jprof'; do
		rm -rf "$work/gone" "$work/gone.else"
		mkdir "$work/gone"
		"$jprof" run --file "$work/gone/p.jprof" --flush 1 -- "$java" -cp "$classes" \
			agent.Workload steps 2500 "$work/log" >"$work/out" 2>"$work/err" &
		await test -e "$work/gone/p.jprof-journal"
		sleep 0.5
		eval "${what//FOLDER/$work/gone}"
		wait $! || fail "$what: exit status $?"
		grep -q "^jprof: cannot .*'$work/gone/p.jprof': the file was removed or renamed since" "$work/err" ||
			fail "$what: $(cat "$work/err")"
		grep -q "^jprof: the profile '$work/gone/p.jprof' is not there any more" "$work/err" ||
			fail "$what: $(cat "$work/err")"
	done
done
rm -rf "$work/gone" "$work/gone.else"

# A profile of an earlier run is replaced.
for java in "${javas[@]}"; do
	run "$java" "file=$work/again.jprof,calls=events" count 20
	run "$java" "file=$work/again.jprof,calls=events" count 30
	expect_ran 'a second run' 30
	expect_lines 'a second run' 0
	expect_profile "$work/again.jprof" 30
done
finish
