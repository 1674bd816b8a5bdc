#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what samples each millisecond of processor time cost real programs in their steady state: H2 with the
# demo's script, javac with sources of jdk.hotspot.agent, Tomcat. Beside it the async-profiler at the same rate,
# where ASYNC_PROFILER names its library (build it from its public source: `make`), and, on a JDK that has it,
# the flight recorder's own sampling by processor time. And what one sample costs by the depth of the stack, and what
# sampling costs crowds of threads.
#
#   run.sh BUILD_DIR [TIMES [PROGRAMS]]
#
# E.g. `run.sh build-bench 5 "h2 depth"`; else 15 times all of "h2 javac tomcat depth crowds", which takes hours.
#
# Each program is one JVM, in which the profilers are switched on and off in turns (Turns.java); each figure is
# the median of the ratios of TIMES turns to those before and behind, with its standard error.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
. "$here/programs.sh"
prepare sampling 15 "$@"
programs=${3:-h2 javac tomcat depth crowds}
jprof=-agentpath:$build/libjprof.so=file=$work/p.jprof

# What is switched on and off: see Turns.java.
profilers() {
	local load="$1/bin/jcmd \$PID JVMTI.agent_load ${ASYNC_PROFILER:-}"
	local start="$build/jprof start \$PID --calls sample --file $work/p.jprof"

	echo "jprof|$start|$build/jprof stop \$PID"
	echo "jprof,io=off|$start --io off|$build/jprof stop \$PID"
	if [ -r "${ASYNC_PROFILER:-}" ]; then
		echo "async-profiler|$load '\"start,event=cpu,interval=1ms,file=$work/ap.jfr\"'|$load stop"
	fi
	if [ "$(release "$1")" -ge 25 ]; then
		echo "JFR|$1/bin/jcmd \$PID JFR.start name=cpu filename=$work/cpu.jfr \
jdk.CPUTimeSample#enabled=true jdk.CPUTimeSample#throttle=1ms|$1/bin/jcmd \$PID JFR.stop name=cpu"
	fi
}

# run_PROGRAM JAVA: "NAME SECONDS PERCENT ERROR" of each. 1: it is not here. A turn, two times the rounds, is longer than the ten
# seconds after which a profile is written.
run_h2() {
	[ -r "$h2" ] || return 1
	in_turns "$1" 60 15 "$jprof,start=no" "$h2:$work" h2 "$shop"
}

run_javac() {
	[ -s "$work/sources" ] || return 1
	in_turns "$1" 30 9 "$jprof,start=no" "$work" javac "$work/jdk.hotspot.agent" "$work/sources"
}

run_tomcat() {
	[ -r "$tomcat" ] || return 1
	tomcat_server "$1" "$jprof,start=no"
	in_turns "$1" 10 7 -Dnone "$work" tomcat "${server[@]}"
}

# in_turns JAVA WARM ROUNDS OPTION PATH PROGRAM...
in_turns() {
	"$1" -Xmx1g -XX:+EnableDynamicAgentLoading "$4" -cp "$5" Steady "$work/profilers" "$repetitions" \
		"$2" "$3" "${@:6}" 2>/dev/null | awk 'NF == 6 && $2 + 0 > 0' # profilers talk, too
}

one_program() {
	local name seconds percent error

	case $2 in
	depth | crowds)
		"run_$2" "$1"
		return
		;;
	esac
	"run_$2" "$1/bin/java" | while read -r name seconds percent error _; do
		printf '  %-8s %-16s %8.3f s %9.2f %% +- %.2f\n' "$2" "$name" "$seconds" "$percent" \
			"$error"
	done
}

# What a sample costs the thread: by the handler's own clock, and by how much less is done.
run_depth() {
	local depth none with

	printf '  %-8s %14s %22s\n' depth "handler, us" "in all, us a sample"
	for depth in 10 50 200; do
		none=$("$1/bin/java" -cp "$work" Steady deep 5 "$depth")
		with=$("$1/bin/java" "$jprof,calls=sample" -cp "$work" Steady deep 5 "$depth" 2>/dev/null)
		"$build/jprof" report "$work/p.jprof" --view summary --format json >"$work/summary.json"
		sqlite3 "$work/p.jprof" "SELECT key, value FROM meta WHERE key LIKE 'sample.%'" |
			awk -F'|' -v depth="$depth" -v none="$none" -v with="$with" '
				$1 == "sample.cost_ns" {cost = $2}
				$1 == "sample.handled" {count = $2}
				END {printf "  %-8d %14.1f %22.1f\n", depth, cost / count / 1000,
					5e6 * (1 - with / none) / count}'
	done
}

# Whole programs of many threads (java-tests/agent/SampleCrowd.java), with samples and without, in turns.
run_crowds() {
	local crowd i none with

	"$1/bin/javac" -d "$work" "$here/../../java-tests/agent/SampleCrowd.java"
	for crowd in "platform 64 16000000" "platform 10000 60000" "virtual 100000 16000"; do
		if [ "${crowd%% *}" = virtual ] && [ "$(release "$1")" -lt 21 ]; then
			continue
		fi
		for ((i = 0; i < repetitions; i++)); do
			# shellcheck disable=SC2086
			none=$(seconds "$1/bin/java" -cp "$work" SampleCrowd $crowd)
			# shellcheck disable=SC2086
			with=$(seconds "$1/bin/java" "$jprof,calls=sample" -cp "$work" SampleCrowd $crowd)
			awk -v none="$none" -v with="$with" 'BEGIN {print 100 * (with / none - 1)}'
		done 2>/dev/null | sort -g | awk -v crowd="${crowd% *} threads" '{v[NR] = $1} END {
			printf "  %-24s %9.1f %%   (%.1f to %.1f)\n", crowd, v[int((NR + 1) / 2)], v[1], v[NR]}'
	done
}

one_jdk() {
	local program

	"$1/bin/java" -version 2>&1 | sed -n 2p
	prepare_jdk "$1"
	profilers "$1" >"$work/profilers"
	printf '  %-8s %-16s %10s %11s\n' "" "" "work" "slower by"
	for program in $programs; do
		one_program "$1" "$program"
	done
}

echo "sampling: what a stack each millisecond of processor time costs"
describe_machine
each_jdk one_jdk
