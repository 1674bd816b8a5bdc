# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
#
# variant: a calibration by which a delta of a sequence costs the same whatever work is in it.
#
# In: a calibration; $estimator: "minimum", what was least in the training, or "mean". Out: the
# calibration, for `jprof report --calibration`.

def figure: {minimum: ([.minimum - .environment, 0] | max), mean: .cost}[$estimator];
def only($figure): reduce ("cost", "low", "high", "work_low", "work_high") as $key
	(.; .[$key] = $figure);

# What there is up to `reach` would count as cost, too.
.metrics[].reach = 0
| .sequences[].metrics[] |= only(figure)
