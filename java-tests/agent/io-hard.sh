#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-hard: I/O that is easily counted wrong, and that is easily broken by who looks on: inherited
# descriptors, closes under a reader, transfers, 10,000 open files and no descriptor left, names
# of any bytes and of any length, disks that are full, fields that hide others, locks. The program prints and returns the same
# as without the agent, and each file and connection has what the program says it did.
. "$(dirname "$0")/common.sh"
need jq sqlite3

# prepare PART: the same folder for each run.
prepare() {
	# Its paths are too long for a command that takes them whole.
	chmod -R u+w "$work/files" 2>/dev/null
	rm -rf "$work/files"
	mkdir -p "$work/files/tiny" "$work/files/names"
	head -c 10000 /dev/zero >"$work/files/in"
	head -c 3456 /dev/zero >"$work/files/seven"
	head -c 11 /dev/zero >"$work/files/names/"$'\xff\xfe'
	head -c 22 /dev/zero >"$work/files/names/latin-"$'\xe9'
	head -c 33 /dev/zero >"$work/files/names/utf-"$'\xc3\xa9'
}

# What the part is started by, after "--" the program's words: its own limits, its own mounts.
# shellcheck disable=SC2016
within() {
	local part=$1
	shift
	case $part in
	limit) (ulimit -n 128 && exec "$@") ;;
	tiny) unshare -rm bash -c 'mount -t tmpfs -o size=64k none "$0" && exec "$@"' \
		"$work/files/tiny" "$@" ;;
	read-only) unshare -rm bash -c 'mount -t tmpfs none "$0" && echo text >"$0/there" &&
		mount -o remount,ro "$0" && exec "$@"' "$work/files/tiny" "$@" ;;
	names) LC_ALL=C "$@" ;;
	*) "$@" ;;
	esac
}

# once JAVA PART [AGENT-WORD]: leaves out, err, facts; sets status.
once() {
	local java=$1 part=$2

	shift 2
	prepare
	within "$part" timeout 100 "$java" "$@" --add-opens java.base/java.io=ALL-UNNAMED \
		-cp "$work" IoHard "$part" "$work/facts" "$work/files" \
		<"$work/files/in" 7<"$work/files/seven" >"$work/out" 2>"$work/err"
	status=$?
}

# What the profile says of each path and pair of addresses, all its rows together.
profile() {
	"$jprof" report "$work/p.jprof" --view files --format json | jq -r '.rows[] | ["F", .path,
		.opens, .closes, .failures, .reads.ops, .reads.bytes, .writes.ops, .writes.bytes] | @tsv'
	"$jprof" report "$work/p.jprof" --view connections --format json | jq -r '.rows[] | ["C",
		.local + " " + (.remote // ""), .closes, .received.bytes, .sent.bytes] | @tsv'
}

# The facts that the profile does not have, each with what it has instead.
differences() {
	sed 's/^\(C\t[^\t]*\)\t/\1 /' "$work/facts" >"$work/expected"
	profile | awk -F '\t' '
		NR == FNR {
			for (i = 3; i <= NF; i++)
				sum[$1, $2, i] += $i
			next
		}
		{
			facts++
			bad = 0
			found = ""
			for (i = 3; i <= NF; i++) {
				bad += $i != "-" && $i != sum[$1, $2, i] + 0
				found = found " " sum[$1, $2, i]
			}
			if (bad)
				print "expected " $0 "; found" found
		}
		END { if (facts == 0) print "no facts" }' - "$work/expected"
}

# Of the limit: the agent has some descriptors of its own, so the program had some less.
check_limit() {
	local plain with

	plain=$(grep -x '[0-9]*' "$work/plain.err") with=$(grep -x '[0-9]*' "$work/err")
	echo "limit: $plain files without the agent, $with with it"
	[ "$with" -ge $((plain - 8)) ] || fail "limit: $with files instead of $plain"
	sed -i '/^[0-9]*$/d' "$work/plain.err" "$work/err"
}

# The bytes of a name, as they are; reports show '?' for what is not UTF-8.
check_names() {
	local name size found

	for name in fffe:11 6c6174696e2de9:22 7574662dc3a9:33; do
		size=${name#*:} name=${name%:*}
		found=$(query "$work/p.jprof" "SELECT sum(amount) FROM account JOIN file ON file.id = subject
			WHERE lower(hex(name)) LIKE '%2f6e616d65732f$name'")
		[ "$found" = "$size" ] || fail "$1: '$found' bytes of a name of bytes $name, not $size"
	done
	"$jprof" report "$work/p.jprof" --view files --format json | iconv -f UTF-8 -t UTF-8 >/dev/null ||
		fail "$1: the report is not UTF-8"
}

possible() {
	case $1 in
	many)
		[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 11000 ] || {
			echo "$1: not run: no more than $(ulimit -Hn) descriptors are allowed here"
			return 1
		} ;;
	tiny | read-only)
		within "$1" true 2>/dev/null || {
			echo "$1: not run: mounting is not allowed here"
			return 1
		} ;;
	esac
}

# part JAVA PART
part() {
	local plain

	once "$1" "$2"
	plain=$status
	mv "$work/out" "$work/plain.out"
	mv "$work/err" "$work/plain.err"
	rm -f "$work/p.jprof"
	# So that 10,000 closed files stay rows of their own.
	once "$1" "$2" "-agentpath:$agent=file=$work/p.jprof,max_memory=2g"
	[ "$2" != limit ] || check_limit
	[ "$status" = "$plain" ] || fail "$1, $2: exit status $status, $plain without the agent"
	cmp "$work/plain.out" "$work/out" || fail "$1, $2: $(diff "$work/plain.out" "$work/out")"
	cmp "$work/plain.err" "$work/err" || fail "$1, $2: $(diff "$work/plain.err" "$work/err")"
	[ "$plain" = 5 ] || [ "$2 $plain" = 'limit 1' ] ||
		fail "$1, $2: exit status $plain: $(head -5 "$work/plain.err")"
	differences >"$work/differences"
	[ ! -s "$work/differences" ] || fail "$1, $2: $(head -5 "$work/differences")"
	[ "$2" != names ] || check_names "$1"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/IoHard.java" || exit 1
	for name in inherited sockets transfers many limit deleted names full tiny read-only \
		fields locks; do
		! possible $name || part "$java" $name
	done
done
finish
