#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-known: 1000 files and 200 sockets that were opened before anything was recorded are known by
# the names they have by then, and what is done with each later is charged to it. With an agent
# that was there from the start, so are the thread that opened it and when; one that is loaded
# later has found it open. Most descriptors are above the holder's array.
. "$(dirname "$0")/common.sh"
need jq
[ -e "$build/bench/libcontrol.so" ] || skip 'not run: bench/ is not built'
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 4096 ] ||
	skip "not run: no more than $(ulimit -Hn) descriptors are allowed here"

# program JAVA WAY AGENT-WORD: leaves the truth and the profile.
program() {
	local java=$1 way=$2

	shift 2
	rm -rf "$work/files" "$work/truth" "$work/p.jprof"
	mkdir "$work/files"
	timeout 100 "$java" "$@" -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading \
		--enable-native-access=ALL-UNNAMED "-Djava.library.path=$build/bench" \
		"-Dagent=$agent" -cp "$work" IoKnown "$work/files" "$way" "$options" \
		>"$work/out" 2>"$work/err" || fail "$way: the program failed: $(head -5 "$work/err")"
	[ ! -s "$work/err" ] || fail "$way: printed: $(head -5 "$work/err")"
}

# The truth's lines as the profile must have them: KNOWN-FROM, and no thread but for "open".
expected() {
	awk -F '\t' -v OFS='\t' -v known="$1" '
		$1 == "F" { $4 = known == "open" ? $4 : "-"; print $0, known }
		$1 == "C" { print $0, known }' "$work/truth" | sort
}

profile() {
	"$jprof" report "$work/p.jprof" --view files --format json | jq -r --arg folder "$work/files/" '
		.rows[] | select(.path | startswith($folder)) | ["F", .path, .descriptor,
			.opened_by // "-", .closes, .reads.ops, .reads.bytes, .writes.ops, .writes.bytes,
			.known_from] | @tsv'
	"$jprof" report "$work/p.jprof" --view connections --format json | jq -r '
		.rows[] | select(.received.ops + .sent.ops > 0) | ["C", .local, .remote, .closes,
			.received.ops, .received.bytes, .sent.ops, .sent.bytes, .known_from] | @tsv'
}

# Nothing else is in the rows: no openings, no failures, no operations of other kinds.
others() {
	"$jprof" report "$work/p.jprof" --view files --format json | jq -r --arg folder "$work/files/" '
		.rows[] | select(.path | startswith($folder)) | select(.opens + .failures > 0 or
			.all.ops != .closes + .reads.ops + .writes.ops) | .path'
}

# Openings beside what the program's clock said, as far as it knows when the session began.
openings() {
	"$jprof" report "$work/p.jprof" --view files --format json |
		jq -r '.rows[] | ["P", .path, .opened] | @tsv' |
		awk -F '\t' '
			$1 == "S" { from = $2; to = $3 }
			$1 == "T" { before[$2] = $3; after[$2] = $4 }
			$1 == "P" && $2 in before {
				count++
				if ($3 == "" || $3 < before[$2] - to || $3 > after[$2] - from)
					print $2 " opened at " $3 ", not from " before[$2] - to \
						" to " after[$2] - from
			}
			END { if (count != 1000) print count " openings" }' "$work/truth" -
}

check() {
	local what=$1 known=$2 differences

	expected "$known" >"$work/expected"
	[ "$(wc -l <"$work/expected")" = 1200 ] || fail "$what: $(wc -l <"$work/expected") facts"
	profile | sort >"$work/found"
	differences=$(diff "$work/expected" "$work/found")
	[ -z "$differences" ] || fail "$what: $(head -20 <<<"$differences")"
	[ -z "$(others)" ] || fail "$what: more operations: $(others | head -5)"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/IoKnown.java" \
		"$source_dir/bench/Control.java" || exit 1
	options=file=$work/p.jprof,io_slots=256
	program "$java" start "-agentpath:$agent=$options,start=no"
	check "$java, started" open
	[ -z "$(openings)" ] || fail "$java: $(openings | head -5)"
	program "$java" attach
	check "$java, attached" attach
	found=$("$jprof" report "$work/p.jprof" --view files --format json |
		jq '[.rows[] | select(.known_from == "attach" and (.opened or .opened_by))] | length')
	[ "$found" = 0 ] || fail "$java, attached: $found files have an opening that nobody saw"
done
finish
