#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# regression: a fuzzer over its corpus, and some thousand mutations of it: always the same ones.
#
#   regression.sh PROGRAM RUNS SOURCE_DIR BUILD_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$3/native-tests/fuzz/corpus.sh" "$(basename "$1")" "$work" "$3" "$4" >/dev/null
"$1" "$2" "$work"
