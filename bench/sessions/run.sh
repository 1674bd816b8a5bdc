#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what is left of sessions in a JVM. An H2 database works in four threads while jprof attaches,
# takes a snapshot, stops and detaches, 200 times; then a thousand sessions are started and
# stopped over one connection, in a small program; and, without jprof, two classes are retransformed again and again.
#
#   run.sh BUILD_DIR [SESSIONS]
#
# Each row is taken after a collection (measure.sh says what the columns are). The metaspace is the JVM's: it
# keeps the old versions of classes that were defined anew as long as somebody may still run
# them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
. "$here/measure.sh"
prepare sessions 200 "$@"
jprof=$build/jprof
tests=$here/../../java-tests/agent
h2=${H2_JAR:-/usr/share/java/h2.jar}
flags=(-Xms128m -Xmx128m -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:NativeMemoryTracking=summary
	-XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading)
columns="rss other metaspace code internal threads descriptors globals"

# start COMMAND...: a JVM whose standard input stays open: jvm.
start() {
	rm -f "$work/to"
	mkfifo "$work/to"
	"$@" <"$work/to" >/dev/null &
	jvm=$!
	exec {to}>"$work/to"
	sleep 5
}

end() {
	exec {to}>&-
	wait "$jvm" || true
}

quietly() {
	"$jprof" "$@" >"$work/told" 2>&1 || {
		echo "jprof $*: $(cat "$work/told")" >&2
		exit 1
	}
}

heading() {
	local column

	printf '  %9s' sessions
	for column in $columns; do
		printf ' %11s' "$column"
	done
	echo
}

# row JDK SESSIONS
row() {
	local line column

	line=$(held "$1" "$jvm")
	printf '  %9d' "$2"
	for column in $columns; do
		printf ' %11d' "$(of "$column" "$line")"
	done
	echo
}

one_session() {
	quietly attach "$jvm" --file "$work/p.jprof" --include 'org.h2.*'
	sleep 0.05
	quietly snapshot "$jvm"
	quietly stop "$jvm"
	quietly detach "$jvm"
	rm -f "$work/p.jprof"
}

whole_sessions() {
	local number begin=$EPOCHREALTIME

	echo "  attach, snapshot, stop, detach, while H2 works; sizes in KB"
	start "$1/bin/java" "${flags[@]}" -cp "$work:$h2" SqlLoad 4 5
	heading
	row "$1" 0
	for number in $(seq "$repetitions"); do
		one_session
		case $number in
		20 | $((repetitions / 2)) | $((repetitions * 3 / 4)) | "$repetitions") row "$1" "$number" ;;
		esac
	done
	awk -v begin="$begin" -v end="$EPOCHREALTIME" -v n="$repetitions" 'BEGIN {
		printf "  %.2f s each\n", (end - begin) / n}'
	end
}

short_sessions() {
	local part number=0

	echo "  start, stop, over one connection; sizes in KB"
	start "$1/bin/java" "${flags[@]}" -cp "$work" Phases "$work/written"
	echo "phase 1000" >&"$to" # loads the class that gets probes
	sleep 1
	quietly attach "$jvm" --start no
	heading
	row "$1" 0
	for part in 100 400 500; do
		python3 "$tests/control.py" "$jvm" sessions $part "file=$work/p.jprof" include=Jobs >"$work/each"
		number=$((number + part))
		row "$1" $number
	done
	echo "  $(cat "$work/each")"
	quietly detach "$jvm"
	end
}

retransformed() {
	local what

	"$1/bin/javac" -d "$work" "$here/Retransformed.java"
	printf 'Premain-Class: Retransformed\nCan-Retransform-Classes: true\n' >"$work/manifest"
	"$1/bin/jar" cfm "$work/retransformed.jar" "$work/manifest" -C "$work" Retransformed.class \
		-C "$work" 'Retransformed$Plain.class' -C "$work" 'Retransformed$Closing.class'
	echo "  without jprof: CPU time of a round of two retransformations"
	for what in plain closing "closing collect"; do
		# shellcheck disable=SC2086
		echo "    $what:" $("$1/bin/java" -Xmx256m -javaagent:"$work/retransformed.jar" -cp "$work/retransformed.jar" \
			Retransformed 600 $what)
	done
}

one_jdk() {
	"$1/bin/javac" -XDsuppressNotes -d "$work" "$here/SqlLoad.java" "$tests/Phases.java"
	"$1/bin/java" -version 2>&1 | sed -n 2p
	short_sessions "$1"
	retransformed "$1"
	[ ! -r "$h2" ] || whole_sessions "$1"
}

echo "sessions: what is left in a JVM of sessions that are over"
describe_machine
[ -r "$h2" ] || echo "no $h2 (Debian package libh2-java): a part is not run"
each_jdk one_jdk
