#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-entries: what is read of archives is told apart by their entries. Archives of many kinds are
# made by Python (io-entries.py), and read by several threads, in several openings, in several
# ways, with another file in their place; each entry has the bytes that its sizes say, and all
# of them together what was read of the archive. Archives that are cut, or lie, are refused with
# a reason; Java finds in them what it finds without the agent.
. "$(dirname "$0")/common.sh"
need jq python3

# once JAVA [AGENT-WORD]: leaves out and err.
once() {
	local java=$1

	shift
	rm -rf "$work/zips"
	mkdir "$work/zips"
	python3 "$source_dir/java-tests/agent/io-entries.py" "$work/zips" "$work/truth" || exit 1
	timeout 100 "$java" "$@" -Dfile.encoding=UTF-8 -cp "$work" IoEntries "$work/zips" \
		>"$work/out" 2>"$work/err" || fail "$java: the program failed: $(head -5 "$work/err")"
}

# The profile's lines: E archive entry bytes, A archive bytes, N archive note.
profile() {
	"$jprof" report "$work/p.jprof" --view entries --format json | jq -r --arg folder "$work/zips/" '
		.rows[] | select(.archive | startswith($folder)) |
			["E", (.archive | ltrimstr($folder)), .entry, .reads.bytes] | @tsv'
	"$jprof" report "$work/p.jprof" --view files --format json | jq -r --arg folder "$work/zips/" '
		.rows[] | select(.path | startswith($folder)) | (.path | ltrimstr($folder)) as $name |
			["A", $name, .reads.bytes], (select(.note) | ["N", $name, .note]) | @tsv'
}

# What is not as the truth has it.
differences() {
	awk -F '\t' -v directory='(directory)' '
		$1 == "E" && NR == FNR { entry[$2, $3] += $4; sum[$2] += $4; if ($3 != directory) entries[$2]++ }
		$1 == "A" && NR == FNR { archive[$2] += $3; seen[$2] = 1 }
		$1 == "N" && NR == FNR { note[$2] = $3 }
		NR == FNR { next }
		{ facts++ }
		$2 == "refused" {
			if (index(note[$1], $3) == 0 || entries[$1] + sum[$1] > 0)
				print $1 ": refused as \"" note[$1] "\", not with \"" $3 "\"; " \
					entries[$1] + 0 " entries, " sum[$1] + 0 " bytes"
			refused[$1] = 1
			next
		}
		{
			told[$1]++
			if (entry[$1, $2] + 0 < $3 + 0 || entry[$1, $2] + 0 > $4 + 0)
				print $1 ": " $2 ": " entry[$1, $2] + 0 " bytes, not " $3 " to " $4
			if ($1 in note)
				print $1 ": refused: " note[$1]
		}
		END {
			for (name in told) {
				if (sum[name] != archive[name])
					print name ": " archive[name] " bytes; of its entries " sum[name]
				if (entries[name] > told[name])
					print name ": " entries[name] " entries, not " told[name]
			}
			if (facts < 100)
				print "only " facts " facts"
		}' "$work/profile" "$work/truth"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/IoEntries.java" || exit 1
	once "$java"
	mv "$work/out" "$work/plain.out"
	once "$java" "-agentpath:$agent=file=$work/p.jprof"
	cmp "$work/plain.out" "$work/out" || fail "$java: $(diff "$work/plain.out" "$work/out" | head)"
	[ ! -s "$work/err" ] || fail "$java: printed: $(head -5 "$work/err")"
	profile >"$work/profile"
	different=$(differences)
	[ -z "$different" ] || fail "$java:
$different"
done
finish
