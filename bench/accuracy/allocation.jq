# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# allocation: whether what a method allocates is counted to the byte, with a calibration and
# without.
#
# In: figures of one JDK and timing, with a calibration and without; $title. Out: Markdown, whose
# last line is the sum of it.
import "figures" as figures;

def own: .bytes | round;
def exact: (.bytes - own | figures::absolute) < 0.001
	and .raw_bytes == own * .iterations and .adjusted_bytes == .raw_bytes;
def each(value): if length == 0 then "" else map(value / .iterations) | figures::median end;
def with($calibration): map(select(.calibration == $calibration));

def methods: figures::groups([.program, .method])
	| map(select(any(.[]; .bytes != 0 or .raw_bytes != 0)) | [
		.[0].program, .[0].method, (map(.bytes) | figures::median),
		(with("on") | each(.raw_bytes)), (with("on") | each(.adjusted_bytes)),
		(with("off") | each(.raw_bytes)), figures::share(exact)])
	| figures::table(["program", "method", "own count", "raw", "adjusted", "`calibration=off`", "equal"]);

"### \($title): allocation, bytes an iteration", "", methods, "",
"\($title): allocation is the program's own count to the byte: \(figures::percentage(exact))"
