#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# side-files: whoever may write the profile's folder shortens, removes and replaces what is there while a
# JVM records: the JVM runs on, and ends as it would have; what became of the profile is said.
. "$(dirname "$0")/common.sh"
need jq

# spoil JAVA WHAT COMMAND: the command is run every 30 ms; FILE is each file there is in turn.
spoil() {
	local java=$1 what=$2 pid file

	rm -rf "$work/there" "$work/log"
	mkdir "$work/there"
	"$java" "-agentpath:$agent=file=$work/there/p.jprof,flush=1" -cp "$classes" \
		agent.Workload steps 3500 "$work/log" >"$work/out" 2>"$work/err" &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		for file in "$work"/there/p.jprof*; do
			[ ! -e "$file" ] || eval "${3//FILE/\"\$file\"}"
		done
		sleep 0.03
	done
	wait $pid
	status=$?
	[ $status = 0 ] || fail "$java, $what: exit status $status: $(head -5 "$work/err")"
	! grep -v '^jprof: ' "$work/err" || fail "$java, $what: it said $(grep -v '^jprof: ' "$work/err" | head -3)"
	[ "$(wc -l <"$work/err")" -le 20 ] || fail "$java, $what: $(wc -l <"$work/err") lines"
}

# The files are written by jprof's own code: one JVM is enough.
java=${javas[-1]}
spoil "$java" "side files shortened" 'case FILE in *p.jprof) ;; *) truncate -s 0 FILE ;; esac'
"$jprof" report "$work/there/p.jprof" --view summary --format json >"$work/summary" 2>"$work/said" ||
	fail "$java: nothing to read: $(cat "$work/said")"
spoil "$java" "a log is made" 'case FILE in *p.jprof) printf %4096s x >FILE-wal ;; esac'
[ ! -e "$work/there/p.jprof-shm" ] || fail "$java: a file is mapped"
spoil "$java" "all shortened" 'truncate -s 0 FILE'
spoil "$java" "side files removed" 'case FILE in *p.jprof) ;; *) rm -f FILE ;; esac'
spoil "$java" "side files replaced" \
	'case FILE in *p.jprof) ;; *) rm -f FILE; ln -s "$work/elsewhere" FILE ;; esac'
[ ! -e "$work/elsewhere" ] || fail "$java: a link was followed"
# Whoever wants to know reads beside it, and holds nobody up.
spoil "$java" "read" 'case FILE in *p.jprof) "$jprof" report FILE --view threads >/dev/null 2>&1 ;; esac'
"$jprof" report "$work/there/p.jprof" --view summary --format csv | grep -q '^complete,yes$' ||
	fail "$java: the profile that was read is not complete"
[ "$(find "$work/there" -type f | wc -l)" = 1 ] || fail "$java: left behind: $(ls "$work/there")"
[ "$(stat -c %a "$work/there/p.jprof")" = 600 ] || fail "$java: others may read it"
# For others, if that is asked for.
run "${javas[0]}" "file=$work/all.jprof,readers=all" count 20
[ "$(stat -c %a "$work/all.jprof")" = 644 ] || fail "readers=all: $(stat -c %a "$work/all.jprof")"
finish
