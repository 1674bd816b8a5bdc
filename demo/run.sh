#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: profiles a real program, the H2 database, on disk, with the questions of a small shop
# (shop.sql), and prints what a newcomer looks at first: calls, and then, of another run, samples.
#
#   run.sh BUILD_DIR
set -euo pipefail
build=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
h2=${H2_JAR:-/usr/share/java/h2.jar}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
[ -r "$h2" ] || {
	echo "demo: there is no '$h2': install libh2-java, or set H2_JAR" >&2
	exit 1
}
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-demo.XXXXXX")
trap 'rm -rf "$work/shop"' EXIT
# What probes cost here is measured by the first report of the first run, and kept in the build.
export XDG_CACHE_HOME=$build/demo-cache
profile=$work/demo.jprof

# run_h2 TITLE [OPTION...]: profiles it into $profile.
run_h2() {
	local title=$1 seconds=$SECONDS

	shift
	rm -rf "$work/shop"
	mkdir "$work/shop"
	echo "$title"
	"$build/jprof" run --file "$profile" "$@" -- "$java" -cp "$h2" org.h2.tools.RunScript \
		-url "jdbc:h2:$work/shop/shop" -script "$here/shop.sql"
	echo "It took $((SECONDS - seconds)) s."
}

# Tables are as wide as the terminal, or 130 columns.
width=${COLUMNS:-130}
show() {
	local lines=$1 title=$2

	shift 2
	printf '\n== %s\n   $ jprof report %s\n\n' "$title" "${profile##*/} $*"
	"$build/jprof" report "$profile" --width "$width" "$@" >"$work/view"
	sed "$((lines + 1)),\$d" "$work/view"
}

run_h2 "Running the H2 database with shop.sql under jprof, every call timed ..." --calls instrument

show 36 'Where does the time go?' --view overview
show 24 'The top of the call tree: who called whom, how often, and what it took' \
	--view tree --thread main --metric cpu
show 12 'The threads: where time passes, and where the processor is used' --view threads
# show_io LINES TITLE VIEW [OPTION...]; a view that the program does not fill is left out.
show_io() {
	local lines=$1 title=$2
	local rows

	shift 2
	rows=$("$build/jprof" report "$profile" --view "$1" --format csv | wc -l)
	if [ "$rows" -gt 1 ]; then
		show "$lines" "$title" --view "$@"
	fi
}
show_io 8 'The files: what was read and written, and how fast' files --top 5
show_io 8 'Which methods did that, themselves and with all they called' \
	io-methods --sort base.all.ns --top 5
show_io 6 'The connections' connections --top 3
show_io 6 'Archives: what was read of which entry' entries --top 3

profiles="$profile"
profile=$work/samples.jprof
echo
run_h2 "Running it again, without probes: samples alone ..." --calls sample
show 44 'Who uses the processor? The program, and the JVM beside it' --view overview
show 14 'How the methods ran: interpreted, compiled, in libraries, in the kernel' --view states --top 8
printf '\nThe whole profiles: %s, %s (SQLite databases; jprof help report)\n' "$profiles" "$profile"
