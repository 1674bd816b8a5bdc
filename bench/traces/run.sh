#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what the traces cost real programs in their steady state, and beside them other profilers of the same things: H2
# with the demo's script, H2 with 32 threads on one database, javac with sources of jdk.hotspot.agent, Tomcat.
#
#   run.sh BUILD_DIR [TIMES [PROGRAMS [VARIANTS]]]
#
# E.g. `run.sh build-bench 5 "h2 tomcat" "session together"`. Each program is one JVM, in which recordings with one trace or
# some are begun and ended in turns (bench/sampling/Turns.java); each figure is the median of the ratios of TIMES turns to
# those before and behind, with its standard error. `session` is a recording of nothing: what is on when all traces
# are off. Exceptions are here those that a JVM tells that was not asked at its start (created); what the other way costs is
# measured by fresh JVMs (`thrown`). `beside` is what jprof and the others tell of one run (beside.py). JFR is the flight recorder with its default settings; ASYNC_PROFILER names the other's library.
set -eu
here=$(cd "$(dirname "$0")/../sampling" && pwd)
. "$here/../common.sh"
. "$here/programs.sh"
prepare traces 9 "$@"
programs=${3:-h2 h2-crowd javac tomcat thrown beside}
chosen=${4:-}
jprof=-agentpath:$build/libjprof.so=file=$work/p.jprof

# name | traces and options of the recording
variants="
session|
together|--traces objects+gc+threads+exceptions+classes+jit
locks|--traces locks
objects|--traces objects
gc|--traces gc
threads|--traces threads
exceptions|--traces exceptions
classes|--traces classes
jit|--traces jit
"

# profilers HOME: what is switched on and off, for Turns.java.
profilers() {
	local start="$build/jprof start \$PID --calls off --io off --file $work/p.jprof"
	local load="$1/bin/jcmd \$PID JVMTI.agent_load ${ASYNC_PROFILER:-}"
	local name options

	sed '/^$/d' <<<"$variants" | while IFS='|' read -r name options; do
		echo "$name|$start $options|$build/jprof stop \$PID"
	done
	echo "JFR|$1/bin/jcmd \$PID JFR.start name=all settings=default filename=$work/all.jfr|$1/bin/jcmd \$PID JFR.stop name=all"
	if [ -r "${ASYNC_PROFILER:-}" ]; then
		echo "async-alloc|$load '\"start,alloc=512k,file=$work/ap.jfr\"'|$load stop"
		echo "async-lock|$load '\"start,lock=0,file=$work/ap.jfr\"'|$load stop"
	fi
}

# chosen: of these lines, those of VARIANTS.
chosen() {
	if [ -z "$chosen" ]; then
		cat
	else
		grep -E "^(${chosen// /|})\\|"
	fi
}

# in_turns JAVA WARM ROUNDS OPTION PATH PROGRAM...: "NAME SECONDS PERCENT ERROR PERCENT ERROR" of each.
in_turns() {
	"$1" -Xmx1g -XX:+EnableDynamicAgentLoading "$4" -cp "$5" Steady "$work/profilers" "$repetitions" \
		"$2" "$3" "${@:6}" 2>"$work/errors" | awk 'NF == 6 && $2 + 0 > 0' # profilers talk, too
	grep -v '^jprof\|^WARNING' "$work/errors" >&2 || true
}

# run_PROGRAM JAVA. 1: it is not here.
run_h2() {
	[ -r "$h2" ] || return 1
	in_turns "$1" 40 2s "$jprof,start=no" "$h2:$work" h2 "$shop"
}

run_h2-crowd() {
	[ -r "$h2" ] || return 1
	in_turns "$1" 20 2s "$jprof,start=no" "$h2:$work" h2-crowd 32
}

run_javac() {
	[ -s "$work/sources" ] || return 1
	in_turns "$1" 20 2s "$jprof,start=no" "$work" javac "$work/jdk.hotspot.agent" "$work/sources"
}

run_tomcat() {
	[ -r "$tomcat" ] || return 1
	tomcat_server "$1" "$jprof,start=no"
	in_turns "$1" 8 2 -Dnone "$work" tomcat "${server[@]}"
}

# Exceptions as they are thrown, of a JVM that is started for it: steady rounds of fresh JVMs, in turns with others.
run_thrown() {
	local i name none with

	[ -r "$h2" ] || return 1
	for name in h2 javac; do
		for ((i = 0; i < repetitions; i++)); do
			none=$(rounds "$1" "$name" -Dnone)
			with=$(rounds "$1" "$name" "$jprof,calls=off,io=off,traces=exceptions")
			rm -f "$work"/p.jprof*
			awk -v none="$none" -v with="$with" 'BEGIN {print none, 100 * (with / none - 1)}'
		done | sort -g -k 2 | awk -v name="$name" '{seconds[NR] = $1; v[NR] = $2}
			END {
				m = int((NR + 1) / 2)
				half = v[int(NR * 3 / 4 + 0.5)] - v[int(NR / 4 + 1)]
				error = NR < 2 ? 0 : 1.25 * half / 1.35 / sqrt(NR)
				printf "thrown,%s %.3f %.2f %.2f\n", name, seconds[m], v[m], error
			}'
	done
}

# rounds JAVA PROGRAM OPTION: seconds of a later round.
rounds() {
	case $2 in
	h2) set -- "$@" "$h2:$work" h2 "$shop" ;;
	javac) set -- "$@" "$work" javac "$work/jdk.hotspot.agent" "$work/sources" ;;
	esac
	"$1" -Xmx1g "$3" -cp "$4" Steady rounds 6 6 "${@:5}" 2>/dev/null | sed -n 's/^rounds .* //p'
}

# What jprof and others tell of the same run.
run_beside() {
	[ -r "$h2" ] || return 1
	echo "  H2, 32 threads"
	"$here/../traces/beside.py" "$build" "$h2:$work" "$1" h2-crowd 32
	[ -s "$work/sources" ] || return 0
	echo "  javac"
	"$here/../traces/beside.py" "$build" "$work" "$1" javac "$work/jdk.hotspot.agent" "$work/sources"
}

one_program() {
	local name seconds percent error cpu cpu_error

	if [ "$2" = beside ]; then
		run_beside "$1"
		return
	fi
	"run_$2" "$1" | while read -r name seconds percent error cpu cpu_error; do
		printf '  %-8s %-16s %8.3f s %9.2f %% +- %4.2f %9.2f %% +- %4.2f\n' "$2" "$name" "$seconds" \
			"$percent" "$error" "${cpu:-0}" "${cpu_error:-0}"
	done
}

one_jdk() {
	local program

	"$1/bin/java" -version 2>&1 | sed -n 2p
	prepare_jdk "$1"
	profilers "$1" | chosen >"$work/profilers"
	printf '  %-8s %-16s %10s %18s %18s\n' "" "" "a round" "slower by" "processor time"
	for program in $programs; do
		one_program "$1/bin/java" "$program"
	done
}

echo "traces: what they cost, beside the same JVM without a recording"
describe_machine
each_jdk one_jdk
