/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * bench_rewrite FILE: how many bytes of class files rewrite_class takes a second.
 *
 * In:   what AsmSpeed wrote: classes, each behind its size in four bytes.
 * Out:  bytes in, bytes out, methods, and the median of the rounds in MB/s.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/rewrite/cursor.h"
#include "agent/rewrite/rewrite.h"

enum { WARM_UP = 3, ROUNDS = 15 };

struct totals {
	size_t in, out;
	unsigned long methods, untouched;
};

static struct rewrite_probes method_probes(void *user, const struct rewrite_method *method)
{
	uint32_t *last = user;

	return (struct rewrite_probes){.kinds = PROBE_TIMED, .id = ++*last};
}

/* ns this thread ran: other programs do not count. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static struct totals round_run(struct reader in)
{
	uint32_t last = 0;
	const struct rewrite_request request = {
		.probes = method_probes, .user = &last, .probe = "java/lang/JprofProbe"};
	struct totals totals = {0};

	while (reader_left(&in) > 0) {
		struct reader class = read_part(&in, read_u4(&in));
		struct rewrite_result result;
		size_t size = reader_left(&class);

		totals.untouched +=
			rewrite_class(class.at, size, &request, &result) != REWRITE_OK;
		totals.in += size;
		totals.out += result.bytes ? result.size : size;
		totals.methods += result.methods;
		free(result.bytes);
	}
	return totals;
}

static struct reader file_read(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct writer bytes = {0};
	uint8_t *at;

	while (file && !feof(file) && !ferror(file)) {
		at = write_room(&bytes, 1 << 20);
		if (!at)
			break;
		bytes.size -= (1 << 20) - fread(at, 1, 1 << 20, file);
	}
	if (file)
		fclose(file);
	return reader_of(bytes.bytes, bytes.size);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	struct reader in = file_read(argc > 1 ? argv[1] : "");
	double speed[ROUNDS];
	struct totals totals;

	if (reader_left(&in) == 0) {
		fprintf(stderr, "usage: %s FILE\n", *argv);
		return 2;
	}
	for (int i = -WARM_UP; i < ROUNDS; i++) {
		double start = now();

		totals = round_run(in);
		if (i >= 0)
			speed[i] = (double)totals.in * 1e3 / (now() - start);
	}
	qsort(speed, ROUNDS, sizeof(*speed), compare);
	printf("%zu %zu %lu %.1f\n", totals.in, totals.out, totals.methods, speed[ROUNDS / 2]);
	free((uint8_t *)in.end - (in.end - in.at));
	return totals.untouched > 0;
}
