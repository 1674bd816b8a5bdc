#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io: what virtual threads write, send and receive is charged to their own call paths, to the
# byte; and with records, each operation is one.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
need sqlite3
# A receive waits for the poller where it finds nothing: that counts as a failed one first.
groups='["writes", "write"], ["writes", "deeper"], ["sent", "send"], ["received", "receive"]'

# found VIEW: lines as the program tells them.
found() {
	"$jprof" report "$work/p.jprof" --view "$1" --format json | jq -r "[$groups][] as [\$group, \$method] |
		[.rows[] | select(.class == \"Io\" and .method == \$method) | .base[\$group]] |
		\"\(\$group) \(\$method) \(if \$method == \"receive\" then 0 else map(.ops) | add end) \(map(.bytes) | add)\""
}

# Those of the rows of virtual threads alone, or of platform threads' of the same names.
by_thread() {
	local thread

	for thread in 'io-*' 'echo-*'; do
		"$jprof" report "$work/p.jprof" --view io-methods --thread "$thread" --format json
	done | jq -s -r '[.[].rows[] | select(.class == "Io") | .base.all.bytes] | add'
}

records() {
	query "$work/p.jprof" "SELECT g || ' ' || method || ' ' ||
		CASE method WHEN 'receive' THEN 0 ELSE count(*) END || ' ' || sum(bytes)
		FROM (SELECT *, CASE operation WHEN 'write' THEN 'writes' WHEN 'send' THEN 'sent' ELSE 'received' END AS g
			FROM records WHERE class = 'Io' AND operation IN ('write', 'send', 'receive')
				AND (thread LIKE 'io-%' OR thread LIKE 'echo-%'))
		GROUP BY method" | sort
}

compile "$here"/{Told,VirtualIo}.java
mkdir -p "$work/files"
for option in io=summary io=records; do
	rm -f "$work/p.jprof"
	program 'Io' "$option" VirtualIo "$work/files"
	attach
	tell 'do' 200
	sort "$work/answer" >"$work/told.io"
	do_it truth "$work/truth"
	end_program
	compare "$option" "$work/p.jprof" "$work/truth"
	for view in io-methods io-tree; do
		found $view | sort >"$work/found"
		same "$option, $view" "$work/told.io" "$work/found"
	done
	told=$(awk '{sum += $4} END {print sum}' "$work/told.io")
	[ "$(by_thread)" = "$told" ] || fail "$option: expected $told bytes by their threads, found $(by_thread)"
	[ $option = io=summary ] || {
		records >"$work/found"
		same "$option, records" "$work/told.io" "$work/found"
	}
done
finish
