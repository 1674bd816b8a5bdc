#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# samples: H2, javac and Tomcat are sampled 10,000 times a second, in turns, with each JDK and each of its
# collectors, while recordings begin and end, and others use the process as well: nothing may crash or hang, results
# are those without jprof, profiles are whole. A line a turn; exit status 1 if one failed, and what there is
# to look into it is kept.
#
#   samples.sh BUILD_DIR [MINUTES]
#
# 60 minutes if nothing is said. SOAK_SEED: a number that chooses the turns, to have the same again. SOAK_SECONDS: how
# long one turn is (30). SOAK_CORES: if set, core dumps are allowed. Needs sqlite3, h2.jar (or H2_JAR) and Tomcat
# in /usr/share/java, and a JDK's src.zip: a program that is not there is left out, and said. Beside jprof, where they are
# there: perf, jdb, and the async-profiler, if ASYNC_PROFILER names its library. gdb shows where a hanging JVM is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
if [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
prepare samples 60 "$@"
h2=${H2_JAR:-/usr/share/java/h2.jar}
tomcat=/usr/share/java/tomcat10-embed-core.jar
servlets=$tomcat:/usr/share/java/tomcat10-annotations-api.jar
seed=${SOAK_SEED:-$(date +%s)}
turn_seconds=${SOAK_SECONDS:-30}
patience=180 # seconds, on a busy machine
began=$SECONDS
RANDOM=$((seed % 32768))
declare -A expected
jdks=() combinations=() children=()
kept="" turn=$work/turn
turns=0 failed=0 sessions=0 all_taken=0 all_lost=0

# A method that is called often, and classes to have probes.
declare -A entered=([h2]=org.h2.value.Value.compareTo [javac]='com.sun.tools.javac.code.Type.*'
	[tomcat]='org.apache.coyote.Request.*')
declare -A included=([h2]='org.h2.command.*' [javac]='com.sun.tools.javac.parser.*'
	[tomcat]='org.apache.catalina.*')

settings=(
	"cpu"
	"cpu"
	"cpu+wall+alloc"
	"cpu+enter"
	"cpu+wall+alloc+enter"
	"instrument,cpu"
	"instrument,cpu+wall+alloc"
)

# What is beside: a word for beside.c, or a function beside_NAME.
others=(nothing sigprof perf suspend sigprof+perf+suspend)

finish() {
	end_beside
	[ ${#children[@]} = 0 ] || kill -9 "${children[@]}" 2>/dev/null || true
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

add_others() {
	if command -v perf >/dev/null && perf record -o "$work/perf.data" true >/dev/null 2>&1; then
		others+=(perf-record)
	else
		echo "left out: perf record"
	fi
	if [ -r "${ASYNC_PROFILER:-}" ]; then
		others+=(async-itimer async-cpu)
	else
		echo "left out: the async-profiler"
	fi
	others+=(jdb)
}

add_jdk() {
	jdks+=("$1")
}

# prepare_jdk HOME: its folder is $work/RELEASE.
prepare_jdk() {
	local folder
	folder=$work/$(release "$1")

	mkdir -p "$folder/classes" "$folder/jdk.hotspot.agent-classes"
	"$1/bin/javac" -XDsuppressNotes -cp "$servlets" -d "$folder/classes" "$here/SampleLoad.java" \
		"$here/../sampling/Steady.java" "$here/../sampling/Turns.java" \
		"$here/../programs/Requests.java" "$here/../programs/Server.java"
	if [ -r "$1/lib/src.zip" ]; then
		(cd "$folder" && "$1/bin/jar" xf "$1/lib/src.zip" jdk.hotspot.agent)
		find "$folder/jdk.hotspot.agent" -name '*.java' | sort |
			grep '/sun/jvm/hotspot/\(asm\|code\|oops\|utilities\)/' >"$folder/sources"
	fi
}

# have PROGRAM HOME
have() {
	case $1 in
	h2) [ -r "$h2" ] ;;
	javac) [ -r "$2/lib/src.zip" ] ;;
	tomcat) [ -r "$tomcat" ] ;;
	esac
}

# program HOME PROGRAM EXPECTED: sets the words of its command.
program() {
	local folder
	folder=$work/$(release "$1")

	words=(-cp "$folder/classes:$servlets:$h2" -Djava.util.logging.config.file=/dev/null SampleLoad "$3" "$2")
	case $2 in
	h2) words+=("$here/../../demo/shop.sql") ;;
	javac) words+=("$folder/jdk.hotspot.agent" "$folder/sources") ;;
	tomcat) words+=("$turn") ;;
	esac
}

combine() {
	local home collector program

	for home in "${jdks[@]}"; do
		for collector in Serial Parallel G1 Z Shenandoah; do
			if ! "$home/bin/java" "-XX:+Use${collector}GC" -Xmx64m -version >/dev/null 2>&1; then
				echo "left out: $collector, which JDK $(release "$home") does not have"
				continue
			fi
			for program in h2 javac tomcat; do
				if have "$program" "$home"; then
					combinations+=("$home $collector $program")
				elif [ "$collector" = Serial ]; then
					echo "left out: $program, which is not here"
				fi
			done
		done
	done
	mapfile -t combinations < <(printf '%s\n' "${combinations[@]}" |
		shuf --random-source=<(yes "$seed"))
}

# expect HOME PROGRAM: what comes of it without jprof.
expect() {
	local words

	[ -z "${expected[$1 $2]:-}" ] || return 0
	program "$1" "$2" -
	expected[$1 $2]=$("$1/bin/java" -Xmx512m "${words[@]}" 2>/dev/null)
	[ -n "${expected[$1 $2]}" ] || {
		echo "$2 does not run without jprof"
		exit 1
	}
}

# wrong WHAT: of this turn.
wrong() {
	echo "    $*" >>"$turn/wrong"
}

# Where it hangs. jstack may hang as well.
show_hang() {
	timeout 30 "$home/bin/jstack" "$jvm" >"$turn/jstack" 2>&1 || true
	if command -v gdb >/dev/null; then
		timeout 120 gdb -p "$jvm" -batch -ex 'handle SIGSEGV nostop noprint' \
			-ex 'thread apply all bt' >"$turn/gdb" 2>&1 || true
	fi
	head -200 "$turn/jstack" "$turn/gdb" 2>/dev/null || true
}

alive() {
	kill -0 "$jvm" 2>/dev/null
}

# jp WORDS...: a command of jprof.
jp() {
	local status=0

	echo "$SECONDS jprof $*" >>"$turn/commands"
	timeout "$patience" "$build/jprof" "$@" >"$turn/said" 2>"$turn/told" </dev/null || status=$?
	cat "$turn/said" "$turn/told" >>"$turn/commands"
	[ $status != 0 ] || return 0
	wrong "jprof $*: exit status $status: $(head -2 "$turn/told")"
	[ $status != 124 ] || show_hang >>"$turn/wrong"
	return 1
}

beside_perf-record() {
	perf record -g -F 999 -p "$jvm" -o "$turn/perf.data" >"$turn/perf.out" 2>&1 &
	beside=$!
}

# Threads stop for a tenth of a second, and go on.
beside_jdb() {
	local port

	port=$(sed -n 's/.*dt_socket at address: //p' "$turn/out")
	{
		while [ -e "$turn/beside" ]; do
			echo suspend
			sleep 0.1
			echo resume
			sleep 0.9
		done
		echo quit
	} | "$home/bin/jdb" -attach "127.0.0.1:$port" >"$turn/jdb.out" 2>&1 &
	beside=$!
}

# async WORDS
async() {
	"$home/bin/jcmd" "$jvm" JVMTI.agent_load "$ASYNC_PROFILER" "\"$1\"" >>"$turn/async.out" 2>&1 ||
		wrong "async-profiler: $(tail -1 "$turn/async.out")"
}

beside_async-itimer() {
	async "start,event=itimer,interval=1ms,file=$turn/async.jfr"
}

beside_async-cpu() {
	async "start,event=cpu,interval=1ms,file=$turn/async.jfr"
}

begin_beside() {
	beside=0
	: >"$turn/beside"
	case $other in
	perf-record | jdb | async-*) "beside_$other" ;;
	esac
}

end_beside() {
	rm -f "$turn/beside"
	case ${other:-} in
	async-*) ! alive || async "stop" ;;
	perf-record) [ "$beside" = 0 ] || kill -INT "$beside" 2>/dev/null || true ;;
	esac
	[ "${beside:-0}" = 0 ] || wait "$beside" 2>/dev/null || true
	other=nothing beside=0
}

# options SETTING PROGRAM: those of a recording.
options() {
	local calls=sample conditions=$1

	case $1 in
	instrument,*)
		calls=instrument
		conditions=${1#*,}
		recording=(--include "${included[$2]}")
		;;
	*) recording=() ;;
	esac
	conditions=${conditions//cpu/cpu:100us}
	conditions=${conditions//wall/wall:10ms}
	conditions=${conditions//alloc/alloc:512k}
	conditions=${conditions//enter/enter:${entered[$2]}:100}
	recording+=(--calls "$calls" --sample "$conditions")
}

# sum SUFFIXES PROFILE: of all conditions.
sum() {
	sqlite3 -readonly "$2" "SELECT coalesce(sum(value), 0) FROM meta WHERE key GLOB 'sample.*:*' AND ($1)"
}

# A profile that is complete: it opens, is sound, and has samples.
check_profile() {
	local profile=$1 found

	found=$(sqlite3 -readonly "$profile" 'PRAGMA integrity_check' 2>&1)
	[ "$found" = ok ] || wrong "$profile: $found"
	found=$(sqlite3 -readonly "$profile" "SELECT value FROM meta WHERE key = 'complete'" 2>&1)
	[ "$found" = yes ] || wrong "$profile: not complete: $found"
	jp report "$profile" --view summary || true
	found=$(sum "key LIKE '%.taken'" "$profile")
	[ "$found" -gt 0 ] || wrong "$profile: no samples"
	taken=$((taken + found))
	found=$(sum "key LIKE '%.full' OR key LIKE '%.kernel'" "$profile")
	lost=$((lost + found))
}

stop_and_go() {
	kill -STOP "$jvm" 2>/dev/null || true
	sleep "0.$((RANDOM % 10))"
	kill -CONT "$jvm" 2>/dev/null || true
}

# One recording, of two seconds to nine.
session() {
	local profile=$turn/$((++count)).jprof there=1

	if [ "$agent" = no ]; then
		jp attach "$jvm" --file "$profile" "${recording[@]}" || return
	else
		jp start "$jvm" --file "$profile" "${recording[@]}" || return
	fi
	agent=yes sessions=$((sessions + 1))
	sleep $((1 + RANDOM % 4))
	case $((RANDOM % 4)) in
	0) jp snapshot "$jvm" || return ;;
	1) stop_and_go ;;
	2) jp report "$profile" --view methods --top 5 || return ;;
	esac
	sleep $((1 + RANDOM % 4))
	case $((RANDOM % 4)) in
	0) jp detach "$jvm" && agent=no || there=0 ;;
	*) jp stop "$jvm" || there=0 ;;
	esac
	[ $there = 0 ] || check_profile "$profile"
	# Of those that are whole the last is enough.
	[ -s "$turn/wrong" ] || rm -f "$turn/$((count - 1)).jprof"
}

# start_program: sets jvm.
start_program() {
	local flags=("-XX:+Use${collector}GC" -Xmx512m -XX:+EnableDynamicAgentLoading
		"-XX:ErrorFile=$turn/hs_err.log" -XX:+IgnoreUnrecognizedVMOptions) words

	agent=no
	[ "$check" = "" ] || flags+=("$check")
	if [ $((RANDOM % 2)) = 0 ]; then
		agent=yes
		flags+=("-agentpath:$build/libjprof.so=start=no")
	fi
	case $other in
	jdb) flags+=(-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0) ;;
	sigprof* | perf | suspend) flags+=("-agentpath:$build/bench/libbeside.so=$other") ;;
	esac
	program "$home" "$work_name" "${expected[$home $work_name]}"
	echo "$home/bin/java ${flags[*]} ${words[*]}" >"$turn/commands"
	mkfifo "$turn/in"
	(
		cd "$turn"
		exec nice "$home/bin/java" "${flags[@]}" "${words[@]}"
	) <"$turn/in" >"$turn/out" 2>"$turn/err" &
	jvm=$!
	children=("$jvm")
	exec 9>"$turn/in"
}

rounds() {
	grep -c '^round ' "$turn/out" || true
}

# await SECONDS COMMAND...: until it is so. 1: it did not become so.
await() {
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

works() {
	! alive || grep -q '^round ' "$turn/out"
}

has_ended() {
	! alive
}

# It ends by itself, with the status 0, and has nothing to say.
end_program() {
	local status=0

	exec 9>&-
	await "$patience" has_ended || {
		wrong "it does not end:"
		show_hang >>"$turn/wrong"
		kill -9 "$jvm"
	}
	wait "$jvm" || status=$?
	children=()
	[ $status = 0 ] || wrong "exit status $status"
	[ ! -e "$turn/hs_err.log" ] || wrong "it crashed: $(sed -n '/^# Problematic/,+1p' "$turn/hs_err.log")"
	[ "$(rounds)" -gt 0 ] || wrong "no round of the work was done"
	unexpected "$turn/err" >"$turn/unexpected"
	unexpected "$turn/out" >>"$turn/unexpected"
	[ ! -s "$turn/unexpected" ] || wrong "unexpected: $(head -5 "$turn/unexpected")"
}

# unexpected FILE: lines that should not be there. JDK 17 with -Xcheck:jni counts the references that the JVM itself
# makes, whatever an agent does.
unexpected() {
	awk '
		/^WARNING: JNI local refs: [0-9]+, exceeds capacity/ {skip = 1; next}
		skip && /^\t(at |- )/ {next}
		{skip = 0}
		/^(round|beside:) [0-9]+$/ || /^Listening for transport dt_socket/ {next}
		/^Profiling (started|stopped)/ {next}
		{print}' "$1"
}

keep() {
	[ -n "$kept" ] || kept=$(TMPDIR='' mktemp -d -t jprof-samples.XXXXXX)
	cp -r "$turn" "$kept/$turns" 2>/dev/null || true
	cat "$turn/wrong"
	echo "    kept: $kept/$turns"
}

# one_turn HOME COLLECTOR PROGRAM
one_turn() {
	local home=$1 collector=$2 work_name=$3 setting other check="" end name
	local taken=0 lost=0 count=0 jvm agent beside recording

	rm -rf "$turn"
	mkdir "$turn"
	expect "$home" "$work_name"
	turns=$((turns + 1))
	setting=${settings[RANDOM % ${#settings[@]}]}
	other=${others[RANDOM % ${#others[@]}]} name=$other
	# async-profiler has a handler of its own for SIGSEGV, which -Xcheck:jni finds fault with.
	case $((RANDOM % 3))$other in
	0async-*) ;;
	0*) check=-Xcheck:jni ;;
	esac
	options "$setting" "$work_name"
	start_program
	await "$patience" works || wrong "it does not begin to work"
	begin_beside
	end=$((SECONDS + turn_seconds))
	while alive && [ $SECONDS -lt $end ] && [ ! -s "$turn/wrong" ]; do
		session || true # what failed is in wrong
	done
	end_beside
	end_program
	all_taken=$((all_taken + taken)) all_lost=$((all_lost + lost))
	printf '%6d  %3s %-10s %-6s %-26s %-32s %9d %8d %6d  %s\n' $(((SECONDS - began) / 60)) \
		"$(release "$home")" "$collector" "$work_name" "$setting" "$name${check:+ $check}" \
		"$taken" "$lost" "$(rounds)" "$([ -s "$turn/wrong" ] && echo FAILED || echo ok)"
	[ -s "$turn/wrong" ] || return 0
	failed=$((failed + 1))
	keep
}

[ -z "${SOAK_CORES:-}" ] || ulimit -c unlimited
echo "samples: stacks each 100 us of processor time, while much else goes on; seed $seed"
describe_machine
each_jdk add_jdk
for home in "${jdks[@]}"; do
	prepare_jdk "$home"
done
add_others
combine
printf '%6s  %3s %-10s %-6s %-26s %-32s %9s %8s %6s\n' minute JDK collector work samples beside taken lost rounds
while [ $((SECONDS - began)) -lt $((repetitions * 60)) ]; do
	# shellcheck disable=SC2086
	one_turn ${combinations[turns % ${#combinations[@]}]}
done
echo "$turns turns, $failed failed; $sessions recordings, $all_taken samples taken, $all_lost lost"
[ $failed = 0 ]
