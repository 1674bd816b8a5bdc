#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# paths: virtual threads that leave their carriers in every way and depth, and come back to
# others: each call stands on the path that its own program has written down, and nowhere else.
#   SUSPEND=1   while another agent suspends and resumes them
#   LOCKS=1     the JDK's locks are recorded, too
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
recorded='Calls*'
[ -z "${LOCKS:-}" ] || recorded+='+java.util.concurrent.locks.*'
[ -z "${SUSPEND:-}" ] || {
	jvm_words+=("-agentpath:$classes/../libvirtual.so")
	known_end='^suspended [0-9]+$'
}

compile "$here"/{Told,Native,VirtualPaths}.java
program "$recorded" '' VirtualPaths ${LOCKS:+locks}
# What has been a virtual thread, and has waited as one, before anything is recorded.
[ "$way" != attach ] || do_it 'do' builder deep pinned throwing
attach
do_it 'do' all
do_it truth "$work/truth"
end_program
[ -z "${SUSPEND:-}" ] || [ -n "$platform" ] ||
	[ "$(sed -n 's/^suspended //p' "$work/answer")" -gt 100 ] ||
	fail "few were suspended: $(cat "$work/answer")"
compare paths "$work/p.jprof" "$work/truth"
finish
