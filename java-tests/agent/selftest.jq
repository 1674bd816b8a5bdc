# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# selftest.jq: what jprof selftest prints as JSON, to a line for each thing that is not right with it.
# $adjusted: whether it is to be.

def quantities: ["expected", "uncertainty", "raw"] + if $adjusted then ["adjusted", "error"] else [] end;

. as $all | [.metrics[].name] as $metrics |
(select(.view != "selftest") | "view: \(.view)"),
(select(.adjusted != $adjusted) | "adjusted: \(.adjusted), \(.calibration)"),
(select((.rows | length) != 18) | "\(.rows | length) methods"),
(select((.rows | map(.share) | add) != 100) | "shares: \(.rows | map(.share) | add)"),
(.rows[] | .method as $method | "\(.share)" as $share |
	(select($method | endswith($share) | not) | "\($method): \($share)"),
	(select(.calls != .expected_calls or .calls == 0) |
		"\($method): \(.calls) calls instead of \(.expected_calls)"),
	(select(.raw.alloc != .expected_bytes) |
		"\($method): \(.raw.alloc) bytes instead of \(.expected_bytes)"),
	(select(.expected.alloc != .expected_bytes) |
		"\($method): \(.expected.alloc) bytes expected instead of \(.expected_bytes)"),
	(select($adjusted and .adjusted.alloc != .raw.alloc) | "\($method): bytes are adjusted"),
	(select((.raw.cpu > 0) | not) | "\($method): no time"),
	(select($adjusted | not) | select(has("adjusted") or has("holds")) | "\($method): adjusted"),
	(. as $row | quantities[] as $quantity | $metrics[] as $metric |
		select(($row[$quantity][$metric] >= 0) | not) | "\($method): no \($quantity).\($metric)")),
(select([.rows[] | select(.expected_bytes > 0)] | length != 2) | "not two methods allocate"),
# Errors of methods that are independent add up to less, but not to less than that of one of them.
(quantities[] as $quantity | $metrics[] as $metric |
	($all.sum[$quantity][$metric] - ([$all.rows[][$quantity][$metric]] | add)) as $off |
	([$all.rows[][$quantity][$metric]] | max) as $largest |
	select($off > 18 or ($off < -18 and $quantity != "error") or
		$all.sum[$quantity][$metric] < $largest - 18) |
	"the sum of \($quantity).\($metric)"),
(.metrics[] | select($adjusted and ((.hold <= .judged and .near <= .judged and .worst >= 0) | not)) |
	"\(.name): \(.)"),
(.metrics[] | select(.name != "alloc" and .judged < 15) | "\(.name): only \(.judged) judged"),
(.metrics[] | select(.name == "alloc" and (.judged != 2 or .raw_near != 2)) | "alloc: \(.)")
