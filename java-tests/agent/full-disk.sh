#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# full-disk: when the disk is full the application runs on, one line says so, and what is in
# the file is sound.
. "$(dirname "$0")/common.sh"
need sqlite3 mountpoint
disk=$work/disk

cleanup() {
	! mountpoint -q "$disk" || umount "$disk"
}

[ "$(id -u)" = 0 ] || skip "not run: only root can make a small disk"
mkdir "$disk"
mount -t tmpfs -o size=512k tmpfs "$disk" 2>/dev/null ||
	skip "not run: this machine does not let root mount a tmpfs"

for java in "${javas[@]}"; do
	run "$java" "file=$disk/p.jprof,calls=events,metrics=wall,flush=1" paths 3000
	[ "$status" = 0 ] || fail "exit status $status"
	[ "$(cat "$work/out")" = walked ] || fail "the program printed '$(cat "$work/out")'"
	expect_lines 'a full disk' 1 "$disk/p.jprof"
	if [ -e "$disk/p.jprof" ]; then
		cp "$disk"/p.jprof* "$work"
		[ "$(sqlite3 "$work/p.jprof" 'PRAGMA integrity_check')" = ok ] ||
			fail "the profile is not sound"
	fi
	rm -f "$disk"/* "$work"/p.jprof*
done

# No room from the first moment on.
head -c 1048576 /dev/zero >"$disk/filler" 2>/dev/null
for java in "${javas[@]}"; do
	run "$java" "file=$disk/p.jprof,calls=events" count 500
	expect_ran 'no room at all' 500
	expect_lines 'no room at all' 1 "$disk/p.jprof"
	rm -f "$disk"/p.jprof*
done

# The agent ends the recording, and the command that wanted it hears how that went.
for java in "${javas[@]}"; do
	rm -f "$disk"/* "$work/log"
	"$java" -cp "$classes" agent.Workload steps 300000 "$work/log" >"$work/out" 2>"$work/err" &
	pid=$!
	await test -s "$work/log"
	"$jprof" attach "$pid" --duration 5 --file "$disk/p.jprof" >"$work/said" 2>&1 &
	command=$!
	await grep -q "recording into" "$work/said"
	head -c 1048576 /dev/zero >"$disk/filler" 2>/dev/null
	wait "$command" && fail "attach for so long, a full disk: all is well: $(cat "$work/said")"
	grep -q "cannot write.*$disk/p.jprof" "$work/said" || fail "attach, a full disk: $(cat "$work/said")"
	kill -0 "$pid" || fail "attach, a full disk: the program is gone"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	forget "$pid"
done
finish
