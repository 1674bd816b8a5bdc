#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what several sessions that record at the same time cost a busy program, in processor time of the whole JVM: its
# threads, and jprof's own, which writes their profiles.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# Three programs: calls and next to nothing else; a database (H2, if it is there); virtual threads (release 21 and later). Each
# variant has a JVM of its own, and they take turns. Before the clock starts the sessions are there, and the program has run twice.
# "added" is what a variant needs beyond the program without jprof, as a multiple of what one session needs beyond it.
# EARLIER=BUILD_DIR: one session, by another build of jprof, takes turns with them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare shared 5 "$@"
h2=${H2_JAR:-/usr/share/java/h2.jar}
rounds=${ROUNDS:-1}
bar=1.5

# program | of how many rounds | what one session records | what another one records
programs="
calls|4000|SharedLoad|SharedLoad.fib
sql|20000|org.h2.*|org.h2.command.*
virtual|1500|SharedLoad|SharedLoad.fib
"

# variant | sessions that record the first, and the second
variants="
no session|0|0
one, earlier build|1|0
one|1|0
two the same|2|0
two different|1|1
eight|4|4
"

rows() {
	sed -e '/^$/d' <<<"$1"
}

is_there() {
	case $1 in
	sql) [ -r "$h2" ] ;;
	virtual) [ "$2" -ge 21 ] ;;
	esac
}

# begin JVM JPROF COUNT INCLUDE: sessions.
begin() {
	for _ in $(seq "$3"); do
		begun=$((begun + 1))
		"$2" attach "$1" --include "$4" --file "$work/$begun.jprof" >"$work/said" 2>&1 || {
			cat "$work/said" >&2
			exit 1
		}
	done
}

measure() {
	local ns

	echo go >&"$to"
	read -r ns <&"$from"
	echo "$ns"
}

# one_jvm HOME PROGRAM ROUNDS INCLUDE OTHER VARIANT FIRST SECOND
one_jvm() {
	local jvm jprof=$build/jprof begun=0

	[ "$6" != "one, earlier build" ] || jprof=$EARLIER/jprof
	rm -f "$work/to" "$work/from" "$work"/*.jprof
	mkfifo "$work/to" "$work/from"
	"$1/bin/java" -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading -XX:+UseSerialGC -Xms256m -Xmx256m \
		-cp "$work:$h2" SharedLoad "$2" "$3" <"$work/to" >"$work/from" &
	jvm=$!
	exec {to}>"$work/to" {from}<"$work/from"
	measure >/dev/null
	begin $jvm "$jprof" "$7" "$4"
	begin $jvm "$jprof" "$8" "$5"
	measure >/dev/null
	for _ in $(seq "$rounds"); do
		measure
	done | median >>"$work/$2.${6//[^a-z]/_}.ns"
	exec {to}>&- {from}<&-
	wait "$jvm"
}

# file_of PROGRAM VARIANT: its times.
file_of() {
	echo "$work/$1.${2//[^a-z]/_}.ns"
}

# print PROGRAM VARIANT: beside no session, and beside one.
print() {
	local none one now added

	none=$(median <"$(file_of "$1" "no session")")
	one=$(median <"$(file_of "$1" one)")
	now=$(median <"$(file_of "$1" "$2")")
	added=$(awk -v none="$none" -v one="$one" -v now="$now" 'BEGIN {printf "%.2f", (now - none) / (one - none)}')
	printf '    %-20s %7.2f s  %5.2f of one  added %5.2f %s\n' "$2" "$(awk -v now="$now" 'BEGIN {print now / 1e9}')" \
		"$(awk -v one="$one" -v now="$now" 'BEGIN {print now / one}')" "$added" \
		"$([ "$2" != "two the same" ] || against "$added" $bar)"
}

# one_program HOME PROGRAM ROUNDS INCLUDE OTHER
one_program() {
	local variant first second

	for _ in $(seq "$repetitions"); do
		while IFS='|' read -r variant first second <&4; do
			[ "$variant" != "one, earlier build" ] || [ "${EARLIER:-}" ] || continue
			one_jvm "$@" "$variant" "$first" "$second"
		done 4< <(rows "$variants")
	done
	echo "  $2: one records $4, another one $5"
	while IFS='|' read -r variant first second <&4; do
		[ ! -e "$(file_of "$2" "$variant")" ] || print "$2" "$variant"
	done 4< <(rows "$variants")
}

one_jdk() {
	local program count include other

	"$1/bin/javac" -d "$work" "$here/SharedLoad.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	rm -f "$work"/*.ns
	while IFS='|' read -r program count include other <&3; do
		if [ "$program" = calls ] || is_there "$program" "$(release "$1")"; then
			one_program "$1" "$program" "$count" "$include" "$other"
		fi
	done 3< <(rows "$programs")
}

echo "shared: what sessions cost that record at the same time"
describe_machine
each_jdk one_jdk
