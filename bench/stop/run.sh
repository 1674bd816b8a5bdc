#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: a program's speed before jprof records, while it does, and after it has stopped: the
# probes are out then, and nothing of them may be left.
#
#   run.sh BUILD_DIR [REPETITIONS]
#
# The program measures itself (StopSpeed.java); each number is the median of the runs, which
# take turns. Two rows tell what is not jprof's: the noise, and what the compiler makes of
# classes that were retransformed twice, with nothing changed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare stop 5 "$@"
agent=$build/libjprof.so
options=file=$work/%p.jprof,calls=instrument

# way | title | the JVM's option | bar
table="
nothing|nothing done||
retransform|retransformed, nothing changed|-javaagent:$work/stop.jar|
start|jprof there with start=no, started|-agentpath:$agent=$options,start=no|1.02
attach|jprof loaded by jcmd||1.02
"

# speed JAVA WORK WAY OPTION: a line "BEFORE RECORDING AFTER".
speed() {
	"$1" -Xbatch -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
		--enable-native-access=ALL-UNNAMED "-Djava.library.path=$build/bench" \
		"-Dagent=$agent" ${4:+"$4"} -cp "$work" StopSpeed "$2" "$3" "$options"
	rm -f "$work"/*.jprof
}

# column EXPRESSION FILE: the median of what awk makes of the lines.
column() {
	awk "{print $1}" "$2" | median
}

one_work() {
	local java=$1 work_name=$2 way title option bar ratio

	rm -f "$work"/*.us
	for _ in $(seq "$repetitions"); do
		while IFS='|' read -r way title option bar <&3; do
			speed "$java" "$work_name" "$way" "$option" >>"$work/$way.us"
		done 3< <(sed '/^$/d' <<<"$table")
	done
	printf '  %-36s %9s %9s %9s  %s\n' "$work_name, us a round" before between after \
		"after to before"
	while IFS='|' read -r way title option bar <&3; do
		ratio=$(column '$3 / $1' "$work/$way.us")
		printf '  %-36s %9.1f %9.1f %9.1f  %.3f %s\n' "$title" \
			"$(column '$1' "$work/$way.us")" "$(column '$2' "$work/$way.us")" \
			"$(column '$3' "$work/$way.us")" "$ratio" \
			"${bar:+$(against "$ratio" "$bar")}"
	done 3< <(sed '/^$/d' <<<"$table")
}

one_jdk() {
	local name

	"$1/bin/javac" -d "$work" "$here/StopSpeed.java" "$here/../Control.java"
	printf 'Premain-Class: StopSpeed\nCan-Retransform-Classes: true\n' >"$work/manifest"
	"$1/bin/jar" cfm "$work/stop.jar" "$work/manifest" -C "$work" StopSpeed.class
	"$1/bin/java" -version 2>&1 | sed -n 2p
	for name in fib mixed lambdas; do
		one_work "$1/bin/java" $name
	done
}

echo "stop: a program's speed before, while and after jprof records"
describe_machine
each_jdk one_jdk
