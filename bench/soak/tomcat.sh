# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# tomcat: JVMs of Soak.java that run in the background until this ends. Sourced behind common.sh and
# prepare; the array children holds their process ids, in the order in which they were started.
# shellcheck shell=bash
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
tomcat=/usr/share/java/tomcat10-embed-core.jar
path=$work/classes:$tomcat:/usr/share/java/tomcat10-annotations-api.jar
children=()

[ -r "$tomcat" ] || {
	echo "left out: no $tomcat"
	exit 0
}

finish() {
	exec 7>&- 8>&- 9>&-
	kill "${children[@]}" 2>/dev/null || true
	wait
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM

# start NAME FD WORDS...: runs Soak in the background, its standard input open by the descriptor.
start() {
	local name=$1 descriptor=$2

	shift 2
	mkfifo "$work/$name.in"
	nice "$java" -Xmx256m -cp "$path" "$@" <"$work/$name.in" >"$work/$name.out" 2>"$work/$name.err" &
	children+=($!)
	eval "exec $descriptor>'$work/$name.in'"
}

port_of() {
	timeout 60 tail -n +1 -f "$work/$1.out" | head -1
}

mkdir -p "$work/classes" "$work/with" "$work/without"
"${java}c" -XDsuppressNotes -cp "$path" -d "$work/classes" "$here/Soak.java"
