# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# figures: what the programs that read the figures share.

def median: sort | .[(length - 1) / 2 | floor];

# 12.3; and 0, not -0
def short: . * 10 | round / 10 + 0;

def absolute: if . < 0 then -. else . end;

# Those of the array in the order of the first of each group.
def groups(key): to_entries | map(.value + {order: .key})
	| group_by(key) | sort_by(.[0].order);

# 4 of 5
def share(condition): "\(map(select(condition)) | length) of \(length)";

# 4 of 5 (80 %)
def percentage(condition): share(condition) as $share
	| if length == 0 then $share
	else "\($share) (\((map(select(condition)) | length) * 100 / length | short) %)" end;

def row: "| " + (map(tostring) | join(" | ")) + " |";

# An array of rows as a table.
def table(head): (head | row), (head | map("---") | row), (.[] | row);

# The truth of a figure: the mean of what was found before and after.
def truth: (.before + .after) / 2;

# Whether the two are the same: within 5 %, and what a clock can tell.
def steady: (.before - .after | absolute) <= 0.05 * truth + 0.5;
