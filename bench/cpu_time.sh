#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# cpu_time: what reading `cpu` costs beside the system call, and how far it is off after 10 s
# of three threads on one processor.
#
#   cpu_time.sh BUILD_DIR
exec "$1/bench/bench_cpu_time"
