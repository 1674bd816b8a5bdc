#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# How long `jprof report` takes for a large profile, and how much memory.
#
# report_speed.sh BUILD-FOLDER [NODES [METRICS]]
# Prints a line a report: what, seconds, largest resident set in MB; best of three runs.
set -eu
build=$(realpath "${1:?usage: report_speed.sh BUILD-FOLDER [NODES [METRICS]]}")
nodes=${2:-1000000}
metrics=${3:-3}
# No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
export XDG_CACHE_HOME=/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure WORD...: seconds and kilobytes of one run, "0.95 170000"; without GNU time 0
# kilobytes.
measure()
{
	local TIMEFORMAT=%R
	if [ -x /usr/bin/time ]; then
		/usr/bin/time -f '%e %M' "$@" 2>&1 >/dev/null
	else
		echo "$({ time "$@" >/dev/null; } 2>&1) 0"
	fi
}

report()
{
	local best="" run
	for _ in 1 2 3; do
		run=$(measure "$build/jprof" report "$work/large.jprof" "$@")
		best=$(printf '%s\n%s\n' "$best" "$run" | grep . | sort -n | head -1)
	done
	echo "$* $best" | awk '{ mb = $NF / 1024; s = $(NF - 1); NF -= 2
		printf "%-36s %6.2f s %6.0f MB\n", $0, s, mb }'
}

for shape in bushy deep wide; do
	size=$nodes
	[ $shape = deep ] && size=$((nodes / 10))
	"$build/tests/make_profile" $shape "$size" "$metrics" "$work/large.jprof"
	echo "$shape, $size nodes, $metrics metrics"
	report --view tree
	report --view tree --top 50
	report --view tree --format json
	report --view methods
	report --view callers
done
