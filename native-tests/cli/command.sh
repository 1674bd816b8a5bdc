#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# The command as a user meets it: words, exit statuses, messages, signals.
#
# command.sh JPROF MAKE_PROFILE FAKE_JAVA: each check is a line; a failing one names itself.
set -u
jprof=$(realpath "$1")
make_profile=$(realpath "$2")
fake_java=$(realpath "$3")
. "$(dirname "$(realpath "$0")")/checks.sh"

# says STATUS PATTERN WORD...: jprof exits so, with one line like that on standard error.
says()
{
	local line=${BASH_LINENO[0]} status=$1 pattern=$2 got good=no
	shift 2
	"$jprof" "$@" >out 2>err </dev/null
	got=$?
	if [ $got = "$status" ] && [ "$(wc -l <err)" = 1 ] && grep -qE "^jprof: .*$pattern" err; then
		good=yes
	fi
	result "$line" $good "jprof $*: exit $got, not $status; or not like '$pattern': $(cat err)"
}

# prints PATTERN WORD...: jprof succeeds, says nothing on standard error, and prints that.
prints()
{
	local line=${BASH_LINENO[0]} pattern=$1 got good=no
	shift
	"$jprof" "$@" >out 2>err </dev/null
	got=$?
	if [ $got = 0 ] && [ ! -s err ] && grep -qE -- "$pattern" out; then
		good=yes
	fi
	result "$line" $good "jprof $*: exit $got, or no '$pattern': $(head -c 500 err)"
}

# holds TEXT CONDITION...
holds()
{
	local line=${BASH_LINENO[0]} text=$1 good=no
	shift
	"$@" && good=yes
	result "$line" $good "$text"
}

"$make_profile" bushy 200 2 small.jprof || exit 1
"$make_profile" deep 100000 2 deep.jprof || exit 1
"$make_profile" bushy 1 0 bare.jprof || exit 1
"$make_profile" bushy 300 2 thrice.jprof 2 || exit 1

# on_terminal COLUMNS ROWS WORD...: what jprof prints on such a terminal, into out.
on_terminal()
{
	local columns=$1 rows=$2
	shift 2
	TERM=xterm script -qec "stty cols $columns rows $rows; exec $(printf '%q ' "$jprof" "$@")" /dev/null \
		</dev/null | tr -d '\r' | sed 's/\x1b\[K\(jprof: [0-9]*s, [^\x1b]*\x1b\[K\)\+//g' >out # without progress
}

# widest: columns of the widest line of out, without colours.
widest()
{
	sed 's/\x1b\[[0-9;]*m//g' out | LC_ALL=C.UTF-8 awk '{ gsub(/[\200-\277]/, ""); if (length($0) > n) n = length($0) } END { print n }'
}

# ---- help and words ----
prints '^usage: jprof COMMAND' help
prints '^  report ' --help
prints '^  report ' -h
prints '`jprof help options`, `schema` and `components`$' help
prints '^usage: jprof report \[FILE\]' help report
prints '^usage: jprof report \[FILE\]' report --help
prints '^  callers ' help report
prints '^  --top ' help report
prints '^  csv ' help report
prints '^  --calibration +FILE' help report
prints '^usage: jprof export ' help export
prints '^  speedscope ' help export
prints '^usage: jprof run ' help run
prints '^  metrics ' help options
prints '"\$schema": "https://json-schema.org/draft/2020-12/schema"' help schema
prints '^usage: jprof attach PID' help attach
prints '^usage: jprof calibrate ' help calibrate
prints '^  calibrate  ' help
prints '^usage: jprof diff BEFORE AFTER' help diff
prints '^usage: jprof selftest ' help selftest
prints '^  selftest  ' help
says 2 "unknown option '--quick'; the options are --java, " selftest --quick
says 2 "unknown option '--quik'; did you mean '--quick'\? the options are" calibrate --quik
says 2 "needs a value" selftest --metrics
says 2 "no format 'csv'; the formats are text, json" selftest --format csv
prints '^usage: jprof status PID' status --help
prints '^jprof [0-9]+\.[0-9]+' --version
says 2 "no command given"
says 2 "no command 'attack'; did you mean 'attach'\? the commands are run, list, attach, " attack
says 2 "no command 'xyzzy'; the commands are run, list, attach, " xyzzy
says 2 "no command 'attack'; did you mean 'attach'\? the commands and topics are run, " help attack
says 2 "no command 'option'; did you mean 'options'\?" help option
says 2 "unknown option '--wach'; did you mean '--watch'\? the options are --watch, --all, --format" status 1 --wach
says 2 "no format 'jsn'; did you mean 'json'\? the formats are text, json" status 1 --format jsn
says 2 "unknown option '--x'; the options are --name, --all" stop 1 --x
says 2 "name and --all exclude each other" stop 1 --name a --all
says 2 "needs a value: NAME" stop 1 --name
says 2 "name needs a value" reset 1 --name=
says 2 "unknown option '--name'; the options are --all" detach 1 --name a
says 2 "either a scope is wanted" scope 1
says 2 "either a scope is wanted" scope 1 com.acme.A.b --everything
says 2 "start no and --name exclude each other" attach 1 --start no --name a
prints '^  --name +NAME' help attach
prints '^usage: jprof scope PID' help scope
prints '^usage: jprof list ' help list
prints '^\{"jvms":\[' list --format json
says 2 "no format 'csv'; the formats are text, json" list --format csv
says 2 "unknown option '--formt'; did you mean '--format'\?" list --formt json
says 2 "one word too many: 'x'" list x
says 2 "'no.such.Main' is no process id, and no JVM's main class: 'jprof list' shows" attach no.such.Main
says 2 "unknown option '--durtion'; did you mean '--duration'\?" run --durtion 3 -- true
says 2 "unknown option 'metric' .*did you mean 'metrics'\? legal are" run --metric cpu -- true
says 2 "one word at most" help report run
prints '^usage: jprof completion ' help completion
says 2 "no shell given" completion
says 2 "no shell 'tcsh'; the shells are bash, zsh, fish" completion tcsh
says 2 "one shell only" completion bash zsh
prints '^  --watch ' help status
prints '^  --format +text.json' help list
prints '^  --quick ' help calibrate
for topic in '' options $("$jprof" help help | sed -n 's/^ *Commands: //; /run list/,$p'); do
	holds "help $topic is wider than 80 columns" test -z "$("$jprof" help $topic | awk 'length > 80')"
done

# ---- report: which file ----
# newest FILE: it is taken where none is given.
newest()
{
	local line=${BASH_LINENO[0]} good=no
	(cd newest && "$jprof" report --view summary) >out 2>err </dev/null &&
		[ "$(cat err)" = "jprof: of the newest profile here, '$1'" ] && good=yes
	result "$line" $good "the newest is not $1: $(cat err)"
}
mkdir newest newest/folder.jprof
cd newest || exit 1
says 2 "no profile given, and no \*.jprof is here" report
cd ..
cp small.jprof newest/old.jprof
cp bare.jprof newest/young.jprof
ln -s ../deep.jprof newest/link.jprof
touch -d '2020-01-01' newest/old.jprof
newest young.jprof
touch -d '2019-01-01' newest/young.jprof
newest old.jprof
prints '^Call paths' report newest/old.jprof --view summary

# ---- report: a recording without calls ----
"$make_profile" bushy 200 2 off.jprof 1 calls=off || exit 1
"$jprof" report off.jprof >out 2>err
holds "calls=off: $(cat err)" grep -qx "jprof: no calls were recorded (calls=off): the view 'threads' has what threads used, 'files' and 'connections' their I/O" err
holds "calls=off: not the threads" cmp -s out <("$jprof" report off.jprof --view threads 2>err)
holds "calls=off, the threads: $(cat err)" test ! -s err
"$jprof" report off.jprof --view methods >out 2>err
holds "calls=off, methods: $(cat err)" grep -q "^jprof: no calls were recorded" err
holds "calls=off, methods" grep -q '^ *Calls' out

# ---- report: samples ----
"$make_profile" sampled 2000 2 samples.jprof 1 || exit 1
prints '^Level  RL  Self samples  Total samples  Name' report samples.jprof
prints '"calls":null,.*"how":\{"calls":"sampled","cpu":"sampled"\},"base":\{"cpu":' report samples.jprof --format json
prints '^class,method,signature,file,samples.cpu,line' report samples.jprof --view lines --format csv
prints '^What ran: ' report samples.jprof --view overview --width 80
prints '^ +Samples ' report samples.jprof --view states --top 3 --width 80
prints '^Samples  Line  Method +Source' report samples.jprof --view lines --source .
prints '^ +Self samples ' report samples.jprof --metric cpu:1ms --sort samples --width 80
prints '"samples":\{"cpu":' report samples.jprof --snapshot 1.. --view threads --format json
says 1 "no metric 'wal'; it has: wall, cpu, cpu:1ms" report samples.jprof --metric wal
says 1 "small.jprof' has no samples: they are taken with sample=" report small.jprof --view states
says 1 "'err' is neither a folder nor an archive of sources" report samples.jprof --view lines --source err
says 2 "\-\-source is for lines, not for 'tree'" report samples.jprof --source .

# ---- report: words ----
prints '^Level  RL ' report small.jprof
prints '"view":"tree"' report small.jprof --format json
prints '"view":"methods"' report --view=methods --format=json small.jprof
prints '^class,method,' report small.jprof --view methods --format csv --calibration off
prints 'invariants: hold' report small.jprof --view callers
prints '\(19[0-9] more\)' report small.jprof --top 3
prints '^Level  RL  Calls  Name' report bare.jprof
# The first metric is the one to sort by: cpu, if it is recorded, or the one that is asked for.
prints '"metrics":\[\{"name":"cpu".*\{"name":"wall"' report small.jprof --format json
prints '"metrics":\[\{"name":"wall".*\{"name":"cpu"' report small.jprof --format json --metric wall+cpu
prints '^Level  RL +Calls +Self cpu +Total cpu +Self wall' report small.jprof
for metric in '' wall cpu; do
	by=${metric:-cpu}
	"$jprof" report small.jprof --view methods --format csv --calibration off ${metric:+--metric "$metric"} |
		awk -F, -v by="base.$by" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == by) c = i; next} {print $c}' >out
	holds "methods are not sorted by $by" sort -c -r -n out
	holds "methods have no $by" test "$(sort -u out | wc -l)" -gt 10
done
says 2 "one file only" report small.jprof deep.jprof
says 2 "unknown option '--vew'; did you mean '--view'\? the options are --view, --metric" \
	report small.jprof --vew=tree
says 2 "no view 'metods'; did you mean 'methods'\? the views are overview" report small.jprof --view metods
says 2 "no format 'jason'; did you mean 'json'\?" report small.jprof --format jason
says 2 "no column 'cals' to sort by; did you mean 'calls'\? the columns are " report small.jprof --sort cals
says 2 "no column 'base.wal' to sort by; did you mean 'base.wall'\?" report small.jprof --sort base.wal
prints 'wall' report small.jprof --metric cpu,wall
says 2 "unknown option '-v'" report small.jprof -v
says 2 "no view 'forest'; the views are overview, findings, summary, tree, methods" report small.jprof --view forest
# ---- on a terminal ----
for columns in 80 100 160; do
	for view in overview tree methods callers threads; do
		on_terminal $columns 24 report small.jprof --view $view --calibration off
		holds "$view at $columns columns: $(widest) wide" test "$(widest)" -le $columns
		[ "$view" = threads ] || holds "$view at $columns columns begins the name late: $(head -1 out)" \
			grep -qE "^.{0,$((columns * 5 / 8))}Name" <(sed 's/\x1b\[[0-9;]*m//g' out | grep -m1 -E 'Self|Total')
	done
done
on_terminal 80 24 report small.jprof --calibration off
holds "the default on a terminal: $(head -3 out)" grep -q 'Methods by what they used themselves (cpu)' out
holds "it has $(wc -l <out) lines" test "$(wc -l <out)" -le 24
holds "no colour on a terminal" grep -q $'\033' out
NO_COLOR=1 on_terminal 80 24 report small.jprof --calibration off
holds "colour in spite of NO_COLOR" test "$(grep -c $'\033' out)" = 0
NO_COLOR='' on_terminal 80 24 report small.jprof --calibration off
holds "no colour with an empty NO_COLOR" grep -q $'\033' out

# The commands below an overview are for the same profile, and a shell can run them.
cp small.jprof "it's \$(touch ran) small.jprof"
"$jprof" report "it's \$(touch ran) small.jprof" --calibration off --thread '*' --view overview --width 80 |
	sed -n '/^To see more:$/,/^$/p' | tail -n +2 | grep . >steps
holds "no commands to copy" test "$(grep -c '^  jprof report ' steps)" -ge 2
holds "they are wide: $(cat steps)" test "$(awk '{ print length }' steps | sort -n | tail -1)" -le 80
holds "they name no method: $(cat steps)" grep -q -- '--view callers' steps
holds "they do not run: $(cat steps)" bash -c "jprof() { '$jprof' \"\$@\" >>shown; }; set -e; $(cat steps)"
holds "they show nothing" grep -q '^self ' shown
holds "a profile's name was run" test ! -e ran
rm -f "it's \$(touch ran) small.jprof"
on_terminal 80 24 report small.jprof --wide --calibration off --view methods
holds "--wide is not the table of a pipe" diff <("$jprof" report small.jprof --view methods --calibration off) \
	<(sed 's/\x1b\[[0-9;]*m//g' out)
on_terminal 80 24 report small.jprof --format json --calibration off
holds "JSON differs on a terminal" diff <("$jprof" report small.jprof --format json --calibration off) out
prints '^ *Self cpu +Total cpu +Calls +Name$' report small.jprof --view methods --width 80 --calibration off
prints '\([0-9]+ more\)' report small.jprof --min 5% --calibration off
prints '\(all threads\)' report small.jprof --merge-threads --calibration off
says 2 "--depth is for tree, component-tree, slowest, timeline and event-tree, not for 'methods'" report small.jprof --view methods --depth 2
says 2 "--merge-threads is for .*, not for 'threads'" report small.jprof --view threads --merge-threads
# Components: the ready-made ones, copied and named, are the same.
"$jprof" help components >components.json
prints '"name": "JDBC and database"' help components
prints '\(application\)$' report small.jprof --view components --width 80 --calibration off
prints ' \(application\)$' report small.jprof --view component-tree --width 80 --calibration off
prints ' \(application\)$' report small.jprof --view tree --by component --width 80 --calibration off
holds "a copy of the ready-made components differs from them" \
	diff <("$jprof" report small.jprof --view components --calibration off --components components.json) \
	<("$jprof" report small.jprof --view components --calibration off)
says 2 "--by is for tree, methods, callers, components, .*, not for 'threads'" \
	report small.jprof --view threads --by component
says 2 "--by is for tags, not for 'tree'" report small.jprof --by thread
printf '{"components": [\n{"name": "x", "entries": ["x"], "method": 1}]}' >bad.json
says 1 "'bad.json': line 2: component 1 \('x'\): no key 'method'; did you mean 'methods'\?" \
	report small.jprof --components bad.json
says 1 "cannot open 'none.json'" report small.jprof --components none.json
"$make_profile" labelled 300 2 labels.jprof 1 || exit 1
prints 'SELECT .* FROM article' report labels.jprof --view values --width 100
prints '^user  .* alice$' report labels.jprof --view tags --width 100
prints 'alice, http$' report labels.jprof --view tags --by 'user,<i>kind</i>' --width 100
prints '^only what was done under the tags user=alice, user=.*bob' \
	report labels.jprof --view methods --tag user=alice --tag 'user=<b>bob*' --width 100
prints 'by calls with the values SELECT' report labels.jprof --value 'SELECT*' --width 100
"$jprof" export labels.jprof --to collapsed --tag user=alice --calibration off -o alice.txt >out 2>err
holds 'an export says what was chosen' grep -q 'only what was done under the tags user=alice' err
holds 'the paths of what was chosen' grep -q '^main;' alice.txt
says 1 "nothing was done with the tag 'user=carol'; --view tags lists" report labels.jprof --tag user=carol
says 1 "nothing was done below the value 'INSERT.'; --view values lists" export labels.jprof --to pprof \
	--value 'INSERT*'
"$make_profile" bushy 50 1 lost.jprof 0 tags.deep=36 labels.lost=12345 || exit 1
prints '^Calls without their tag: in 64 others that set tags +36$' report lost.jprof --view summary --width 100
prints '^Values, tags, lines without memory: lost +12,345$' report lost.jprof --view summary --width 100
prints '"key":"labels.lost","value":12345' report lost.jprof --view summary --format json
says 2 "--tag needs a key and a pattern" report labels.jprof --tag alice
says 2 "--tag is not for 'gc': it is of all that was recorded" report labels.jprof --view gc --tag user=alice
says 1 "no tags 'who'; --view tags lists" report labels.jprof --view tags --by user,who
says 1 "'small.jprof' has no values: record with parameters=" report small.jprof --view values
says 1 "nothing was done with the tag" report small.jprof --tag user=alice
says 2 "--min needs a percentage" report small.jprof --min 101%
says 2 "--min is a share of a metric" report small.jprof --min 1% --sort name
says 2 "--file is for tree, methods, callers, .*, threads, .*, files, .* and records, not for 'summary'" \
	report small.jprof --view summary --file x
says 2 "--path is not for 'summary': it is of all that was recorded" report small.jprof --view summary --path x
says 1 "no method of the profile matches 'nothing'" report small.jprof --path nothing
says 1 "no component is called 'JDBX.*did you mean 'JDBC and database'\?" report small.jprof --component 'JDBX and database'
prints '^only what was done below calls of .*, within components like \(app\*' \
	report small.jprof --path '*' --component '(app*' --width 100
says 2 "--method is for overview, .*, not for 'snapshots'" report small.jprof --view snapshots --method x
says 2 "--min is for overview, .*, not for 'calibration'" report small.jprof --view calibration --min 1%
prints 'Total cpu' report small.jprof --view threads --min 50% --calibration off
prints '\([0-9]+ more\)' report small.jprof --view methods --file nothing --calibration off
prints 'Total cpu' report small.jprof --view threads --method nothing --calibration off
says 2 "--width needs a number from 56" report small.jprof --width 10
says 2 "--wide takes no value" report small.jprof --wide=yes

says 2 "no format 'xml'; the formats are text, json, csv" report small.jprof --format xml
says 2 "--view needs a value" report small.jprof --view
says 2 "whole number above 0, not '0'" report small.jprof --top 0
says 2 "whole number above 0, not '-3'" report small.jprof --top -3
says 2 "whole number above 0, not '3x'" report small.jprof --top 3x
says 2 "whole number above 0, not ''" report small.jprof --top ''
says 2 "whole number above 0" report small.jprof --top 99999999999999999999
says 2 "no column 'weight'" report small.jprof --sort weight
says 2 "has an order of its own" report small.jprof --view summary --sort key
says 1 "has no snapshots" report small.jprof --snapshot A..B
says 2 "is no interval: say A..B" report small.jprof --snapshot A
says 1 "no metric 'cycles'; it has: wall, cpu" report small.jprof --metric cycles
says 1 "no thread of the profile matches 'nobody'" report small.jprof --thread nobody

# ---- report: intervals ----
# calls INTERVAL: all of them, from the view of methods.
calls()
{
	"$jprof" report thrice.jprof --view methods --format csv --calibration off --snapshot "$1" |
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "calls") c = i } { n += $c } END { print n }'
}
one=$(calls ..1)
holds "no calls in an interval" test "$one" -gt 1000
for interval in 1..2 2..; do
	holds "$interval has $(calls $interval) calls, not $one" test "$(calls $interval)" = "$one"
done
for interval in ..2 1..; do
	holds "$interval has $(calls $interval) calls" test "$(calls $interval)" = $((2 * one))
done
holds "the whole has $(calls ..) calls" test "$(calls ..)" = $((3 * one))
prints 'invariants: hold' report thrice.jprof --view callers --snapshot 1..2
prints '"view":"tree"' report thrice.jprof --snapshot=1..2 --format json
prints '^Counts are from +1$' report thrice.jprof --snapshot 1..2 --view summary
prints '^  sum of base = total +exact' report thrice.jprof --snapshot 1..2 --view summary
prints '^Snapshot 2 \(ms\) +2,000.000$' report thrice.jprof --view summary
prints '^Marks +2$' report thrice.jprof --view summary
prints '^ *1,000.000  mark +main +near$' report thrice.jprof --view snapshots
prints '^2000000000,snapshot,,,2$' report thrice.jprof --view snapshots --format csv
prints '^ *At  Kind  Thread  Label' report small.jprof --view snapshots
says 1 "no snapshot '7'; it has: 1 \(at 1.000 s\), 2 \(at 2.000 s\)" \
	report thrice.jprof --snapshot 7..2
says 1 "'2' is not before '1'" report thrice.jprof --snapshot 2..1
says 2 "'1' is no interval: say A..B" report thrice.jprof --snapshot 1
says 2 "--snapshot needs a value" report thrice.jprof --snapshot

# ---- report: calibrations ----
facts=(jvm.version=25 machine.cpu=Model "machine.system=Linux 6 x86_64" calls=instrument timing=fast
	jprof.build=abc)
# write_calibration FILE [SED]: for profiles with these facts, changed by the expression.
write_calibration()
{
	sed "${2:-}" >"$1" <<'END'
{"jprof_calibration": 1, "made": "2026-11-21T20:00:00Z", "seconds": 3,
 "for": {"jvm": "made by make_profile 25", "cpu": "Model", "arch": "x86_64",
  "calls": "instrument", "timing": "fast", "agent": "abc"},
 "metrics": [{"name": "wall", "unit": "ns", "relative": 0.01, "reach": 0, "trees": []},
  {"name": "cpu", "unit": "ns", "relative": 0.01, "reach": 0, "trees": []}],
 "sequences": [{"first": "jitted", "begin": "entry", "second": "jitted", "end": "exit",
  "third": "jitted", "count": 9, "metrics": {
  "wall": {"observed": 30, "minimum": 20, "environment": 1, "cost": 100, "low": 90,
   "high": 900, "work_low": 90, "work_high": 900, "spread": 1},
  "cpu": {"observed": 30, "minimum": 20, "environment": 1, "cost": 10, "low": 9,
   "high": 12, "work_low": 9, "work_high": 12, "spread": 1}}}]}
END
}
write_calibration good.json
"$make_profile" recursive 100 2 known.jprof 1 "${facts[@]}" || exit 1
"$make_profile" recursive 100 2 embedded.jprof 1 "${facts[@]}" calibration=@good.json || exit 1

# Nothing is measured for a profile that was not made here.
none='none: no calibration is kept for it, and none can be measured here: it was made on processor .Model., this is '
prints "^calibration: $none" report known.jprof
prints "\"calibration\":\"$none" report known.jprof --format json --view methods
prints "^Calibration +$none" report known.jprof --view summary
prints "^calibration: $none" report known.jprof --view threads
prints '^calibration: none: no calibration .*: it does not say what it was made with$' report small.jprof
holds "something is said: $(cat err)" test ! -s err -a ! -e cache
"$jprof" report known.jprof --view methods --format csv >out 2>err
holds "csv: $(cat err)" grep -qE "^jprof: calibration: $none" err
holds "csv has no rows alone" test "$(grep -c calibration out)" = 0
"$jprof" report known.jprof --format csv --calibration off >out 2>err
holds "off: $(cat err)" test ! -s err
prints '^Calibration +off: the profile is not adjusted' \
	report known.jprof --view summary --calibration off
prints ' ±' report known.jprof --calibration good.json
prints ' ±' report embedded.jprof
prints '~[0-9.,]+ ±' report embedded.jprof --view methods
prints '^±: half .*; ~: uncertain' report embedded.jprof --view methods
prints 'invariants: hold' report embedded.jprof --view callers
prints 'invariants: hold' report embedded.jprof --view callers --snapshot 1..
prints '^Calibration +embedded in the profile, made 2026-11-21T20:00:00Z for made by' \
	report embedded.jprof --view summary
prints '^overhead.wall,[1-9]' report embedded.jprof --view summary --format csv
prints '^over_correction.wall,[1-9]' report embedded.jprof --view summary --format csv
prints 'base.wall,.*,raw_base.wall,.*,error.wall' report embedded.jprof --view methods --format csv
prints ' ±' report embedded.jprof --view threads
prints 'total.cpu,.*,raw_total.cpu,.*,error.cpu' report embedded.jprof --view threads --format csv
prints 'error.cpu,.*,error_cum.cpu' report embedded.jprof --view tree --format csv
prints '^First ' report embedded.jprof --view calibration
prints '^archive,' report embedded.jprof --view entries --format csv --calibration good.json
holds "off is as counted" cmp -s \
	<("$jprof" report embedded.jprof --view methods --format csv --calibration off) \
	<("$jprof" report known.jprof --view methods --format csv 2>/dev/null)

# The cache is looked at last, and only an identity's own file.
mkdir -p cache/jprof
for hash in $(seq 3); do cp good.json "cache/jprof/calibration-000000000000000$hash.json"; done
prints "$none" report known.jprof

says 1 "cannot read calibration file 'none.json': No such file" report known.jprof --calibration none.json
says 1 "calibration file '/dev/null': it is no regular file" report known.jprof --calibration /dev/null
says 1 "calibration file 'known.jprof': not JSON" report known.jprof --calibration known.jprof
says 1 "calibration file 'good.json' was made for JVM 'made by make_profile 25', this is 'unknown'" \
	report small.jprof --calibration good.json
for row in 's/profile 25/profile 26/;JVM .made by make_profile 26., this is .made by make_profile 25.' \
	's/"Model"/"Other"/;processor .Other., this is .Model.' \
	's/x86_64/aarch64/;architecture .aarch64., this is .x86_64.' \
	's/instrument/events/;calls .events., this is .instrument.' \
	's/fast/precise/;timing .precise., this is .fast.' \
	's/"abc"/"abd"/;agent .abd., this is .abc.' \
	's/"cpu"\(, "unit"\|: {"obs\)/"cpy"\1/;metrics .wall\+cpy., this is .wall\+cpu.'; do
	write_calibration other.json "${row%;*}"
	says 1 "calibration file 'other.json' was made for ${row##*;}" \
		report known.jprof --calibration other.json
done
write_calibration damaged.json 's/"low": 90/"low": 1300/'
says 1 "calibration file 'damaged.json': sequences\[0\].metrics.wall.low is above high" \
	report known.jprof --calibration damaged.json
"$make_profile" recursive 100 2 damaged.jprof 1 "${facts[@]}" calibration=@damaged.json || exit 1
prints '^calibration: none: the calibration in the profile: sequences\[0\].metrics.wall.low is above' \
	report damaged.jprof

# ---- report: files ----
: >empty.jprof
head -c 5000 small.jprof >truncated.jprof
head -c 8192 /dev/urandom >noise.jprof
says 1 "missing.jprof" report missing.jprof
says 1 "empty.jprof" report empty.jprof
says 1 "truncated.jprof" report truncated.jprof
says 1 "noise.jprof" report noise.jprof
says 1 "." report .
says 1 "new" report "$(printf 'new\nline.jprof')"

# ---- report: output ----
holds "a full disk is not noticed" bash -c \
	"! '$jprof' report deep.jprof >/dev/full 2>err && grep -q 'No space left' err"
holds "help on a full disk is not noticed" bash -c "! '$jprof' help >/dev/full 2>err"
"$jprof" report deep.jprof 2>err | head -1 >out
status=${PIPESTATUS[0]}
holds "a closed pipe gives $status: $(cat err)" test "$status" = 1 -a ! -s err
holds "a deep tree is $("$jprof" report deep.jprof | wc -c) bytes" \
	test "$("$jprof" report deep.jprof | wc -c)" -lt 40000000
holds "there is colour in a pipe" test "$("$jprof" report small.jprof | grep -c "$(printf '\033')")" = 0

# ---- run: a java that only tells what it was given ----
mkdir bin "bin=" "with space"
cp "$jprof" bin/jprof
cp "$jprof" bin=/jprof
cp "$jprof" "with space/jprof"
touch bin/libjprof.so bin=/libjprof.so "with space/libjprof.so"
mkdir -p jdk/bin links
cp "$fake_java" jdk/bin/java
cp "$fake_java" jdk/bin/javac
ln -s jdk/bin/java java
ln -s "$work/jdk/bin/javac" links/compile
built=$jprof
jprof=$work/bin/jprof

# java_got LINES WORD...: java saw these words; one line at the end says where the profile is.
java_got()
{
	local line=${BASH_LINENO[0]} expected=$1 got good=no
	shift
	"$jprof" "$@" >out 2>err
	got=$?
	[ $got = 0 ] && [ "$(cat out)" = "$expected" ] && [ "$(wc -l <err)" = 1 ] &&
		grep -q "read it with: jprof report" err && good=yes
	result "$line" $good "jprof $*: exit $got: $(cat out err)"
}

lib=$work/bin/libjprof.so
java_got "-agentpath:$lib
-cp
a b
Main" run -- ./java -cp "a b" Main
java_got "-agentpath:$lib=metrics=wall+cpu,file=x.jprof" \
	run --metrics wall+cpu --file x.jprof -- ./java
java_got "-J-agentpath:$lib=file=x.jprof
-d
out" run --file x.jprof -- links/compile -d out
PATH=$work/links:$PATH java_got "-J-agentpath:$lib" run -- compile
export FILE='a,b %p.jprof'
java_got "-agentpath:$lib=flush=3,file=a\\,b %p.jprof" run '--file=a,b %p.jprof' --flush 3 -- ./java
holds "the profile is not named: $(cat err)" grep -qE "is 'a,b [0-9]+\.jprof'; .* 'a,b " err
echo '{"file": "from-config-%p.jprof"}' >config.json
FILE=from-config-%p.jprof
java_got "-agentpath:$lib=config=config.json" run --config config.json -- ./java
holds "the config's file is not named: $(cat err)" grep -q "from-config-" err
unset FILE
"$jprof" run --file 't-%t.jprof' -- ./java >out 2>err
holds "%t is left to the agent: $(cat out)" grep -qE '=file=t-[0-9]{10}\.jprof$' out
holds "%t differs: $(cat err)" test -f "$(sed -n 's/.* jprof report //p' err)"
jprof="$work/with space/jprof"
java_got "-agentpath:$work/with space/libjprof.so" run -- ./java
jprof=$work/bin=/jprof
says 1 "path contains '=': '.*/bin=/libjprof.so'; move it$" run -- ./java
jprof=$built
mkdir -p tree/bin tree/lib && cp "$built" tree/bin && touch tree/lib/libjprof.so
jprof=$work/tree/bin/jprof
java_got "-agentpath:$work/tree/lib/libjprof.so" run -- ./java
rm tree/lib/libjprof.so
says 1 "cannot find libjprof.so" run -- ./java
jprof=$work/bin/jprof

STATUS=3 "$jprof" run -- ./java >out 2>err
holds "java's status is lost" test $? = 3

# ---- run: any command ----
# runs STATUS OUTPUT ERRORS COMMAND...: its exit status and output; one line matches ERRORS.
runs()
{
	local line=${BASH_LINENO[0]} status=$1 output=$2 errors=$3 got good=no
	shift 3
	"$jprof" run "$@" >out 2>err </dev/null
	got=$?
	[ $got = "$status" ] && [ "$(cat out)" = "$output" ] && grep -qE "^jprof: $errors" err && good=yes
	result "$line" $good "jprof run $*: exit $got, not $status; or no '$errors': $(cat out err)"
}

runs 0 'a b' 'there is no profile: no JVM was started$' -- printf '%s b\n' a
runs 137 '' 'there is no profile: no JVM was started$' -- /bin/bash -c 'kill -KILL $$'
runs 4 '' 'there is no profile: no JVM was started$' -- sh -c 'exit 4'
cat >program <<'PROGRAM'
#!/bin/bash
cd /
echo "options: $JAVA_TOOL_OPTIONS"
"$JAVA" Main
exit 5
PROGRAM
chmod +x program
export JAVA=$work/java
runs 5 "options: -agentpath:$lib=file=$work/jprof-%p.jprof
Main" 'the profile of libjli.so is jprof-[0-9]+.jprof; read it with: jprof report jprof-' -- ./program
holds "more than a line: $(cat err)" test "$(wc -l <err)" = 1
JAVA_TOOL_OPTIONS='-Da=b' runs 5 "options: -Da=b -agentpath:$lib=file=$work/jprof-%p.jprof
Main" 'the profile' -- ./program
cp config.json given.json
runs 5 "options: -agentpath:$lib=config=$work/given.json,calibration=off,file=$work/from-config-%p.jprof
Main" 'the profile' --config given.json --calibration off -- ./program
runs 5 "options: -agentpath:$lib=calibration=$work/c.json,file=$work/it\"'\"s' '%p.jprof
Main" 'the profile' --calibration c.json --file "it's %p.jprof" -- ./program
VERSION=1 runs 5 "options: -agentpath:$lib=file=$work/jprof-%p.jprof
Main" 'there is no profile: no JVM ran a program$' -- ./program
REFUSED='it is too old' runs 5 "options: -agentpath:$lib=file=$work/jprof-%p.jprof
Main" 'process [0-9]+ was not profiled: it is too old$' -- ./program
runs 0 'A
B' '2 profiles were made; read one with: jprof report FILE$' -- sh -c '$JAVA A; $JAVA B'
holds "no list of two: $(cat err)" test "$(grep -cE '^jprof:   jprof-[0-9]+.jprof  libjli.so$' err)" = 2
JAVA_TOOL_OPTIONS="-agentpath:$lib" says 1 'JAVA_TOOL_OPTIONS loads the agent already' run -- ./java
holds "folders of runs are left" test -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'jprof-run-*' -newer program 2>/dev/null)"

# The program is not started where the profile cannot be written.
mkdir closed && chmod a-w closed
says 1 "cannot write the profile '/nonexistent/x': there is no such folder" \
	run --file /nonexistent/x -- touch started
says 1 "cannot write the profile '.*/closed': it is a folder" run --file closed -- touch started
says 1 "cannot write the profile '.*/java/x': Not a directory" run --file java/x -- touch started
if ! [ -w closed ]; then
	says 1 "cannot write the profile '.*/closed/x': nothing can be written into its folder" \
		run --file closed/x -- touch started
fi
says 1 "cannot write the profile 'closed': it is a folder" run --file closed -- ./java
holds "a program was started" test ! -e started

says 1 "cannot run './nowhere': No such file" run -- ./nowhere
says 1 "cannot run '.*': Permission denied" run -- ./config.json
says 2 "no -- and command" run
says 2 "no -- and command" run --metrics wall
says 2 "nothing to run behind --" run --
says 2 "'java' is no option" run java -version
says 2 "colour" run --colour red -- ./java
says 2 "calls" run --calls sometimes -- ./java
says 2 "needs a value" run --metrics

# Somebody ends jprof: java hears of it, and its status is jprof's.
rm -f ready
WAIT=1 "$jprof" run -- ./java >out 2>err &
for _ in $(seq 100); do
	[ -f ready ] && break
	sleep 0.05
done
kill -TERM $!
wait $!
status=$?
holds "TERM gives $status" test $status = 7
holds "TERM did not reach java" grep -q caught out

# ---- run: nothing was recorded ----
unset FILE WAIT STATUS
says 0 "there is no profile: no JVM was started" run --file none.jprof -- true
VERSION=1 says 0 "there is no profile: with --start no nothing is recorded until 'jprof start'" \
	run --start no --file none.jprof -- ./java

# ---- a profile in a container: what /proc/PID/root leads to has no name here ----
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
	mkdir inside
	mkfifo made
	unshare -m bash -c "mount -t tmpfs none '$work/inside' && cd '$work/inside' &&
		'$make_profile' bushy 7 0 p.jprof && '$make_profile' bushy 7 0 q.jprof &&
		ln -s p.jprof link && echo \$\$ >'$work/made' && exec sleep 100" &
	unshared=$!
	read -r contained <made
	cp thrice.jprof inside/q.jprof
	for file in p q; do
		prints 'Call paths \(nodes\) +7$' report \
			"/proc/$contained/root$work/inside/$file.jprof" --view summary
	done
	says 1 "link' is a symbolic link" report "/proc/$contained/root$work/inside/link"
	says 1 "cannot open '/proc/$contained.*nothing'.*No such file" report "/proc/$contained/root$work/inside/nothing"
	kill "$contained" "$unshared" 2>/dev/null

	# Files of two file systems with the same number: who holds the one is not asked about the other.
	mkdir here there
	unshare -m bash -c 'mount -t tmpfs none here && mount -t tmpfs none there &&
		"$1" bushy 7 0 here/p.jprof && : >there/lock && ls -i here there >numbers && flock there/lock \
		"$2" report here/p.jprof --view threads' - "$make_profile" "$jprof" >out 2>err
	holds "the numbers differ: $(cat numbers)" \
		test "$(sed -nE 's/ (p.jprof|lock)$//p' numbers | sort -u | wc -l)" = 1
	holds "another file's lock: $(head -3 out)" grep -q '^Id' out
	holds "another file's lock: $(head -3 out)" test "$(grep -c 'still records' out)" = 0
fi

echo "command: $passed passed, $failed failed"
[ $failed = 0 ]
