# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# join: figures of one run, a line for each method whose truth is known.
#
# In: the view `callers` of what was recorded; $program: what Accuracy.java printed; $run,
# $calibration. Out: CPU time per iteration, ns: before and after, raw, adjusted, its error; per
# iteration, too, calls and deltas: what lies between two events, so one for each call of the
# method and each that it makes. Bytes: of an iteration by the program's own count, and of all.

def counted($metric; $key): (.[$key] // .base)[$metric];

def method: {
	calls: .self.calls,
	deltas: (.self.calls + ([.callees[].calls] | add // 0)),
	interpreted: .self.entered.interpreted,
	raw: .self | counted("cpu"; "raw_base"),
	adjusted: .self.base.cpu,
	error: (.self.error.cpu // 0),
	raw_bytes: .self | counted("alloc"; "raw_base"),
	adjusted_bytes: .self.base.alloc};

def sum: reduce .[] as $method ({}; reduce ($method | keys[]) as $key (.; .[$key] += $method[$key]));

def per_iteration($iterations): reduce ("calls", "deltas", "raw", "adjusted", "error") as $key
	(.; .[$key] /= $iterations);

if $calibration != "off" and any(.rows[]; .self.error == null)
then error("\($program[0].program): not adjusted") else . end
| .rows as $rows | $program[0] as $ran | $ran.truths[] as $truth
| $rows | map(select($truth.method == "*" or .self.method == $truth.method) | method)
| if length == 0 then error("\($ran.program): \($truth.method) is not in the profile") else . end
| sum | per_iteration($ran.iterations)
| $truth + . + {program: $ran.program, iterations: $ran.iterations, $run, $calibration}
