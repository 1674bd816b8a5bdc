#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# odd-paths: profiles whose names hold blanks, other alphabets, %p, %t, commas, or 4,000
# characters.
. "$(dirname "$0")/common.sh"
need jq sqlite3
java=${javas[0]}

# good OPTION FILE
good() {
	run "$java" "file=$1,calls=events,metrics=wall" count 40
	expect_ran "$1" 40
	expect_lines "$1" 0
	expect_profile "$2" 40
}

mkdir -p "$work/with blank/été ελληνικά 日本語"
good "$work/with blank/p.jprof" "$work/with blank/p.jprof"
good "$work/with blank/été ελληνικά 日本語/профиль.jprof" \
	"$work/with blank/été ελληνικά 日本語/профиль.jprof"
good "$work/one\\,two.jprof" "$work/one,two.jprof"
good "$work/100%%.jprof" "$work/100%.jprof"
good "$work/quote'\"?#&.jprof" "$work/quote'\"?#&.jprof"

# The JVM's own pid, not that of anything around it.
"$java" "-agentpath:$agent=file=$work/%p.jprof,calls=events" -cp "$classes" agent.Workload \
	count 40 >/dev/null 2>&1 &
pid=$!
wait $pid
expect_profile "$work/$pid.jprof" 40
run "$java" "file=$work/time-%t.jprof,calls=events" count 40
set -- "$work"/time-*.jprof
[ $# = 1 ] && expect_profile "$1" 40
case $1 in
*/time-1[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9].jprof) ;;
*) fail "%t gave '$1'" ;;
esac

# 4,000 characters: a legal path of the system (PATH_MAX is 4,096 with its end).
part=$(printf 'd%.0s' {1..240})
long=$work
while [ $((${#long} + 241)) -lt 3980 ]; do
	long=$long/$part
done
mkdir -p "$long"
name=$(printf 'f%.0s' $(seq $((4000 - ${#long} - 7))))
good "$long/$name.jprof" "$long/$name.jprof"
[ "$(printf %s "$long/$name.jprof" | wc -c)" = 4000 ] || fail "the test's path is not 4000 long"

# Longer than the system takes: refused with a line, the application runs.
run "$java" "file=$long/$name$part$part.jprof,calls=events" count 40
expect_ran 'a path that is too long' 40
expect_lines 'a path that is too long' 1
finish
