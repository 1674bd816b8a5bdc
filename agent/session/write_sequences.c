/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_sequences: see write_sequences.h. There are some dozens; all are written each time. */
#include "agent/session/write_sequences.h"

#include <stdlib.h>

_Static_assert((int)SEQUENCE_CODES == PROFILE_SEQUENCE_CODES, "a file has room for every code");

static int put_cell(struct profile_writer *profile, unsigned metrics, uint32_t code,
	const uint64_t *cell, struct error *error)
{
	uint64_t sum[METRIC_MAX], min[METRIC_MAX];
	struct profile_sequence sequence = {
		.code = code, .count = cell[0], .sum = sum, .min = min};
	struct sequence_words words;

	if (!sequence_to_words(code, &words))
		return 0;
	for (unsigned i = 0; i < metrics; i++) {
		sum[i] = cell[1 + 2 * i];
		min[i] = cell[2 + 2 * i];
	}
	sequence.first = words.first;
	sequence.begin = words.begin;
	sequence.second = words.second;
	sequence.end = words.end;
	sequence.third = words.third;
	return profile_put(profile, &sequence, error);
}

int sequences_put(struct trace *trace, unsigned metrics, struct profile_writer *profile,
	uint64_t *uncounted, struct error *error)
{
	uint64_t *cells = calloc(trace_sequences_words(metrics), sizeof(*cells));
	int status = 0;

	if (!cells)
		return error_set(error, ERROR_MEMORY, "no memory to write the profile");
	*uncounted = trace_sequences(trace, cells);
	for (uint32_t code = 0; code < SEQUENCE_CODES && status == 0; code++) {
		const uint64_t *cell = &cells[code * sequence_words_of(metrics)];

		if (cell[0] > 0)
			status = put_cell(profile, metrics, code, cell, error);
	}
	free(cells);
	return status;
}
