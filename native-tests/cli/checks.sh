# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# checks.sh: sourced by tests of the command, behind what they take from their own words. A folder of their own to work in, without
# a cache that somebody filled, and how a check is counted: a failing one names the test and its line.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME=$work/cache
passed=0 failed=0

# result LINE GOOD TEXT
result()
{
	if [ "$2" = yes ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "${0##*/}:$1: $3" >&2
	fi
}
