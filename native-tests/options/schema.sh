#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# schema.sh ROOT: schema.py, by whichever Python has the module jsonschema: where somebody
# installed one beside the distribution's, the package is in the latter.
set -u
here=$(dirname "$(readlink -f "$0")")
for python in python3 /usr/bin/python3; do
	"$python" "$here/schema.py" "$1"
	status=$?
	[ $status = 77 ] || exit $status
done
exit 77
