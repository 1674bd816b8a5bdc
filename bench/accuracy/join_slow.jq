# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# join_slow: by how much each method moved when one was made slower.
#
# In: what SlowDown.java printed of it; $plain, $slower: the view `methods` of the plain tree and
# the slower one; $run. Out: the same with `methods`: adjusted CPU time, ns an iteration, by which
# each is more, and the error.

def of($rows; $method): $rows[] | select(.method == $method);

.iterations as $iterations
| . + {$run, methods: [$slower[0].rows[] | of($plain[0].rows; .method) as $was
	| {method, moved: ((.base.cpu - $was.base.cpu) / $iterations),
		error: ([.error.cpu, $was.error.cpu] | max / $iterations)}]}
