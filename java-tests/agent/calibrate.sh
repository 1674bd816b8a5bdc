#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# calibrate: jprof calibrate finds a cost for every sequence of methods that there can be, and with
# it most of what is seen of empty methods goes away. It leaves nothing behind, however it ends.
. "$(dirname "$0")/common.sh"
need jq
here=$(dirname "$0")
. "$here/measuring.sh"

# measure WORDS...: leaves out and err. Where the machine is so busy that it takes too long, that is
# not what is looked at here.
measure() {
	local status

	for _ in 1 2 3; do
		timeout 100 "$jprof" calibrate --quick "$@" >"$work/out" 2>"$work/err"
		status=$?
		grep -q 'is the machine busy' "$work/err" || break
	done
	return $status
}

# calibrate JAVA WORDS...: into $work/calibration.json.
calibrate() {
	local java=$1

	shift
	rm -f "$work/calibration.json"
	measure --java "$java" -o "$work/calibration.json" "$@" || fail "$java $*: $(cat "$work/err")"
	[ ! -s "$work/err" ] || fail "$java $*: said $(cat "$work/err")"
	left "$java $*"
}

# sound WHAT TYPES: nothing is wrong with the calibration.
sound() {
	jq -r --argjson types "$2" -f "$here/calibrate.jq" "$work/calibration.json" >"$work/wrong"
	[ ! -s "$work/wrong" ] || fail "$1: $(head -5 "$work/wrong")"
}

# Half of it is, where the bounds of a cost are far apart as soon as a little more is seen.
# adjusted WHAT JAVA OPTIONS: of the empty methods' processor time at least a third is taken out.
adjusted() {
	local part

	"$2" "-agentpath:$agent=file=$work/empty.jprof,include=agent.Empty,calls=instrument,calibration=off,$3" \
		-cp "$classes" agent.Empty 5000 >/dev/null 2>"$work/err" || fail "$1: $(cat "$work/err")"
	"$jprof" report "$work/empty.jprof" --view methods --format json \
		--calibration "$work/calibration.json" >"$work/report" 2>"$work/err"
	[ ! -s "$work/err" ] || fail "$1: $(cat "$work/err")"
	part=$(jq '[.rows[] | select(.method == "leaf" or .method == "middle")] |
		(map(.base.cpu) | add) / (map(.raw_base.cpu // .base.cpu) | add) * 100 | floor' \
		"$work/report")
	[ "$part" -le 65 ] || fail "$1: $part of 100 is left"
}

all='["interpreted","jitted","native"]'
for java in "${javas[@]:0:${#javas[@]}-1}"; do
	calibrate "$java"
	sound "$java" "$all"
	adjusted "$java" "$java" metrics=wall+cpu+alloc
done

# Into the cache, where it is found.
java=${javas[-1]}
measure --java "$java" || fail "cache: $(cat "$work/err")"
cp "$XDG_CACHE_HOME"/jprof/calibration-*.json "$work/calibration.json" || fail "nothing in the cache"
[ "$(stat -c %a "$XDG_CACHE_HOME/jprof")" = 700 ] || fail "others may look into the cache"
sound "$java" "$all"
adjusted "$java" "$java" metrics=wall+cpu+alloc

calibrate "$java" --timing precise
sound "$java precise" "$all"
adjusted "$java precise" "$java" metrics=wall+cpu+alloc,timing=precise
calibrate "$java" --calls events
sound "$java events" '["interpreted","native"]'

# refused STATUS TEXT WORDS...: one line.
refused() {
	local expected=$1 text=$2

	shift 2
	"$jprof" calibrate --quick "$@" >"$work/out" 2>"$work/err"
	[ $? = "$expected" ] || fail "$*: exit status"
	[ "$(wc -l <"$work/err")" = 1 ] || fail "$*: $(cat "$work/err")"
	grep -qF -e "$text" "$work/err" || fail "$*: $(cat "$work/err")"
	left "$*"
}

refused 1 "there is no java '/nowhere'" --java /nowhere
refused 1 "'/bin/true' ran, but measured nothing" --java /bin/true
refused 1 "unknown metric 'nothing'" --java "$java" --metrics wall+nothing
refused 1 "'slow' is not legal" --timing slow
for calls in off sample count; do
	refused 2 "calls $calls: where no calls are timed there is nothing to take out" --calls $calls
done
refused 2 'needs a value' -o
refused 2 "unknown option '--fast'" --fast
refused 1 "cannot write" --java "$java" -o "$work/nowhere/calibration.json"
mkfifo "$work/pipe"
refused 1 "pipe': it is no regular file" --java "$java" -o "$work/pipe"
refused 1 "it is no regular file" --java "$java" -o "$work"
[ -p "$work/pipe" ] || fail "a pipe was replaced"

# Ctrl-C.
interrupt "$jprof" calibrate --java "$java" -o "$work/never.json"
[ ! -e "$work/never.json" ] || fail "interrupted: there is a file"
finish
