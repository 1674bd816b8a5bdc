#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-scope: with a scope exactly the calls inside of it are recorded, whoever makes them and
# however they end; with threads chosen, by name or number, only theirs. Of what is outside there
# is nothing: no row, no time, no I/O.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq sqlite3
classes_of_program='^(Entry|Inside|Outside|Scoped)$'

# truth N THREADS SCOPES: the calls of `walk N` inside of `service`, or of `service+other`.
# Five calls of service(0), (3), (-3), in other(), in calls(): ten with those within.
truth() {
	awk -v n=$(($1 * $2)) -v scopes="$3" 'BEGIN {
		print "Entry.service", 10 * n
		print "Inside.a", 17 * n
		print "Inside.b", 7 * n
		print "Inside.fail", n
		if (scopes == "service+other") {
			print "Entry.other", n
			print "Inside.c", 2 * n
		}}' | sort >"$work/truth"
}

# compare WHAT PROFILE
compare() {
	calls_of "$2" "$classes_of_program" >"$work/found"
	same "$1" "$work/truth" "$work/found"
	sound "$1" "$2"
}

# Roots have next to nothing: each thread slept 0.3 s outside, and those of long ago waited.
compare_time() {
	local root

	root=$(view "$2" tree | jq '[.rows[] | select(.level == 0) | .base.wall] | max')
	[ "$root" -lt 100000000 ] || fail "$1: a root has $root ns"
}

# session NAME TELL OPTIONS...: one, in which the program does what it is told.
session() {
	local name=$1 order=$2

	shift 2
	rm -f "$work/$name.jprof"
	jp start "$target" --file "$work/$name.jprof" "$@" || return
	# shellcheck disable=SC2086
	tell $order
	jp stop "$target"
	tell walk 3 # nobody's
}

by_methods() {
	session scope "walk 200" --scope Entry.service --include 'Entry+Inside+Outside'
	truth 200 5 service
	compare "one scope" "$work/scope.jprof"
	compare_time "one scope" "$work/scope.jprof"

	session scopes "walk 201" --scope Entry.service+Entry.other --metrics wall
	truth 201 5 service+other
	compare "two scopes" "$work/scopes.jprof"
	compare_time "two scopes" "$work/scopes.jprof"

	session elsewhere "walk 99" --scope Entry.service --include Inside --io off
	truth 99 5 service
	compare "a scope that include does not name" "$work/elsewhere.jprof"
}

# Scope methods by which nothing comes in: an empty profile, and a session like any other.
by_nothing() {
	session nothing "walk 50" --scope Entry.spawn
	: >"$work/truth"
	compare "a scope never entered" "$work/nothing.jprof"
}

# of_thread WHAT CHOICE [OPTIONS...]: old-1 alone.
of_thread() {
	local what=$1 choice=$2 names

	shift 2
	session chosen "walk 150" --threads "$choice" --include 'Entry+Inside+Outside' "$@"
	[ $# != 0 ] || {
		# All that one thread did.
		printf '%s\n' "Entry.other 150" "Entry.service 1500" "Inside.a 2700" "Inside.b 1050" \
			"Inside.c 300" "Inside.fail 150" "Outside.calls 150" "Outside.step 300" \
			>"$work/truth"
	}
	[ $# = 0 ] || truth 150 1 service
	compare "$what" "$work/chosen.jprof"
	names=$(view "$work/chosen.jprof" threads | jq -r '[.rows[] | select(.events > 0) | .thread] | join(" ")')
	[ "$names" = old-1 ] || fail "$what: recorded were '$names'"
}

by_threads() {
	local java_id os_id

	tell threads
	java_id=$(sed -n 's/^old-1 //p' "$work/answer")
	os_id=$(grep -lx old-1 "/proc/$target/task/"*/comm | cut -d/ -f5)
	of_thread "a thread by its name" 'old-1'
	of_thread "a thread by its number" "#$java_id"
	of_thread "a thread by the system's number" "tid:$os_id"
	of_thread "a thread in a scope" 'old-1' --scope Entry.service
}

by_starts() {
	session followed "follow 500" --scope Entry.spawn --scope_follow yes --include 'Entry+Inside'
	printf '%s\n' "Entry.spawn 1" "Inside.a 1000" "Inside.b 500" >"$work/truth"
	compare "scope_follow=yes" "$work/followed.jprof"
	session alone "follow 500" --scope Entry.spawn --scope_follow no --include 'Entry+Inside'
	echo "Entry.spawn 1" >"$work/truth"
	compare "scope_follow=no" "$work/alone.jprof"
}

# written PROFILE NAME: "OPS BYTES" of what was written to it.
written() {
	view "$1" files | jq -r --arg path "$work/files/$2" \
		'[.rows[] | select(.path == $path) | .writes] | "\(map(.ops) | add // 0) \(map(.bytes) | add // 0)"'
}

by_files() {
	session files "write 70" --scope Entry.write --metrics wall --include 'Entry+Outside'
	echo "Entry.write 70" >"$work/truth"
	compare "files" "$work/files.jprof"
	[ "$(written "$work/files.jprof" both)" = "70 7000" ] ||
		fail "files: written inside $(written "$work/files.jprof" both) instead of 70 7000"
	[ "$(written "$work/files.jprof" outside)" = "0 0" ] ||
		fail "files: outside is charged with $(written "$work/files.jprof" outside)"
	session opened "write 70" --scope Entry.open --metrics wall --io records
	[ "$(written "$work/opened.jprof" opened)" = "0 0" ] ||
		fail "opened inside: written outside is charged"
	[ "$(query "$work/opened.jprof" "SELECT count(*) FROM records WHERE operation = 'open'
		AND name = '$work/files/opened'")" = 1 ] || fail "opened inside: no record of the opening"
	[ "$(query "$work/opened.jprof" "SELECT count(*) FROM records WHERE name = '$work/files/outside'")" = 0 ] ||
		fail "opened inside: records of what was done outside"
}

# from_start JAVA CALLS: a scope from the JVM's start on.
from_start() {
	rm -f "$work/run.jprof"
	# shellcheck disable=SC2034
	known_errors="^jprof: the profile is "
	start_target "$jprof" run --calls "$2" --scope Entry.service --file "$work/run.jprof" \
		--include 'Entry+Inside+Outside' -- "$1" -Xcheck:jni -cp "$work" Scoped "$work/files"
	tell walk 40
	end_target
	truth 40 5 service
	compare "calls=$2 from the start" "$work/run.jprof"
	rm -f "$work/run.jprof"
	start_target "$jprof" run --calls "$2" --scope Entry.spawn --scope_follow yes --threads 'm*+*child' \
		--file "$work/run.jprof" --include 'Entry+Inside' -- "$1" -cp "$work" Scoped "$work/files"
	tell follow 100
	end_target
	printf '%s\n' "Entry.spawn 1" "Inside.a 200" "Inside.b 100" >"$work/truth"
	compare "calls=$2, followed from the start" "$work/run.jprof"
	# shellcheck disable=SC2034
	known_errors='^$'
}

# natives JAVA CALLS: scopes that begin in native methods, which call Java methods; one of them ends by
# an exception.
natives() {
	rm -f "$work/run.jprof"
	"$jprof" run --calls "$2" --scope 'cases.Natives.up+cases.Natives.pass' --file "$work/run.jprof" -- \
		"$1" -Xcheck:jni "-Djava.library.path=$build/java-tests" "-Dtruth.file=$work/facts" \
		-XX:+IgnoreUnrecognizedVMOptions --enable-native-access=ALL-UNNAMED -cp "$classes" \
		cases.Natives >"$work/said" 2>&1 || fail "native scopes: $(head -5 "$work/said")"
	printf '%s\n' "cases.Natives.back 350" "cases.Natives.pass 70" "cases.Natives.throwing 70" \
		"cases.Natives.up 350" >"$work/truth"
	calls_of "$work/run.jprof" . >"$work/found"
	same "calls=$2, native scopes" "$work/truth" "$work/found"
	sound "calls=$2, native scopes" "$work/run.jprof"
}

mkdir "$work/files"
for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$work" "$source_dir/java-tests/agent/Scoped.java" || exit 1
	start_target "$java" -Xcheck:jni -XX:+EnableDynamicAgentLoading -cp "$work" Scoped "$work/files"
	tell walk 8000 # compiled by now
	jp attach "$target" --start no
	for part in by_methods by_nothing by_threads by_starts by_files; do
		kill -0 "$target" 2>/dev/null || break
		$part
	done
	jp detach "$target"
	end_target
	from_start "$java" events
	from_start "$java" instrument
	natives "$java" events
	natives "$java" instrument
done
finish
