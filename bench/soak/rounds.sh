#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# rounds: Tomcat answers four clients as fast as it can while jprof attaches, looks, stops and
# detaches, time and again: tells each command that failed, and how many requests did. Exit status
# 1 if there is one.
#
#   rounds.sh BUILD_DIR [ROUNDS [REQUESTS_A_SECOND]]
#
# 50 rounds, and as many requests as can be answered, if nothing is said. JAVA_HOME chooses the JDK.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../common.sh"
prepare rounds 50 "$@"
# shellcheck source=tomcat.sh
. "$here/tomcat.sh"
rate=${3:-100000}
failed=0 asked=0

# try WORDS...: a command of jprof.
try() {
	asked=$((asked + 1))
	timeout 120 "$build/jprof" "$@" >"$work/told" 2>"$work/said" && return
	failed=$((failed + 1))
	echo "jprof $*: exit $?: $(cat "$work/said")"
}

answered() {
	tail -1 "$work/ask.out" | awk '{for (i = 1; i <= NF; i++) sum += $i; print sum + 0}'
}

start tomcat 8 -XX:+IgnoreUnrecognizedVMOptions -XX:+EnableDynamicAgentLoading Soak serve "$work/with"
server=${children[0]}
port=$(port_of tomcat)
start ask 7 Soak ask "$rate" "$port" "$port" "$port" "$port"
sleep 5

describe_machine
"$java" -version 2>&1 | head -1
before=$(answered) began=$SECONDS
for ((round = 1; round <= repetitions; round++)); do
	if ((round % 5 == 0)); then
		try attach "$server" --duration 1 --file "$work/p.jprof"
	else
		try attach "$server" --file "$work/p.jprof"
		try status "$server"
		try snapshot "$server"
		try report "$work/p.jprof" --top 5
		try stop "$server"
		try report "$work/p.jprof" --view methods --top 5
		try detach "$server"
	fi
	[ -d "/proc/$server" ] || {
		echo "the server is gone: $(cat "$work/tomcat.err")"
		exit 1
	}
done
took=$((SECONDS - began))
echo "$repetitions rounds in $took s: $asked commands, $failed failed;" \
	"$((($(answered) - before) / took)) requests a second were answered, $(wc -l <"$work/ask.err") failed"
[ "$failed" = 0 ] && [ ! -s "$work/ask.err" ]
