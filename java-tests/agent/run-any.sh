#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run-any: `jprof run --` before any command: its output and exit status are what they are
# without it, and each JVM that ran a program has a profile of its own.
. "$(dirname "$0")/common.sh"
need jq sqlite3
cd "$work" || exit 1

# without_notes FILE: what a program said to standard error, without the JVM's line on
# JAVA_TOOL_OPTIONS and jprof's own.
without_notes() {
	sed -zE 's/(Picked up JAVA_TOOL_OPTIONS|jprof): [^\n]*\n//g' "$1"
}

# alike PROFILES COMMAND...: the same with and without jprof, and so many profiles after it.
alike() {
	local profiles=$1 expected status

	shift
	rm -f ./*.jprof
	"$@" >plain.out 2>plain.err </dev/null
	expected=$?
	"$jprof" run --file p.jprof -- "$@" >out 2>err </dev/null
	status=$?
	[ $status = $expected ] || fail "$*: exit status $status, not $expected: $(cat err)"
	cmp -s plain.out out || fail "$*: prints $(head -c 500 out), not $(head -c 500 plain.out)"
	cmp -s <(cat plain.err) <(without_notes err) || fail "$*: says $(cat err)"
	set -- ./*.jprof
	[ -e "$1" ] || shift
	[ $# = "$profiles" ] || fail "$# profiles, not $profiles: $* $(cat err)"
	for profile; do
		grep -qF "${profile#./}" err || fail "'$profile' is not named: $(cat err)"
		[ "$(query "$profile" "SELECT value FROM meta WHERE key = 'complete'")" = yes ] ||
			fail "'$profile' is not complete"
	done
}

# calls PROFILE
calls() {
	"$jprof" report "$1" --view methods --calibration off --format json |
		jq '[.rows[] | select(.method == "step") | .calls] | add'
}

for java in "${javas[@]}"; do
	bin=$(dirname "$java")
	export java bin classes

	alike 1 "$java" -cp "$classes" agent.Workload count 300
	[ "$(calls p.jprof)" = 300 ] || fail "java: $(calls p.jprof) calls"
	alike 0 "$java" -version
	alike 0 "$java" -help
	alike 0 "$java" --list-modules
	grep -q 'no JVM ran a program' err || fail "of --list-modules is said: $(cat err)"

	# What a JVM that runs no program finds there stays; one that does replaces it.
	"$jprof" run --file p.jprof -- "$java" -cp "$classes" agent.Workload count 70 >/dev/null 2>&1
	chmod 640 p.jprof
	cp -a p.jprof kept
	"$jprof" run --file p.jprof -- "$java" -version >/dev/null 2>err
	cmp -s kept p.jprof && [ "$(stat -c '%a %Y' p.jprof)" = "$(stat -c '%a %Y' kept)" ] ||
		fail "the older profile is not what it was: $(ls -l) $(cat err)"
	[ "$(ls -d p.jprof*)" = p.jprof ] || fail "left behind: $(ls)"
	grep -q 'no JVM ran a program' err || fail "of an older profile is said: $(cat err)"
	"$jprof" run --file p.jprof -- "$java" -cp "$classes" agent.Workload count 80 >/dev/null 2>&1
	[ "$(calls p.jprof)" = 80 ] || fail "the older profile was not replaced: $(calls p.jprof)"

	echo 'class Hi { }' >Hi.java
	echo 'class {' >Bad.java
	alike 1 "$bin/javac" Hi.java
	grep -q '^Picked up' err && fail "javac: $(cat err)"
	alike 1 "$bin/javac" Bad.java
	alike 1 "$bin/jar" cf hi.jar Hi.class
	ln -sf "$bin/javac" compile
	alike 1 ./compile -version

	cat >two <<-'PROGRAM'
		#!/bin/bash
		"$java" -version 2>version.txt
		cd / || exit
		"$java" -cp "$classes" agent.Workload count 100
		echo "first: $?"
		"$java" -cp "$classes" agent.Workload count 200
		echo "second: $?" >&2
		exit 9
	PROGRAM
	chmod +x two
	alike 2 ./two
	[ "$(calls p.jprof)" = 100 ] || fail "the first JVM has $(calls p.jprof) calls"
	[ "$(calls p-*.jprof)" = 200 ] || fail "the second JVM has $(calls p-*.jprof) calls"
	[ "$(grep -cE '^jprof:   p[-0-9]*\.jprof  agent\.Workload$' err)" = 2 ] ||
		fail "two: $(cat err)"
	grep -q Version version.txt || grep -q version version.txt || fail "java -version said nothing"

	# At the same time, and without a shell to wait for them.
	cat >both <<-'PROGRAM'
		#!/bin/bash
		"$java" -cp "$classes" agent.Workload count 100 >/dev/null &
		"$java" -cp "$classes" agent.Workload count 100 >/dev/null
		wait
	PROGRAM
	chmod +x both
	alike 2 bash -c './both 2>/dev/null'
done

# A daemon is still there when the command has ended; it is said if it still records.
cat >daemon <<-'PROGRAM'
	#!/bin/bash
	"$java" -cp "$classes" agent.Workload steps 60000 steps >/dev/null 2>&1 &
	echo $! >pid
	until [ -s steps ]; do sleep 0.1; done
	[ "$1" = stays ] || "$jprof" stop $! 2>/dev/null
PROGRAM
chmod +x daemon
export jprof
for word in stays stopped; do
	rm -f steps
	timeout 100 "$jprof" run --file daemon.jprof -- ./daemon $word >out 2>err
	pid=$(cat pid)
	grep -qx "jprof: process $pid goes on recording; end that with: jprof stop $pid" err &&
		said=stays || said=stopped
	[ $said = $word ] || fail "a daemon ($word): $(cat err)"
	[ -d "/proc/$pid" ] || fail "a daemon ($word) has ended"
	kill -KILL "$pid"
	forget "$pid"
done

# The folder is gone when the JVM comes to it: the program runs, and it is said.
mkdir gone
"$jprof" run --file gone/p.jprof -- sh -c 'rmdir gone; exec "$java" -cp "$classes" agent.Workload count 5' \
	>out 2>err
[ $? = 7 ] && [ "$(cat out)" = 'steps 5' ] || fail "without a folder: $(cat out err)"
grep -qE "^jprof: process [0-9]+ was not profiled: cannot .*/gone/p.jprof" err ||
	fail "without a folder: $(cat err)"

alike 0 ls /
grep -q 'no JVM was started' err || fail "of ls is said: $(cat err)"
alike 0 sh -c 'echo a; exit 6'

# Programs that begin by a script, if they are here.
export JAVA_HOME=${javas[0]%/bin/java}
for words in 'mvn -v' 'checkstyle --version' 'groovy -e println(6*7);System.exit(3)'; do
	read -ra words <<<"$words"
	if ! command -v "${words[0]}" >/dev/null; then
		echo "not run: there is no ${words[0]} here"
		continue
	fi
	alike 1 "${words[@]}"
done
finish
