#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# attach-intruders: another user of the machine makes, beforehand, whatever has a name that can be foreseen:
# the agent and the command get along without it, or say at once who is in the way.
. "$(dirname "$0")/common.sh"
need jq setpriv
[ "$(id -u)" = 0 ] || skip "not run: only root can be two users"
pid=
others=()
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups)
owner=(setpriv --reuid 65533 --regid 65533 --clear-groups)
# Where the owner's JVM finds its classes, and may write.
chmod 755 "$work"
cp -r "$classes/." "$work/classes"
chmod -R a+rX "$work/classes"
mkdir "$work/own"
chown 65533 "$work/own"

cleanup() {
	[ ${#others[@]} = 0 ] || kill -9 "${others[@]}" 2>/dev/null
	others=()
	[ -n "$pid" ] || return 0
	kill -9 "$pid" 2>/dev/null
	forget "$pid"
	rm -rf {/tmp,/dev/shm,/var/tmp}/.jprof-"$pid".*
}

begin() {
	rm -f "$work/own/log"
	(cd "$work/own" && exec "${owner[@]}" "$1" -cp "$work/classes" agent.Workload steps 600000 \
		"$work/own/log") >"$work/out" 2>"$work/err" &
	pid=$!
	await test -s "$work/own/log"
}

end() {
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	cleanup
	pid=
}

# all WHAT: a session from attach to detach; took: seconds.
all() {
	took=$SECONDS
	rm -f "$work/own/p.jprof"
	timeout 100 "$jprof" attach "$pid" --file "$work/own/p.jprof" >"$work/said" 2>&1 ||
		fail "$1: attach: $(cat "$work/said")"
	"$jprof" status "$pid" --format json >"$work/status" 2>"$work/said" || fail "$1: status: $(cat "$work/said")"
	jq -e '.state == "recording"' "$work/status" >/dev/null || fail "$1: state $(cat "$work/status")"
	"$jprof" list | grep -q "^ *$pid " || fail "$1: list"
	"$jprof" detach "$pid" >"$work/said" 2>&1 || fail "$1: detach: $(cat "$work/said")"
	took=$((SECONDS - took))
}

# refused JAVA SHOWN [FILE]: somebody's file is in the way, and is named; then it goes.
refused() {
	timeout 100 "$jprof" attach "$pid" --file "$work/own/p.jprof" >"$work/said" 2>&1 &&
		fail "$1: attached in spite of $2"
	grep -qF "'$2' was made by user 65534" "$work/said" || fail "$1: $2 is taken: $(cat "$work/said")"
	rm -f "${3:-$2}"
}

for java in "${javas[@]}"; do
	begin "$java"
	"${stranger[@]}" mkdir {/tmp,/dev/shm,/var/tmp}/.jprof-"$pid"
	all "$java: the agent's directories are taken"
	# The directory that is found by its descriptor is looked at as any other.
	"$jprof" attach "$pid" --file "$work/own/p.jprof" >"$work/said" 2>&1 || fail "$java: attach: $(cat "$work/said")"
	found=$(find /proc/"$pid"/fd -lname "*/.jprof-$pid.*" -exec readlink {} \;)
	chmod 755 "$found"
	"$jprof" status "$pid" >"$work/said" 2>&1 && fail "$java: $found is open to others: trusted"
	grep -qF "'$found' is not to be trusted" "$work/said" || fail "$java: $found is open to others: $(cat "$work/said")"
	chmod 700 "$found"
	"$jprof" detach "$pid" >"$work/said" 2>&1 || fail "$java: detach: $(cat "$work/said")"
	rmdir {/tmp,/dev/shm,/var/tmp}/.jprof-"$pid"
	all "$java: and free again"
	free=$took
	"${stranger[@]}" "$(command -v flock)" -F -x "/proc/$pid" sleep 100 &
	others+=($!)
	sleep 0.3
	all "$java: the process's directory is locked"
	# A lock that stands in the way is waited for for half a minute.
	[ "$took" -lt $((free + 25)) ] || fail "$java: behind somebody's lock it took $took s, not $free"
	end

	begin "$java"
	"${stranger[@]}" touch "/tmp/.attach_pid$pid"
	all "$java: .attach_pid is taken"
	end

	begin "$java"
	"${stranger[@]}" touch "/tmp/.java_pid$pid"
	refused "$java" "/tmp/.java_pid$pid"
	"${stranger[@]}" touch "/tmp/.java_pid$pid.tmp"
	refused "$java" "/tmp/.java_pid$pid.tmp"
	chmod 1777 "$work/own"
	"${stranger[@]}" touch "$work/own/.attach_pid$pid"
	refused "$java" "/proc/$pid/cwd/.attach_pid$pid" "$work/own/.attach_pid$pid"
	all "$java: all names are free again"
	end

	# In a folder of all, as /tmp.
	mkdir -m 1777 "$work/shared"
	for suffix in -journal -wal -shm; do
		"${stranger[@]}" ln -s "$work/shared/led-to" "$work/shared/p.jprof$suffix"
	done
	run "$java" "file=$work/shared/p.jprof" count 20
	expect_ran "$java: links beside the profile" 20
	[ ! -e "$work/shared/led-to" ] || fail "$java: a link was followed"
	"${stranger[@]}" touch "$work/shared/q.jprof"
	"${stranger[@]}" ln -s "$work/shared/led-to" "$work/shared/r.jprof"
	for name in q r; do
		run "$java" "file=$work/shared/$name.jprof" count 20
		[ ! -s "$work/shared/$name.jprof" ] || fail "$java: $name: a file of another was filled"
		grep -qE "belongs to user 65534|is a symbolic link" "$work/err" ||
			fail "$java: $name: $(cat "$work/err")"
	done
	rm -rf "$work/shared"
done
finish
