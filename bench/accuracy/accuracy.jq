# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# accuracy: whether the intervals hold the truth, and how wide they are.
#
# In: all figures of one JDK and timing; $title, $slack: how wide they may be, ns a call, beside
# 2 %. Out: Markdown, whose last line is the sum of it.
import "figures" as figures;

def inside: (.adjusted - figures::truth | figures::absolute) as $off | $off <= .error;
def narrow($events): .error <= 0.02 * .adjusted + ($slack | tonumber) * $events;
def compiled: .interpreted <= 0.01 * .calls * .iterations or (.program | startswith("Interpreted"));
def numbers: "truth \(figures::truth * 100 | round / 100) (\(.before), \(.after)), adjusted"
	+ " \(.adjusted * 100 | round / 100) ±\(.error * 100 | round / 100)";
def median_of(value): map(value) | figures::median | figures::short;

def methods: figures::groups([.program, .method]) | map([
		.[0].program, .[0].method, median_of(figures::truth), median_of(.raw),
		"\(median_of(.adjusted)) ±\(median_of(.error))", figures::share(inside),
		figures::share(narrow(.calls)), figures::share(narrow(.deltas)),
		figures::share(figures::steady)])
	| figures::table(["program", "method", "truth", "raw", "adjusted", "inside", "narrow/call",
		"narrow/delta", "steady"]);

def listed(condition; $what): map(select(condition)
	| "- \($what): \(.program) \(.method), run \(.run): \(numbers)") | .[];

# A program's methods together: what one is charged of another's does not show.
def wholes: group_by([.program, .run]) | map({before: (map(.before) | add),
	after: (map(.after) | add), adjusted: (map(.adjusted) | add), error: (map(.error) | add)});

def summary: "\($title): truth inside the interval: \(figures::percentage(inside)),"
	+ " of the steady ones \(map(select(figures::steady)) | figures::percentage(inside));"
	+ " half-width at most 2 % + \($slack) ns per call: \(figures::percentage(narrow(.calls))),"
	+ " per delta: \(figures::percentage(narrow(.deltas)));"
	+ " programs as a whole inside: \(wholes | figures::percentage(inside))";

"### \($title): own CPU time, ns an iteration", "", methods, "",
listed(inside | not; "outside"), listed(figures::steady | not; "unsteady"),
listed(compiled | not; "not compiled"), "", summary
