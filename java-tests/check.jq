# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# check: one line for every difference between what a case knows about itself and its profile.
#
# In: $truth (the text of truth.txt), $methods, $tree, $threads, $summary (views as JSON, each
#     in an array of one).   Out: lines; none if all is right.

# The JVM numbers hidden classes (lambdas) by address: names without it are the same in
# every run, and equal ones are added up.
def plain: if contains("0x") then gsub("(\\$[0-9]+)?[/.+]0x[0-9a-f]+"; "") else . end;
def key: (.class // "" | plain) + "." + .method + (.signature // "");
def rows: .[0].rows;
def sums(of; value): reduce .[] as $row ({}; .[$row | of] += ($row | value));
def difference($what; $expected; $found):
	if $expected == $found then empty
	else "\($what): expected \($expected // 0), the profile has \($found // 0)" end;

# --- facts of the case -------------------------------------------------------------------

def facts: [$truth | split("\n")[] | select(. != "") | split(" ")];

def own_methods: $methods | rows | map(select(.class != null));

def check_calls:
	(facts | map(select(.[0] == "calls")) | sums(.[1]; .[2] | tonumber)
		| with_entries(select(.value != 0))) as $expected
	| (own_methods | sums(key; .calls) | with_entries(select(.value != 0))) as $found
	| (facts | any(.[0] == "total")) as $folded
	| (facts | map(select(.[0] == "least" or .[0] == "most") | .[1])) as $bounded
	| (facts | map(select(.[0] == "loose") | .[1])) as $loose
	| ($expected + $found | keys[]) as $key
	| select($folded or ($bounded | index($key))
		or ($loose | any(. as $prefix | $key | startswith($prefix))) | not)
	| difference("calls \($key)"; $expected[$key]; $found[$key]);

def check_least:
	(own_methods | sums(key; .calls)) as $found
	| facts[] | select(.[0] == "least")
	| select(($found[.[1]] // 0) < (.[2] | tonumber))
	| "least \(.[1]): expected \(.[2]) or more, the profile has \($found[.[1]] // 0)";

def check_most:
	(own_methods | sums(key; .calls)) as $found
	| facts[] | select(.[0] == "most")
	| select(($found[.[1]] // 0) > (.[2] | tonumber))
	| "most \(.[1]): expected \(.[2]) or fewer, the profile has \($found[.[1]])";

def check_total:
	facts[] | select(.[0] == "total")
	| difference("total calls"; .[1] | tonumber; [$methods | rows[].calls] | add);

def check_unwound:
	facts[] | select(.[0] == "unwound")
	| difference("exits by exception"; .[1] | tonumber; [$threads | rows[].unwound] | add);

def check_rows:
	facts[] | select(.[0] == "rows") | (.[1] | tonumber) as $max
	| ($threads | rows | length) as $found
	| select($found > $max) | "threads: expected at most \($max) rows, found \($found)";

def check_in:
	($tree | rows | map(select(.method != null)) | sums("\(.thread) \(key)"; .calls)) as $found
	| facts[] | select(.[0] == "in") | "\(.[1]) \(.[2])" as $key
	| difference("in \($key)"; .[3] | tonumber; $found[$key]);

def check_at:
	(facts | map(select(.[0] == "at"))) as $facts
	| ($facts | map("\(.[1]) \(.[4])") | unique) as $named
	| ($facts | sums("\(.[1]) \(.[2]) \(.[3]) \(.[4])"; .[5] | tonumber)) as $expected
	| ($tree | rows | map(select(.method != null and .calls > 0))
		| map(select("\(.thread) \(key)" as $one | $named | index($one)))
		| sums("\(.thread) \(.level) \(.recursion) \(key)"; .calls)) as $found
	| ($expected + $found | keys[]) as $key
	| difference("at (thread, level, recursion) \($key)"; $expected[$key]; $found[$key]);

def check_native:
	(own_methods | map({key: key, value: .}) | from_entries) as $found
	| facts[] | select(.[0] == "native") | $found[.[1]] as $row
	| select($row.native != true or $row.entered.native != $row.calls)
	| "native \(.[1]): expected all calls to be native, found \($row.entered)";

def check_states:
	(own_methods | map({key: key, value: .entered}) | from_entries) as $found
	| facts[] | select(.[0] == "entered")
	| (.[1]) as $state | (.[2]) as $key | (.[3] | tonumber) as $min | (.[4] | tonumber) as $max
	| ($found[$key][$state] // 0) as $value
	| select($value < $min or $value > $max)
	| "entered \($state) \($key): expected \($min) to \($max), found \($value)";

def check_range($kind; value):
	(own_methods | map({key: key, value: value}) | from_entries) as $found
	| facts[] | select(.[0] == $kind)
	| (.[1]) as $metric | (.[2]) as $key | (.[3] | tonumber) as $min | (.[4] | tonumber) as $max
	| $found[$key][$metric] as $value
	| select($value == null or $value < $min or $value > $max)
	| "\($kind) \($metric) of \($key): expected \($min) to \($max), the profile has \($value)";

# One way and the other: what is listed as left without probes, "NAME: REASON", and what was to be.
def check_untouched:
	([facts[] | select(.[0] == "untouched") | .[1]]) as $expected
	| (facts | map(select(.[0] == "loose") | .[1])) as $loose
	| ([$summary | rows[] | select(.key | startswith("untouched."))
		| .value | split(": ")[0]]) as $found
	| (($expected - $found)[] | "untouched \(.): the summary does not list it"),
		(($found - $expected)[]
		| select(. as $name | $loose | any(. as $prefix | $name | startswith($prefix)) | not)
		| "untouched \(.): it is left without probes");

def check_fail: facts[] | select(.[0] == "fail") | "the case itself: " + .[1];

# --- what is true of every profile -------------------------------------------------------

def check_entered:
	($methods | rows[], ($tree | rows[] | select(.method != null)))
	| select(.entered != null and ((.entered | add) != .calls))
	| "entered \(.entered) does not sum to calls \(.calls): \(key)";

def check_tree_calls:
	($methods | rows | sums(key; .calls)) as $flat
	| ($tree | rows | map(select(.method != null)) | sums(key; .calls)) as $deep
	| ($flat + $deep | keys[]) as $key
	| difference("calls in the tree of \($key)"; $flat[$key] // 0; $deep[$key] // 0);

# Levels count from the parent's.
def check_tree_shape:
	($tree | rows) as $rows
	| (reduce $rows[] as $row ({}; .["\($row.id)"] = $row.level)) as $level
	| $rows[]
	| if .parent == null then select(.level != 0 or .method != null)
		| "a row without parent is no root: \(key)"
	else select(.level != $level["\(.parent)"] + 1)
		| "level \(.level) under level \($level["\(.parent)"]): \(key)" end;

def check_roots:
	difference("roots of threads"; $threads | rows | length;
		$tree | rows | map(select(.level == 0)) | length);

def check_summary:
	($summary | rows | map({key: .key, value: .value}) | from_entries) as $found
	| (($zero | split(" ")[]) as $key
		| select(($found[$key] | tostring) != "0")
		| "summary: \($key) is \($found[$key]), not 0"),
	  (select($found.complete != "yes") | "summary: complete is \($found.complete)");

check_fail, check_calls, check_least, check_most, check_untouched, check_total,
check_unwound, check_rows, check_in, check_at, check_native, check_states,
check_range("cum"; .cum), check_range("base"; .base), check_entered, check_tree_calls,
check_tree_shape, check_roots, check_summary
