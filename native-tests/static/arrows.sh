#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# arrows.sh ROOT: every #include points to the same room or to one below it, the JVM's
# interfaces are known to agent/jvm and the rooms above it only, what runs inside the JVM
# neither ends it nor prints to its standard output, each processor has the same headers, and
# texts reach the terminal by one way. A line for each thing that is not so. Exit: 0 none, 1 some.
set -euo pipefail
cd "$1"

# What a room may include beside itself: rooms, or single headers. Bottom up: a room stands
# below all that include it. Headers without a folder are those of arch/<cpu>.
rooms=(
	# room           may include
	"error"
	"arch            error"
	"options         error"
	"metric          error arch options/pattern.h options/nearest.h"
	"symbols         error"
	"profile         error options/pattern.h"
	"calibration     error profile"
	"components      error options/pattern.h options/nearest.h profile"
	"agent/log       error options"
	"agent/lock      error"
	"agent/values    error options agent/lock"
	"agent/stack     error arch symbols/modules.h"
	"agent/code      error profile agent/lock"
	"agent/rewrite   error"
	"agent/trace     error arch metric profile/kinds.h profile/histogram.h profile/small_tree.h calibration/sequence.h agent/log agent/lock agent/values"
	"agent/io        error profile/kinds.h profile/name_pattern.h agent/lock"
	"agent/jvm       error options metric profile agent/log agent/lock"
	"agent/methods   error options profile agent/log agent/lock agent/values agent/rewrite/rewrite.h agent/jvm"
	"agent/session   error options metric profile calibration components agent/log agent/lock agent/values agent/trace agent/io"
	"agent/threads   error arch/read_mostly.h metric agent/log agent/lock agent/trace agent/io agent/jvm agent/methods agent/session"
	"agent/sample    error arch options metric symbols profile agent/log agent/lock agent/stack agent/code agent/trace agent/jvm agent/methods agent/session agent/threads"
	"agent/probes    error arch options/pattern.h options/parameter_choice.h options/parameter_sets.h metric profile agent/log agent/lock agent/values agent/rewrite agent/trace agent/jvm agent/methods agent/session agent/threads agent/sample"
	"agent/io_calls  error arch/read_mostly.h metric profile agent/log agent/lock agent/trace agent/io agent/jvm agent/methods agent/session agent/threads agent/sample agent/probes/native_thunk.h"
	"agent/tracers  error arch options metric profile agent/log agent/lock agent/stack agent/code agent/rewrite agent/trace agent/jvm agent/methods agent/session agent/threads agent/sample agent/probes"
	"agent/recording error options metric profile agent/log agent/lock agent/values agent/trace agent/jvm agent/methods agent/session agent/threads agent/probes agent/io_calls agent/sample agent/tracers"
	"agent/inside    error agent/log agent/values agent/trace agent/jvm agent/session agent/threads agent/recording"
	"agent/control   error agent/lock"
	"agent           error options metric profile agent/log agent/trace agent/jvm agent/session agent/threads agent/probes agent/io_calls agent/recording agent/inside agent/control agent/code agent/sample agent/tracers include"
	"report/text     error profile/store.h"
	"report/model    error options/pattern.h options/nearest.h metric profile calibration components report/text"
	"report/findings error profile report/text report/model"
	"report/source   error agent/io/archive.h"
	"report/formats  error profile report/text report/model"
	"report/views    error profile calibration components report/text report/model report/findings report/source report/formats"
	"report/exports  error options/pattern.h profile components report/text report/model"
	"report          error options profile components report/text report/model report/formats report/views"
	"report/diff     error options profile report/text report/model report/formats"
	"report/page     error options profile report/text report/model report/formats report/views report"
	"cli/terminal    error options/nearest.h options/number.h"
	"cli/attach      error options agent/control/protocol.h cli/terminal"
	"cli/record      error options profile cli/terminal cli/attach"
	"cli/java        error options profile calibration cli/terminal cli/attach"
	"cli/calibrate   error options profile calibration report/model cli/terminal cli/attach cli/java"
	"cli/selftest    error report/model"
	"cli/reading     error profile report/text report/model cli/terminal cli/record cli/calibrate"
	"cli/page        error profile report/text report/model report/page cli/terminal cli/reading"
	"cli/open        error options profile report/text report/model report/formats report/views report/page report cli/terminal cli/attach cli/record cli/reading cli/page"
	"cli             error options metric profile calibration components report/text report/model report/source report/formats report/views report/exports report/diff report cli/terminal cli/attach cli/record cli/java cli/calibrate cli/selftest cli/reading cli/page cli/open report/page"
)

# Who may include jni.h and jvmti.h.
jvm_interface='^agent/(agent\.c|life\.[ch]|(jvm|methods|threads|sample|probes|io_calls|tracers|recording|inside)/)'

# Rooms that live in somebody else's process, and what must not be called or named there.
guests='^(error|arch|options|metric|symbols|profile|calibration|components|agent)/'
calls='exit|_exit|_Exit|quick_exit|abort|printf|vprintf|puts|putchar|putchar_unlocked'
forbidden="(^|[^A-Za-z0-9_.>])(($calls)[[:space:]]*\\(|stdout([^A-Za-z0-9_]|\$))"

# room_of PATH: its room in $room: the longest row of the table that the path starts with.
declare -A known_rooms=()
room_of() {
	local row name folder=${1%/*}
	if [[ ! ${known_rooms[$folder]+known} ]]; then
		known_rooms[$folder]=''
		for row in "${rooms[@]}"; do
			name=${row%% *}
			if [[ $folder/ == "$name"/* ]] && ((${#name} > ${#known_rooms[$folder]})); then
				known_rooms[$folder]=$name
			fi
		done
	fi
	room=${known_rooms[$folder]}
}

# may_include ROOM HEADER
may_include() {
	local row allowed words room
	room_of "$2"
	for row in "${rooms[@]}"; do
		[[ ${row%% *} == "$1" ]] || continue
		read -ra words <<<"$row"
		for allowed in "${words[@]}"; do
			[[ $2 == "$allowed" || $room == "$allowed" ]] && return 0
			[[ $allowed == include && $2 == include/* ]] && return 0
			[[ $allowed == arch && $2 != */* && -e arch/x86_64/$2 ]] && return 0
		done
	done
	return 1
}

check_arrows() {
	local file header room
	grep -rHoE --include='*.[ch]' '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]+"' \
		"${folders[@]}" | sed 's/:[^"]*"/ /; s/"$//' |
		while read -r file header; do
			room_of "$file"
			may_include "$room" "$header" ||
				echo "$file: room '$room' must not include '$header'"
		done
}

check_jvm_interface() {
	grep -rlE --include='*.[ch]' '#[[:space:]]*include[[:space:]]*["<](.*/)?(jni|jvmti)\.h[">]' \
		"${folders[@]}" | grep -vE "$jvm_interface" |
		sed "s/$/: includes an interface of the JVM's, which only jvm and the rooms above it may/"
}

# Prints a C file without its comments and the insides of its strings, lines as they were.
without_comments() {
	awk '!comment && quote == "" && !/["\x27\/]/ { print; next }
	{
		out = ""
		for (i = 1; i <= length($0); i++) {
			c = substr($0, i, 1)
			two = substr($0, i, 2)
			if (comment) {
				if (two == "*/") { comment = 0; i++ }
			} else if (quote != "") {
				if (c == "\\") i++
				else if (c == quote) quote = ""
			} else if (two == "/*") { comment = 1; i++ }
			else if (two == "//") break
			else if (c == "\"" || c == "\x27") { quote = c; out = out c }
			else out = out c
		}
		print out
	}' "$1"
}

check_guests() {
	local file
	find "${folders[@]}" -name '*.[ch]' | grep -E "$guests" | sort |
		while read -r file; do
			without_comments "$file" | grep -nE "$forbidden" |
				sed "s|^|$file:|; s|\$|   <- not in an application's process|" || true
		done
}

check_processors() {
	local cpu reference=arch/x86_64
	for cpu in arch/*/; do
		diff <(ls "$reference") <(ls "$cpu") >/dev/null ||
			echo "$cpu: other headers than in $reference"
	done
}

# Lines of the command that hold a text: by way of say(), which makes them harmless.
check_said() {
	[[ -d cli ]] || return 0
	grep -rPzoH --include='*.[ch]' 'fprintf\(stderr,[^;]*%[-*0-9.]*s' cli | tr '\0' '\n' |
		sed -nE 's/^(cli[^:]*):.*/\1: prints a text on standard error: use say()/p' |
		# The progress of its own two runs.
		grep -vE '^cli/calibrate/calibrate\.c:'
}

folders=()
for folder in error arch options metric symbols profile calibration agent report cli; do
	if [[ -d $folder ]]; then
		folders+=("$folder")
	fi
done
found=$(
	check_arrows
	check_jvm_interface || true
	check_guests
	check_processors
	check_said || true
)
if [[ -n $found ]]; then
	echo "$found"
	exit 1
fi
