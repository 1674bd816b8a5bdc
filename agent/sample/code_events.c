/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code_events: see code_events.h. */
#include "agent/sample/code_events.h"

#include <errno.h>
#include <jvmticmlr.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/code/code_map.h"
#include "agent/code/code_stacks.h"
#include "agent/code/stubs.h"
#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/sample/code_methods.h"
#include "agent/sample/sampler.h"
#include "agent/stack/code.h"
#include "metric/clock.h"

enum {
	MEMORY_SHARE = 16,      /* of max_memory for the map, and */
	MACHINE_CODE_SHARE = 4, /* for instructions, all there ever are */
	METHODS = 1024          /* of one piece of code; those behind have no places */
};

static struct lock map_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_CODE};
static struct code_map *map; /* of the session; NULL: none; under the lock */
static _Atomic bool open;    /* there is one */
static _Atomic bool keep_code;
static _Atomic uint64_t events, ticks; /* of CompiledMethodLoad, and what they took */

/* The calling thread has the JVM repeat what it told before. */
static _Thread_local bool repeating;

/* ---- one piece of code ---- */

/* The methods of one piece, as it is looked at. */
struct piece {
	JNIEnv *jni;
	struct code_stacks stacks;
	struct code_position position[CODE_DEPTH];
	struct {
		jmethodID handle;
		struct code_method *method;
	} known[METHODS * 2]; /* a hash, open addressing */
	unsigned methods;
};

static const struct code_method *method_of(struct piece *piece, jmethodID handle)
{
	size_t at = (size_t)(((uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 20);

	while (piece->known[at % (METHODS * 2)].handle &&
		piece->known[at % (METHODS * 2)].handle != handle)
		at++;
	at %= METHODS * 2;
	if (piece->known[at].handle)
		return piece->known[at].method;
	if (piece->methods == METHODS)
		return NULL;
	piece->methods++;
	piece->known[at].handle = handle;
	piece->known[at].method = code_method_take(piece->jni, handle);
	return piece->known[at].method;
}

/* A stack of the record, outermost first. How deep it is; 0: a method has no name. */
static unsigned read_stack(
	struct piece *piece, const PCStackInfo *at, const PCStackInfo *before, unsigned depth)
{
	unsigned frames =
		at->numstackframes < CODE_DEPTH ? (unsigned)at->numstackframes : CODE_DEPTH;
	bool same = true;

	for (unsigned i = 0; i < frames; i++) {
		size_t place = (size_t)at->numstackframes - 1 - i;
		const struct code_method *method;

		/* Most of it is as at the place before. */
		same = same && i < depth &&
		       at->methods[place] == before->methods[before->numstackframes - 1 - i] &&
		       at->bcis[place] == before->bcis[before->numstackframes - 1 - i];
		if (same)
			continue;
		method = method_of(piece, at->methods[place]);
		if (!method || method->id == 0)
			return 0;
		piece->position[i] = (struct code_position){
			method->id, code_method_line(method, at->bcis[place])};
	}
	return frames;
}

static void read_record(struct piece *piece, const jvmtiCompiledMethodLoadInlineRecord *record,
	uintptr_t begin, size_t size)
{
	const PCStackInfo *before = NULL;
	unsigned depth = 0;

	for (jint i = 0; i < record->numpcs; i++) {
		const PCStackInfo *at = &record->pcinfo[i];
		uintptr_t offset = (uintptr_t)at->pc - begin;

		if (at->numstackframes <= 0 || offset > size || offset > UINT32_MAX)
			continue;
		depth = read_stack(piece, at, before, depth);
		before = at;
		if (depth > 0)
			code_stacks_add(
				&piece->stacks, (uint32_t)offset, piece->position, depth);
	}
}

/* Its places, encoded, owned; NULL: none are known. */
static uint8_t *read_places(
	struct piece *piece, const void *more, uintptr_t begin, size_t size, size_t *bytes)
{
	const jvmtiCompiledMethodLoadRecordHeader *header = more;

	*bytes = 0;
	code_stacks_begin(&piece->stacks);
	for (; header && !piece->stacks.failed; header = header->next)
		if (header->kind == JVMTI_CMLR_INLINE_INFO &&
			header->majorinfoversion == JVMTI_CMLR_MAJOR_VERSION)
			read_record(piece, (const void *)header, begin, size);
	if (piece->stacks.failed || piece->stacks.places.places == 0)
		return NULL;
	return code_places_encode(&piece->stacks.places, bytes);
}

static unsigned level_of(uintptr_t address)
{
	struct code code;

	return sampler_has_learnt() && code_has(address) && code_find(address, &code) &&
			       code.kind == CODE_COMPILED
		       ? code_level(&code)
		       : 0;
}

static void take(
	struct piece *piece, jmethodID handle, uintptr_t address, size_t size, const void *more)
{
	const struct code_method *method = method_of(piece, handle);
	struct code_load load = {.address = address,
		.size = size,
		.method = method ? method->id : 0,
		.level = level_of(address),
		.bytes = atomic_load(&keep_code) ? (const void *)address : NULL};

	if (load.level > CODE_LEVEL_MAX)
		load.level = 0;
	if (load.method == 0)
		return;
	load.places = read_places(piece, more, address, size, &load.places_size);
	lock_take(&map_lock);
	if (map)
		code_map_load(map, &load, repeating ? 0 : clock_system());
	else
		free((void *)load.places);
	lock_give(&map_lock);
}

static void JNICALL on_load(jvmtiEnv *jvmti, jmethodID method, jint size, const void *address,
	jint pieces, const jvmtiAddrLocationMap *unused, const void *more)
{
	int saved_errno = errno;
	uint64_t began;
	struct piece *piece;

	if (!atomic_load(&open))
		return;
	began = clock_system();
	piece = calloc(1, sizeof(*piece));
	if (piece)
		piece->jni = jvm_env();
	if (piece && piece->jni && size > 0) {
		take(piece, method, (uintptr_t)address, (size_t)size, more);
		for (size_t i = 0; i < sizeof(piece->known) / sizeof(*piece->known); i++)
			if (piece->known[i].method)
				code_method_give(piece->known[i].method);
		code_stacks_fini(&piece->stacks);
	}
	free(piece);
	atomic_fetch_add(&events, 1);
	atomic_fetch_add(&ticks, clock_system() - began);
	errno = saved_errno;
}

static void JNICALL on_unload(jvmtiEnv *jvmti, jmethodID method, const void *address)
{
	int saved_errno = errno;

	lock_take(&map_lock);
	if (map)
		code_map_unload(map, (uintptr_t)address, clock_system());
	lock_give(&map_lock);
	errno = saved_errno;
}

void code_events_callbacks(jvmtiEventCallbacks *callbacks)
{
	callbacks->CompiledMethodLoad = on_load;
	callbacks->CompiledMethodUnload = on_unload;
}

/* time 0: it was there before. */
static void add_own(const char *name, uintptr_t begin, size_t bytes, uint64_t time)
{
	struct code_load load = {.address = begin,
		.size = bytes,
		.name = name,
		.bytes = atomic_load(&keep_code) ? (const void *)begin : NULL};

	lock_take(&map_lock);
	if (map)
		code_map_load(map, &load, time);
	lock_give(&map_lock);
}

void code_events_generated(const char *name, uintptr_t begin, size_t bytes)
{
	if (name && atomic_load(&open))
		add_own(name, begin, bytes, clock_system());
}

/* ---- begin and end ---- */

bool code_events_wanted(const struct session *session)
{
	return options_sample(&session->options) || session->options.keep_code;
}

int code_events_open(const struct session *session, struct error *error)
{
	uint64_t memory = session->options.max_memory;
	struct code_map *made = code_map_create(memory / MEMORY_SHARE,
		session->options.keep_code ? memory / MACHINE_CODE_SHARE : 0);
	const char *name;
	uintptr_t begin;
	size_t bytes;

	if (!made)
		return error_set(error, ERROR_MEMORY, "no memory for the map of code");
	atomic_store(&keep_code, session->options.keep_code);
	atomic_store(&events, 0);
	atomic_store(&ticks, 0);
	lock_take(&map_lock);
	map = made;
	lock_give(&map_lock);
	atomic_store(&open, true);
	for (size_t i = 0; stubs_get(i, &name, &begin, &bytes); i++)
		add_own(name, begin, bytes, 0);
	return 0;
}

void code_events_repeat(void)
{
	struct error error = {0};

	repeating = true;
	if (jvm_repeat_compiled_methods(&error))
		log_line(LOG_INFO, "%s", error.text);
	repeating = false;
}

void code_events_close(void)
{
	struct code_map *closed;

	atomic_store(&open, false);
	lock_take(&map_lock);
	closed = map;
	map = NULL;
	lock_give(&map_lock);
	code_map_destroy(closed);
	code_methods_forget();
}

/* ---- for the writer ---- */

static uint64_t since(uint64_t time, uint64_t began)
{
	return time > began ? time - began : 0;
}

/* What the rows point to stays, as it is given back on this thread alone. */
static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	struct profile_machine_code machine;
	struct profile_code code;
	size_t place = 0;
	int status = 0;

	while (status == 0) {
		bool more;

		lock_take(&map_lock);
		more = map && code_map_next(map, &place, &code, &machine);
		lock_give(&map_lock);
		if (!more)
			return 0;
		code.loaded = since(code.loaded, began);
		/* 0 would say that it was not. */
		if (code.unloaded)
			code.unloaded =
				since(code.unloaded, began + code.loaded + 1) + code.loaded + 1;
		status = profile_put(profile, &code, error);
		if (status == 0 && machine.bytes.bytes)
			status = profile_put(profile, &machine, error);
	}
	return status;
}

static void put_done(bool kept)
{
	lock_take(&map_lock);
	if (map)
		code_map_put_done(map, kept);
	lock_give(&map_lock);
}

static void facts(fact_put put_it, void *argument)
{
	struct code_map_counts counts = {0};

	lock_take(&map_lock);
	if (map)
		counts = code_map_counts(map);
	lock_give(&map_lock);
	fact_put_number(put_it, argument, "code.entries", counts.entries);
	fact_put_number(put_it, argument, "code.place_bytes", counts.places);
	fact_put_number(put_it, argument, "code.memory", counts.memory);
	fact_put_number(put_it, argument, "code.events", atomic_load(&events));
	fact_put_number(put_it, argument, "code.cost_ns", atomic_load(&ticks));
	if (atomic_load(&keep_code))
		fact_put_number(put_it, argument, "code.machine_bytes", counts.machine_code);
	if (counts.missing)
		fact_put_number(put_it, argument, "code.missing", counts.missing);
	if (counts.places_missing)
		fact_put_number(put_it, argument, "code.places_missing", counts.places_missing);
	if (counts.machine_code_missing)
		fact_put_number(
			put_it, argument, "code.machine_missing", counts.machine_code_missing);
}

const struct code_source code_events_source = {
	.put = put, .put_done = put_done, .facts = facts};
