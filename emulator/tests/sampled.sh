#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# sampled.sh BUILD_DIR: a thread that counts its own instructions has a sample for each 8,000,000 of
# them, within 1 %, and each of its methods its share, within three standard errors. What the kernel
# lost, or what came while the thread was in jprof, is counted.
set -euo pipefail

build=$1
slices=300
condition=instructions:8000000
folder=$(mktemp -d)
profile=$folder/sampled.jprof

java "-agentpath:$PWD/$build/libjprof.so=calls=sample,sample=$condition,io=off,file=$profile" \
	-XX:CompileCommand=quiet -XX:CompileCommand=exclude,Sampled.interpreted \
	-Djava.library.path="$build/counters" -cp "$build/counters" Sampled $slices >"$folder/truth"
cat "$folder/truth"
report() {
	"$build/jprof" report "$profile" --format json --view "$@"
}
report threads --thread sampled >"$folder/threads"
report methods --thread sampled >"$folder/methods"
report summary >"$folder/summary"
jq --null-input --raw-output --exit-status --arg condition "$condition" \
	--rawfile truth "$folder/truth" --slurpfile threads "$folder/threads" \
	--slurpfile methods "$folder/methods" --slurpfile summary "$folder/summary" '
	def two: . * 100 | round / 100;
	($truth | split("\n") | map(select(. != "") | split(" ") | {key: .[0], value: (.[1] | tonumber)})
		| from_entries) as $used
	| ($summary[0].rows | map({key, value}) | from_entries) as $fact
	| ([("inside", "outside", "full", "kernel") | $fact["sample.\($condition).\(.)"] // 0 | tonumber]
		| add) as $lost
	| ([$threads[0].rows[].samples.instructions] | add) as $taken
	| ($used.all / 8000000) as $expected
	| ($used | del(.all) | to_entries) as $parts
	| ($parts | map(.value) | add) as $sum
	| [$parts[] | . as $part
		| {name: .key, share: (.value / $sum),
			found: (([$methods[0].rows[] | select(.class == "Sampled" and .method == $part.key)
				| .samples_cum.instructions] | add // 0) / $taken)}
		| . + {off: ((.found - .share) / (.share * (1 - .share) / $taken | sqrt))}] as $rows
	| ($rows[] | "\(.name): \(100 * .share | two) % of the instructions, \(100 * .found | two) % of the"
		+ " samples: \(.off | two) standard errors"),
	"\($taken) samples and \($lost) lost ones, \($expected | two) periods",
	($taken + $lost >= 0.99 * $expected and $taken <= 1.01 * $expected
		and $lost <= 0.01 * $expected
		and ($rows | length) == 6 and all($rows[]; .off | fabs <= 3))'
