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

cleanup() {
	[ ${#others[@]} = 0 ] || kill -9 "${others[@]}" 2>/dev/null
	[ -n "$pid" ] || return 0
	kill -9 "$pid" 2>/dev/null
	forget "$pid"
	rm -rf {/tmp,/dev/shm,/var/tmp}/.jprof-"$pid".*
}

begin() {
	rm -f "$work/log"
	"$1" -cp "$classes" agent.Workload steps 120000 "$work/log" >"$work/out" 2>"$work/err" &
	pid=$!
	for _ in $(seq 200); do
		[ -s "$work/log" ] && break
		sleep 0.05
	done
}

end() {
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	cleanup
	pid=
}

# all WHAT: a session from attach to detach.
all() {
	local seconds=$SECONDS

	rm -f "$work/p.jprof"
	timeout 100 "$jprof" attach "$pid" --file "$work/p.jprof" >"$work/said" 2>&1 ||
		fail "$1: attach: $(cat "$work/said")"
	"$jprof" status "$pid" --format json >"$work/status" 2>"$work/said" || fail "$1: status: $(cat "$work/said")"
	jq -e '.state == "recording"' "$work/status" >/dev/null || fail "$1: state $(cat "$work/status")"
	"$jprof" list | grep -q "^ *$pid " || fail "$1: list"
	"$jprof" detach "$pid" >"$work/said" 2>&1 || fail "$1: detach: $(cat "$work/said")"
	[ $((SECONDS - seconds)) -lt 80 ] || fail "$1: it took $((SECONDS - seconds)) s"
}

for java in "${javas[@]}"; do
	begin "$java"
	"${stranger[@]}" mkdir {/tmp,/dev/shm,/var/tmp}/.jprof-"$pid"
	all "$java: the agent's directories are taken"
	rmdir {/tmp,/dev/shm,/var/tmp}/.jprof-"$pid"
	all "$java: and free again"
	"${stranger[@]}" "$(command -v flock)" -x "/proc/$pid" sleep 100 &
	others+=($!)
	sleep 0.3
	all "$java: the process's directory is locked"
	end

	begin "$java"
	"${stranger[@]}" touch "/tmp/.attach_pid$pid"
	all "$java: .attach_pid is taken"
	end

	begin "$java"
	"${stranger[@]}" touch "/tmp/.java_pid$pid"
	"$jprof" attach "$pid" --file "$work/p.jprof" >"$work/said" 2>&1 && fail "$java: .java_pid is taken"
	grep -q "'/tmp/.java_pid$pid' was made by user 65534" "$work/said" ||
		fail "$java: .java_pid is taken: $(cat "$work/said")"
	rm -f "/tmp/.java_pid$pid"
	all "$java: .java_pid is free again"
	end

	# In a folder of all, as /tmp.
	mkdir -m 1777 "$work/shared"
	chmod 755 "$work"
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
