#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# resolved: how many stacks that are taken in Java code have no Java frame; the bar is 0.5 of a hundred. Of H2
# with the demo's script, javac with sources of jdk.hotspot.agent, Tomcat, and programs in Groovy and Clojure, all
# in their steady state, and of H2's start. Beside it the async-profiler at the same rate, where ASYNC_PROFILER names
# its library. resolved.py says what is counted.
#
#   resolved.sh BUILD_DIR [SECONDS]
#
# SECONDS: how long a profiler is on; a start is repeated for a quarter of it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
. "$here/programs.sh"
prepare resolved 20 "$@"
seconds=$repetitions
period=200us
collapsed=event=cpu,interval=$period,collapsed,threads,ann,lib,file=$work/ap.collapsed

# What is switched on and off: see Turns.java.
profilers() {
	local load="$1/bin/jcmd \$PID JVMTI.agent_load ${ASYNC_PROFILER:-}"

	echo "jprof|$build/jprof start \$PID --calls sample --sample cpu:$period --file \
$work/steady.jprof|$build/jprof stop \$PID"
	if [ -r "${ASYNC_PROFILER:-}" ]; then
		echo "async-profiler|$load '\"start,$collapsed\"'|$load '\"stop,$collapsed\"'"
	fi
}

# in_turns JAVA WARM PATH PROGRAM...: leaves what the profilers found.
in_turns() {
	"$1" -Xmx1g -XX:+EnableDynamicAgentLoading "-agentpath:$build/libjprof.so=start=no" -cp "$3" \
		Steady "$work/profilers" 1 "$2" "$((seconds / 2))s" "${@:4}" >/dev/null 2>"$work/err" ||
		tail -3 "$work/err"
}

# steady_PROGRAM JAVA. 1: it is not here.
steady_h2() {
	[ -r "$h2" ] || return 1
	in_turns "$1" 20 "$h2:$work" h2 "$shop"
}

steady_javac() {
	[ -s "$work/sources" ] || return 1
	in_turns "$1" 10 "$work" javac "$work/jdk.hotspot.agent" "$work/sources"
}

steady_tomcat() {
	[ -r "$tomcat" ] || return 1
	tomcat_server "$1" "-agentpath:$build/libjprof.so=start=no"
	in_turns "$1" 2 "$work" tomcat "${server[@]}"
}

steady_groovy() {
	[ -r "$jars/groovy-all.jar" ] || return 1
	in_turns "$1" 300 "$jars/groovy-all.jar:$work" groovy "$here/orders.groovy"
}

steady_clojure() {
	[ -r "$jars/clojure.jar" ] || return 1
	in_turns "$1" 300 "$jars/clojure.jar:$jars/spec.alpha.jar:$jars/core.specs.alpha.jar:$work" \
		clojure "$here/orders.clj"
}

# starts JAVA NAME OPTION: of H2, with what the option has written.
starts() {
	local i

	for ((i = 0; i < (seconds + 3) / 4; i++)); do
		"$1" -Xmx1g "${3//NUMBER/$i}" -cp "$h2" org.h2.tools.RunScript -url jdbc:h2:mem:db \
			-user sa -script "$shop" >/dev/null 2>&1
	done
	"$here/resolved.py" "$2" "$work"/start.*
	rm -f "$work"/start.*
}

h2_start() {
	if [ ! -r "$h2" ]; then
		echo "  h2 is not here"
		return
	fi
	starts "$1" "h2 start" \
		"-agentpath:$build/libjprof.so=calls=sample,sample=cpu:$period,file=$work/start.NUMBER.jprof"
	if [ -r "${ASYNC_PROFILER:-}" ]; then
		starts "$1" "  async-profiler" \
			"-agentpath:$ASYNC_PROFILER=start,${collapsed/ap.collapsed/start.NUMBER.collapsed}"
	fi
}

one_jdk() {
	local program

	"$1/bin/java" -version 2>&1 | sed -n 2p
	prepare_jdk "$1"
	profilers "$1" >"$work/profilers"
	"$here/resolved.py" --head
	h2_start "$1/bin/java"
	for program in h2 javac tomcat groovy clojure; do
		rm -f "$work/steady.jprof" "$work/ap.collapsed"
		if ! "steady_$program" "$1/bin/java"; then
			echo "  $program is not here"
			continue
		fi
		"$here/resolved.py" "$program" "$work/steady.jprof"
		if [ -r "$work/ap.collapsed" ]; then
			"$here/resolved.py" "  async-profiler" "$work/ap.collapsed"
		fi
	done
}

echo "resolved: stacks taken in Java code, and those of them without a Java frame"
describe_machine
each_jdk one_jdk
