/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* histogram: see histogram.h. */
#include "profile/histogram.h"

#include <math.h>

#include "profile/varint.h"

size_t histogram_room(size_t cells)
{
	/* A bucket is below 2^14. */
	return cells * (2 + VARINT_MOST);
}

size_t histogram_encode(const struct histogram *histogram, uint8_t *bytes)
{
	uint8_t *to = bytes;
	uint32_t before = 0;

	for (size_t i = 0; i < histogram->cells; i++) {
		to = varint_put(to, histogram->cell[i].bucket - before);
		to = varint_put(to, histogram->cell[i].count);
		before = histogram->cell[i].bucket;
	}
	return (size_t)(to - bytes);
}

size_t histogram_decode(const uint8_t *bytes, size_t size, struct histogram_cell *cell)
{
	struct varints from = {bytes, bytes ? bytes + size : NULL, false};
	uint64_t bucket = 0;
	size_t cells = 0;

	while (from.at < from.end) {
		uint64_t further = varint_take(&from), count = varint_take(&from);

		bucket += further;
		if (from.wrong || (further == 0 && cells > 0) || further >= HISTOGRAM_BUCKETS ||
			bucket >= HISTOGRAM_BUCKETS || count == 0)
			return SIZE_MAX;
		if (cell)
			cell[cells] = (struct histogram_cell){(uint32_t)bucket, count};
		cells++;
	}
	return cells;
}

uint64_t histogram_count(const struct histogram *histogram)
{
	uint64_t count = 0;

	for (size_t i = 0; i < histogram->cells; i++)
		count += histogram->cell[i].count;
	return count;
}

uint64_t histogram_percentile(const struct histogram *histogram, double part)
{
	uint64_t all = histogram_count(histogram), passed = 0;
	uint64_t wanted = (uint64_t)ceil((double)all * part);

	if (wanted == 0)
		wanted = 1;
	if (wanted > all)
		wanted = all;
	for (size_t i = 0; i < histogram->cells; i++) {
		uint64_t least = histogram_least(histogram->cell[i].bucket);

		passed += histogram->cell[i].count;
		if (passed >= wanted)
			return least + (histogram_most(histogram->cell[i].bucket) - least) / 2;
	}
	return 0;
}

/* The other way round, as what is added goes behind what is there. */
uint64_t histogram_add(struct histogram *to, const struct histogram *from, int sign)
{
	size_t old = to->cells, kept = 0, at = to->cells + from->cells, i = old,
	       k = from->cells;
	uint64_t missing = 0;

	while (i > 0 || k > 0) {
		struct histogram_cell cell;
		int64_t order = i == 0   ? -1
				: k == 0 ? 1
					 : (int64_t)to->cell[i - 1].bucket -
						   (int64_t)from->cell[k - 1].bucket;

		cell = order >= 0 ? to->cell[--i]
				  : (struct histogram_cell){from->cell[k - 1].bucket, 0};
		if (order <= 0) {
			uint64_t more = from->cell[--k].count;
			uint64_t less = more < cell.count ? more : cell.count;

			missing += sign < 0 ? more - less : 0;
			cell.count = sign < 0 ? cell.count - less : cell.count + more;
		}
		to->cell[--at] = cell;
	}
	for (i = at; i < old + from->cells; i++)
		if (to->cell[i].count > 0)
			to->cell[kept++] = to->cell[i];
	to->cells = kept;
	return missing;
}
