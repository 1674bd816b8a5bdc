#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# tree: what an entry and an exit cost in the call tree, and how large a node is.
#
#   tree.sh BUILD_DIR
exec "$1/bench/bench_tree"
