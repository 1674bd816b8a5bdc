# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# measuring: what the tests share of commands that run a JVM of their own. Sourced behind common.sh:
# temporary files and kept calibrations have folders of their own.
export XDG_CACHE_HOME=$work/cache TMPDIR=$work/tmp
mkdir "$TMPDIR"

# left WHAT: no file of a measuring is there but what is kept, nor a process.
left() {
	[ -z "$(ls -A "$TMPDIR")" ] || fail "$1: left behind: $(ls -A "$TMPDIR")"
	! pgrep -f "jprof\.(calibration|selftest)\.Main.*$TMPDIR" >/dev/null ||
		fail "$1: java still runs"
}

# interrupt COMMAND...: Ctrl-C while it measures. It says so and fails, prints nothing (out) and leaves
# nothing.
interrupt() {
	local pid

	"$@" >"$work/out" 2>"$work/err" &
	pid=$!
	until [ -n "$(ls -A "$TMPDIR")" ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
	sleep 1
	kill -INT $pid
	wait $pid
	[ $? = 1 ] || fail "interrupted: exit status"
	grep -qx 'jprof: interrupted' "$work/err" || fail "interrupted: $(cat "$work/err")"
	left interrupted
}
