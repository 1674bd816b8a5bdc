#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# exports: libjprof.so gives the three functions of an agent and those of include/jprof.h,
# and needs nothing but the C library.
. "$(dirname "$0")/common.sh"
need nm readelf

nm -D --defined-only "$agent" | awk '{print $NF}' | sed 's/@.*//' | sort >"$work/found"
{
	echo Agent_OnLoad Agent_OnAttach Agent_OnUnload | tr ' ' '\n'
	grep -E '^JPROF_API ' "$source_dir/include/jprof.h" | grep -oE '\bjprof_[a-z0-9_]+\(' |
		tr -d '('
} | sort -u >"$work/expected"
diff -u "$work/expected" "$work/found" || fail "exported symbols differ from the allowed ones"

readelf -d "$agent" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -v -x -E 'libc\.so\.6|libm\.so\.6|ld-linux.*' >"$work/foreign"
[ ! -s "$work/foreign" ] || fail "needs more than the C library: $(cat "$work/foreign")"
readelf -d "$agent" | grep -q '(TEXTREL)' && fail "has text relocations"
readelf -lW "$agent" | grep -q 'GNU_STACK.*RWE' && fail "wants an executable stack"
finish
