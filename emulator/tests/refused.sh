#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# refused.sh BUILD_DIR: a JVM that is to count what this machine cannot count does not start,
# and one line says which metric it is.
set -euo pipefail

build=$1
status=0
said=$(java "-agentpath:$PWD/$build/libjprof.so=metrics=instructions,file=/tmp/refused.jprof" \
	-Djava.library.path="$build/counters" -cp "$build/counters" Counters 1 1 2>&1) || status=$?
echo "$said"
((status != 0))
[[ $(grep -c '^jprof: ' <<<"$said") == 1 ]]
grep -q "^jprof: .*'instructions'" <<<"$said"
[[ ! -e /tmp/refused.jprof ]]
