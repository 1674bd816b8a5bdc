#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# selftest.sh BUILD_DIR [TIMING]: what probes cost is measured, then the program with known shares
# is run with probes and without. Adjusted instructions have to be those of the run without: the sum
# within 2 %, those of each method within 3 %.
set -euo pipefail

build=$1
timing=${2:-fast}
metric=instructions:u
calibration=$(mktemp)

# What aligns loops is executed, too, and is another number of instructions wherever code is moved
# by as little as a probe's call.
java=$(mktemp)
printf '#!/bin/bash\nexec "%s" -XX:OptoLoopAlignment=4 "$@"\n' "$(command -v java)" >"$java"
chmod +x "$java"

"$build/jprof" calibrate --java "$java" --quick --timing "$timing" --metrics $metric \
	-o "$calibration"
"$build/jprof" selftest --java "$java" --timing "$timing" --metrics $metric \
	--calibration "$calibration" --format json |
	jq --raw-output --exit-status --arg metric $metric '
		def off($of): 100 * ($of.adjusted[$metric] / $of.expected[$metric] - 1);
		def two: . * 100 | round / 100;
		([.rows[] | select(.expected[$metric] > 0)
			| {name: .method, calls, exact: (.calls == .expected_calls),
				off: off(.), of_call: ((.adjusted[$metric] - .expected[$metric]) / .calls),
				expected: (.expected[$metric] / .calls), raw: (.raw[$metric] / .calls)}]
			+ [{name: "sum", calls: 0, exact: true, off: off(.sum), most: 2}])
		| (.[] | "\(.name): off by \(.off | two) %"
			+ if .calls > 0 then ", by \(.of_call | two) of \(.expected | two) a call"
				+ " (raw \(.raw | two), \(.calls) calls)" else "" end),
			(length > 1 and all(.[]; .exact and (.off | fabs) <= (.most // 3)))'
