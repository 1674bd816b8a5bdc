#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# before: a virtual thread is mounted before a recording begins, and ends in it without an event of its own. Its carrier
# is in no event behind that: nothing waits for it, and nothing is said.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"

compile "$here/VirtualBefore.java"
start_target "$java" -Xcheck:jni "-agentpath:$agent=start=no,file=$work/p.jprof" -cp "$work/classes" VirtualBefore
for turn in 1 2 3; do
	do_it run
	jp start "$target" --include none.such --file "$work/$turn.jprof"
	do_it end
	jp stop "$target"
done
end_target
finish
