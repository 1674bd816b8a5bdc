#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# separate: 500 virtual threads have 500 rows, each with the calls of that thread.
. "$(dirname "$0")/../agent/common.sh"
. "$(dirname "$0")/../agent/target.sh"
. "$(dirname "$0")/common.sh"
option=virtual=separate
[ -z "$platform" ] || option=

compile "$here"/{Told,Native,VirtualPaths}.java
program 'Calls*' "$option" VirtualPaths separate
attach
do_it named 500
do_it truth "$work/truth"
end_program
compare '500 rows' "$work/p.jprof" "$work/truth"
finish
