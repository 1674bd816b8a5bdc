#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# selftest: jprof selftest runs on every JDK; what does not depend on time is exact: calls, and bytes,
# which the program knows from the JVM. It leaves nothing behind, however it ends.
. "$(dirname "$0")/common.sh"
need jq
here=$(dirname "$0")
. "$here/measuring.sh"

# selftest WORDS...: into $work/out.
selftest() {
	timeout 300 "$jprof" selftest "$@" >"$work/out" 2>"$work/err" ||
		fail "$*: $(cat "$work/err")"
	left "$*"
}

# sound WHAT ADJUSTED: nothing is wrong with the JSON in $work/out; adjusted: true or false.
sound() {
	jq -r --argjson adjusted "$2" -f "$here/selftest.jq" "$work/out" >"$work/wrong" ||
		fail "$1: no JSON: $(head -c 500 "$work/out")"
	[ ! -s "$work/wrong" ] || fail "$1: $(head -5 "$work/wrong")"
}

# Of the last one, events and a calibration tell.
for java in "${javas[@]:0:${#javas[@]}-1}"; do
	selftest --java "$java" --calibration off --format json
	[ ! -s "$work/err" ] || fail "$java: said $(cat "$work/err")"
	sound "$java" false
done
java=${javas[-1]}
selftest --java "$java" --calibration off --calls events --timing precise --metrics alloc+cpu \
	--format json
sound "$java events" false

# With a calibration.
timeout 300 "$jprof" calibrate --quick --java "$java" -o "$work/calibration.json" >/dev/null 2>"$work/err" ||
	fail "calibrate: $(cat "$work/err")"
selftest --java "$java" --calibration "$work/calibration.json" --format json
[ ! -s "$work/err" ] || fail "$java: said $(cat "$work/err")"
sound "$java calibrated" true
selftest --java "$java" --calibration "$work/calibration.json"
for line in '^Calibration: file ' '^cpu, percent of all methods' '^  tiny15 ' \
	'^  [0-9]+ of [0-9]+ hold; adjusted shares within 2 points: ' '^calls: those of 18 of 18 '; do
	grep -qE "$line" "$work/out" || fail "text: no '$line' in $(cat "$work/out")"
done

# refused STATUS TEXT WORDS...: one line.
refused() {
	local expected=$1 text=$2

	shift 2
	"$jprof" selftest "$@" >"$work/out" 2>"$work/err"
	[ $? = "$expected" ] || fail "$*: exit status"
	[ "$(wc -l <"$work/err")" = 1 ] || fail "$*: $(cat "$work/err")"
	grep -qF -e "$text" "$work/err" || fail "$*: $(cat "$work/err")"
	[ ! -s "$work/out" ] || fail "$*: printed $(cat "$work/out")"
	left "$*"
}

refused 1 "there is no java '/nowhere'" --java /nowhere
refused 1 "'/bin/true' ran, but measured nothing" --java /bin/true
refused 1 "unknown metric 'nothing'" --java "$java" --metrics cpu+nothing
refused 1 "'slow' is not legal" --timing slow
refused 1 "cannot read calibration file" --java "$java" --calibration "$work/none.json"
refused 2 'it compares what timed calls tell' --calls off
refused 2 'it compares what timed calls tell' --calls auto
refused 2 "no format 'xml'" --format xml
refused 2 'needs a value' --timing
refused 2 "unknown option '--quick'" --quick

# Ctrl-C.
interrupt "$jprof" selftest --java "$java"
finish
