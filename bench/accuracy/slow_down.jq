# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# slow_down: whether a method that is made slower, and no other, becomes so in the profile.
#
# In: all lines of join_slow.jq of one JDK and timing; $title. Out: Markdown, whose last line is
# the sum of it.
import "figures" as figures;

def slowed: .slowed as $slowed | .methods[] | select(.method == $slowed);
def others: .slowed as $slowed | .methods[] | select(.method != $slowed);
def close: (slowed.moved - figures::truth | figures::absolute) <= 0.03 * figures::truth;
def still: (.moved | figures::absolute) <= .error;
def range_of(value): map(value) | "\(min | figures::short) to \(max | figures::short)";

def settings: figures::groups([.slowed, .units]) | map([
		.[0].slowed, .[0].units, (map(figures::truth) | figures::median | figures::short),
		(map(slowed.moved) | figures::median | figures::short), range_of(slowed.moved),
		figures::share(close), ([.[] | others] | figures::share(still)),
		figures::share(figures::steady)])
	| figures::table(["slower", "units", "truth", "moved", "range", "within 3 %",
		"others within error", "steady"]);

"### \($title): one method made slower, ns an iteration", "", settings, "",
"\($title): the slower method moved by the truth within 3 %: \(figures::percentage(close)),"
	+ " another one by no more than its error: \([.[] | others] | figures::percentage(still))"
