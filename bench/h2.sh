#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# h2: what profiling costs a real program, the H2 database with the demo's script.
#
#   h2.sh BUILD_DIR
#
# One run each, wall seconds: without an agent, without the compiler, with an agent whose
# callbacks are empty, and with jprof.
set -eu
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
jar=${H2_JAR:-/usr/share/java/h2.jar}
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-h2.XXXXXX")
trap 'rm -rf "$work"' EXIT

[ -r "$jar" ] || {
	echo "h2: no $jar (Debian package libh2-java): not run"
	exit 0
}

# seconds JAVA OPTIONS...
seconds() {
	local TIMEFORMAT=%R

	rm -f "$work"/db.*
	{ time "$@" -cp "$jar" org.h2.tools.RunScript -url "jdbc:h2:$work/db" -user sa \
		-script "$here/../demo/shop.sql" >/dev/null; } 2>&1
}

seen=
for home in ${JAVA_HOME:-} /usr/lib/jvm/*; do
	home=$(realpath "$home")
	java=$home/bin/java
	case " $seen " in *" $home "*) continue ;; esac
	[ -x "$java" ] || continue
	seen="$seen $home"
	"$java" -version 2>&1 | sed -n 2p
	printf '  %-38s %7.2f s\n' \
		"no agent" "$(seconds "$java")" \
		"no agent, -Xint" "$(seconds "$java" -Xint)" \
		"empty callbacks" "$(seconds "$java" "-agentpath:$build/bench/libempty_agent.so")" \
		"jprof metrics=wall" \
		"$(seconds "$java" "-agentpath:$build/libjprof.so=file=$work/p.jprof,metrics=wall")" \
		"jprof (wall+cpu+alloc)" \
		"$(seconds "$java" "-agentpath:$build/libjprof.so=file=$work/p.jprof")"
done
