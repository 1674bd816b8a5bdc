#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# first-use: where no calibration is kept the first report measures one, if all calls were to be timed and it
# changes what is shown; and nobody else does: not
# the program's own run, not a report that has no use for it, not a second one, nor one of a
# profile that was made with something else, nor by a JVM that this user has not named or run
# with jprof. Nothing of it is left behind.
. "$(dirname "$0")/common.sh"
need jq sqlite3
. "$(dirname "$0")/measuring.sh"
java=${javas[-1]}

# kept: how many calibrations there are.
kept() {
	find "$XDG_CACHE_HOME" -name '*.json' 2>/dev/null | wc -l
}

# report WORDS...: sets status, leaves report and err.
report() {
	timeout 100 "$jprof" report "$work/p.jprof" "$@" >"$work/report" 2>"$work/err"
	status=$?
	[ $status = 0 ] || fail "report $*: exit status $status: $(cat "$work/err")"
	left "report $*"
}

# expect_unmeasured WHAT REASON: nothing was, which the report of methods tells.
expect_unmeasured() {
	report --view methods --format json
	jq -r .calibration "$work/report" | grep -qF -- "$2" ||
		fail "$1: '$(jq -r .calibration "$work/report")'"
	[ ! -s "$work/err" ] || fail "$1: said $(cat "$work/err")"
	[ "$(kept)" = 0 ] || fail "$1: one was measured"
}

# expect_adjusted WHAT: the last report, of methods as JSON, is.
expect_adjusted() {
	jq -e '(.rows | length) > 0 and all(.rows[]; has("raw_base") and has("error"))' \
		"$work/report" >/dev/null || fail "$1: not adjusted: $(cat "$work/err")"
}

# change KEY VALUE: a fact of the profile.
change() {
	sqlite3 "$work/p.jprof" "UPDATE meta SET value = '$2' WHERE key = '$1'"
}

# record [OPTIONS [CALLS]]
record() {
	local calls=${2:-30000}

	rm -f "$work/p.jprof"
	run "$java" "file=$work/p.jprof,${1:-calls=instrument}" count "$calls"
	expect_ran "recording $*" "$calls"
	expect_lines "recording $*" 0
}

# While the program runs nothing is measured, and where nobody asks for it.
record
cp "$work/p.jprof" "$work/kept.jprof"
[ ! -e "$XDG_CACHE_HOME" ] || fail "the recording made a cache"
for words in '--view methods --calibration off' '--view files' '--view snapshots'; do
	# shellcheck disable=SC2086
	report $words
	[ ! -s "$work/err" ] && [ ! -e "$XDG_CACHE_HOME" ] || fail "$words: $(cat "$work/err")"
done

# Nor where something is not as it was.
while IFS='|' read -r key value reason; do
	change "$key" "$value"
	expect_unmeasured "$key" "$reason"
	cp "$work/kept.jprof" "$work/p.jprof"
done <<-'END'
	machine.cpu|Another|it was made on processor 'Another', this is '
	jprof.build|0102|it was made by another build of jprof than '
	jvm.version|1.2|its JVM '1.2' is none that `jprof run` or `jprof attach` has seen here
	jvm.info|mixed mode, strange|its JVM ran in 'strange' mode, which cannot be asked for
END
change complete no
change pid $$
expect_unmeasured 'a program that runs' 'still records'
cp "$work/kept.jprof" "$work/p.jprof"

# What the profile names is not run, nor what nobody has named.
expect_unmeasured 'a JVM that nobody named' 'is none that `jprof run` or `jprof attach` has seen here'
[ ! -e "$XDG_CACHE_HOME" ] || fail "there is a cache"

# Whatever this user has run with jprof is known.
"$jprof" run --file "$work/run.jprof" -- "$java" -cp "$classes" agent.Workload count 3 \
	>"$work/out" 2>&1
[ "$(cat "$XDG_CACHE_HOME/jprof/jvms")" = "$(realpath "$java")" ] ||
	fail "run noted: $(cat "$XDG_CACHE_HOME/jprof/jvms")"

# Nor where there is nothing to take out, or too little to be seen.
while IFS='|' read -r options calls reason; do
	record "$options" "$calls"
	report --view methods --format json
	[ ! -s "$work/err" ] && [ "$(kept)" = 0 ] || fail "$options: $(cat "$work/err")"
	jq -e 'has("calibration") | not' "$work/report" >/dev/null || fail "$options: said $(jq .calibration "$work/report")"
	[ "$(fact calibration)" = "none: $reason" ] || fail "$options: '$(fact calibration)'"
done <<-'END'
	calls=off|30000|no calls were timed, there is nothing to take out
	calls=sample|30000|no calls were timed, there is nothing to take out
	calls=count|30000|no calls were timed, there is nothing to take out
	calls=instrument|10|jprof's own cost is below 1 % of processor time
	calls=auto,timed=agent.*|10|jprof's own cost is below 1 % of processor time
END

# With calls=auto the report comes at once, and says what its figures are with.
record calls=auto,timed=agent.*
expect_unmeasured 'calls=auto' '`--calibration auto` measures that, once, in ten seconds or so, and takes it out'

# Nor where probes add nothing to what is recorded: then the agent measures and counts nothing for it, either.
record metrics=alloc
expect_unmeasured 'memory alone' ''
fact calibration | grep -q '^none: probes add nothing to what is recorded here' ||
	fail "memory alone: '$(fact calibration)'"
[ "$(query "$work/p.jprof" "SELECT (SELECT count(*) FROM sequence) +
	(SELECT count(*) FROM meta WHERE key = 'overhead.event_ns')")" = 0 ] ||
	fail "memory alone: deltas were counted, or events measured"
cp "$work/kept.jprof" "$work/p.jprof"

# A JVM that measures nothing is tried once.
mkdir -p "$work/jvm/bin"
ln -s /bin/false "$work/jvm/bin/java"
report --view methods --java "$work/jvm"
grep -q '^jprof: measuring what probes cost, once' "$work/err" || fail "a bad JVM: not tried"
grep -q '^calibration: none: .*failed with status 1' "$work/report" || fail "a bad JVM: $(cat "$work/report")"
expect_unmeasured 'a bad JVM again' 'measuring failed within the last hour: '
rm "$XDG_CACHE_HOME"/jprof/*.failed

# Ctrl-C ends the report.
interrupt "$jprof" report "$work/p.jprof"
[ ! -s "$work/out" ] || fail "interrupted: there is a report"
[ "$(find "$XDG_CACHE_HOME" -type f -size +0 ! -name jvms)" = "" ] || fail "interrupted: something is kept"

# Two at once: one measures, both are adjusted. Where the machine is so busy that it takes too
# long, that is not what is looked at here.
for _ in 1 2 3; do
	rm -f "$XDG_CACHE_HOME"/jprof/*.failed
	"$jprof" report "$work/p.jprof" --view methods --format json >"$work/report.1" 2>"$work/err.1" &
	report --view methods --format json
	wait $! || fail "the other report failed: $(cat "$work/err.1")"
	grep -q 'is the machine busy' "$work/report" || break
done
expect_adjusted 'one of two'
mv "$work/report.1" "$work/report"
expect_adjusted 'the other of two'
[ "$(cat "$work/err" "$work/err.1" | grep -c '^jprof: measuring what probes cost')" = 1 ] ||
	fail "two at once: said $(cat "$work/err" "$work/err.1")"
[ "$(kept)" = 1 ] || fail "two at once: $(kept) are kept"

# From now on it is there: for reports, and in new profiles, whichever calls are timed.
report --view methods --format json
expect_adjusted 'a later one'
[ ! -s "$work/err" ] || fail "a later one said: $(cat "$work/err")"
fact calibration | grep -q '^from the cache, made ' || fail "later: '$(fact calibration)'"
for calls in auto instrument; do
	record "calls=$calls"
	fact calibration | grep -q '^embedded in the profile, made ' || fail "$calls anew: '$(fact calibration)'"
done

# What an event costs is now the mean of what was measured of compiled methods.
expected=$(jq '[.sequences[] | select([.first, .second, .third] | all(. != null and startswith("jitted"))) |
	.metrics.cpu.cost] | add / length * 10 | round / 10' "$XDG_CACHE_HOME"/jprof/*.json)
found=$(query "$work/p.jprof" "SELECT value FROM meta WHERE key = 'overhead.event_ns'")
jq -en "($expected - $found) | . < 0.11 and . > -0.11" >/dev/null ||
	fail "an event costs $found ns, not $expected"

# status_of OPTIONS: what the status of such a recording says of its overhead.
status_of() {
	"$java" "-agentpath:$agent=file=$work/p.jprof$1" -cp "$classes" agent.Workload \
		paths 20000 >/dev/null 2>&1 &
	pid=$!
	until "$jprof" status $pid --format json >"$work/report" 2>"$work/err"; do
		kill -0 $pid || break
		sleep 0.1
	done
	jq -r .overhead.known_from "$work/report"
	kill $pid
	wait $pid 2>/dev/null
}

said=$(status_of '')
[ "$said" = calibration ] || fail "the status knows the overhead from '$said'"
jq -e '(.overhead.event_ns * .events) as $timed | .totals | (.cpu.raw == 0 or .cpu.raw - .cpu.adjusted >= ([$timed, .cpu.raw] | min) - 1)
	and .cpu.adjusted >= 0 and (.alloc | has("raw") and (has("adjusted") | not))' "$work/report" >/dev/null ||
	fail "the status has totals $(jq -c '[.totals, .overhead, .events]' "$work/report")"
said=$(status_of ,calibration=off)
[ "$said" = estimate ] || fail "without a calibration the status knows it from '$said'"

# One measurement is for all that makes no difference to probes: when methods are compiled, and all
# that is about the heap.
for flags in '-XX:+UseParallelGC -Xmx64m' '-Xcomp' '-XX:-UseCompressedOops -XX:CompileThreshold=100' \
	'-XX:+UseZGC -Xss2m -Dcom.acme.name=value' '-Xshare:off -XX:+UseSerialGC -ea' \
	'--add-opens=java.base/java.lang=ALL-UNNAMED --add-modules=java.management'; do
	JAVA_TOOL_OPTIONS=$flags record calls=instrument,calibration=auto
	report --view methods --format json
	[ ! -s "$work/err" ] && [ "$(kept)" = 1 ] || fail "$flags: measured again: $(cat "$work/err")"
	expect_adjusted "$flags"
done

# What does has one of its own.
flags=-XX:TieredStopAtLevel=1
JAVA_TOOL_OPTIONS=$flags record
for _ in 1 2 3; do
	rm -f "$XDG_CACHE_HOME"/jprof/*.failed
	report --view methods --format json
	grep -q 'is the machine busy' "$work/report" || break
done
grep -q '^jprof: measuring what probes cost, once' "$work/err" || fail "$flags: $(cat "$work/err")"
expect_adjusted "$flags"
[ "$(kept)" = 2 ] || fail "$flags: $(kept) are kept"
JAVA_TOOL_OPTIONS="$flags -Xmx64m" record
report --view methods --format json
[ ! -s "$work/err" ] || fail "$flags -Xmx64m: measured again: $(cat "$work/err")"
finish
