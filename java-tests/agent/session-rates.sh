#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-rates: what `jprof status --watch` shows is what happened since the last look: calls and
# methods exactly those that the program made, bytes those that it wrote; it fits the terminal, and
# is a line when nobody looks.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq python3

# look: the rates since the last one, in $work/rates.
look() {
	python3 "$source_dir/java-tests/agent/control.py" "$target" ask status rates=10 >"$work/rates" ||
		fail "no rates"
}

# rated WHAT JQ-CONDITION
rated() {
	jq -e ".rates | $2" "$work/rates" >/dev/null || fail "$1: not '$2': $(jq -c .rates "$work/rates")"
}

looks() {
	local file=$work/rates.jprof

	rm -f "$file"
	jp start "$target" --file "$file" --scope Entry.service+Entry.other --include Entry+Inside \
		--metrics wall+cpu+alloc
	look
	rated "before anything" '.calls == 0 and .top == []'
	for n in 200 100; do
		tell walk $n
		look
		# Ten calls of service, one of other, and 17, 7, 1 and 2 below: five threads.
		rated "walk $n" ".calls == 38 * 5 * $n"
		rated "walk $n" "([.top[] | {(.method): .calls}] | add) == {\"Entry.service\": (50 * $n),
			\"Entry.other\": (5 * $n), \"Inside.a\": (85 * $n), \"Inside.b\": (35 * $n),
			\"Inside.c\": (10 * $n), \"Inside.fail\": (5 * $n)}"
		rated "walk $n" '([.top[].cpu] | . == (sort | reverse)) and ([.top[].cpu] | add) > 0'
		rated "walk $n" '.metrics.cpu > 0 and .metrics.alloc > 0 and .process_cpu_ns >= .metrics.cpu'
	done
	look
	rated "nothing since" '.calls == 0 and .top == [] and .io_ops == 0'
	jp stop "$target"

	rm -f "$file"
	jp start "$target" --file "$file" --include Entry --metrics wall
	look
	tell write 70
	look
	# 70 lines of 100 bytes each: inside and outside to one file, and outside to two others.
	rated "write 70" '.io_bytes >= 28000 and .io_bytes < 40000 and .io_ops >= 280 and .io_ops < 400'
	rated "without cpu" '.metrics | has("cpu") | not'
	jp stop "$target"
	look
	[ "$(jq 'has("rates")' "$work/rates")" = false ] || fail "rates of nothing: $(jq -c . "$work/rates")"
}

# As people see it: a line for each look; on a terminal some lines that fit, again and again.
shown() {
	jp start "$target" --file "$work/shown.jprof"
	tell walk 50
	timeout -s INT 2 "$jprof" status "$target" --watch=0.3 >"$work/lines" 2>"$work/told"
	[ "$(wc -l <"$work/lines")" -ge 3 ] || fail "watch: $(cat "$work/lines" "$work/told")"
	! grep -qvE '^calls/s [0-9,]+  cpu [0-9]+ %  alloc/s ' "$work/lines" ||
		fail "watch: $(head -3 "$work/lines")"
	timeout -s INT 2 "$jprof" status "$target" --watch=0.3 --all >"$work/lines" 2>"$work/told"
	[ "$(grep -c '^state' "$work/lines")" -ge 3 ] || fail "watch --all: $(head -3 "$work/lines")"
	command -v script >/dev/null || return
	for columns in 80 40; do
		timeout -s INT 2 script -qec "stty cols $columns; '$jprof' status $target --watch=0.3" /dev/null \
			</dev/null >"$work/lines" 2>/dev/null
		[ "$(sed 's/\x1b\[[0-9]*[A-Z]//g; s/\r//g' "$work/lines" | awk '
			length > m {m = length} END {print m}')" -le $columns ] || fail "watch: wider than $columns"
	done
	grep -q 'recording for ' "$work/lines" || fail "watch on a terminal: $(head -3 "$work/lines")"
	grep -q "$(printf '\033')\[[0-9]*A" "$work/lines" || fail "watch on a terminal scrolls"
	jp stop "$target"
	timeout -s INT 1 "$jprof" status "$target" --watch=0.3 >"$work/lines" 2>"$work/told"
	grep -q 'armed, nothing is recorded' "$work/lines" || fail "watch of nothing: $(head -3 "$work/lines")"
}

mkdir "$work/files"
for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$work" \
		"$source_dir/java-tests/agent/Scoped.java" || exit 1
	start_target "$java" -XX:+EnableDynamicAgentLoading -cp "$work" Scoped "$work/files"
	tell walk 1
	jp attach "$target" --start no
	looks
	shown
	jp detach "$target"
	end_target
done
finish
