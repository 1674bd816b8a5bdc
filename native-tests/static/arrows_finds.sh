#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# arrows_finds.sh: arrows.sh finds what it is there to find, and nothing else.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failed=0

# says EXPECTED FILE LINE: a tree with that line in that file gives that answer ('' none).
says() {
	local said
	rm -rf "${root:?}"/*
	mkdir -p "$root"/{error,arch/x86_64,arch/aarch64,"$(dirname "$2")"}
	touch "$root"/arch/{x86_64,aarch64}/time_stamp.h
	printf '%s\n' "$3" >"$root/$2"
	said=$(bash "$here/arrows.sh" "$root" || true)
	if [[ ($1 == '' && $said != '') || $said != *"$1"* ]]; then
		echo "line ${BASH_LINENO[0]}: '$3' in $2: expected '$1', said '$said'"
		failed=1
	fi
}

says '' metric/a.c '#include "options/pattern.h"'
says '' metric/a.c '#include "time_stamp.h"'
says '' agent/threads/a.c '#include <jvmti.h>'
says '' agent/agent.c '#include "include/jprof.h"'
says '' agent/trace/a.c '/* never abort() */ char *s = "exit(1)"; pthread_exit(0);'
says '' agent/probes/a.c 'call->exit(1); event.exit(2); exit = 3;'
says '' cli/a.c 'int main(void) { printf("x"); exit(1); }'
says "must not include 'options/options.h'" metric/a.c '#include "options/options.h"'
says "must not include 'agent/log/log.h'" profile/a.c '#include "agent/log/log.h"'
says "must not include 'agent/trace/trace.h'" report/views/a.c '#include "agent/trace/trace.h"'
says "must not include 'agent/recording/recorder.h'" agent/session/a.h '# include "agent/recording/recorder.h"'
says "must not include 'cli/terminal/outcome.h'" report/a.c '#include "cli/terminal/outcome.h"'
says "must not include 'report/views/view.h'" report/formats/a.c '#include "report/views/view.h"'
says "must not include 'cli/commands.h'" cli/calibrate/a.c '#include "cli/commands.h"'
says "must not include 'missing.h'" metric/a.c '#include "missing.h"'
says 'an interface of the JVM' agent/trace/a.h '#include <jni.h>'
says "not in an application's process" agent/session/a.c '	abort();'
says "not in an application's process" error/a.c '	printf ("x");'
says "not in an application's process" metric/a.c '	fputs("x", stdout);'
says '' cli/a.c 'fprintf(stderr, "jprof: %d\n", 1); say("%s", name);'
says 'use say()' cli/a.c 'fprintf(stderr, "jprof: %.*s\n", 3, name);'
says 'use say()' cli/a/b.c 'fprintf(stderr,
	"jprof: %ld "
	"%-3s\n", pid, name);'
says 'other headers' arch/aarch64/spin.h ''
exit $failed
