#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# counters.sh BUILD_DIR THREADS: each of so many threads calls Counters.spin five times, and
# has to be charged 5 * 20,000,000 instructions for it, within 0.01 %, every thread by itself.
set -euo pipefail

build=$1
threads=$2
calls=5
profile=$(mktemp -d)/counters.jprof

java "-agentpath:$PWD/$build/libjprof.so=calls=events,metrics=instructions,file=$profile" \
	-Djava.library.path="$build/counters" -cp "$build/counters" Counters "$threads" "$calls"
"$build/jprof" report "$profile" --view tree --format json |
	jq --raw-output --exit-status --argjson threads "$threads" --argjson calls "$calls" '
		[.rows[] | select(.method == "spin")] as $spins
		| ($calls * 20000000) as $truth
		| ($spins[] | "\(.thread): \(.calls) calls, \(.base.instructions) instructions,"
			+ " off by \(.base.instructions - $truth) of \($truth)"),
		(($spins | length) == $threads
			and ([$spins[].thread] | unique | length) == $threads
			and all($spins[]; .calls == $calls
				and (.base.instructions - $truth | fabs) <= $truth / 10000))'
