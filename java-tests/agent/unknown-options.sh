#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# unknown-options: a key or a value that is not legal stops the JVM's start with one line that
# names the key, the value and what is legal.
. "$(dirname "$0")/common.sh"

# refused OPTIONS WORD...
refused() {
	local options=$1

	shift
	for java in "${javas[@]}"; do
		run "$java" "file=$work/p.jprof,$options" count 5
		expect_refused "$options" "$@"
		[ ! -e "$work/p.jprof" ] || fail "$options: a profile was made"
	done
}

refused colour=red colour red include exclude max_memory
refused CALLS=events CALLS calls
refused calls=sometimes calls sometimes auto events off
refused start=maybe start maybe yes no
refused metrics=wall+apples metrics apples
refused metrics= metrics
refused io=everything io everything summary records
refused timing=slow timing slow fast precise
refused max_memory=lots max_memory lots
refused max_memory=-1 max_memory -1
refused max_memory=99999999999999999999g max_memory 99999999999999999999g
refused flush=0 flush 0
refused flush=soon flush soon
refused log=loud log loud error warn info debug
refused calls calls
refused =events events
finish
