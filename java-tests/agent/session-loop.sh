#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-loop: sessions without end in one JVM. Attached to and detached from again and again while a
# database works in several threads, the JVM runs on, and has the threads, descriptors and JNI
# references that it had before; many short sessions over one connection leave no memory behind.
# What the JVM itself keeps of classes that were redefined is not counted: see bench/sessions.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
. "$source_dir/bench/sessions/measure.sh"
need jq sqlite3 python3
control=$(dirname "$0")/control.py
h2=${H2_JAR:-/usr/share/java/h2.jar}
flags=(-Xms64m -Xmx64m -XX:+AlwaysPreTouch -XX:+UseSerialGC -XX:NativeMemoryTracking=summary
	-XX:+EnableDynamicAgentLoading)

# What the compilers give back goes back to the system, and is not taken for something that was left behind.
export MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=32768

# equal WHAT NAME BEFORE AFTER
equal() {
	[ "$(of "$2" "$3")" = "$(of "$2" "$4")" ] ||
		fail "$1: $(of "$2" "$4") $2, $(of "$2" "$3") before"
}

# grown WHAT NAME BEFORE AFTER LIMIT: by no more than that.
grown() {
	local more=$(($(of "$2" "$4") - $(of "$2" "$3")))

	echo "$1: $2 +$more"
	[ $more -le "$5" ] || fail "$1: $2 has grown by $more, more than $5: $3; $4"
}

# The load of bench/sessions: threads that are in the midst of the methods that get probes.
load_loop() {
	local jdk=$1 before after number

	start_target "$jdk/bin/java" "${flags[@]}" -cp "$work:$h2" SqlLoad 3 20
	sleep 2
	for number in $(seq 12); do
		jp attach "$target" --file "$work/p.jprof" --include 'org.h2.*' || break
		jp snapshot "$target"
		[ "$number" != 4 ] || before=$(held "$jdk" "$target")
		jp stop "$target"
		jp detach "$target"
		[ "$(query "$work/p.jprof" "SELECT value FROM meta WHERE key = 'complete'")" = yes ] ||
			fail "session $number: the profile is not complete"
		rm -f "$work/p.jprof"
	done
	# In a session, too, so that the same is compared.
	jp attach "$target" --file "$work/p.jprof" --include 'org.h2.*'
	jp snapshot "$target"
	after=$(held "$jdk" "$target")
	jp detach "$target"
	equal "H2" threads "$before" "$after"
	equal "H2" descriptors "$before" "$after"
	grown "H2" globals "$before" "$after" 5 # the JDK's own come and go
	grown "H2" other "$before" "$after" 60000 # compilers' memory, most of it
	end_target
}

# sessions COUNT: over one connection.
sessions() {
	python3 "$control" "$target" sessions "$1" "file=$work/p.jprof" include=Jobs >"$work/said" 2>&1 ||
		fail "sessions: $(head -3 "$work/said")"
}

short_sessions() {
	local jdk=$1 before after

	start_target "$jdk/bin/java" "${flags[@]}" -cp "$work" Phases "$work/written"
	tell phase 3000
	jp attach "$target" --start no
	sessions 50
	after=$(held "$jdk" "$target")
	# What is lost in a session is lost again in the next hundred; compilers' memory is not.
	for _ in 1 2 3; do
		before=$after
		sessions 100
		after=$(held "$jdk" "$target")
		[ $(($(of other "$after") - $(of other "$before"))) -gt 4000 ] || break
	done
	equal "short sessions" threads "$before" "$after"
	equal "short sessions" descriptors "$before" "$after"
	grown "short sessions" globals "$before" "$after" 5
	grown "100 short sessions" other "$before" "$after" 4000
	jp detach "$target"
	end_target
}

for java in "${javas[@]}"; do
	jdk=$(dirname "$(dirname "$java")")
	"$jdk/bin/javac" -XDsuppressNotes -d "$work" "$source_dir/java-tests/agent/Phases.java" \
		"$source_dir/bench/sessions/SqlLoad.java" || exit 1
	short_sessions "$jdk"
	if [ "$java" != "${javas[-1]}" ]; then
		continue
	elif [ -r "$h2" ]; then
		load_loop "$jdk"
	else
		echo "not run: sessions while H2 works: no $h2 (Debian package libh2-java)"
	fi
done
finish
