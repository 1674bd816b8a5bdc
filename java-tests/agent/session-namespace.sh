#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-namespace: a JVM with process ids, mounts and users of its own, as in a container, and
# one of another user. From outside, by the process id as it is seen outside: attach, status,
# snapshot, stop, detach, with the library where the JVM sees it and where it does not; the
# profile is at the path that jprof prints.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq sqlite3 unshare
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
folder=$work/open # everybody's
ran=0
left=() # by JVMs whose number is 1, where /tmp is ours: the copy of the library is kept
for place in {/tmp,/dev/shm,/var/tmp}/.jprof-1; do
	[ -e "$place" ] || left+=("$place")
done

# The only child of a process, or its child.
find_jvm() {
	local child=$1

	while [ "$(cat "/proc/$child/comm" 2>/dev/null)" != java ]; do
		child=$(cut -d' ' -f1 "/proc/$child/task/$child/children" 2>/dev/null)
		[ -n "$child" ] || return
	done
	echo "$child"
}

# by WHO WORDS...: a command by somebody; $work/told has what it said.
by() {
	local who=$1

	shift
	if [ "$who" = nobody ]; then
		(cd "$folder" && "${nobody[@]}" "$jprof" "$@")
	else
		"$jprof" "$@"
	fi >"$work/said" 2>"$work/told" </dev/null && return
	fail "$title: by $who: jprof $*: $(head -3 "$work/told")"
	return 1
}

# The path in the last line of $work/told, as a shell reads it.
printed() {
	local words

	words=$(sed -n 's/.*read it with: jprof report //p' "$work/told")
	eval "words=($words)"
	echo "${words[0]:-}"
}

# follow WHO OPTIONS...: a session from outside of JVM $jvm.
follow() {
	local who=$1 profile

	shift
	by "$who" attach "$jvm" --include Jobs "$@" || return
	by "$who" status "$jvm"
	grep -q recording "$work/said" || fail "$title: the status is $(head -3 "$work/said")"
	tell phase 50
	by "$who" snapshot "$jvm" first
	tell phase 100
	grep '^Jobs\.' "$work/answer" | sort >"$work/truth"
	by "$who" stop "$jvm" || return
	profile=$(printed)
	by "$who" detach "$jvm"
	[ -r "$profile" ] || {
		fail "$title: no profile at the path that was printed: '$profile'"
		return
	}
	calls_of "$profile" '^Jobs$' --snapshot first.. >"$work/found"
	same "$title" "$work/truth" "$work/found"
	rm -f "$profile"
}

# session TITLE WHO COMMAND...: a JVM that the command starts, and two sessions in it.
session() {
	local who=$2 jvm

	title=$1
	shift 2
	start_target "$@" "$java" -XX:+EnableDynamicAgentLoading -cp "$folder" Phases "$folder/written"
	tell phase 200 || return
	jvm=$(find_jvm "$target")
	[ -n "$jvm" ] || fail "$title: where is the JVM?"
	case $title in *without*)
		[ ! -e "/proc/$jvm/root/$agent" ] || fail "$title: the JVM sees the library" ;;
	esac
	follow "$who" --file "$folder/p.jprof"
	follow "$who"
	end_target
	rm -f "$folder/written"
	ran=$((ran + 1))
}

# can COMMAND...: the machine lets it be done.
can() {
	"$@" true 2>/dev/null || {
		echo "not run: $*: not permitted here"
		return 1
	}
}

# shellcheck disable=SC2016
hidden=(bash -c 'mount -t tmpfs none "$0" && exec "$@"' "$build")
# shellcheck disable=SC2016
own_tmp=(bash -c 'mount --bind "$0" /mnt && mount -t tmpfs none "$1" && mount -t tmpfs none /tmp &&
	mkdir -p "$0" && mount --bind /mnt "$0" && shift && exec "$@"' "$folder" "$build")

as_root() {
	local container=(unshare --mount --pid --fork --mount-proc)

	[ "$(id -u)" = 0 ] && can "${container[@]}" || return
	session "a container" root "${container[@]}"
	session "a container without the library" root "${container[@]}" "${hidden[@]}"
	session "a container with a /tmp of its own, without the library" root "${container[@]}" "${own_tmp[@]}"
	can "${nobody[@]}" || return
	session "another user" root "${nobody[@]}"
	session "another user, by itself" nobody "${nobody[@]}"
	session "another user in a container" root "${container[@]}" "${hidden[@]}" "${nobody[@]}"
}

# What every user may do where user namespaces are allowed.
as_user() {
	local container=(unshare -Ur --mount --pid --fork --mount-proc) who=user

	if [ "$(id -u)" = 0 ]; then
		can "${nobody[@]}" || return
		container=("${nobody[@]}" "${container[@]}")
		who=nobody
	fi
	can "${container[@]}" || return
	session "a user's container" "$who" "${container[@]}"
	session "a user's container without the library" "$who" "${container[@]}" "${hidden[@]}"
	[ "$who" = user ] || session "a user's container, by root" root "${container[@]}" "${hidden[@]}"
}

chmod 755 "$work"
mkdir -m 1777 "$folder"
for java in "${javas[-1]}"; do # the way to the JVM is the same
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$folder" "$source_dir/java-tests/agent/Phases.java" || exit 1
	as_root
	as_user
done
[ $ran -gt 0 ] || skip "not run: no namespaces and no other users here"
rm -rf "${left[@]}"
finish
