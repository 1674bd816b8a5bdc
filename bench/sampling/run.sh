#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what samples each millisecond of processor time cost real programs in their steady state: H2 with the
# demo's script, javac with the sources of jdk.hotspot.agent, Tomcat. Beside it the async-profiler at the same rate,
# where ASYNC_PROFILER names its library (build it from its public source: `make`), and, on a JDK that has it,
# the flight recorder's own sampling by processor time. And what one sample costs by the depth of the stack.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# Each run is a fresh JVM; variants take turns, and each figure is the median of the ratios of runs that followed
# each other.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare sampling 5 "$@"
h2=${H2_JAR:-/usr/share/java/h2.jar}
tomcat=/usr/share/java/tomcat10-embed-core.jar
jprof=-agentpath:$build/libjprof.so=calls=sample,file=$work/p.jprof
files=150

# variant | the JVM's option
variants() {
	echo "none|"
	echo "jprof|$jprof"
	if [ -r "${ASYNC_PROFILER:-}" ]; then
		echo "async-profiler|-agentpath:$ASYNC_PROFILER=start,event=cpu,interval=1ms,file=$work/ap.jfr"
	fi
	if [ "$(release "$1")" -ge 25 ]; then
		echo "JFR|-XX:StartFlightRecording:jdk.CPUTimeSample#enabled=true,jdk.CPUTimeSample#throttle=1ms,filename=$work/p.jfr"
	fi
}

tomcat_path() {
	echo "$tomcat:/usr/share/java/tomcat10-annotations-api.jar:$work"
}

prepare_jdk() {
	local tree=$work/jdk.hotspot.agent

	rm -rf "$tree" "$work"/*.class
	"$1/bin/javac" -XDsuppressNotes -cp "$(tomcat_path)" -d "$work" "$here"/*.java \
		"$here"/../programs/Requests.java
	if [ -r "$tomcat" ]; then
		"$1/bin/javac" -XDsuppressNotes -cp "$(tomcat_path)" -d "$work" \
			"$here"/../programs/Server.java
	fi
	if [ -r "$1/lib/src.zip" ]; then
		(cd "$work" && "$1/bin/jar" xf "$1/lib/src.zip" jdk.hotspot.agent)
		mkdir -p "$tree-classes"
		find "$tree" -name '*.java' | sort >"$work/all"
		grep '/sun/jvm/hotspot/\(asm\|code\|oops\|utilities\)/' "$work/all" |
			head -n "$files" >"$work/sources"
	fi
}

# run_PROGRAM JAVA [OPTION]: seconds. 1: it is not here.
run_h2() {
	[ -r "$h2" ] || return 1
	"$@" -Xmx1g -cp "$h2:$work" Steady h2 10 20 "$here/../../demo/shop.sql" 2>/dev/null | tail -n 1
}

run_javac() {
	[ -s "$work/sources" ] || return 1
	"$@" -Xmx1g -cp "$work" Steady javac 25 20 "$work/jdk.hotspot.agent" "$work/sources" \
		2>/dev/null | tail -n 1
}

run_tomcat() {
	[ -r "$tomcat" ] || return 1
	"$client/bin/java" -cp "$work" Requests 120000 "$@" -cp "$(tomcat_path)" \
		-Djava.util.logging.config.file=/dev/null Server 2>/dev/null |
		awk '{printf "%.4f\n", $2 / 1000}'
}

one_program() {
	local home=$1 program=$2 name option base one

	rm -f "$work"/*.ratio "$work"/*.run
	for _ in $(seq "$repetitions"); do
		base=
		while IFS='|' read -r name option <&3; do
			one=$("run_$program" "$home/bin/java" ${option:+"$option"}) || return 0
			base=${base:-$one}
			echo "$one" >>"$work/$name.run"
			awk -v one="$one" -v base="$base" 'BEGIN {printf "%.4f\n", one / base}' \
				>>"$work/$name.ratio"
		done 3< <(variants "$home")
	done
	while IFS='|' read -r name _ <&3; do
		printf '  %-8s %-16s %8.3f s %9.2f %%\n' "$program" "$name" \
			"$(median <"$work/$name.run")" \
			"$(median <"$work/$name.ratio" | awk '{print 100 * ($1 - 1)}')"
	done 3< <(variants "$home")
}

# What a sample costs the thread: by the handler's own clock, and by how much less is done.
by_depth() {
	local depth none with

	printf '  %-8s %14s %22s\n' depth "handler, us" "in all, us a sample"
	for depth in 10 50 200; do
		none=$("$1/bin/java" -cp "$work" Steady deep 5 "$depth")
		with=$("$1/bin/java" "$jprof" -cp "$work" Steady deep 5 "$depth" 2>/dev/null)
		"$build/jprof" report "$work/p.jprof" --view summary --format json >"$work/summary.json"
		sqlite3 "$work/p.jprof" "SELECT key, value FROM meta WHERE key LIKE 'sample.%'" |
			awk -F'|' -v depth="$depth" -v none="$none" -v with="$with" '
				$1 == "sample.cost_ns" {cost = $2}
				$1 == "sample.handled" {count = $2}
				END {printf "  %-8d %14.1f %22.1f\n", depth, cost / count / 1000,
					5e6 * (1 - with / none) / count}'
	done
}

one_jdk() {
	local program

	"$1/bin/java" -version 2>&1 | sed -n 2p
	client=$1
	prepare_jdk "$1"
	printf '  %-8s %-16s %10s %11s\n' "" "" "work" "slower by"
	for program in h2 javac tomcat; do
		one_program "$1" "$program"
	done
	by_depth "$1"
}

echo "sampling: what a stack each millisecond of processor time costs"
describe_machine
each_jdk one_jdk
