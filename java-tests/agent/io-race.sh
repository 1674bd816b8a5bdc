#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-race: threads that open, hold, close and reopen descriptors of the same numbers, for
# IO_RACE_SECONDS (2): by handles of their own, by two streams of one descriptor, by raw numbers.
# Nothing crashes, -Xcheck:jni has nothing to say, and each file has the bytes, openings and closes
# that the program counted; no opening is forgotten, to be asked of the system later.
. "$(dirname "$0")/common.sh"
need jq
seconds=${IO_RACE_SECONDS:-2}

# What is not as the program counted: bytes that may be another file's are in the slack.
differences() {
	"$jprof" report "$work/p.jprof" --view files --format json | jq -r '.rows[] |
		[.path, .reads.bytes, .opens, .closes, .known_from] | @tsv' | awk -F '\t' '
		NR == FNR {
			bytes[$1] += $2
			opens[$1] += $3
			closes[$1] += $4
			known[$1] = known[$1] ($5 == "open" ? "" : $5)
			next
		}
		{
			difference = bytes[$1] - $2
			all += difference
			slack += $3
			if (difference < -$3 || difference > $3)
				print $1 ": " bytes[$1] " bytes instead of " $2
			if (opens[$1] != $4 || closes[$1] != $5)
				print $1 ": " opens[$1] " openings and " closes[$1] " closes instead of " \
					$4 " and " $5
			if (known[$1] != "")
				print $1 ": an opening was lost"
			files++
		}
		END {
			if (all < -slack || all > slack)
				print "all files: " all " bytes too much"
			if (files != 128)
				print files " files"
		}' - "$work/facts"
}

# What -Xcheck:jni says of JDK 17 itself: run-case.py.
without_reference_counts() {
	awk '/^WARNING: JNI local refs: [0-9]+, exceeds capacity/ {skip = 1; next}
		skip && /^\t(at |- )/ {next}
		{skip = 0; print}' "$1"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/IoRace.java" || exit 1
	rm -rf "$work/files"
	mkdir "$work/files"
	timeout $((seconds + 60)) "$java" -Xcheck:jni "-agentpath:$agent=file=$work/p.jprof" \
		-XX:ErrorFile="$work/crash" --add-opens java.base/java.io=ALL-UNNAMED -cp "$work" \
		IoRace "$work/files" "$seconds" "$work/facts" >"$work/out" 2>"$work/err"
	status=$?
	[ $status = 0 ] || fail "$java: exit status $status: $(head -5 "$work/crash" 2>&1)"
	said=$(without_reference_counts "$work/out")
	echo "$said"
	[[ $said =~ ^([0-9]+)' rounds, '([0-9]+)' reopened, '([0-9]+)' closed under, '[0-9]+' bytes of others'$ ]] ||
		fail "$java: printed more than its line"
	if [ "${BASH_REMATCH[1]:-0}" -lt 500 ] || [ "${BASH_REMATCH[2]:-0}" -lt 50 ]; then
		fail "$java: there was no race"
	fi
	[ ! -s "$work/err" ] || fail "$java: said: $(head -20 "$work/err")"
	different=$(differences)
	[ -z "$different" ] || fail "$java: $(head -20 <<<"$different")"
done
finish
