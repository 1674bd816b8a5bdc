#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what a long run comes to: Tomcat under a steady load at jprof's defaults, and the same beside
# it without an agent. A line a minute: memory, and rows of the profile, which are to stay flat
# after the first minutes.
#
#   run.sh BUILD_DIR [MINUTES [REQUESTS_A_SECOND]]
#
# Three minutes and 150 requests to each are what is taken if nothing is said. JAVA_HOME chooses
# the JDK; SOAK_OPTIONS, options of the agent.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare soak 3 "$@"
# shellcheck source=tomcat.sh
. "$here/tomcat.sh"
rate=${3:-150}

rss() {
	awk '/^VmRSS/ {printf "%.1f", $2 / 1024}' "/proc/$1/status"
}

rows() {
	sqlite3 -readonly -cmd '.timeout 5000' "$work/p.jprof" "SELECT (SELECT count(*) FROM file),
		(SELECT count(*) FROM account), (SELECT count(*) FROM node), (SELECT count(*) FROM thread),
		(SELECT count(*) FROM method), (SELECT count(*) FROM forward)" | tr '|' ' '
}

# What the agent says of the memory of call trees and accounts, in MB.
memory() {
	"$build/jprof" status "${children[0]}" --format json |
		jq -r '[.. | objects | select(has("memory")).memory | .used?, .peak? | numbers] |
			map(. / 1048576 * 10 | floor / 10) | join(" ")' 2>/dev/null || echo -
}

start with 8 "-agentpath:$build/libjprof.so=file=$work/p.jprof${SOAK_OPTIONS:+,$SOAK_OPTIONS}" \
	Soak serve "$work/with"
start without 9 Soak serve "$work/without"
with=$(port_of with) without=$(port_of without)
start ask 7 Soak ask "$rate" "$with" "$without"

describe_machine
echo "$("$java" -version 2>&1 | head -1), $rate requests a second to each, three a connection"
echo
echo "| minute | requests with, without | RSS with, without (MB) | agent's memory used, peak (MB) | profile (MB) | rows: file, account, node, thread, method, forward |"
echo "|---|---|---|---|---|---|"
for ((minute = 1; minute <= repetitions; minute++)); do
	sleep 60
	size=$(cat "$work"/p.jprof* | wc -c | awk '{printf "%.2f", $1 / 1048576}')
	echo "| $minute | $(tail -1 "$work/ask.out") | $(rss "${children[0]}") $(rss "${children[1]}") |" \
		"$(memory) | $size | $(rows) |"
done
