#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# scopes: scoped values and structured concurrency: each call stands on the path that its own
# program has written down.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
feature=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/ *java.specification.version = //p')
# A preview, which is another in every release.
[ "$feature" = 25 ] || skip "not run: this is written for JDK 25, not $feature"

compile --enable-preview --release "$feature" "$here"/{Told,VirtualScopes}.java
jvm_words+=(--enable-preview)
program 'Scopes*' '' VirtualScopes
attach
do_it 'do' 40
do_it truth "$work/truth"
end_program
compare scopes "$work/p.jprof" "$work/truth"
finish
