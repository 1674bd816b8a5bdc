#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# format.sh SOURCES: every C file is as .clang-format has it. Other releases of clang-format than
# the one named there lay some lines out otherwise: without that one the test is skipped.
set -euo pipefail
cd "$1"

release=$(sed -n 's/^# clang-format \([0-9]*\).*/\1/p' .clang-format)
for program in "clang-format-$release" clang-format none; do
	[[ $("$program" --version 2>/dev/null) == *" version $release."* ]] && break
done
if [[ $program == none ]]; then
	echo "there is no clang-format $release"
	exit 77
fi
# Not what CMake makes, nor hidden folders.
find . -type d '(' -path './.*' -o -exec test -e '{}/CMakeCache.txt' ';' ')' -prune -o -name '*.[ch]' -print0 |
	xargs -0 "$program" --dry-run --Werror --ferror-limit=1
