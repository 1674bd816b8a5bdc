#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# components: definitions that the option names are kept in the profile, and its reports use them; those that are not legal
# are refused with a line, and the JVM does not start.
. "$(dirname "$0")/common.sh"
need jq sqlite3
file=$work/components.json

# shown COMPONENT CALLS METHODS: the report's only row.
shown() {
	local rows

	rows=$("$jprof" report "$work/p.jprof" --view components --calibration off --format json |
		jq -c '[.rows[] | [.component, .calls, .methods]]')
	[ "$rows" = "[[\"$1\",$2,$3]]" ] || fail "components: the report has $rows, not $*"
}

for java in "${javas[@]}"; do
	rm -f "$work/p.jprof"
	# count() is called once, and calls step(), which is an entry.
	echo '{"components": [{"name": "work", "methods": ["agent.*"]}]}' >"$file"
	run "$java" "file=$work/p.jprof,calls=instrument,components=$file" count 300
	expect_ran 'definitions' 300
	expect_profile "$work/p.jprof" 300
	[ "$(fact components)" = "$(cat "$file")" ] || fail "the profile keeps '$(fact components)'"
	rm "$file"
	shown work 1 3
	"$jprof" report "$work/p.jprof" --view summary --calibration off | grep -q '"components": \[' &&
		fail 'the summary lists the definitions'

	echo '{"components": [{"name": "steps", "entry": ["agent.Workload.step"]}]}' >"$file"
	run "$java" "file=$work/bad.jprof,components=$file" count 5
	expect_refused 'a wrong key' "$file" "line 1: component 1 ('steps')"
	run "$java" "file=$work/bad.jprof,components=$work/none.json" count 5
	expect_refused 'no file' "$work/none.json" 'No such file'
	[ ! -e "$work/bad.jprof" ] || fail 'a refused recording left a profile'
done
