#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# list: `jprof list` shows the JVMs that run, what can be attached to, and where jprof is; a JVM is
# named by its main class where only one has it.
. "$(dirname "$0")/common.sh"
need jq
started=()

cleanup() {
	kill -9 "${started[@]}" 2>/dev/null
	wait "${started[@]}" 2>/dev/null
	for pid in "${started[@]}"; do
		forget "$pid"
	done
}

# start LOG WORD...: a JVM whose workload runs; pid is its process.
start() {
	local log=$1

	shift
	rm -f "$log"
	"$@" steps 600000 "$log" >/dev/null 2>&1 &
	pid=$!
	started+=("$pid")
	for _ in $(seq 600); do
		[ -s "$log" ] && return
		sleep 0.1
	done
	fail "the workload does not start: $*"
}

# row PID: what the list says of it.
row() {
	"$jprof" list --format json | jq -c --argjson pid "$1" '.jvms[] | select(.pid == $pid)'
}

# expect PID FILTER: the filter is true of its row.
expect() {
	row "$1" | jq -e "$2" >/dev/null || fail "$2: $(row "$1")"
}

mkdir "$work/jar" "$work/one" "$work/two"
for package in one two; do
	sed "s/^package agent;/package $package.names;/; s/class Workload/class Unusual/" \
		"$source_dir/java-tests/agent/Workload.java" >"$work/$package/Unusual.java"
done

for java in "${javas[@]}"; do
	version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.version = //p')
	for package in one two; do
		"$(dirname "$java")/javac" --release 17 -d "$work/classes" "$work/$package/Unusual.java" ||
			fail "javac"
	done
	printf 'Main-Class: one.names.Unusual\n' >"$work/manifest"
	"$(dirname "$java")/jar" cfm "$work/a program.jar" "$work/manifest" -C "$work/classes" one

	start "$work/log" "$java" -cp "$work/classes" one.names.Unusual
	one=$pid
	expect $one ".program == \"one.names.Unusual\" and .java == \"$version\" and .attach and .reason == null and .jprof == null"
	expect $one ".user == \"$(id -un)\""
	"$jprof" list | grep -qE "^ *$one +$(id -un) +$version +- +one\.names\.Unusual$" ||
		fail "text: $("$jprof" list)"

	# By its class, with packages and without.
	"$jprof" attach one.names.Unusual --metrics wall --file "$work/p.jprof" 2>"$work/err" ||
		fail "attach by class: $(cat "$work/err")"
	grep -q "jprof stop $one " "$work/err" || fail "attach by class: $(cat "$work/err")"
	expect $one '.jprof == "recording"'
	"$jprof" status Unusual | grep -q "$one" || fail "status by class: $("$jprof" status Unusual 2>&1)"
	"$jprof" stop Unusual 2>"$work/err" || fail "stop by class: $(cat "$work/err")"
	expect $one '.jprof == "armed"'
	"$jprof" detach Unusual 2>"$work/err" || fail "detach by class: $(cat "$work/err")"
	expect $one '.jprof == null and .attach'

	# A second of that name, which publishes nothing and cannot be attached to.
	start "$work/log" "$java" -XX:-UsePerfData -XX:+DisableAttachMechanism -cp "$work/classes" \
		two.names.Unusual
	two=$pid
	expect $two ".program == \"two.names.Unusual\" and .java == \"$version\" and (.attach | not)"
	expect $two '.reason | test("DisableAttachMechanism")'
	"$jprof" stop Unusual 2>"$work/err"
	[ $? = 2 ] || fail "two of a name: exit status"
	for word in "$one (one.names.Unusual)" "$two (two.names.Unusual)"; do
		grep -qF "$word" "$work/err" || fail "two of a name: $(cat "$work/err")"
	done
	"$jprof" stop two.names.Unusual 2>"$work/err" && fail "there is no agent to stop"
	grep -q "process $two" "$work/err" || fail "by the whole name: $(cat "$work/err")"

	# A jar, and a class that only an @file names.
	start "$work/log" "$java" -jar "$work/a program.jar"
	expect "$pid" '.program | endswith("/a program.jar")'
	"$jprof" stop 'a program.jar' 2>&1 | grep -q "process $pid" || fail "by the jar"
	echo "-cp $work/classes two.names.Unusual" >"$work/words"
	start "$work/log" "$java" "@$work/words"
	expect "$pid" '.program == "two.names.Unusual"'

	# A stopped one, and those that have ended.
	kill -STOP "$one"
	for _ in $(seq 100); do
		grep -q '^State:.*T' "/proc/$one/status" && break
		sleep 0.1
	done
	expect $one '.program == "one.names.Unusual" and (.reason | test("is stopped"))'
	kill -9 "${started[@]}"
	wait "${started[@]}" 2>/dev/null
	for pid in "${started[@]}"; do
		forget "$pid"
	done
	[ -z "$(row $one)$(row $two)" ] || fail "ended ones are shown: $(row $one) $(row $two)"
	started=()
done

# Another user sees that they are there.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	start "$work/log" "${javas[0]}" -cp "$work/classes" one.names.Unusual
	cp "$jprof" "$work/jprof"
	chmod 755 "$work"
	other=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$work/jprof" list --format json |
		jq -c --argjson pid "$pid" '.jvms[] | select(.pid == $pid)')
	[ "$(jq -r '.attach, .user, .program' <<<"$other")" = "false
root
one.names.Unusual" ] || fail "another user sees: $other"
	jq -e '.reason | test("belongs to user root")' <<<"$other" >/dev/null || fail "another user: $other"
fi
finish
