/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_tables: what traces tell that is of no call path. Anything may be in these rows: nothing else refers to them. */
#include "profile/reader.h"

/* True if that time is in what is read. */
static bool is_in(const struct profile_interval *interval, int64_t began)
{
	return began >= (int64_t)interval->begin &&
	       (!interval->to || began < (int64_t)interval->end);
}

/* Of what began outside the interval nothing stays. From the beginning on it may have begun before. */
#define CUT(profile, member, time)                                                             \
	do {                                                                                   \
		size_t kept = 0;                                                               \
                                                                                               \
		for (size_t i = 0; i < (profile)->member##_count; i++) {                       \
			int64_t at = (int64_t)(profile)->member[i].time;                       \
                                                                                               \
			if (is_in(&(profile)->interval, at < 0 ? 0 : at))                      \
				(profile)->member[kept++] = (profile)->member[i];              \
		}                                                                              \
		(profile)->member##_count = kept;                                              \
	} while (0)

static int check_class(struct reader *reader, void *record, size_t i)
{
	const struct profile_class *class = record;

	if (class->name >= reader->profile->method_count)
		return read_damaged(reader->source, "a class without a name");
	return 0;
}

/* What was loaded, or unloaded, in the interval. */
static void cut_classes(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->class_count; i++) {
		const struct profile_class *class = &profile->class[i];

		if (is_in(&profile->interval, class->loaded) ||
			(class->unloaded != PROFILE_NOT_KNOWN &&
				is_in(&profile->interval, class->unloaded)))
			profile->class[kept++] = *class;
	}
	profile->class_count = kept;
}

/* Threads that were not looked at in the interval are left out, and so are looks outside. */
static void cut_states(struct profile *profile)
{
	const struct profile_interval *interval = &profile->interval;
	size_t kept = 0;

	if (!interval->from && !interval->to)
		return;
	for (size_t i = 0; i < profile->thread_state_count; i++) {
		struct profile_thread_state *state = &profile->thread_state[i];

		if (state->ns == 0)
			continue;
		if (state->from < interval->begin)
			state->from = interval->begin;
		if (interval->to && state->to > interval->end) {
			state->to = interval->end;
			state->ended = false;
		}
		profile->thread_state[kept++] = *state;
	}
	profile->thread_state_count = kept;
}

static bool is_traced(const struct profile *profile, enum trace_kind trace)
{
	return !profile->session || (profile->session->traces >> trace & 1);
}

int trace_tables_read(struct reader *reader, const struct profile_wanted *wanted)
{
	static const struct reader_list collections = READER_LIST(TABLE_COLLECTION, collection,
						.key = "collection", .least = 1,
						.most = UINT32_MAX, .check = NULL),
					safepoints = READER_LIST(TABLE_SAFEPOINT, safepoint,
						.key = "safepoint", .least = 1,
						.most = UINT32_MAX, .check = NULL),
					compilations = READER_LIST(TABLE_COMPILATION,
						compilation, .key = "compilation",
						.most = UINT32_MAX, .check = NULL),
					deoptimizations = READER_LIST(TABLE_DEOPTIMIZATION,
						deoptimization, .key = "deoptimization",
						.least = 1, .most = UINT32_MAX, .check = NULL);
	static const struct reader_list states = READER_LIST(TABLE_THREAD_STATE, thread_state,
		.key = "state of a thread", .least = 1, .most = UINT32_MAX, .check = NULL);
	static const struct reader_list classes = READER_LIST(TABLE_CLASS, class,
						.key = "class", .least = 1, .most = UINT32_MAX,
						.check = check_class),
					loaders = READER_LIST(TABLE_CLASS_LOADER, class_loader,
						.key = "class loader", .least = 1,
						.most = UINT32_MAX, .check = NULL);
	struct profile *profile = reader->profile;
	bool gc = wanted->collections && is_traced(profile, TRACE_GC),
	     jit = wanted->compilations && is_traced(profile, TRACE_JIT),
	     threads = wanted->thread_states && is_traced(profile, TRACE_THREADS),
	     class = wanted->classes && is_traced(profile, TRACE_CLASSES);
	int status = 0;

	if (gc)
		status = reader_read(reader, &collections);
	if (status == 0 && gc)
		status = reader_read(reader, &safepoints);
	if (status == 0 && jit)
		status = reader_read(reader, &compilations);
	if (status == 0 && jit)
		status = reader_read(reader, &deoptimizations);
	if (status == 0 && threads)
		status = counted_rows_read(reader, &states, TABLE_SLICE_THREAD_STATE);
	if (status == 0 && class)
		status = reader_read(reader, &loaders);
	if (status == 0 && class)
		status = reader_read(reader, &classes);
	if (status)
		return status;
	cut_classes(profile);
	cut_states(profile);
	CUT(profile, collection, began);
	CUT(profile, safepoint, began);
	CUT(profile, compilation, began);
	CUT(profile, deoptimization, at);
	return 0;
}
