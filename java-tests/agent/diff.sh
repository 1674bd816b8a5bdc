#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# diff: recordings of a program whose work is what its arguments say. The same work is the same in every count, a change of
# known size is found, named, and as large as it is: of a method, of a path, of a file, of what is allocated.
. "$(dirname "$0")/common.sh"
need jq

base=(steadies=1000 rounds=20 changes=1000 work=20 lefts=500 rights=500 alloc=2000000 bytes=100000 "file=$work/data.bin")

# record JAVA NAME WORD...: the words behind the usual ones count.
record() {
	local java=$1 name=$2

	shift 2
	timeout 100 "$java" "-agentpath:$agent=calls=instrument,file=$work/$name.jprof" -cp "$work" \
		DiffWork "${base[@]}" "$@" >"$work/out" 2>&1 || fail "$name: the program failed: $(head -5 "$work/out")"
}

# compare STATUS A B WORD...: the comparison ends so; what it says is in $work/said, what it prints in $work/diff.
compare() {
	local status=$1 got a=$2 b=$3

	shift 3
	"$jprof" diff "$work/$a.jprof" "$work/$b.jprof" --calibration off --format json "$@" \
		>"$work/diff" 2>"$work/said"
	got=$?
	[ $got = "$status" ] || fail "$a and $b, $*: exit $got, not $status: $(head -5 "$work/said")"
}

# figures FIGURE: of all items that are no noise, "BEFORE AFTER VERDICT NAME", in order.
figures() {
	jq -r --arg f "$1" '.items[] | select(.figures[$f].verdict | IN("grew", "fell", "new", "gone")) |
		"\(.figures[$f].before) \(.figures[$f].after) \(.figures[$f].verdict) \(.method // .path)"' \
		"$work/diff" | sort
}

# expect WHAT TEXT FIGURE
expect() {
	local got

	got=$(figures "$3")
	[ "$got" = "$2" ] || fail "$1: $3 is: $got"
}

# Of the program's own methods alone: what the JDK does beside may differ with the time of day.
own=(--rules "$work/own.json")
cat >"$work/own.json" <<'RULES'
{"rules": [{"method": "DiffWork.*", "figure": "calls", "may_grow": 0},
	{"path": "*data.bin", "figure": "writes.bytes", "at_most": 1.04},
	{"call_path": "*DiffWork.right > DiffWork.leaf", "figure": "calls", "may_grow": 0}]}
RULES

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/DiffWork.java" || exit 1
	record "$java" a
	record "$java" b
	record "$java" five changes=1050 bytes=105000
	record "$java" moved lefts=400 rights=600
	record "$java" more alloc=2400000

	compare 0 a b --fail-over 5% --metric cpu
	compare 0 a b "${own[@]}"
	expect "the same work" '' calls
	compare 0 a b --by path
	expect "the same work" '' calls
	compare 0 a b --by file
	expect "the same work" '' writes.bytes

	compare 3 a five "${own[@]}"
	expect "5 % more calls" '1000 1050 grew changing' calls
	grep -q "^jprof: method DiffWork.changing: calls grew by 5.0%, from 1000 to 1050; it may not grow$" \
		"$work/said" || fail "calls: said: $(cat "$work/said")"
	grep -q "^jprof: file $work/data.bin: writes.bytes grew by 5.0%, from 100 kB to 105 kB; it may be at most 1.04 times" \
		"$work/said" || fail "bytes: said: $(cat "$work/said")"
	compare 3 a five --by file --fail-over 4.9%
	expect "5 % more bytes" "100000 105000 grew $work/data.bin" writes.bytes
	expect "5 % more writes" "100 105 grew $work/data.bin" writes.ops

	# The methods are called as often as before, but from elsewhere.
	compare 3 a moved "${own[@]}" --by path
	expect "moved calls" '500 400 fell leaf
500 600 grew leaf' calls
	compare 3 a moved "${own[@]}"
	expect "moved calls" '' calls

	# An array has 16 bytes of header.
	compare 0 a more --pace 1%
	jq -e '.items[] | select(.method == "allocate") | .figures["base.alloc"] |
		.verdict == "grew" and (.change >= 400000) and (.change <= 410000)' \
		"$work/diff" >"$work/out" || fail "allocation: $(jq -c '.items[] | select(.method == "allocate")' "$work/diff")"

	# By call of changing: 1050 calls do as much each.
	compare 0 a five --normalize DiffWork.changing
	jq -e '.items[] | select(.method == "changing") | .figures.calls | .before == 1 and .after == 1 and .verdict == "same"' \
		"$work/diff" >"$work/out" || fail "divided: $(grep changing "$work/diff")"
	rm -f "$work"/*.jprof
done
finish
