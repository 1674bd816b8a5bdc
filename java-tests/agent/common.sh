# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# common: what the tests of the agent's life share. Sourced by each of them, which is called
# with   SOURCE_DIR BUILD_DIR CLASSES JAVA...
set -u
source_dir=$1 build=$2 classes=$3
shift 3
javas=("$@")
agent=$build/libjprof.so jprof=$build/jprof
work=$(mktemp -d "${TMPDIR:-/tmp}/jprof-agent.XXXXXX")
# No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
export XDG_CACHE_HOME=/dev/null
failures=0
trap 'cleanup; [ -n "${KEEP:-}" ] || rm -rf "$work"' EXIT

# A test with more to give back defines its own.
cleanup() {
	:
}

fail() {
	echo "FAIL: $1"
	failures=$((failures + 1))
}

skip() {
	echo "$1"
	exit 77
}

# expect_sums PROFILE WHAT: all adds up, as it was counted and adjusted.
expect_sums() {
	local differences

	differences=$("$source_dir/java-tests/sums.py" "$jprof" "$1" 2>&1)
	[ -z "$differences" ] || fail "$2: $(head -20 <<<"$differences")"
}

# Whatever was recorded whole, and is still there, has to add up.
finish() {
	local profile

	while IFS= read -r -d '' profile; do
		[ "$("$jprof" report "$profile" --view summary --format csv --calibration off 2>/dev/null |
			grep '^complete,')" != complete,yes ] || expect_sums "$profile" "${profile##*/}"
	done < <(find "$work" -type f -name '*.jprof' -print0)
	[ $failures = 0 ]
	exit
}

# forget PID: what a process of this number has left behind when it was killed. Numbers come
# again.
forget() {
	rm -rf {/tmp,/dev/shm,/var/tmp}/.jprof-"$1" "/tmp/.java_pid$1" "/tmp/.attach_pid$1"
}

# await COMMAND...: until it succeeds; half a minute at most.
await() {
	for _ in $(seq 600); do
		"$@" && return
		sleep 0.05
	done
	return 1
}

# need TOOL...: without them the test is skipped, and says so.
need() {
	local tool

	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip "not run: there is no $tool here"
	done
}

# run JAVA OPTIONS ARGS...: the workload under the agent; sets status, leaves out and err.
run() {
	local java=$1 options=$2

	shift 2
	timeout 120 "$java" "-agentpath:$agent=$options" -cp "$classes" \
		agent.Workload "$@" >"$work/out" 2>"$work/err"
	status=$?
}

# The workload `count N` ran as if there were no agent.
expect_ran() {
	[ "$status" = 7 ] || fail "$1: exit status $status instead of 7: $(head -5 "$work/err")"
	[ "$(cat "$work/out")" = "steps $2" ] || fail "$1: printed '$(head -5 "$work/out")'"
	grep -q '^done$' "$work/err" || fail "$1: the program's standard error is gone"
}

# expect_lines WHAT COUNT [WORD...]: so many lines "jprof: ..." and nothing else beside the
# workload's "done"; the words stand in them.
expect_lines() {
	local what=$1 count=$2 found word

	shift 2
	found=$(grep -c '^jprof: ' "$work/err")
	[ "$found" = "$count" ] || fail "$what: $found lines of jprof's instead of $count: $(cat "$work/err")"
	for word in "$@"; do
		grep '^jprof: ' "$work/err" | grep -qF -- "$word" ||
			fail "$what: '$word' is not in: $(grep '^jprof: ' "$work/err" | cut -c1-500)"
	done
}

# The JVM did not start: a line of jprof's that holds the words, nothing printed by the program.
expect_refused() {
	local what=$1

	shift
	[ "$status" = 1 ] || fail "$what: exit status $status instead of 1"
	! grep -q '^steps' "$work/out" || fail "$what: the program ran"
	expect_lines "$what" 1 "$@"
}

# query PROFILE SQL
query() {
	sqlite3 -batch -readonly -cmd '.timeout 20000' "$1" "$2"
}

# fact KEY: a value of the profile's summary.
fact() {
	"$jprof" report "$work/p.jprof" --view summary --format json |
		jq -r --arg key "$1" '.rows[] | select(.key == $key) | .value'
}

# expect_profile PROFILE CALLS: it is whole, and step() was called so often.
expect_profile() {
	local calls

	[ -f "$1" ] || {
		fail "no profile '$1'"
		return
	}
	# A copy: the sqlite3 tool takes no path of more than 512 characters.
	cp "$1" "$work/copy.jprof"
	[ "$(query "$work/copy.jprof" 'PRAGMA integrity_check')" = ok ] ||
		fail "'$1': not a sound database"
	calls=$("$jprof" report "$1" --view methods --calibration off --format json |
		jq '[.rows[] | select(.method == "step") | .calls] | add')
	[ "$calls" = "$2" ] || fail "'$1': step() was called $calls times instead of $2"
	[ "$(query "$work/copy.jprof" "SELECT value FROM meta WHERE key = 'complete'")" = yes ] ||
		fail "'$1' does not say that it is complete"
	expect_sums "$1" "$1"
}
