#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-bad: what goes wrong about a running JVM is said in one line, and the JVM runs on,
# with the same calls recorded as ever: two that attach at once, paths with blanks, folders in
# which no profile can be written or that are full, a JVM killed in a session, what it left
# behind, garbage on the control socket, a stranger at it.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq sqlite3 python3
control=$(dirname "$0")/control.py

start_phases() {
	start_target "$@" -Xcheck:jni -XX:+EnableDynamicAgentLoading -cp "$work" Phases "$work/written"
	tell phase 500
}

# exact WHAT COMMAND: a session by this jprof is as good as ever.
exact() {
	rm -f "$work/p.jprof"
	"$2" attach "$target" --include Jobs --file "$work/p.jprof" 2>"$work/told" ||
		fail "$1: $(cat "$work/told")"
	tell phase 100
	jp stop "$target"
	grep '^Jobs\.' "$work/answer" | sort >"$work/truth"
	calls_of "$work/p.jprof" '^Jobs$' >"$work/found"
	same "$1" "$work/truth" "$work/found"
}

# Both come at once, to a JVM with and one without the agent: one records, and the other says
# that somebody does. If both load the agent, the JVM calls it twice, and it says so.
attach_twice() {
	local first second ok=0 status winner

	rm -f "$work"/[ab].jprof
	"$jprof" attach "$target" --include Jobs --file "$work/a.jprof" 2>"$work/a.told" &
	first=$!
	"$jprof" attach "$target" --include Jobs --file "$work/b.jprof" 2>"$work/b.told" &
	second=$!
	wait $first
	status=$?
	[ $status != 0 ] || ok=1 winner=a
	wait $second
	status=$?
	[ $status != 0 ] || ok=$((ok + 1)) winner=b
	[ $ok = 1 ] || fail "two at once: $ok have started: $(cat "$work"/[ab].told)"
	for told in "$work"/[ab].told; do
		[ "$(wc -l <"$told")" = 1 ] || fail "two at once: not one line: $(cat "$told")"
	done
	grep -q 'already' "$work"/[ab].told || fail "two at once: nobody says why: $(cat "$work"/[ab].told)"
	[ $ok = 1 ] || return
	tell phase 100
	jp "$1" "$target"
	grep '^Jobs\.' "$work/answer" | sort >"$work/truth"
	calls_of "$work/$winner.jprof" '^Jobs$' >"$work/found"
	same "two at once" "$work/truth" "$work/found"
}

with_blanks() {
	mkdir -p "$work/a b, c"
	cp "$build/jprof" "$build/libjprof.so" "$work/a b, c/"
	exact "a path with blanks and a comma" "$work/a b, c/jprof"
	jp detach "$target"
	mkdir -p "$work/a  b"
	cp "$build/jprof" "$build/libjprof.so" "$work/a  b/"
	exact "a path with two blanks" "$work/a  b/jprof"
	jp detach "$target"
}

# What cannot be written to is refused at once, and the agent waits for a better start.
bad_folders() {
	refused 'none/p.jprof.*No such file' "$jprof" attach "$target" --file "$work/none/p.jprof"
	refused 'no control socket|not in|jprof attach' "$jprof" status "$target"
	jp attach "$target" --start no
	refused 'none/p.jprof.*No such file' "$jprof" start "$target" --file "$work/none/p.jprof"
	mkdir -p "$work/folder.jprof"
	refused 'folder.jprof' "$jprof" start "$target" --file "$work/folder.jprof"
	refused 'proc' "$jprof" start "$target" --file /proc/self/p.jprof
	jp status "$target"
	exact "after bad folders" "$jprof"
}

# The disk gets full in a session: a snapshot fails and says so, and so does the status; with room
# again all is written, and nothing is missing.
full_disk() {
	mkdir -p "$work/tiny"
	mount -t tmpfs -o size=4m none "$work/tiny" 2>/dev/null || {
		echo "not run: a full disk (no right to mount)"
		return
	}
	jp start "$target" --file "$work/tiny/p.jprof" --include Jobs --flush 1
	dd if=/dev/zero "of=$work/tiny/filler" bs=4k 2>/dev/null
	tell phase 100
	refused 'full|space' "$jprof" snapshot "$target" full
	jp status "$target"
	grep -qi 'full\|space' "$work/said" || fail "full disk: nothing of it in: $(cat "$work/said")"
	rm "$work/tiny/filler"
	jp snapshot "$target" room
	jp stop "$target"
	grep '^Jobs\.' "$work/answer" | sort >"$work/truth"
	calls_of "$work/tiny/p.jprof" '^Jobs$' >"$work/found"
	same "full disk" "$work/truth" "$work/found"
	sound "full disk" "$work/tiny/p.jprof"
	known_errors="$known_errors|^jprof: cannot write '.*tiny/p.jprof': (No space left on device|database or disk is full)"
	umount -l "$work/tiny"
	exact "after a full disk" "$jprof"
	no_room
}

# No room from the start.
no_room() {
	mount -t tmpfs -o size=8k none "$work/tiny"
	dd if=/dev/zero "of=$work/tiny/filler" bs=4k 2>/dev/null
	refused 'full|space' "$jprof" start "$target" --file "$work/tiny/p.jprof"
	umount -l "$work/tiny"
}

read_only() {
	mount -t tmpfs none "$work/tiny" 2>/dev/null || return
	mount -o remount,ro "$work/tiny"
	refused 'tiny/p.jprof.*([Rr]ead-only|readonly)' "$jprof" start "$target" --file "$work/tiny/p.jprof"
	umount -l "$work/tiny"
}

garbage() {
	python3 "$control" "$target" garbage >"$work/said" 2>&1 || fail "garbage: $(head -5 "$work/said")"
	if [ "$(id -u)" != 0 ] || ! command -v setpriv >/dev/null; then
		echo "not run: another user at the socket"
		return
	fi
	refused 'permitted|denied|belongs|another user' \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$jprof" status "$target"
	refused 'permitted|denied|belongs|another user' \
		setpriv --reuid 65534 --regid 65534 --clear-groups "$jprof" attach "$target"
	exact "after garbage" "$jprof"
}

# Killed in a session; what is left of it is no harm, not even to a process of the same number.
killed() {
	local left

	jp attach "$target" --include Jobs --file "$work/killed.jprof" --flush 1
	tell phase 100
	grep '^Jobs\.' "$work/answer" | sort >"$work/truth"
	jp snapshot "$target"
	left=/tmp/.jprof-$target
	[ -S "$left/control" ] || fail "no socket in '$left'"
	kill -9 "$target"
	wait "$target" 2>/dev/null
	target=0
	calls_of "$work/killed.jprof" '^Jobs$' >"$work/found"
	same "killed" "$work/truth" "$work/found"
	sound "killed" "$work/killed.jprof"
	stale "$1" "$left"
	rm -rf "$left"
}

# The next JVM finds its own folder there already: made by one that was killed; made by another
# user, with a socket that is not the agent's.
stale() {
	start_phases "$1"
	mv "$2" "/tmp/.jprof-$target"
	exact "a folder of before" "$jprof"
	jp detach "$target"
	[ ! -e "/tmp/.jprof-$target" ] || fail "the folder is there after detach"
	if [ "$(id -u)" = 0 ]; then
		mkdir -m 700 "/tmp/.jprof-$target"
		chown 65534 "/tmp/.jprof-$target"
		exact "a stranger's folder" "$jprof"
		jp detach "$target"
		rm -r "/tmp/.jprof-$target"
	fi
	end_target
}

# The JVM of a process that is none, that ends, that is no JVM.
no_jvm() {
	refused 'process' "$jprof" attach 4194303
	sleep 60 &
	refused 'JVM|Java' "$jprof" attach $!
	refused 'JVM|Java' "$jprof" attach $$
	kill $!
	wait $! 2>/dev/null
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$work" "$source_dir/java-tests/agent/Phases.java" || exit 1
	known_errors='^jprof: the agent is loaded already'
	start_phases "$java"
	attach_twice detach
	attach_twice stop
	attach_twice detach
	with_blanks
	bad_folders
	full_disk
	read_only
	garbage
	jp detach "$target"
	end_target
	known_errors='^$'
	start_phases "$java"
	killed "$java"
done
no_jvm
finish
