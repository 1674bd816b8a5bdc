#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# hostile-profile: each text of a profile says something hostile, in turn and all at once. Reports
# are traced: they execute nothing, and write nothing but their output, and what is kept in the
# cache. Where they measure, with a JVM that the user named, they do so with options of their own.
. "$(dirname "$0")/common.sh"
need strace sqlite3
. "$(dirname "$0")/measuring.sh"
unset JAVA_HOME
java=${javas[-1]}

# A folder that has all of a JVM, and leaves a trace if anything in it is run.
evil=$work/evil
mkdir -p "$evil/bin" "$evil/lib"
printf '#!/bin/sh\ntouch "%s"\nexec "%s" "$@"\n' "$work/pwned" "$java" >"$evil/bin/java"
chmod 755 "$evil/bin/java"
ln -s bin/java "$evil/java"
cp "$(dirname "$(realpath "$java")")/../release" "$evil/release" 2>/dev/null

hostile=(
	"$evil"
	"$evil/bin/java"
	"\$($evil/bin/java);$evil/bin/java|$evil/bin/java"
	"fast,file=$work/pwned,config=$work/pwned"
	"-agentpath:$evil/lib/evil.so"
	"-XX:OnOutOfMemoryError=$evil/bin/java"
	"../../../../../../$evil"
	"file:$work/pwned?mode=rwc"
	"'; ATTACH '$work/pwned' AS p; CREATE TABLE p.t(a); --"
	$'\e]0;pwned\a%n%s%s%s%n'
)

# trace WHAT COMMAND...: nothing but the command itself is executed, nothing is written.
trace() {
	local what=$1

	shift
	timeout 60 strace -f -qq -o "$work/trace" \
		-e trace=execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,truncate,connect \
		"$@" >"$work/out" 2>"$work/err"
	status=$?
	[ $status -lt 3 ] || fail "$what: exit status $status: $(head -3 "$work/err")"
	[ "$(grep -c 'execve' "$work/trace")" = 1 ] ||
		fail "$what: executed $(grep execve "$work/trace" | tail -n +2)"
	# What is opened for reading, and what writes within the cache.
	grep -vE 'execve|= -1 E|open[^ ]*\(.*O_RDONLY|open[^ ]*\(.*O_PATH' "$work/trace" |
		grep -vF "\"$XDG_CACHE_HOME" >"$work/written" &&
		fail "$what: wrote $(head -3 "$work/written")"
	[ ! -e "$work/pwned" ] || fail "$what: pwned"
}

"$java" "-agentpath:$agent=file=$work/p.jprof,calls=instrument,io=records,include=agent.*" -cp "$classes" \
	agent.Workload count 100 >/dev/null 2>&1
[ -s "$work/p.jprof" ] || fail "there is no profile"

# A line each: the statement that makes one text hostile, with ? for what it says.
sqlite3 "$work/p.jprof" "
	SELECT 'UPDATE meta SET value = ? WHERE key = ''' || key || '''' FROM meta;
	SELECT 'UPDATE ' || m.name || ' SET ' || c.name || ' = ?'
	FROM sqlite_master m, pragma_table_info(m.name) c
	WHERE m.type = 'table' AND c.type = 'TEXT' AND m.name NOT LIKE 'snapshot_%';
" | grep -v 'UPDATE meta SET key' >"$work/updates"
[ "$(wc -l <"$work/updates")" -gt 40 ] || fail "too few texts: $(cat "$work/updates")"

# quoted TEXT: as SQL.
quoted() {
	printf "'%s'" "${1//\'/\'\'}"
}

# One text at a time, by the view that would measure.
while IFS= read -r update <&3; do
	cp "$work/p.jprof" "$work/one.jprof"
	for text in "${hostile[@]:0:4}"; do
		sqlite3 "$work/one.jprof" "${update/\?/$(quoted "$text")}"
		trace "$update $text" "$jprof" report "$work/one.jprof" --view methods \
			--calibration auto
	done
done 3<"$work/updates"

# All at once, and every view; but for what the file says of itself.
for text in "${hostile[@]}"; do
	cp "$work/p.jprof" "$work/all.jprof"
	while IFS= read -r update; do
		echo "${update/\?/$(quoted "$text")};"
	done <"$work/updates" | sqlite3 "$work/all.jprof"
	for view in $("$jprof" help report | sed -n '/^Views:/,/^$/p' | awk 'NF > 1 {print $1}'); do
		trace "all $text, $view" "$jprof" report "$work/all.jprof" --view "$view"
	done
done

# With a JVM that the user named what is hostile is measured by; no option of it reaches the agent,
# or the JVM. What others are measured with does not matter here.
for column in "meta SET value = ? WHERE key = 'timing'" "meta SET value = ? WHERE key = 'calls'" \
	"metric SET name = ? WHERE id = 0" "meta SET value = ? WHERE key = 'jvm.info'"; do
	for text in "${hostile[@]:3:3}"; do
		cp "$work/p.jprof" "$work/one.jprof"
		sqlite3 "$work/one.jprof" "UPDATE ${column/\?/$(quoted "$text")}"
		timeout 100 "$jprof" report "$work/one.jprof" --view methods --java "$java" \
			>"$work/out" 2>"$work/err"
		status=$?
		[ $status = 0 ] || fail "$column $text: exit status $status: $(cat "$work/err")"
		[ ! -e "$work/pwned" ] || fail "$column $text: pwned"
		grep -q '^calibration: none: ' "$work/out" || fail "$column $text: $(head -20 "$work/out")"
		left "$column $text"
	done
done
finish
