# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# measure: what a JVM holds, seen from outside. Sourced by the benchmark of sessions and by their
# test. The JVM has to run with -XX:NativeMemoryTracking=summary.
# shellcheck shell=bash

# descriptors PID: open ones. The fewest of some looks: the JVM closes jcmd's connection a little after jcmd
# has its answer.
descriptors() {
	for _ in 1 2 3 4 5; do
		find "/proc/$1/fd" -mindepth 1 | wc -l
		sleep 0.05
	done | sort -n | head -n 1
}

# held JDK PID: one line of NAME=VALUE, sizes in KB, after a collection:
#   rss           of the process
#   other         of it, what the JVM does not account for: libraries, malloc, and what of jprof is there
#   metaspace, code, internal    what the JVM says it has committed, by its own categories
#   threads, descriptors, globals    how many (globals: JNI global references)
held() {
	local jcmd=$1/bin/jcmd pid=$2 rss memory

	"$jcmd" "$pid" GC.run >/dev/null
	memory=$("$jcmd" "$pid" VM.native_memory summary scale=KB)
	rss=$(awk '/^VmRSS:/ {print $2}' "/proc/$pid/status")
	awk -v rss="$rss" '
		function committed() {
			sub(/.*committed=/, "")
			return $0 + 0
		}
		/^Total:/ {total = committed()}
		/^- +Metaspace \(/ {metaspace = committed()}
		/^- +Class \(/ {class = committed()}
		/^- +Code \(/ {code = committed()}
		/^- +Internal \(/ {internal = committed()}
		END {printf "rss=%d other=%d metaspace=%d code=%d internal=%d ", rss, rss - total,
			metaspace + class, code, internal}' <<<"$memory"
	printf 'threads=%d descriptors=%d globals=%d\n' \
		"$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" \
		"$(descriptors "$pid")" \
		"$("$jcmd" "$pid" Thread.print | sed -n 's/^JNI global refs: \([0-9]*\).*/\1/p')"
}

# of NAME LINE: the value.
of() {
	local field

	for field in $2; do
		[ "${field%%=*}" != "$1" ] || echo "${field#*=}"
	done
}
