#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# calibration: one that fits becomes part of the profile, whole, and reports are adjusted by it;
# one that does not is named in a line, and the program and its recording go on.
. "$(dirname "$0")/common.sh"
need jq sqlite3
export XDG_CACHE_HOME=$work/cache

# meta KEY: of the last profile.
meta() {
	query "$work/p.jprof" "SELECT value FROM meta WHERE key = '$1'"
}

# record JAVA OPTIONS WHAT
record() {
	rm -f "$work/p.jprof"
	run "$1" "file=$work/p.jprof,calls=instrument,$2" count 300
	expect_ran "$3" 300
	expect_profile "$work/p.jprof" 300
}

# write_calibration FILE: for what the last profile was made with; half of each sequence's mean is
# cost.
write_calibration() {
	local metrics=() i

	for i in 0 1 2; do
		metrics+=("'$(query "$work/p.jprof" "SELECT name FROM metric WHERE id = $i")', json_object(
			'observed', sum_$i * 1.0 / count, 'minimum', min_$i, 'environment', 0,
			'cost', sum_$i * 0.5 / count, 'low', sum_$i * 0.4 / count,
			'high', sum_$i * 0.6 / count, 'work_low', sum_$i * 0.4 / count,
			'work_high', sum_$i * 0.6 / count, 'spread', 0)")
	done
	query "$work/p.jprof" "SELECT json_object('jprof_calibration', 1, 'made', 'today', 'seconds', 1,
		'for', json_object('jvm', '$(meta jvm.name) $(meta jvm.version)', 'cpu', '$(meta machine.cpu)',
			'arch', '$(uname -m)', 'calls', 'instrument', 'timing', 'fast',
			'agent', '$(meta jprof.build)'),
		'metrics', (SELECT json_group_array(json_object('name', name, 'unit', unit,
			'relative', 0, 'reach', 0, 'trees', json_array())) FROM metric),
		'sequences', (SELECT json_group_array(json_object('first', first, 'begin', begin,
			'second', second, 'end', end, 'third', third, 'count', count,
			'metrics', json_object(${metrics[0]}, ${metrics[1]}, ${metrics[2]})))
			FROM sequence WHERE sum_0 / count < 1000000000 AND sum_2 / count < 1000000000))" >"$1"
}

# The place in the cache: FNV-1a of the identity's fields, each with a zero behind it.
cache_file() {
	local hash=$((0xcbf29ce484222325)) field i

	for field in "$(meta jvm.name) $(meta jvm.version)" "$(meta machine.cpu)" "$(uname -m)" \
		instrument fast "$(meta jprof.build)" wall+cpu+alloc; do
		for ((i = 0; i < ${#field}; i++)); do
			hash=$(((hash ^ $(printf '%d' "'${field:i:1}")) * 0x100000001b3))
		done
		hash=$((hash * 0x100000001b3))
	done
	printf '%s/jprof/calibration-%016x.json' "$XDG_CACHE_HOME" $hash
}

# expect_adjusted WHAT: the report is, nothing is below zero or lost, and the sums hold.
expect_adjusted() {
	local report totals

	[ "$(meta calibration)" = "$(cat "$work/good.json")" ] || fail "$1: not in the profile as it is"
	[ -z "$(meta calibration.refused)" ] || fail "$1: refused: $(meta calibration.refused)"
	fact calibration | grep -q '^embedded in the profile, made today' ||
		fail "$1: the summary says '$(fact calibration)'"
	report=$("$jprof" report "$work/p.jprof" --view methods --format json)
	totals=$(query "$work/p.jprof" 'SELECT sum(total_0) FROM thread')
	jq -e --argjson totals "$totals" '[.rows[], .outside] |
		(map(.raw_base.wall) | add) == $totals and
		all(.base.wall >= 0 and .base.wall <= .raw_base.wall and .error.wall >= 0) and
		(map(.base.wall) | add) < $totals' <<<"$report" >/dev/null ||
		fail "$1: the figures do not add up"
	"$jprof" report "$work/p.jprof" --view callers | grep -q '^invariants: hold' ||
		fail "$1: the invariants do not hold"
}

# expect_refused_calibration WHAT REASON
expect_refused_calibration() {
	expect_lines "$1" 1 "$2" "$work/other.json"
	meta calibration.refused | grep -qF -- "$2" ||
		fail "$1: the profile says '$(meta calibration.refused)'"
	[ -z "$(meta calibration)" ] || fail "$1: it is in the profile"
	fact calibration | grep -qF -- "$2" || fail "$1: the summary says '$(fact calibration)'"
}

for java in "${javas[@]}"; do
	rm -rf "$XDG_CACHE_HOME"
	record "$java" calibration=auto 'nothing kept'
	expect_lines 'nothing kept' 0
	[ -z "$(meta calibration)$(meta calibration.refused)" ] || fail 'nothing kept: something is said'
	write_calibration "$work/good.json"
	cache=$(cache_file)

	record "$java" "calibration=$work/good.json" 'a good one'
	expect_lines 'a good one' 0
	expect_adjusted 'a good one'

	mkdir -p "${cache%/*}"
	cp "$work/good.json" "$cache"
	record "$java" calibration=auto 'one that is kept'
	expect_lines 'one that is kept' 0
	expect_adjusted 'one that is kept'
	record "$java" calibration=off 'none wanted'
	[ -z "$(meta calibration)" ] || fail 'none wanted: it is in the profile'
	fact calibration | grep -q 'calibration=off' || fail "none wanted: '$(fact calibration)'"

	while IFS='|' read -r change reason; do
		sed "$change" "$work/good.json" >"$work/other.json"
		record "$java" "calibration=$work/other.json" "$change"
		expect_refused_calibration "$change" "$reason"
	done <<-'END'
		s/"jvm":"/"jvm":"Other /|was made for JVM 'Other
		s/"cpu":"/"cpu":"Other /|was made for processor 'Other
		s/"agent":"/"agent":"0/|was made for agent '0
		s/"fast"/"precise"/|was made for timing 'precise', this is 'fast'
		s/"spread":0/"spread":-1/|.metrics.wall.spread is negative
		s/.$//|not JSON
	END
	rm "$work/other.json"
	record "$java" "calibration=$work/other.json" 'no file'
	expect_refused_calibration 'no file' 'No such file'
done
finish
