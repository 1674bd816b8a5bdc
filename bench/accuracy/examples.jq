# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# examples: what no subtraction gives back.
#
# In: figures of one JDK and timing; $title. Out: Markdown.
import "figures" as figures;

def median_of(value): map(value) | figures::median | figures::short;

"### \($title): work that is spared without probes, all methods together, an iteration", "",
(figures::groups(.program) | map([
	.[0].program, median_of(figures::truth), median_of(.raw),
	"\(median_of(.adjusted)) ±\(median_of(.error))", median_of(.bytes),
	median_of(.adjusted_bytes / .iterations)])
| figures::table(["example", "truth, ns", "raw", "adjusted", "truth, bytes", "counted"]))
