#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: profiles a real program, the H2 database, on disk, with the questions of a small shop
# (shop.sql), asked again and again; and prints what a newcomer looks at first. Then once with every call timed.
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

# day ROUNDS: a script of so many shop.sql.
day() {
	for ((i = 0; i < $1; i++)); do
		echo "RUNSCRIPT FROM '$here/shop.sql'; DROP ALL OBJECTS;"
	done >"$work/day.sql"
}

# run_h2 ROUNDS TITLE [OPTION...]: profiles it into $profile.
run_h2() {
	local rounds=$1 title=$2 seconds=$SECONDS

	shift 2
	day "$rounds"
	rm -rf "$work/shop"
	mkdir "$work/shop"
	echo "$title"
	"$build/jprof" run --file "$profile" "$@" -- "$java" -cp "$h2" org.h2.tools.RunScript \
		-url "jdbc:h2:$work/shop/shop" -script "$work/day.sql"
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

run_h2 200 "Running the H2 database with shop.sql, 200 times, under jprof ..."

show 44 'Where does the time go?' --view overview
show 24 'The methods: each call counted, their processor time by samples' --view methods --top 20
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

show 14 'How the methods ran: interpreted, compiled, in libraries, in the kernel' --view states --top 8

profiles="$profile"
profile=$work/timed.jprof
echo
run_h2 1 "Running shop.sql once more, every call timed ..." --budget off
show 30 'Each call path, with all its calls' --view tree --thread main --metric cpu
printf '\nThe same as a page, in a browser: %s/jprof open %s\n' "$build" "${profiles%%,*}"
printf 'The whole profiles: %s, %s (SQLite databases; jprof help report)\n' "$profiles" "$profile"
