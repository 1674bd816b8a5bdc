#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# io-strace: a program does I/O by every API of the JDK, under strace: operations and bytes of
# each file and connection are those that the kernel saw.
#
# Where one native method makes several system calls (docs/io.md) the bytes are compared, and
# the operations may be fewer.
. "$(dirname "$0")/common.sh"
need jq strace

# Files that such methods were used on.
several='^(large|copy|files|from-stream)$'

calls=read,pread64,readv,preadv,recvfrom,recvmsg,write,pwrite64,writev,pwritev,sendto,sendmsg
calls+=,sendfile,copy_file_range,execve

# What the kernel saw, of the threads of the program alone: "NAME reads bytes writes bytes".
kernel() {
	local file

	for file in "$work"/trace.*; do
		! grep -q 'execve(.*/cat"' "$file" || continue
		cat "$file"
	done | awk '
	# The name behind a descriptor: <PATH>, <TCPv6:[LOCAL->REMOTE]>, <pipe:[N]>.
	function name(argument) {
		if (!match(argument, /<.*>/))
			return ""
		argument = substr(argument, RSTART + 1, RLENGTH - 2)
		gsub(/::ffff:/, "", argument)
		if (argument ~ /^UNIX/)
			return "unix"
		if (argument ~ /^UDP/)
			sub(/->.*/, "]", argument)
		if (argument ~ /^(TCP|UDP)/) {
			sub(/^[A-Za-z0-9]*:\[/, "", argument)
			sub(/\]$/, "", argument)
			gsub(/[][]/, "", argument)
		}
		return argument
	}
	function add(what, side, bytes) {
		if (what == "")
			return
		ops[what, side]++
		sum[what, side] += bytes > 0 ? bytes : 0
		seen[what] = 1
	}
	{
		result = $0
		sub(/.* = /, "", result)
		result += 0
		call = $0
		sub(/\(.*/, "", call)
		arguments = $0
		sub(/^[a-z0-9_]*\(/, "", arguments)
		split(arguments, argument, /, /)
	}
	call ~ /^(read|pread64|readv|preadv|recvfrom|recvmsg)$/ { add(name(argument[1]), "r", result) }
	call ~ /^(write|pwrite64|writev|pwritev|sendto|sendmsg)$/ { add(name(argument[1]), "w", result) }
	# What the kernel would not do: another call did it.
	result < 0 && call ~ /^(sendfile|copy_file_range)$/ { next }
	call == "sendfile" { add(name(argument[2]), "r", result); add(name(argument[1]), "w", result) }
	call == "copy_file_range" { add(name(argument[1]), "r", result); add(name(argument[3]), "w", result) }
	END {
		for (n in seen)
			print n, ops[n, "r"] + 0, sum[n, "r"] + 0, ops[n, "w"] + 0, sum[n, "w"] + 0
	}'
}

# The same as the profile has it.
profile() {
	"$jprof" report "$work/p.jprof" --view files --format json | jq -r '.rows[]
		| [.path, .reads.ops, .reads.bytes, .writes.ops, .writes.bytes] | @tsv'
	"$jprof" report "$work/p.jprof" --view connections --format json | jq -r '.rows[]
		| [(if .protocol == "unix" then "unix"
			elif .protocol == "udp" or .remote == null then .local
			else .local + "->" + .remote end),
			.received.ops, .received.bytes, .sent.ops, .sent.bytes] | @tsv'
}

# Sums by name, those of the test's own files, connections and pipes, without the folder.
rows() {
	awk -v folder="$work/files/" '
		index($1, folder) == 1 || $1 ~ /->|^pipe:|^unix$/ || $1 ~ /^[0-9.]+:[0-9]+$/ {
			name = $1
			if (index(name, folder) == 1)
				name = substr(name, length(folder) + 1)
			for (i = 2; i <= 5; i++)
				sum[name, i] += $i
			seen[name] = 1
		}
		END {
			for (n in seen)
				if (sum[n, 2] + sum[n, 4] > 0)
					print n, sum[n, 2], sum[n, 3], sum[n, 4], sum[n, 5]
		}' | sort
}

# differ KERNEL PROFILE: what is not equal. A pipe that the profile does not have is one by which
# the JDK's native code starts a process.
differ() {
	awk -v several="$several" '
		NR == FNR { kernel[$1] = $0; next }
		{ seen[$1] = 1 }
		$0 == kernel[$1] { next }
		{
			split(kernel[$1], k)
			if ($1 ~ several && $3 == k[3] && $5 == k[5] && $2 <= k[2] && $4 <= k[4])
				next
			print "kernel: " kernel[$1] "; profile: " $0
		}
		END {
			for (n in kernel)
				if (!(n in seen) && n !~ /^pipe:/)
					print "not in the profile: " kernel[n]
		}' "$1" "$2"
}

for java in "${javas[@]}"; do
	"$(dirname "$java")/javac" -d "$work" "$source_dir/java-tests/agent/EveryApi.java" || exit 1
	rm -rf "$work/files" "$work"/trace.*
	mkdir "$work/files"
	strace -ff -yy -s 0 -e "trace=$calls" -o "$work/trace" "$java" \
		"-agentpath:$agent=file=$work/p.jprof" -cp "$work" EveryApi "$work/files" \
		>"$work/out" 2>"$work/err" || {
		grep -q 'ptrace.*not permitted' "$work/err" && skip 'not run: tracing is not allowed here'
		fail "the program failed: $(head -5 "$work/err")"
	}
	kernel | rows >"$work/kernel"
	profile | rows >"$work/profile"
	differences=$(differ "$work/kernel" "$work/profile")
	[ -z "$differences" ] || fail "$java:
$differences"
	[ "$(wc -l <"$work/kernel")" -gt 25 ] || fail "only $(wc -l <"$work/kernel") were traced"
	[ "$(grep -c '^pipe:' "$work/profile")" = 3 ] || fail "pipes: $(grep '^pipe:' "$work/profile")"
	[ ! -s "$work/err" ] || fail "printed: $(head -5 "$work/err")"
done
finish
