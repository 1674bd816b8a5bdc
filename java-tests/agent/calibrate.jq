# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# calibrate.jq: a calibration, whole, to a line for each thing that is not right with it.
# $types: how methods can run, "interpreted" and so on.

def kinds: [$types[] | ., . + " static"];

def reachable:
	kinds as $kinds | $kinds[] as $a | $kinds[] as $b | $kinds[] as $c |
	([$a, "entry", $b, "entry", $c], [$a, "exit", $b, "entry", $c], [$a, "exit", $b, "exit", $c],
		(if $a == $c then [$a, "entry", $b, "exit", $c] else empty end));

# Native methods throw, too: of them it is not asked for.
def unwound: kinds[] | select(startswith("native") | not) | [null, null, ., "unwind", null];

def key: [.first, .begin, .second, .end, .third];

def wrong_costs:
	.sequences[] | key as $key | .metrics | to_entries[] | .key as $metric | .value |
	select((.low <= .cost and .cost <= .high and .observed >= .cost
		and (.cost >= 0 or .environment >= .observed)) | not) |
	"\($metric) of \($key): \(.)";

# Compiled methods cost nothing by themselves, so all is the probes'.
def free_costs:
	.sequences[] | select([.first, .second, .third] | all(. == null or startswith("jitted"))) |
	select(.metrics.wall.cost <= 0) | "\(key): no cost";

([.sequences[] | {key: (key | tostring), value: true}] | from_entries) as $there |
((reachable, unwound) | select($there[tostring] | not) | "no row: \(.)"),
wrong_costs,
free_costs,
(.metrics[] | select(.name == "alloc") | .name as $name | select(.unit != "bytes") | "alloc: \(.)"),
(.sequences[] | select(.metrics.alloc.cost != 0) | "\(key): costs memory")
