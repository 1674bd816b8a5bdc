# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# Read by ctest, before it runs a test: no test has to do with the calibrations of whoever runs it,
# and where none can be kept, none is measured unasked. Those about that have a folder of their own.
set(ENV{XDG_CACHE_HOME} /dev/null)
