#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what profiling costs real programs: javac with the sources of jdk.hotspot.agent (800 files
# and more), the H2 database with the demo's script, Tomcat answering 20,000 requests.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# Each is a fresh JVM, its wall time that of the work alone (Tomcat: from the first request on,
# asked by another JVM) and of the start alone (javac -version; H2 with an empty script; Tomcat
# until it listens). Variants take turns; each number is the median. What has no package here
# is said, and left out. H2 shows what calls=events costs, too, and why: the interpreter, and an
# agent whose callbacks are empty.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare programs 3 "$@"
h2=${H2_JAR:-/usr/share/java/h2.jar}
tomcat=/usr/share/java/tomcat10-embed-core.jar
agent=-agentpath:$build/libjprof.so=file=$work/p.jprof

# variant | the JVM's option | the one program it is measured with
variants="
no agent||
there, not started|$agent,start=no|
metrics=wall|$agent,metrics=wall|
calls=count|$agent,calls=count|
defaults|$agent|
io=off|$agent,io=off|
all timed|$agent,budget=off|
no agent, -Xint|-Xint|h2
empty callbacks|-agentpath:$build/bench/libempty_agent.so|h2
calls=events|$agent,calls=events|h2
"

# variants_of PROGRAM: the lines of the table.
variants_of() {
	sed '/^$/d' <<<"$variants" | grep "|\($1\)\?$"
}

have_javac() {
	[ -r "$1/lib/src.zip" ]
}

prepare_javac() {
	rm -rf "$work/jdk.hotspot.agent"
	(cd "$work" && "$1/bin/jar" xf "$1/lib/src.zip" jdk.hotspot.agent)
	find "$work/jdk.hotspot.agent" -name '*.java' >"$work/sources"
	echo "$(wc -l <"$work/sources") source files"
}

start_javac() {
	seconds "$@" -m jdk.compiler/com.sun.tools.javac.Main -version
}

run_javac() {
	seconds "$@" -m jdk.compiler/com.sun.tools.javac.Main -nowarn -proc:none \
		-XDignore.symbol.file --patch-module "jdk.hotspot.agent=$work/jdk.hotspot.agent" \
		-d "$work/compiled" "@$work/sources" 2>/dev/null
}

have_h2() {
	[ -r "$h2" ]
}

prepare_h2() {
	: >"$work/empty.sql"
	basename "$(readlink -f "$h2")"
}

h2_script() {
	local script=$1

	shift
	rm -f "$work"/db.*
	seconds "$@" -cp "$h2" org.h2.tools.RunScript -url "jdbc:h2:$work/db" -user sa \
		-script "$script"
}

start_h2() {
	h2_script "$work/empty.sql" "$@"
}

run_h2() {
	h2_script "$here/../../demo/shop.sql" "$@"
}

have_tomcat() {
	[ -r "$tomcat" ]
}

prepare_tomcat() {
	"$1/bin/javac" -XDsuppressNotes -cp "$(tomcat_path)" -d "$work" "$here"/*.java
	basename "$(readlink -f "$tomcat")"
}

tomcat_path() {
	echo "$tomcat:/usr/share/java/tomcat10-annotations-api.jar:$work"
}

# tomcat_do REQUESTS COLUMN COMMAND: the server says the milliseconds until it listened, and
# the client those its requests took.
tomcat_do() {
	local requests=$1 column=$2

	shift 2
	"$client/bin/java" -cp "$work" Requests "$requests" "$@" -cp "$(tomcat_path)" \
		-Djava.util.logging.config.file=/dev/null Server |
		tee "$work/times" | awk -v column="$column" '{printf "%.4f\n", $column / 1000}'
	cut -d ' ' -f 3 "$work/times" >"$work/p99"
}

start_tomcat() {
	tomcat_do 0 1 "$@"
}

run_tomcat() {
	tomcat_do 20000 2 "$@"
}

# calls PROFILE: how many were counted.
calls() {
	"$build/jprof" report "$1" --view summary --format json >"$work/summary.json"
	fact calls "$work/summary.json"
}

# print_row TITLE FILE BASE CALLS_FILE
print_row() {
	awk -v title="$1" -v run="$(median <"$2.run")" -v start="$(median <"$2.start")" \
		-v run0="$(median <"$3.run")" -v start0="$(median <"$3.start")" \
		-v p99="$([ -s "$2.p99" ] && median <"$2.p99" || echo 0)" \
		-v p99_0="$([ -s "$3.p99" ] && median <"$3.p99" || echo 0)" \
		-v calls="$([ -s "$2.calls" ] && median <"$2.calls" || echo 0)" 'BEGIN {
		printf "    %-20s %8.2f %7.2f %9.2f %+8.2f", title, run, run / run0, start,
			start - start0
		if (calls > 0)
			printf " %10.1f %9.1f", calls / 1e6, calls / 1e6 / run
		if (p99 > 0)
			printf "   %.0f us (%.2f) for 99 of 100", p99, p99 / p99_0
		printf "\n" }'
}

one_program() {
	local home=$1 program=$2 name option file

	if ! "have_$program" "$home"; then
		echo "  $program: not here, not run"
		return
	fi
	printf '  %s, %s\n' "$program" "$("prepare_$program" "$home" | tail -n 1)"
	rm -f "$work"/*.run "$work"/*.start "$work"/*.calls "$work"/*.p99 "$work/p99"
	for _ in $(seq "$repetitions"); do
		while IFS='|' read -r name option _ <&3; do
			file=$work/${name//[^a-z]/_}
			"start_$program" "$home/bin/java" ${option:+"$option"} >>"$file.start"
			rm -f "$work/p.jprof"
			"run_$program" "$home/bin/java" ${option:+"$option"} >>"$file.run"
			[ ! -e "$work/p.jprof" ] || calls "$work/p.jprof" >>"$file.calls"
			[ ! -s "$work/p99" ] || cat "$work/p99" >>"$file.p99"
		done 3< <(variants_of "$program")
	done
	printf '    %-20s %8s %7s %9s %8s %10s %9s\n' "" "work, s" "to none" "start, s" \
		"added" "M calls" "M calls/s"
	while IFS='|' read -r name _ <&3; do
		print_row "$name" "$work/${name//[^a-z]/_}" "$work/no_agent"
	done 3< <(variants_of "$program")
}

one_jdk() {
	local program

	"$1/bin/java" -version 2>&1 | sed -n 2p
	client=$1
	for program in javac h2 tomcat; do
		one_program "$1" "$program"
	done
}

echo "programs: what profiling costs real ones"
describe_machine
each_jdk one_jdk
