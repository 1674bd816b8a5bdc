/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * frames: what stands in stacks, numbered as it is met: a method, or one with a line of its source. Formats with
 * tables name them by these numbers, and write the tables afterwards.
 */
#ifndef JPROF_REPORT_EXPORT_FRAMES_H
#define JPROF_REPORT_EXPORT_FRAMES_H

#include "profile/pairs.h"
#include "report/exports/stacks.h"

/* What is to be said of a method. Texts are zero-terminated; "": there is none. */
struct frame {
	struct label name;    /* as reports show it */
	struct label system;  /* class.name(I)V: tells all methods apart */
	struct label file;    /* com/acme/Foo.java */
	struct label library; /* of what is no Java method: libc.so.6, [kernel] */
	enum method_kind kind;
};

struct frames {
	const struct model *model;
	struct pairs places; /* of method and line */
	struct frame *known; /* by method; those without a name are not yet known */
};

/* Memory is the model's, but for places. 0, or -1 without memory. Embedded (frames_fini, also after a failure). */
int frames_init(struct frames *frames, const struct model *model);
void frames_fini(struct frames *frames);

/* 1, 2, ...; 0 without memory. line 0: not known. */
static inline uint32_t frames_take(struct frames *frames, uint32_t method, uint32_t line)
{
	return pairs_take(&frames->places, method, line);
}

static inline size_t frames_count(const struct frames *frames)
{
	return frames->places.count;
}

static inline uint32_t frames_method(const struct frames *frames, size_t number)
{
	return (uint32_t)(frames->places.key[number - 1] >> 32);
}

static inline uint32_t frames_line(const struct frames *frames, size_t number)
{
	return (uint32_t)frames->places.key[number - 1];
}

/* Of a method, or one of stacks.h's numbers. Borrowed, for as long as the model is there. */
const struct frame *frames_of(struct frames *frames, uint32_t method);

#endif
