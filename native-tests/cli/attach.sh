#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# attach and control, against processes that play a JVM and the agent in it (fake_jvm.py):
# every shape of answer, sockets that are not to be trusted, processes that are none.
#
# attach.sh JPROF FAKE: each check is a line; a failing one names itself.
set -u
# The system's own is one that other users may run, too.
python=$(command -v /usr/bin/python3 python3 | head -1)
[ -n "$python" ] || { echo "not run: there is no python3 here"; exit 77; }
work=$(mktemp -d)
fake=$(realpath "$2")
mkdir "$work/bin"
cp "$1" "$work/bin/jprof"
echo 'a library' >"$work/bin/libjprof.so"
jprof=$work/bin/jprof
jvm=
others=()
# No calibration of whoever runs this, and none measured unasked: there is no place to keep one.
export XDG_CACHE_HOME=/dev/null
passed=0 failed=0
trap 'end_jvm; for p in "${others[@]}"; do kill -9 "$p"; wait "$p"; done 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1

# result LINE GOOD TEXT
result() {
	if [ "$2" = yes ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "attach.sh:$1: $3" >&2
	fi
}

# says STATUS PATTERN WORD...: jprof exits so, with one line like that on standard error.
says() {
	local line=${BASH_LINENO[0]} status=$1 pattern=$2 got good=no
	shift 2
	timeout 60 "$jprof" "$@" >out 2>err </dev/null
	got=$?
	if [ $got = "$status" ] && [ "$(wc -l <err)" = 1 ] && grep -qE -- "^jprof: .*$pattern" err; then
		good=yes
	fi
	result "$line" $good "jprof $*: exit $got, not $status; or not like '$pattern': $(cat err)"
}

# holds TEXT CONDITION...
holds() {
	local line=${BASH_LINENO[0]} text=$1 good=no
	shift
	"$@" && good=yes
	result "$line" $good "$text"
}

# leaves PID PROFILE: the agent does, and jprof says where the profile is.
leaves() {
	local line=${BASH_LINENO[0]} got good=no
	"$jprof" detach "$1" >out 2>err
	got=$?
	[ $got = 0 ] && grep -q "^jprof: the agent is out of process $1$" err &&
		grep -q "^jprof: the profile is .*$2.*; read it with" err && good=yes
	result "$line" $good "jprof detach $1: exit $got: $(cat err)"
}

end_jvm() {
	[ -z "$jvm" ] && return
	kill -9 "$jvm" 2>/dev/null
	wait "$jvm" 2>/dev/null
	forget "$jvm"
	jvm=
}

# forget PID: what a process of this number has left behind when it was killed. Numbers come
# again, and another user's leavings would be in the way.
forget() {
	rm -rf "/tmp/.java_pid$1" "/tmp/.java_pid$1.new" "/tmp/.attach_pid$1" \
		{/tmp,/dev/shm,/var/tmp}/.jprof-"$1"
}

# play SETTINGS [PREFIX...]: a new fake; jvm is its process.
play() {
	local settings=$1
	shift
	end_jvm
	rm -rf jvm && mkdir -m 777 jvm
	(
		forget "$BASHPID"
		exec "$@" "$python" "$fake" "$work/jvm" "$settings"
	) >jvm.out 2>&1 &
	jvm=$!
	for _ in $(seq 200); do
		[ -e jvm/ready ] && return
		sleep 0.02
	done
	echo "the fake JVM does not start: $(cat jvm.out)" >&2
	exit 1
}

# told PATTERN: the fake was told such a line.
told() {
	grep -qE -- "$1" jvm/log
}

count() {
	grep -cE -- "$1" jvm/log
}

lives() {
	kill -0 "$1" 2>/dev/null
}

# ---- words ----
says 2 "no process id given" attach
says 2 "'x' is no process id" attach x
says 2 "'-1' is no process id" attach -1
says 2 "'0' is no process id" attach 0
says 2 "'99999999999' is no process id" attach 99999999999
says 2 "one process only, not '2' too" attach 1 2
says 2 "unknown option 'colour'" attach 1 --colour red
says 2 "calls" attach 1 --calls sometimes
says 2 "needs a value" attach 1 --metrics
says 2 "'soon' is no time" attach 1 --duration soon
says 2 "'-1' is no time" attach 1 --duration -1
says 2 "'0' is no time" attach 1 --duration 0
says 2 "'1.2.3' is no time" attach 1 --duration 1.2.3
says 2 "'inf' is no time" attach 1 --duration inf
says 2 "'1d' is no time" run --duration 1d -- true
says 2 "exclude each other" run --duration 1 --start no -- true
says 2 "given twice" attach 1 --duration 1 --duration 2
says 2 "exclude each other" attach 1 --start no --duration 2
says 2 "only io_slots and log" attach 1 --start no --metrics wall
says 1 "config '.*nowhere.json'" attach $$ --config nowhere.json
for verb in start stop status snapshot reset detach; do
	says 2 "no process id given" $verb
	says 2 "'x' is no process id" $verb x
	says 1 "no process 4194304" $verb 4194304
done
says 2 "one word too many: 'x'" stop 1 x
says 2 "one word too many: 'y'" snapshot 1 x y
says 2 "unknown option '--now'" stop 1 --now
says 2 "unknown option '--watchful'" status 1 --watchful
says 2 "no format 'csv'" status 1 --format csv
says 2 "'x' is no time" status 1 --watch x
says 2 "'x' is no time" status 1 --watch=x
says 2 "unknown option 'duration'" start 1 --duration 3

# ---- processes that are none to attach to ----
sleep 3600 &
idle=$!
others+=("$idle")
forget "$idle"
sleep 0.1
says 1 "no process 4194304" attach 4194304
says 1 "process $idle is no JVM" attach $idle
says 1 "there is no jprof agent in process $idle; load it with: jprof attach $idle" stop $idle
holds "sleep was ended" lives $idle
kill -STOP $idle
sleep 0.1
says 1 "process $idle is stopped; continue it with: kill -CONT $idle" attach $idle
says 1 "is stopped" status $idle
kill -CONT $idle
"$python" -c 'import os, time
child = os.fork()
if child == 0: os._exit(0)
open("zombie", "w").write(str(child))
time.sleep(100)' &
others+=($!)
for _ in $(seq 100); do
	[ -s zombie ] && grep -q '^State:.*Z' "/proc/$(cat zombie)/status" && break
	sleep 0.1
done
says 1 "is a zombie" attach "$(cat zombie)"
[ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] && says 1 "part of the kernel" attach 2
if [ "$(id -u)" = 0 ]; then
	chmod 755 "$work"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$jprof" attach $idle >out 2>err
	holds "foreign process: $(cat err)" grep -q "belongs to user root .*run jprof as that user" err
	holds "more than a line: $(cat err)" test "$(wc -l <err)" = 1
fi

# ---- before the signal ----
play '{"deaf": true}'
says 1 "does not catch the signal QUIT" attach $jvm
holds "it was ended by the signal" lives $jvm
for variable in JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS; do
	play '{}' env "$variable=-Xmx1g -XX:+DisableAttachMechanism"
	says 1 "started with -XX:\+DisableAttachMechanism" attach $jvm
	holds "a signal was sent" test ! -e jvm/log
done
play '{}' env "JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism" "_JAVA_OPTIONS=-XX:-DisableAttachMechanism"
says 0 "recording into" attach $jvm

# ---- what the JVM answers ----
# answers PATTERN SETTINGS
answers() {
	local line=${BASH_LINENO[0]} got good=no
	play "$2"
	timeout 60 "$jprof" attach $jvm >out 2>err
	got=$?
	[ $got = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -qE -- "$1" err && good=yes
	result "$line" $good "$2: exit $got: $(cut -c1-400 err)"
	lives $jvm || result "$line" no "$2: the process has ended"
	[ ! -e /tmp/.attach_pid$jvm ] || result "$line" no "$2: the file .attach_pid is left"
	[ "$(count '^quit')" -le 1 ] || result "$line" no "$2: more than one signal"
}

answers "-EnableDynamicAgentLoading" '{"answer": "-1\nDynamic agent loading is not enabled. Use -XX:+..."}'
answers "-EnableDynamicAgentLoading" '{"answer": "0\nDynamic agent loading is not enabled. Use -XX:+...\n"}'
answers "could not be loaded .*not loaded. x.so: cannot open" '{"answer": "-1\nx.so was not loaded.\nx.so: cannot open\n"}'
answers "could not be loaded" '{"answer": "0\nx.so was not loaded.\n"}'
answers "is no agent" '{"answer": "0\nAgent_OnAttach is not available in x.so\n"}'
answers "agent did not start \(code -1\)" '{"answer": "0\nreturn code: -1\n"}'
answers "agent did not start \(code 7\)" '{"answer": "0\n7\n"}'
answers "attaching disabled" '{"answer": "100\n"}'
answers "version 1 of the attach protocol" '{"answer": "101\nunknown version"}'
answers "code -1; it says: Operation load not recognized!" '{"answer": "-1\nOperation load not recognized!"}'
answers "not load the agent \(code 5\)" '{"answer": "5"}'
answers "closed the connection without an answer" '{"answer": ""}'
answers "not understood: 'hello'" '{"answer": "hello"}'
answers "not understood: ''" '{"answer": "0\n"}'
answers "not understood: '12x'" '{"answer": "12x\n"}'
answers "not understood: 'return code:'" '{"answer": "0\nreturn code: "}'
answers "not understood: 'return code: 0x'" '{"answer": "0\nreturn code: 0x"}'
answers "not understood" '{"answer": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "times": 100000}'
export JPROF_TIMEOUT=0.5
answers "no answer within" '{"pause": 20}'
unset JPROF_TIMEOUT
answers "is not to be trusted: it is no socket" '{"socket": "file"}'
answers "is not to be trusted: it is open to other users" '{"socket": "open"}'
answers "is held by another process" '{"socket": "child"}'
if [ "$(id -u)" = 0 ]; then
	answers "is not to be trusted: it belongs to another user" '{"socket": "foreign"}'
fi
answers "does not listen on a control socket" '{"agent": null}'
answers "is not to be trusted: it is open to others" '{"agent": "directory"}'
play '{"mute": true}'
says 1 "did not answer within 10 s" attach $jvm
holds "the file .attach_pid is left" test ! -e /tmp/.attach_pid$jvm
holds "$(count quit) signals" test "$(count quit)" = 1

# Ctrl-C while it waits: nothing is left.
play '{"mute": true}'
"$jprof" attach $jvm >out 2>err &
attaching=$!
sleep 1
kill -TERM $attaching
wait $attaching
status=$?
holds "interrupted: exit $status: $(cat err)" grep -q '^jprof: interrupted' err
holds "the file .attach_pid is left" test ! -e /tmp/.attach_pid$jvm
# A file that somebody left behind.
play '{}'
touch /tmp/.attach_pid$jvm
says 0 "recording into" attach $jvm
# A file somewhere else instead of ours: nothing is written through a link.
play '{}'
ln -s "$work/victim" /tmp/.attach_pid$jvm
says 0 "recording into" attach $jvm
holds "a link was followed" test ! -e victim

# A name that would be obeyed by a terminal.
play '{"loaded": true}'
says 0 "recording into \\$'/tmp/a\\\\u001b\\\\\\\\\\\\'\\\\u202e.jprof';" attach $jvm --file "$(printf "/tmp/a\033\\\\'\342\200\256.jprof")"

# ---- all of it ----
echo '{"metrics": ["wall", "cpu"], "file": "from-config.jprof", "io_slots": 128}' >config.json
play '{}'
says 0 "recording into $work/from-config.jprof; end it with: jprof stop $jvm" attach $jvm --config config.json --log info --include 'com.acme.*'
holds "load: $(cat jvm/log)" told "attach 1\|load\|$work/bin/libjprof.so\|true\|start=no,io_slots=128,log=info\|"
grep '^control' jvm/log | tail -1 | cut -d' ' -f2- >request
holds "start: $(cat request)" "$python" -c "
import json, sys
options = json.load(open('request'))['options']
sys.exit(options != {'metrics': ['wall', 'cpu'], 'file': '$work/from-config.jprof', 'log': 'info', 'include': ['com.acme.*']})"
says 0 "recording into" attach $jvm --file /x/%p%%.jprof
holds "the agent was loaded again" test "$(count '^attach')" = 1
holds "the pid is ours: $(cat err)" grep -q "into '\?/x/$jvm%.jprof" err
says 0 "the profile is /x/$jvm%.jprof; read it with: jprof report" stop $jvm
says 0 "begins anew" reset $jvm
says 0 "snapshot before of process $jvm" snapshot $jvm before
holds "label: $(tail -1 jvm/log)" told '"label": ?"before"'
says 0 "snapshot 1 of" snapshot $jvm
says 0 "recording into $work/jprof-$jvm.jprof; end it with" start $jvm
says 0 "recording into $work/a.jprof" start $jvm --file a.jprof --metrics wall
says 2 "'start' is an option of" start $jvm --start yes
echo '{"start": true}' >start.json
says 1 "'start' is an option of" start $jvm --config start.json
leaves $jvm $work/a.jprof
holds "the socket is there" test ! -e /tmp/.jprof-$jvm
says 1 "there is no jprof agent in process $jvm" detach $jvm
says 0 "the agent is in process $jvm; start a recording with" attach $jvm --start no --io_slots 64
holds "armed: $(tail -2 jvm/log)" told 'start=no,io_slots=64\|'
says 1 "is in process $jvm already: io_slots and log" attach $jvm --start no --io_slots 128
says 0 "the agent is in process $jvm" attach $jvm --start no
holds "it was started" test "$(grep -c . <(tail -1 jvm/log | grep '"verb": *"start"'))" = 0
mkdir 'a, b=c%d'
cd 'a, b=c%d' || exit 1
says 0 "recording into '$work/a, b=c%d/t-[0-9]{10}.jprof'" attach $jvm --file 't-%t.jprof'
cd "$work" || exit 1

# ---- status ----
says 1 "there is no jprof agent in process $idle" status $idle
"$jprof" status $jvm >out 2>err
holds "status: $(cat out err)" test "$(tr -s ' ' <out)" = "state recording
pid in the JVM $jvm
profile /tmp/\u001bx
recording for 1,234.568 ms
options {\"flush\":3}
memory 1,048,576 bytes
cost of an event 12.3 ns
share of CPU time 1.23 %
both known from calibration
snapshots a, b
matches nothing scope=a\\u001b.b: no method of this name is there yet; near it are 'a.b'"
"$jprof" status $jvm --format json >out
holds "json: $(cat out)" "$python" -c 'import json; assert json.load(open("out"))["new"] == 1'
for words in '' --all; do
	# shellcheck disable=SC2086
	"$jprof" status $jvm --watch 0.2 $words >out 2>err &
	watching=$!
	sleep 1
	kill -INT $watching
	wait $watching
	status=$?
	holds "watch $words: exit $status" test $status = 0
	line='^calls/s 2,000  cpu 50 %  alloc/s 4.1 kB  io/s 4 6.0 MB  top com.acme.*31mShop.buy$'
	[ -z "$words" ] || line='^state *recording'
	holds "watch $words: $(head -3 out)" test "$(grep -c "$line" out)" -ge 3
	holds "watch $words: escapes in a name" test "$(grep -c "$(printf '\033')" out)" = 0
done
if command -v script >/dev/null; then
	for words in '' --all; do
		lines=7
		[ -z "$words" ] || lines=11
		timeout -s INT 1 script -qec "stty cols 30; $jprof status $jvm --watch=0.2 $words" /dev/null >out 2>/dev/null </dev/null
		holds "watch $words: the cursor stays: $(cat -v out)" grep -q "$(printf '\033')\[${lines}A" out
		holds "watch $words: lines are too long" test "$(sed 's/\x1b\[[0-9]*[A-Z]//g; s/\r//g' out | awk 'length > m {m = length} END {print m}')" -le 30
	done
fi
"$jprof" status $jvm --watch >out 2>err &
watching=$!
sleep 0.5
end_jvm
wait $watching
status=$?
holds "watch after the end: exit $status: $(cat err)" test $status = 0
holds "watch after the end: $(cat err)" grep -q "has ended" err

# ---- for a time ----
play '{}'
"$jprof" attach $jvm --duration 0.4s --file d.jprof >out 2>err
holds "duration: exit $?: $(cat err)" grep -q "the profile is $work/d.jprof; read it with" err
holds "duration: $(cat jvm/log)" test "$(grep -o '"verb": *"[a-z]*"' jvm/log | tail -3 | tr -d ' \n')" = '"verb":"start""verb":"stop""verb":"detach"'

# ---- several sessions ----
play '{"beside": []}'
says 0 "recording into $work/jprof-$jvm.jprof; end it with: jprof stop $jvm \(or" attach $jvm
holds "by: $(tail -1 jvm/log)" told '"by": ?"jprof attach"'
says 0 "as session bob; end it with: jprof stop $jvm --name bob$" start $jvm --name bob
holds "name: $(tail -1 jvm/log)" told '"by": ?"jprof start".*"name": ?"bob"'
says 0 "in its profile" snapshot $jvm x --name=bob
holds "label and name: $(tail -1 jvm/log)" told '"name": ?"bob", ?"label": ?"x"'
says 0 "that are on: none" trace $jvm +gc --name bob
holds "trace: $(tail -1 jvm/log)" told '"on": ?\["gc"\].*"name": ?"bob"'
says 0 "what is recorded in process $jvm is 'tag:user=al\*'" scope $jvm 'tag:user=al*' --name bob
holds "scope: $(tail -1 jvm/log)" told '"name": ?"bob", ?"value": ?"tag:user=al\*"'
says 0 "everything is recorded" scope $jvm --everything
holds "no scope: $(tail -1 jvm/log)" test "$(tail -1 jvm/log | grep -c value)" = 0
says 0 "begins anew" reset $jvm --name bob
"$jprof" stop $jvm --all >out 2>err
holds "stop --all: exit $?: $(cat err)" test "$(cut -d';' -f1 err)" = "jprof: the profile of main is /tmp/main.jprof
jprof: session 's2': no room
jprof: the profile of s2 is /tmp/s2.jprof"
holds "all: $(tail -1 jvm/log)" told '"verb": ?"stop".*"all": ?true'
"$jprof" detach $jvm --all >out 2>err
holds "all: $(tail -1 jvm/log)" told '"verb": ?"detach".*"all": ?true'
play '{"beside": ["main", "a b"]}'
says 0 "as session s3, beside main, 'a b'; end it with: jprof stop $jvm --name s3$" attach $jvm
"$jprof" attach $jvm --duration 0.2s --name own --file d.jprof >out 2>err
holds "its own session: $(cat jvm/log)" told '"verb": ?"stop".*"number": ?3'
play '{"beside": []}'
"$jprof" attach $jvm --duration 0.2s --file d.jprof >out 2>err
holds "out, if nobody records: $(cat jvm/log)" told '"verb": ?"detach".*"if_idle": ?true'

play '{"loaded": true}'
"$jprof" attach $jvm --duration 1h --file d.jprof >out 2>err &
attaching=$!
sleep 0.5
kill -INT $attaching
wait $attaching
status=$?
holds "duration, interrupted: exit $status: $(cat err)" test $status = 0
holds "duration, interrupted: $(cat err)" grep -q "read it with" err
holds "somebody else's agent was taken out" test "$(grep -c detach jvm/log)" = 0
"$jprof" attach $jvm --duration 1h --file d.jprof >out 2>err &
attaching=$!
sleep 0.5
end_jvm
wait $attaching
status=$?
holds "duration, JVM ended: exit $status: $(cat err)" test $status = 0
holds "duration, JVM ended: $(cat err)" grep -q "has ended, and the recording with it" err

# The same for a program that jprof starts: the recording ends, the program runs on.
cat >java <<JAVA
#!/bin/bash
rm -rf jvm /tmp/.jprof-\$\$ && mkdir jvm
echo \$\$ >started
printf 'jvm\\0%s\\0\\0\\0' \$\$ >>"\$JPROF_RUN/notes"
(sleep 2; kill -9 \$\$) &
exec "$python" "$fake" "$work/jvm" '{"loaded": true}'
JAVA
chmod +x java
"$jprof" run --duration 0.5 --file r.jprof -- ./java >out 2>err
status=$?
holds "run --duration: exit $status: $(cat err)" test $status = 137
holds "run --duration: $(cat err)" grep -q "the recording has ended; the program runs on" err
holds "run --duration: $(cat jvm/log)" told '"verb": *"stop".*"name": *"main"'
forget "$(cat started)"
"$jprof" run --duration 100 -- false >out 2>err
holds "run --duration, ended before: $(cat err)" test "$(wc -l <err)" = 1

# ---- an agent that is not well ----
# ill PATTERN MODE
ill() {
	local line=${BASH_LINENO[0]} got good=no
	play "{\"loaded\": true, \"agent\": \"$2\"}"
	JPROF_TIMEOUT=0.5 timeout 60 "$jprof" stop $jvm >out 2>err
	got=$?
	[ $got = 1 ] && [ "$(wc -l <err)" = 1 ] && grep -qE -- "^jprof: .*$1" err && good=yes
	result "$line" $good "$2: exit $got: $(cut -c1-300 err)"
}
ill "process [0-9]+: a recording runs already" busy
ill "not understood" garbage
ill "is no JSON object" list
ill "longer than 1 MB" huge
ill "closed the connection" half
ill "does not speak version 1" version
ill "no answer within" silent
ill "no answer within" floods
ill "closed the connection" closes
ill "has no \"ok\"" noresult
# Texts that a terminal would obey, or that hide: as escapes, wherever they are shown.
paint='\\u001b\[2J\\u007f\\u009b31m\\u061c\\u200b\\u200f\\u202e\\u2066\\u2028\\ufeff\\U000e0001'
ill "$paint" painter
play '{"loaded": true, "agent": "paints"}'
for verb in status start snapshot stop; do
	timeout 60 "$jprof" $verb $jvm >out 2>err
	holds "$verb of painted texts: $(cat -v out err)" grep -qE "$paint" out err
	holds "$verb paints: $(cat -v out err)" test -z "$(LC_ALL=C tr -d '\n -~' <out)$(LC_ALL=C tr -d '\n -~' <err)"
done
play '{"answer": "5\n\u001b[2J\u009b31m\u202e"}'
says 1 'u001b\[2J.u009b31m.u202e' attach $jvm
play '{"loaded": true, "agent": "late"}'
says 0 "has ended" stop $jvm
# ends SECONDS STATUS WORD...: jprof does by then, by itself; what it said is in err.
ends() {
	local line=${BASH_LINENO[0]} limit=$1 wanted=$2 got good=no
	shift 2
	timeout -k 1 "$limit" "$jprof" "$@" >out 2>err </dev/null
	got=$?
	[[ " $wanted " = *" $got "* ]] && good=yes
	result "$line" $good "$mode: jprof $* exits with $got within $limit s: $(cut -c1-300 err)"
}

# Whatever the agent does, each verb ends within its limit, and says what it waited for.
for mode in silent floods others stalls dribbles unread nests garbage list huge; do
	play "{\"loaded\": true, \"agent\": \"$mode\"}"
	for verb in start stop status snapshot reset detach 'attach --duration 0.1' 'status --watch=0.1'; do
		# shellcheck disable=SC2086
		JPROF_TIMEOUT=0.4 ends 20 1 $verb $jvm
		case $mode in
		silent | floods | others | stalls | dribbles | unread)
			holds "$mode: jprof $verb: $(cut -c1-300 err)" grep -qE \
				"no answer within 0.4 s: waited for the agent in process $jvm to answer '(${verb%% *}|hello|start)'" err
			;;
		esac
	done
done
# What is of the wrong type is as if it were not there.
mode=types
play '{"loaded": true, "agent": "types"}'
for verb in start stop status snapshot reset; do
	JPROF_TIMEOUT=0.4 ends 20 0 $verb $jvm
done
JPROF_TIMEOUT=0.4 ends 20 0 detach $jvm
mode=stays
play '{"loaded": true, "agent": "stays"}'
JPROF_TIMEOUT=0.4 ends 20 1 detach $jvm
holds "stays: $(cat err)" grep -q "waited for the agent to leave process $jvm" err
# Without a word of the user's, too: some verbs have less to do than others.
mode=silent
play '{"loaded": true, "agent": "silent"}'
ends 30 1 status $jvm
holds "silent: $(cat err)" grep -q "no answer within 20 s: waited for the agent in process $jvm to answer 'status'" err
# On a terminal it says so meanwhile.
if command -v script >/dev/null; then
	JPROF_TIMEOUT=2.5 timeout 20 script -qec "$jprof detach $jvm" /dev/null >out 2>/dev/null </dev/null
	holds "on a terminal: $(cat -v out)" grep -q "waiting for the agent in process $jvm to answer 'detach': 1 of 3 s" out
	holds "on a terminal: $(cat -v out)" grep -q "no answer within 2.5 s" out
	JPROF_TIMEOUT=2.5 timeout 20 script -qec "stty cols 50; $jprof detach $jvm" /dev/null >out 2>/dev/null </dev/null
	holds "on a narrow terminal: $(cat -v out)" grep -q "waiting for the agent" out
	holds "on a narrow terminal: $(cat -v out)" test "$(tr '\r' '\n' <out | grep 'waiting' |
		sed 's/\x1b\[K//g' | awk 'length > m {m = length} END {print m}')" -lt 50
fi
# The JVM itself.
mode='attach socket'
play '{"dribbles": true, "answer": ""}'
JPROF_TIMEOUT=0.5 ends 20 1 attach $jvm
holds "$mode: $(cat err)" grep -q "waited for the JVM of process $jvm to load the agent" err

# What we brought goes again when the recording cannot start...
play '{"agent": "refuses"}'
says 1 "no such metric" attach $jvm
holds "the agent stays" told '"verb": *"detach"'
# ...but not if that is because somebody else records by now.
play '{"agent": "busy"}'
says 1 "a recording runs already" attach $jvm
holds "another's recording was ended" test "$(count '"verb": *"detach"')" = 0
# Whoever comes second goes on with the agent of the first.
play '{"loaded": true}'
"$jprof" attach $jvm >out1 2>err1 &
"$jprof" attach $jvm >out2 2>err2
wait $!
holds "two at once: $(cat err1 err2)" test "$(cat err1 err2 | grep -c 'recording into')" = 2
play '{"pause": 0.3}'
"$jprof" attach $jvm --start no >out1 2>err1 &
"$jprof" attach $jvm --start no >out2 2>err2
wait $!
holds "two signals" test "$(count '^quit')" = 1
holds "loaded twice" test "$(count '^attach')" = 1
holds "two at once: $(cat err1 err2)" test "$(cat err1 err2 | grep -c 'start a recording with')" = 2
# A lock that is never given back delays, and does not prevent.
play '{}'
"$python" -c 'import fcntl, os, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDONLY), fcntl.LOCK_EX)
time.sleep(100)' /proc/$jvm &
others+=($!)
sleep 0.3
export JPROF_TIMEOUT=0.5
says 0 "recording into" attach $jvm
unset JPROF_TIMEOUT

# ---- elsewhere ----
if [ "$(id -u)" = 0 ]; then
	# Another user's: what is made there is that user's.
	play '{}' setpriv --reuid 65534 --regid 65534 --clear-groups
	says 0 "recording into /tmp/jprof-$jvm.jprof" attach $jvm
	holds "other user: $(cat err jvm/log)" test "$(stat -c %u /tmp/.jprof-$jvm)" = 65534
	leaves $jvm jprof-
	# One that may not read our library gets a copy, once.
	chmod 700 bin
	play '{}' setpriv --reuid 65534 --regid 65534 --clear-groups
	for _ in 1 2; do
		says 0 "recording into /tmp/jprof-$jvm.jprof" attach $jvm
		holds "no copy: $(cat jvm/log)" told "load\|/tmp/.jprof-$jvm/libjprof-[0-9a-f]{16}.so\|"
		holds "another copy" cmp -s bin/libjprof.so /tmp/.jprof-$jvm/libjprof-*.so
		holds "copies: $(ls -l /tmp/.jprof-$jvm)" test "$(find /tmp/.jprof-$jvm -type f | wc -l)" = 1
		leaves $jvm jprof-
	done
	# What a group of ours may read is still not for the target.
	chgrp 4242 bin
	chmod 750 bin
	play '{}' setpriv --reuid 65534 --regid 65534 --clear-groups
	setpriv --groups 4242 "$jprof" attach $jvm >out 2>err
	holds "groups were kept: $(cat err jvm/log)" told "load\|/tmp/.jprof-$jvm/libjprof-"
	chgrp 0 bin
	chmod 700 bin
	# What is there already and not right is not used.
	play '{"answer": "-1\nno"}' setpriv --reuid 65534 --regid 65534 --clear-groups
	ln -s "$work" /tmp/.jprof-$jvm
	says 1 "it says: no" attach $jvm
	holds "a link was followed: $(cat jvm/log)" told 'load\|/dev/shm/.jprof-'
	chmod 755 bin
fi

# contain MOUNT WORD...: a fake in a container: other files, another /tmp (mounted with these
# options), another number; contained is its process out here.
contain() {
	local options=$1
	shift
	end_jvm
	inside=$(mktemp -d -p /var/tmp)
	chmod 777 "$inside"
	cp "$fake" "$inside/fake.py"
	"$@" -m -p -f --mount-proc bash -c "mount -t tmpfs -o $options none /tmp &&
		mount -t tmpfs none /dev/shm &&
		exec '$python' '$inside/fake.py' '$inside' '{}'" >jvm.out 2>&1 &
	others+=($!)
	for _ in $(seq 200); do
		[ -e "$inside/ready" ] && break
		sleep 0.02
	done
	contained=$(pgrep -P $!)
	rm -rf jvm && ln -s "$inside" jvm
}

end_contained() {
	kill -9 "$contained"
	rm -rf "$inside"
}

if [ "$(id -u)" = 0 ] && unshare -m -p -f --mount-proc true 2>/dev/null; then
	contain rw unshare
	says 0 "recording into /proc/$contained/root/tmp/x.jprof; end" attach "$contained" --file x.jprof
	holds "container: $(cat jvm/log)" told "load\|/tmp/.jprof-1/libjprof-[0-9a-f]{16}.so\|true\|start=no\|"
	holds "container: $(tail -1 jvm/log)" told '"file": ?"/tmp/x.jprof"'
	says 0 "snapshot 1" snapshot "$contained"
	says 0 "the profile is /proc/$contained/root/tmp/x.jprof" stop "$contained"
	says 0 "recording into /proc/$contained/root/tmp/jprof-1.jprof" start "$contained"
	leaves "$contained" jprof-
	end_contained

	contain noexec unshare
	says 0 "recording into" attach "$contained"
	holds "noexec: $(cat jvm/log)" told "load\|/dev/shm/.jprof-1/libjprof-"
	end_contained

	contain ro unshare
	says 1 "cannot have a file in its '/tmp'.*Read-only" attach "$contained"
	holds "read-only: $(cat jvm/log 2>/dev/null)" test ! -e jvm/log
	end_contained

	# Its root is a user of ours that nothing else belongs to.
	other=(setpriv --reuid 100000 --regid 100000 --clear-groups unshare -U -r)
	if "${other[@]}" -m -p -f --mount-proc true 2>/dev/null; then
		contain rw "${other[@]}"
		says 0 "recording into /proc/$contained/root/tmp/jprof-1.jprof" attach "$contained"
		holds "user namespace" test "$(stat -c %u /proc/"$contained"/root/tmp/.jprof-1)" = 100000
		leaves "$contained" jprof-
		end_contained
	fi
fi
end_jvm

echo "attach: $passed passed, $failed failed"
[ $failed = 0 ]
