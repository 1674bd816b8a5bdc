# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# estimators: how near to the truth the same profiles come by different ideas of what a delta
# costs: nothing, the least, the mean, or what it can cost beside its work, as jprof has it.
#
# In: figures of one JDK and timing by the calibration and by its variants (variant.jq); $title,
# $slack: what is near, ns a call, beside 2 % of the truth. Out: Markdown, whose last line is the
# sum of it. All is own CPU time of a call; that of a loop, which is called once, of an iteration.
# A minimum is that of one delta of many: the clock's step is in it, and whatever slip it made.
import "figures" as figures;

def calls: [.calls, 1] | max;
def own: figures::truth / calls;
def off: (.adjusted - figures::truth) / calls;
def near: (off | figures::absolute) <= ($slack | tonumber) + 0.02 * own;
def mean(value): if length == 0 then 0 else (map(value) | add) / length end;
def worst: max_by(off | figures::absolute)
	| "\(off | figures::short), \(.program) \(.method)";

# The report with the calibration tells what was counted, too.
def estimates: {
	raw: map(select(.calibration == "on") | .adjusted = .raw),
	minimum: map(select(.calibration == "minimum")),
	mean: map(select(.calibration == "mean")),
	work: map(select(.calibration == "on"))};

def rows(condition): estimates | to_entries | map(.key as $estimator | .value
	| map(select(condition))
	| if length == 0 then empty else [$estimator, (mean(off | figures::absolute) | figures::short),
		worst, (mean(off) | figures::short), figures::percentage(near)] end);

def compare($methods; condition): rows(condition) | select(length > 0)
	| "", "\($methods):", "", figures::table(["estimator", "mean absolute error", "largest error",
		"mean error", "within \($slack) ns + 2 %"]);

def summary: "\($title): mean absolute error, ns a call: " + (estimates | to_entries
	| map("\(.key) \(.value | mean(off | figures::absolute) | figures::short)") | join(", "));

"### \($title): estimators, own CPU time, ns a call",
compare("All methods"; true),
compare("Methods that use 250 ns a call or more"; own >= 250),
"", summary
