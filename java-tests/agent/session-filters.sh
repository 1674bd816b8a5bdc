#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# session-filters: a filter that matches nothing is told whoever asks for the recording, with the
# names that come near, and not the program's standard error; and a report of a profile that is
# empty for that says so first. A report of a JVM that records shows what it did until now.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/target.sh"
need jq

# says WHAT FILE WORD...: a line in the file holds them all.
says() {
	local what=$1 file=$2 lines word

	shift 2
	lines=$(cat "$file")
	for word in "$@"; do
		lines=$(grep -F -- "$word" <<<"$lines")
	done
	[ -n "$lines" ] || fail "$what: no line with '$*' in: $(head -5 "$file")"
}

# silent WHAT FILE WORD
silent() {
	! grep -qF -- "$3" "$2" || fail "$1: '$3' is in: $(grep -F -- "$3" "$2" | head -3)"
}

# report PROFILE WORDS...: its first lines, in $work/report.
report() {
	local profile=$1

	shift
	"$jprof" report "$profile" --calibration off "$@" >"$work/report" 2>"$work/told" ||
		fail "report $profile $*: $(head -3 "$work/told")"
	head -3 "$work/report" >"$work/top"
}

# wrong OPTION PATTERN NEAR: told at the start, by status, at the stop, and at the top of the report.
wrong() {
	local option=$1 pattern=$2 near=$3 file=$work/wrong.jprof

	rm -f "$file"
	jp start "$target" --file "$file" "--$option" "$pattern" || return
	says "start --$option" "$work/told" "$option=$pattern" "'$near'"
	tell walk 3
	jp status "$target"
	says "status of --$option" "$work/said" "$option=$pattern" "'$near'"
	jp status "$target" --format json
	jq -e --arg near "$near" '.matches[0].matches == 0 and (.matches[0].near | index($near)) == 0' \
		"$work/said" >/dev/null || fail "status of --$option: $(jq -c .matches "$work/said")"
	jp stop "$target"
	says "stop of --$option" "$work/told" "$option=$pattern" "'$near'"
	says "stop of --$option" "$work/told" "no call was recorded: nothing matches '$option'"
	report "$file"
	says "report of --$option" "$work/top" "no call was recorded: nothing matches '$option'"
	says "report of --$option" "$work/top" "$option=$pattern" "'$near'"
}

some() {
	local file=$work/some.jprof

	rm -f "$file"
	jp start "$target" --file "$file" --include 'Entry+Insied+Outside' --threads 'main+odl-*'
	says "one of some" "$work/told" "include=Insied" "'Inside'"
	says "one of some" "$work/told" "threads=odl-*" "'old-*'"
	silent "one of some" "$work/told" "include=Entry"
	tell walk 3
	jp status "$target" --format json
	jq -e '[.matches[] | select(.matches > 0) | .pattern] == ["Entry", "Outside", "main"]' \
		"$work/said" >/dev/null || fail "one of some: $(jq -c .matches "$work/said")"
	jp stop "$target"
	silent "one of some" "$work/told" "no call was recorded"
	report "$file"
	says "one of some" "$work/top" "include=Insied"
	report "$file" --format json
	jq -e '.rows | length > 3' "$work/report" >/dev/null || fail "one of some: no JSON"
}

# What comes later, and matches then: nothing is left to be said.
later() {
	local file=$work/later.jprof

	rm -f "$file"
	jp start "$target" --file "$file" --threads 'late-*+new-*'
	says "later" "$work/told" "threads=new-*: no thread of this name is there yet"
	tell walk 3
	jp stop "$target"
	silent "later" "$work/told" "new-*"
	says "later" "$work/told" "threads=late-*"
	rm -f "$file"
	jp start "$target" --file "$file" --threads 'new-*'
	tell walk 3
	jp stop "$target"
	silent "later, alone" "$work/told" "matches"
}

# attach --duration of nothing is a failure; of something it is none.
duration() {
	local file=$work/duration.jprof status

	for scope in Entry.srevice Entry.service; do
		rm -f "$file"
		"$jprof" attach "$target" --duration 0.5 --file "$file" --scope $scope 2>"$work/told"
		status=$?
		[ $status = $([ $scope = Entry.service ] && echo 0 || echo 1) ] ||
			fail "attach --duration --scope $scope: exit status $status"
	done
	silent "attach --duration" "$work/told" "scope="
	rm -f "$file"
	"$jprof" attach "$target" --duration 0.5 --file "$file" --scope Entry.srevice 2>"$work/told"
	says "attach --duration" "$work/told" "scope=Entry.srevice" "'Entry.service'"
	says "attach --duration" "$work/told" "no call was recorded"
}

# At once after the start, long before the first flush that is due.
flushed() {
	local file=$work/flushed.jprof

	rm -f "$file"
	jp start "$target" --file "$file" --flush 3600
	tell walk 50
	for view in tree methods summary; do
		report "$file" --view $view
		says "a report of what runs" "$work/top" "process $target still records" "of now"
	done
	calls_of "$file" '^Entry$' | grep -q '^Entry.service 2[0-9]*' ||
		fail "a report of what runs: $(calls_of "$file" '^Entry$')"
	[ "$(calls_of "$file" '^Inside$' | grep -c .)" -ge 3 ] || fail "a report of what runs lacks Inside"
	tell walk 50
	before=$(calls_of "$file" '^Inside$' | head -1)
	jp stop "$target"
	[ "$before" = "$(calls_of "$file" '^Inside$' | head -1)" ] ||
		fail "calls were not there before the stop: $before"
	report "$file"
	silent "a report of what has ended" "$work/top" "still records"
}

# Of a JVM that records and has not made a call yet, of one that has made none, of one that has.
without_calls() {
	local file=$work/quiet.jprof view

	rm -f "$file"
	jp start "$target" --file "$file" --flush 3600 --scope Entry.service
	for view in overview tree methods threads; do
		report "$file" --view $view
		says "$view without calls" "$work/top" "still records" "of now"
		grep -qx 'no call was recorded yet' "$work/top" || fail "$view without calls: $(cat "$work/top")"
	done
	"$jprof" report "$file" --view methods --format json --calibration off | jq -e '.rows' >/dev/null ||
		fail "no JSON without calls"
	tell walk 3
	report "$file"
	silent "a report with calls" "$work/report" "no call was recorded"
	jp stop "$target"
	report "$file"
	silent "a report with calls" "$work/report" "no call was recorded"

	rm -f "$file"
	jp start "$target" --file "$file" --scope Entry.service
	jp stop "$target"
	report "$file"
	grep -qx 'no call was recorded' "$work/top" || fail "ended without calls: $(cat "$work/top")"

	rm -f "$file"
	jp start "$target" --file "$file" --calls off
	report "$file"
	silent "calls=off" "$work/report" "no call was recorded"
	jp stop "$target"

	rm -f "$file"
	jp start "$target" --file "$file" --scope Entry.srevice
	report "$file"
	says "nothing matches yet" "$work/top" "no call was recorded yet: nothing matches 'scope'"
	jp stop "$target"
}

# Somebody else has the lock: whoever that is is not asked, and the figures are shown.
held() {
	local file=$work/held.jprof

	jp start "$target" --file "$work/flushed2.jprof"
	tell walk 3
	jp stop "$target"
	cp "$work/flushed2.jprof" "$file"
	flock -x "$file" sleep 100 &
	sleep 0.3
	report "$file"
	says "held by another" "$work/top" "still records" "s old"
	kill $!
	wait $! 2>/dev/null
}

# With jprof run, whatever becomes of the program's standard error; the exit status is the program's.
run_wrong() {
	local java=$1 status

	"$jprof" run --file "$work/run.jprof" --include 'agent.Worklaod' -- "$java" -cp "$classes" \
		agent.Workload count 300 >"$work/out" 2>"$work/told"
	status=$?
	[ $status = 7 ] || fail "run: exit status $status"
	says "run" "$work/told" "include=agent.Worklaod" "'agent.Workload'"
	says "run" "$work/told" "no call was recorded: nothing matches 'include'"
	[ "$(grep -c 'agent.Worklaod' "$work/told")" = 1 ] || fail "run: told more than once: $(cat "$work/told")"
	printf '#!/bin/sh\n"%s" -cp "%s" agent.Workload count 300 2>/dev/null\n' "$java" "$classes" >"$work/script"
	chmod +x "$work/script"
	"$jprof" run --file "$work/run2.jprof" --include 'agent.Worklaod' -- "$work/script" \
		>"$work/out" 2>"$work/told"
	says "run of a script" "$work/told" "include=agent.Worklaod" "'agent.Workload'"
}

for java in "${javas[@]}"; do
	run_wrong "$java"
	mkdir -p "$work/files"
	"$(dirname "$java")/javac" -XDsuppressNotes -d "$work" \
		"$source_dir/java-tests/agent/Scoped.java" || exit 1
	start_target "$java" -XX:+EnableDynamicAgentLoading -cp "$work" Scoped "$work/files"
	tell walk 1
	jp attach "$target" --start no
	wrong scope Entry.srevice Entry.service
	wrong scope Etnry.service Entry.service
	wrong include 'Entri' Entry
	wrong threads 'odl-*' 'old-*'
	some
	later
	flushed
	without_calls
	held
	jp detach "$target"
	duration
	end_target
done
finish
