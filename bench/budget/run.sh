#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# run: what keeping a budget, and counting calls, costs real programs: H2 with the demo's script, javac with sources of jdk.hotspot.agent,
# programs in Groovy and Clojure; in their first round, and in their steady state, from ten seconds on.
#
#   run.sh BUILD_DIR [TIMES [PROGRAMS [SECONDS]]]
#
# E.g. `run.sh build-bench 5 "h2 javac"`. Each figure is of TIMES fresh JVMs, which take turns with others without an
# agent: the median of the ratios to the one before, with its standard error. SECONDS: of the steady state, each (10).
set -eu
here=$(cd "$(dirname "$0")/../sampling" && pwd)
. "$here/../common.sh"
. "$here/programs.sh"
prepare budget 5 "$@"
programs=${3:-h2 javac groovy clojure}
seconds=${4:-10}

# The agent's options, of which each is compared with none.
variants="calls=auto
calls=auto,budget=2
calls=count
calls=count,sample=off
calls=sample"

# command PROGRAM: its class path and words, in `program`. 1: it is not here.
command() {
	case $1 in
	h2) program=("$h2:$work" h2 "$shop") ;;
	javac) program=("$work" javac "$work/jdk.hotspot.agent" "$work/sources") ;;
	groovy) program=("$jars/groovy-all.jar:$work" groovy "$here/orders.groovy") ;;
	clojure)
		program=("$jars/clojure.jar:$jars/spec.alpha.jar:$jars/core.specs.alpha.jar:$work" clojure
			"$here/orders.clj")
		;;
	esac
	[ "$1" = javac ] && [ -s "$work/sources" ] || [ -r "${program[0]%%:*}" ] && [ "$1" != javac ]
}

# rounds JAVA OPTION: seconds of the first round and of a later one.
rounds() {
	rm -f "$work"/p.jprof*
	"$1" -Xmx1g "$2" -cp "${program[0]}" Steady rounds 10 "$seconds" "${program[@]:1}" 2>/dev/null |
		sed -n 's/^rounds //p'
}

one_program() {
	local i variant with none

	for ((i = 0; i < repetitions; i++)); do
		none=$(rounds "$1" -Dnone)
		while read -r variant; do
			with=$(rounds "$1" "-agentpath:$build/libjprof.so=file=$work/p.jprof,$variant")
			echo "$variant $none $with"
		done <<<"$variants"
	done | sort | awk -v program="$2" '
		function median(list, n,   i, k, t) {
			for (i = 1; i <= n; i++)
				for (k = i + 1; k <= n; k++)
					if (list[k] < list[i]) {t = list[i]; list[i] = list[k]; list[k] = t}
			return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
		}
		function error(list, n,   i, sum, square) {
			for (i = 1; i <= n; i++) {sum += list[i]; square += list[i] ^ 2}
			return n > 1 ? 1.25 * sqrt((square - sum ^ 2 / n) / (n - 1) / n) : 0
		}
		function put() {
			if (n > 0)
				printf "  %-8s %-24s %8.3f +-%.3f %12.3f +-%.3f %12.4f s\n", program, last,
					median(first, n), error(first, n), median(steady, n),
					error(steady, n), alone
			n = 0
		}
		$1 != last {put(); last = $1}
		NF == 5 {first[++n] = $4 / $2; steady[n] = $5 / $3; alone = $3}
		END {put()}'
}

one_jdk() {
	local name

	"$1/bin/java" -version 2>&1 | sed -n 2p
	prepare_jdk "$1"
	printf '  %-8s %-24s %16s %19s %14s\n' "" "" "first round" "steady state" "without"
	for name in $programs; do
		if command "$name"; then
			one_program "$1/bin/java" "$name"
		else
			echo "  $name: not here, not run"
		fi
	done
}

echo "budget: what counting costs, as a ratio to none"
describe_machine
each_jdk one_jdk
