#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# bad-config: a config file that is missing, not JSON, of wrong types, or very long: one line,
# and the JVM does not start. A good one works.
. "$(dirname "$0")/common.sh"
need jq sqlite3
config=$work/config.json

# refused WHAT WORD...
refused() {
	local what=$1

	shift
	for java in "${javas[@]}"; do
		run "$java" "file=$work/p.jprof,config=$config" count 5
		expect_refused "config $what" "$@"
	done
}

refused missing "$config" "No such file"
mkdir "$config"
refused 'a directory' "$config"
rmdir "$config"
: >"$config"
refused empty "$config"
echo '{"flush": 10' >"$config"
refused truncated "$config"
echo 'flush = 10' >"$config"
refused 'not JSON' "$config"
echo '[1, 2]' >"$config"
refused 'an array' "$config"
echo '{"flush": "soon"}' >"$config"
refused 'a wrong value' flush soon
echo '{"flush": {"seconds": 3}}' >"$config"
refused 'an object for a number' flush
echo '{"include": [1, 2]}' >"$config"
refused 'a list of numbers' include
echo '{"start": [true]}' >"$config"
refused 'a list for a word' start
echo '{"colour": "red"}' >"$config"
refused 'an unknown key' colour
printf '{"exclude": ["a\\u0000b"]}' >"$config"
refused 'a zero character' "$config"
head -c 104857600 /dev/zero | tr '\0' ' ' >"$config"
refused 'blanks, 100 MB long' "$config"
{ printf '{"file": "'; head -c 104857600 /dev/zero | tr '\0' 'x'; printf '"}'; } >"$config"
refused 'a text, 100 MB long' "$config"
{ head -c 100000 /dev/zero | tr '\0' '['; } >"$config"
refused 'brackets, 100,000 deep' "$config"
rm "$config"

echo '{"calls": "events", "metrics": "wall", "exclude": ["no.such.*"]}' >"$config"
for java in "${javas[@]}"; do
	run "$java" "file=$work/good.jprof,config=$config" count 50
	expect_ran 'a good config' 50
	expect_lines 'a good config' 0
	expect_profile "$work/good.jprof" 50
	rm -f "$work/good.jprof"
done
finish
