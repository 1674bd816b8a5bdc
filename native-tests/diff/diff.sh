#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# jprof diff as a build meets it: words, exit statuses, messages, and formats that other programs read.
#
# diff.sh JPROF MAKE_PROFILE: each check is a line; a failing one names itself.
set -u
jprof=$(realpath "$1")
make_profile=$(realpath "$2")
. "$(dirname "$(realpath "$0")")/../cli/checks.sh"

# ends STATUS LINES PATTERN WORD...: jprof diff exits so, with so many lines on standard error, one of them like that.
ends()
{
	local line=${BASH_LINENO[0]} status=$1 lines=$2 pattern=$3 got good=no
	shift 3
	"$jprof" diff "$@" >out 2>err </dev/null
	got=$?
	if [ $got = "$status" ] && [ "$(wc -l <err)" = "$lines" ] && grep -qE -- "$pattern" err; then
		good=yes
	fi
	result "$line" $good "jprof diff $*: exit $got, not $status; or not like '$pattern': $(cat err)"
}

# prints PATTERN WORD...: jprof diff succeeds, says nothing on standard error, and prints that.
prints()
{
	local line=${BASH_LINENO[0]} pattern=$1 got good=no
	shift
	"$jprof" diff "$@" >out 2>err </dev/null
	got=$?
	if [ $got = 0 ] && [ ! -s err ] && grep -qE -- "$pattern" out; then
		good=yes
	fi
	result "$line" $good "jprof diff $*: exit $got, or no '$pattern': $(head -c 500 err)"
}

# reads PROGRAM WORD...: what jprof diff prints is read by that Python program.
reads()
{
	local line=${BASH_LINENO[0]} program=$1 good=no
	shift
	"$jprof" diff "$@" 2>err </dev/null | python3 -c "$program" >>err 2>&1 && good=yes
	result "$line" $good "jprof diff $*: $(head -c 500 err)"
}

# Each has other calls than the next one: more nodes are more of them.
"$make_profile" bushy 200 2 a.jprof 0 calls=instrument pid=1 started=1 || exit 1
"$make_profile" bushy 200 2 same.jprof 0 calls=instrument pid=2 started=1 || exit 1
"$make_profile" bushy 300 2 more.jprof 0 calls=instrument pid=3 started=1 || exit 1
"$make_profile" sampled 200 2 sampled.jprof 0 calls=sample pid=4 started=1 || exit 1
"$make_profile" sampled 200 2 sampled2.jprof 0 calls=sample pid=5 started=1 || exit 1
cp a.jprof copy.jprof
ln a.jprof link.jprof
: >nothing.jprof

# Words.
ends 2 1 'needs two profiles'
ends 2 1 'needs two profiles' a.jprof
ends 2 1 "two profiles, not 'more.jprof' too" a.jprof same.jprof more.jprof
ends 2 1 'both --before and --after need' --before a.jprof same.jprof
ends 2 1 'are the same file' a.jprof a.jprof
ends 2 1 'are the same file' a.jprof link.jprof
ends 2 1 'are the same file' --before a.jprof --after same.jprof more.jprof ./a.jprof
ends 2 1 "no item 'methods'; did you mean 'method'" a.jprof same.jprof --by methods
ends 2 1 "no format 'xml'" a.jprof same.jprof --format xml
ends 2 1 '--fail-over needs a percentage' a.jprof same.jprof --fail-over much
ends 2 1 '--fail-over needs a percentage' a.jprof same.jprof --fail-over -5%
ends 2 1 '--pace needs more than 0%' a.jprof same.jprof --pace 0
ends 2 1 '--top needs a whole number' a.jprof same.jprof --top 0
ends 2 1 "no figure 'call'; did you mean 'calls'" a.jprof same.jprof --figure call
ends 2 1 "the format 'junit' shows rules" a.jprof same.jprof --format junit
ends 2 1 'unknown option' a.jprof same.jprof --never

# What cannot be compared.
ends 1 1 "cannot open 'none.jprof'" a.jprof none.jprof
ends 1 1 "'nothing.jprof'.*empty" a.jprof nothing.jprof
ends 1 1 'are the same recording' a.jprof copy.jprof
prints 'recorded in different ways \(calls=instrument and calls=sample\)' a.jprof sampled.jprof

# What is the same, and what is not.
prints 'Methods by calls: 0 changed, 0 noise, [0-9]+ same' a.jprof same.jprof
prints ' grew .* calls$' a.jprof more.jprof
"$jprof" diff a.jprof same.jprof --fail-over 0% >out 2>err
result $LINENO "$([ $? = 0 ] && [ ! -s err ] && echo yes)" "--fail-over fails without a change: $(cat err)"
"$jprof" diff a.jprof more.jprof --fail-over 5% >out 2>err
result $LINENO "$([ $? = 3 ] && grep -qE '^jprof: total: calls grew by [0-9.]+%, from' err && echo yes)" \
	"--fail-over does not fail by a change: $(cat err)"
result $LINENO "$([ -s out ] && grep -q '^broken  *the whole program' out && echo yes)" "there is no report: $(head -c 500 out)"
"$jprof" diff more.jprof a.jprof --fail-over 5% >out 2>err
result $LINENO "$([ $? = 3 ] || { ! grep -q 'total: calls' err && echo yes; })" "less is more: $(cat err)"

# Rules.
echo '{"rules": [{"total": "calls", "may_grow": 0}]}' >none.json
echo '{"rules": [{"total": "calls", "may_grow": "900%"}]}' >wide.json
echo '{"rules": [{"method": "no.such.*", "figure": "calls", "may_grow": 0}]}' >nobody.json
echo '{"rules": [{"total": "calls", "may_grwo": 0}]}' >wrong.json
ends 3 1 'total: calls grew by .*; it may not grow' a.jprof more.jprof --rules none.json
prints '^kept' a.jprof same.jprof --rules none.json
prints '^kept' a.jprof more.jprof --rules wide.json
ends 0 1 "no method is like 'no\.such\.\*'" a.jprof more.jprof --rules nobody.json
ends 0 1 "the figure 'calls' is not known on both sides" sampled.jprof sampled2.jprof --rules none.json
reads 'import sys,xml.etree.ElementTree as e; s = e.parse(sys.stdin).getroot()
assert s.get("skipped") == "1" and s.find("testcase/skipped").get("message")' \
	sampled.jprof sampled2.jprof --rules none.json --format junit
ends 2 1 "'wrong.json': rule 1: no key 'may_grwo'; did you mean 'may_grow'" a.jprof more.jprof --rules wrong.json
ends 1 1 "cannot open 'missing.json'" a.jprof more.jprof --rules missing.json
"$jprof" diff a.jprof more.jprof --rules none.json --by path --format json 2>err | true
status=${PIPESTATUS[0]}
result $LINENO "$([ "$status" = 3 ] && [ "$(wc -l <err)" = 1 ] && echo yes)" "a reader that is gone: $(cat err)"
"$jprof" diff a.jprof more.jprof --rules none.json --by path >/dev/full 2>err
result $LINENO "$([ $? = 1 ] && grep -q 'cannot write the report' err && echo yes)" "a full disk: $(cat err)"

# Formats for programs.
# A file's name need not be UTF-8, which JSON is.
cp more.jprof $'\xff.jprof'
reads 'import json,sys; assert json.load(sys.stdin.buffer)["after"] == ["\ufffd.jprof"]' a.jprof $'\xff.jprof' --format json
# Which of the files it is.
ends 1 1 "^jprof: 'more.jprof': the profile has no metric 'none'|^jprof: 'a.jprof': the profile has no metric 'none'" a.jprof more.jprof --metric none
ends 1 1 "cannot read '.': Is a directory" a.jprof more.jprof --rules .
ends 2 1 "min needs a percentage from 0% to 100%, not '200%'" a.jprof more.jprof --min 200%
reads 'import json,sys; d = json.load(sys.stdin); assert d["total"]["figures"]["calls"]["verdict"] == "grew"
assert len(d["items"]) > 100 and d["by"] == "path" and d["items"][0]["parent"] is None' \
	a.jprof more.jprof --by path --format json
reads 'import json,sys; d = json.load(sys.stdin); c = d["total"]["figures"]["calls"]
assert len(c["runs"]["before"]) == 2 and c["before"] == sum(c["runs"]["before"]) / 2' \
	--before a.jprof same.jprof --after more.jprof --format json
reads 'import csv,sys; rows = list(csv.DictReader(sys.stdin)); assert rows[0]["item"] == "total"
assert all(float(r["after"]) - float(r["before"]) == float(r["change"]) for r in rows if r["change"])' \
	a.jprof more.jprof --format csv
reads 'import sys,xml.etree.ElementTree as e; s = e.parse(sys.stdin).getroot()
assert s.get("tests") == "1" and s.get("failures") == "1" and s.find("testcase/failure") is not None' \
	a.jprof more.jprof --rules none.json --format junit
reads 'import sys,xml.etree.ElementTree as e; s = e.parse(sys.stdin).getroot()
assert s.get("skipped") == "1" and s.find("testcase/skipped").get("message")' \
	a.jprof more.jprof --rules nobody.json --format junit
prints '^\*\*jprof:\*\* the whole program&#58;' a.jprof more.jprof --format markdown
prints '^divided by: metric:alloc|^divided by: \*' a.jprof more.jprof --normalize '*'
ends 2 1 "no metric 'nothing' in common" a.jprof more.jprof --normalize metric:nothing
ends 1 1 "no calls of a method like 'no.such'" a.jprof more.jprof --normalize no.such

# Figures are those of the report.
"$jprof" report a.jprof --view methods --format json --calibration off >report.json 2>err
reads 'import json,sys
diff = {(i["class"], i["method"], i["signature"]): i["figures"] for i in json.load(sys.stdin)["items"]}
rows = json.load(open("report.json"))["rows"]
assert len(rows) > 50
for r in rows:
    f = diff[(r["class"], r["method"], r["signature"])]
    assert f["calls"]["before"] == r["calls"], (r, f)
    for group in "base", "cum":
        for m, value in r[group].items():
            assert f.get(group + "." + m, {"before": 0})["before"] == value, (r, f)' \
	a.jprof more.jprof --format json --calibration off

echo "diff: $passed passed, $failed failed"
[ $failed = 0 ]
