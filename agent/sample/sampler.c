/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sampler: see sampler.h. */
#include "agent/sample/sampler.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/code/stubs.h"
#include "agent/log/log.h"
#include "agent/sample/sampling.h"
#include "agent/sample/wall_clock.h"
#include "agent/stack/code.h"
#include "agent/stack/safe_read.h"
#include "agent/stack/vm_monitors.h"
#include "agent/stack/vm_threads.h"
#include "agent/threads/thread_slot.h"
#include "arch/read_mostly.h"
#include "symbols/elf_symbols.h"

enum {
	BUFFER_SHARE = 16, /* of max_memory for stacks on their way, and */
	TREE_SHARE = 4     /* for call paths */
};

/* ---- what the JVM has told ---- */

static READ_MOSTLY struct vm_layout layout;
static struct error unknown; /* why stacks cannot be read */
static bool probed, learnt;
static bool sweeper; /* see known_keys_create */

void sampler_probe(void *(*symbol)(const char *name), unsigned java)
{
	sweeper = java < 20;
	if (!probed)
		probed = vm_layout_read(&layout, symbol, java, &unknown) == 0;
}

void sampler_learn(uintptr_t current, void *(*symbol)(const char *name), const char *library,
	const struct frozen_fields *fields, bool narrow)
{
	struct elf_symbols *symbols;
	uint64_t address = 0;
	uintptr_t fetch;

	if (learnt || !probed)
		return;
	/* The JVM's own guarded load: a local function, or, in older ones, made at run time. */
	symbols = elf_symbols_create(library, NULL);
	fetch = stubs_named("SafeFetchN");
	if (symbols && elf_symbols_address(symbols, "SafeFetchN_impl", &address)) {
		struct modules *modules = modules_read();
		const struct module *module =
			modules ? modules_find(modules, (uintptr_t)symbol("JNI_CreateJavaVM"))
				: NULL;

		if (module)
			fetch = module->bias + address;
		modules_destroy(modules);
	}
	elf_symbols_destroy(symbols);
	safe_read_by((safe_fetch)fetch);
	code_use(&layout);
	frozen_use(&layout, fields, narrow);
	vm_monitors_learn(&layout);
	if (!vm_threads_learn(&layout, current, symbol)) {
		error_set(&unknown, ERROR_MISSING,
			"this JVM does not tell which thread is which");
		return;
	}
	learnt = true;
}

bool sampler_has_learnt(void)
{
	return learnt;
}

static int cannot(struct error *error)
{
	return error_set(
		error, ERROR_MISSING, "stacks cannot be sampled here: %s", unknown.text);
}

int sampler_can_read(struct error *error)
{
	return probed ? 0 : cannot(error);
}

/* What the options ask for, as the user has it; how many: none, where they do not sample. */
static size_t items_of(const struct options *options, const char *const **items)
{
	static const char *const usual[] = {"cpu:1ms"};

	*items = usual;
	if (!options_sample(options))
		return 0;
	if (options->sample.count == 0)
		return 1;
	*items = (const char *const *)options->sample.pattern;
	return options->sample.count;
}

static int too_many(struct error *error)
{
	return error_set(error, ERROR_VALUE, "option 'sample': at most %d conditions%s",
		SAMPLE_CONDITIONS,
		sampling.conditions > 0 ? " in one recording, of all its sessions" : "");
}

int sampler_prepare(const struct options *options, struct error *error)
{
	const char *const *items;
	size_t count = items_of(options, &items);
	int status = 0;

	memset(sampling.condition, 0, sizeof(sampling.condition));
	sampling.conditions = 0;
	if (count == 0)
		return 0;
	if (!probed)
		return cannot(error);
	if (count > SAMPLE_CONDITIONS)
		return too_many(error);
	for (size_t i = 0; i < count && status == 0; i++)
		status = sampling_choose(
			&sampling.condition[sampling.conditions++], items[i], error);
	return status;
}

/* The place of the condition that the user calls so; -1: there is none. */
static int condition_called(const char *item, unsigned among)
{
	for (unsigned i = 0; i < among; i++)
		if (strcmp(sampling.condition[i].name, item) == 0)
			return (int)i;
	return -1;
}

static uint32_t conditions_of(const struct options *options, unsigned among)
{
	const char *const *items;
	size_t count = items_of(options, &items);
	uint32_t bits = 0;

	for (size_t i = 0; i < count; i++) {
		int place = condition_called(items[i], among);

		bits |= place >= 0 ? 1U << place : 0;
	}
	return bits;
}

uint32_t sampler_conditions(const struct options *options)
{
	return conditions_of(options, sampling.conditions);
}

/* ---- begin and end ---- */

/* A signal that nobody has a handler for. It stays jprof's for good: one that comes late must not end the
 * process. 0: there is none. */
static int take_signal(void)
{
	static const int candidates[] = {SIGSTKFLT, SIGPROF, SIGVTALRM, SIGPWR};
	struct sigaction before, action = {.sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
		if (sigaction(candidates[i], NULL, &before) != 0 ||
			(before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
			continue;
		action.sa_sigaction = sampling_on_signal;
		sigfillset(&action.sa_mask);
		/* What the JVM's guarded load raises. */
		sigdelset(&action.sa_mask, SIGSEGV);
		sigdelset(&action.sa_mask, SIGBUS);
		if (sigaction(candidates[i], &action, NULL) == 0)
			return candidates[i];
	}
	return 0;
}

int sampler_need_signal(struct error *error)
{
	if (!sampling_signal)
		sampling_signal = take_signal();
	if (sampling_signal)
		return 0;
	return error_set(error, ERROR_BUSY,
		"stacks cannot be sampled: the program has handlers for all signals that could "
		"be used");
}

static void give_all_back(void)
{
	free(sampling.row);
	sampling.row = NULL;
	sampling.rows = sampling.row_room = 0;
	sample_buffer_destroy(sampling.buffer);
	seen_methods_destroy(sampling.seen);
	known_places_destroy(sampling.known);
	if (sampling_walker.keys)
		known_keys_clear(sampling_walker.keys);
	frame_names_destroy(sampling.names);
	put_samples_forget();
	put_samples_forget_nodes();
	sample_tree_destroy(sampling.tree);
	modules_destroy(sampling.modules);
	while (sampling.modules_kept > 0)
		modules_destroy(sampling.modules_before[--sampling.modules_kept]);
	free(sampling.stack);
	sampling.buffer = NULL;
	sampling.seen = NULL;
	sampling.known = NULL;
	sampling.names = NULL;
	sampling.tree = NULL;
	sampling.modules = NULL;
	sampling.stack = NULL;
}

int sampler_open(struct session *session, struct error *error)
{
	uint64_t memory = session->options.max_memory;

	if (!learnt)
		return cannot(error);
	if (sampling.buffer)
		return error_set(error, ERROR_BUSY,
			"the samples of the recording before are still being written");
	sampling.session = session;
	sampling_places_forget();
	sampling.ticks = sampling.handled = sampling.eased = 0;
	memset((void *)sampling.ended, 0, sizeof(sampling.ended));
	memset((void *)sampling.events_lost, 0, sizeof(sampling.events_lost));
	sampling.buffer = sample_buffer_create(memory / BUFFER_SHARE);
	sampling.seen = seen_methods_create(&layout);
	sampling.modules = modules_read();
	sampling.known = known_places_create(); /* without these two a walk is slower */
	sampling_walker.seen = sampling.seen;
	sampling_walker.modules = sampling.modules;
	sampling_walker.known = sampling.known;
	if (!sampling_walker.vm) {
		sampling_walker.vm = &layout;
		sampling_walker.keys = known_keys_create(sweeper);
	}
	sampling.names = frame_names_create(&sampling_walker);
	sampling.tree = sample_tree_create(memory / TREE_SHARE);
	sampling.stack = calloc(STACKS, sizeof(*sampling.stack));
	if (!sampling.buffer || !sampling.seen || !sampling.names || !sampling.tree ||
		!sampling.stack || !sampling.modules) {
		give_all_back();
		return error_set(error, ERROR_MEMORY, "no memory to sample stacks");
	}
	if (sampling.conditions == 0 || sampler_need_signal(error) == 0)
		return 0;
	give_all_back();
	return -ERROR_BUSY;
}

static uint8_t that_want(const char *name, int64_t java_id, pid_t tid)
{
	struct thread_identity identity = {.java_id = java_id, .os_id = tid};

	snprintf(identity.name, sizeof(identity.name), "%s", name);
	return session_thread_bits(sampling.session, &identity);
}

static void take_choices(struct sample_event_choice choices[SAMPLE_CONDITIONS])
{
	for (unsigned i = 0; i < sampling.conditions; i++)
		choices[i] = sampler_has(i) ? sampling.condition[i].event
					    : (struct sample_event_choice){0};
}

/* The clock, if a condition is its. */
static void begin_clock(void)
{
	int wall = sampler_condition(SAMPLE_WALL, 0);

	if (wall >= 0 && wall_clock_begin(sampler_period((unsigned)wall), sampling_look))
		log_line(LOG_ERROR,
			"sample=%s: its thread cannot be started: there are no such samples",
			sampling.condition[wall].name);
}

/* No handler is inside, and none comes until sampling is active again. False: one is. */
static bool fall_quiet(void)
{
	static const struct timespec pause = {.tv_nsec = 200 * 1000};

	atomic_store(&sampling_active, false);
	for (int i = 0; atomic_load(&sampling_inside) > 0 && i < 10000; i++)
		nanosleep(&pause, NULL);
	return atomic_load(&sampling_inside) == 0;
}

static const struct condition *of_kind(enum sample_event_kind kind, unsigned among)
{
	for (unsigned i = 0; i < among; i++)
		if (sampling.condition[i].choice.kind == kind && !sampling.condition[i].off)
			return &sampling.condition[i];
	return NULL;
}

/* Behind those that there are, which handlers do not see. Returns how many there are then, or a negative code. */
static int choose_more(const struct options *options, struct error *error)
{
	const char *const *items;
	size_t count = items_of(options, &items);
	unsigned conditions = sampling.conditions;

	for (size_t i = 0; i < count; i++) {
		struct condition *condition = &sampling.condition[conditions];
		const struct condition *same;

		if (condition_called(items[i], conditions) >= 0)
			continue;
		if (conditions == SAMPLE_CONDITIONS)
			return too_many(error);
		memset(condition, 0, sizeof(*condition));
		if (sampling_choose(condition, items[i], error))
			return -(int)error->code;
		if (condition->choice.kind == SAMPLE_ENTER)
			return error_set(error, ERROR_VALUE,
				"sample=%s: entries are sampled for one session alone, and "
				"from the "
				"recording's begin",
				error_subject(items[i]).text);
		same = of_kind(condition->choice.kind, conditions);
		if (same &&
			(same->choice.kind == SAMPLE_WALL || same->choice.kind == SAMPLE_ALLOC))
			return error_set(error, ERROR_VALUE,
				"sample=%s: sessions that record at once have one such "
				"period, and one has %s",
				error_subject(items[i]).text, same->name);
		conditions++;
	}
	return (int)conditions;
}

/* Those that are had at the moment, a bit each. */
static uint32_t conditions_had(void)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < sampling.conditions; i++)
		bits |= sampler_has(i) ? 1U << i : 0;
	return bits;
}

/* There are so many from now on, of which those with a bit are had. False, and all is as it was: a stack is being taken, which
 * hangs. */
static bool change_conditions(unsigned count, uint32_t had)
{
	struct sample_event_choice choices[SAMPLE_CONDITIONS];
	bool had_clock = sampler_condition(SAMPLE_WALL, 0) >= 0, has_clock;
	bool quiet = fall_quiet();

	if (quiet) {
		sampling.conditions = count;
		for (unsigned i = 0; i < count; i++)
			atomic_store(&sampling.condition[i].off, !(had >> i & 1));
		take_choices(choices);
		sampled_threads_more(choices, count, sampling_signal);
	}
	atomic_store(&sampling_active, true);
	has_clock = sampler_condition(SAMPLE_WALL, 0) >= 0;
	if (had_clock && !has_clock)
		wall_clock_stop();
	if (!had_clock && has_clock)
		begin_clock();
	return quiet;
}

int sampler_more(const struct options *options, struct error *error)
{
	int conditions = sampling.buffer ? choose_more(options, error) : cannot(error);
	uint32_t had = conditions_had(), wanted;

	if (conditions < 0)
		return conditions;
	wanted = had | conditions_of(options, (unsigned)conditions);
	if (wanted == had)
		return 0;
	if (sampler_need_signal(error))
		return -(int)error->code;
	if (!change_conditions((unsigned)conditions, wanted))
		return error_set(error, ERROR_BUSY,
			"stacks cannot be sampled now: one is being taken, which hangs");
	return 0;
}

void sampler_keep(uint32_t conditions)
{
	uint32_t had = conditions_had();

	if ((had & ~conditions) != 0 &&
		!change_conditions(sampling.conditions, had & conditions))
		log_line(LOG_WARN,
			"a stack is being taken, which hangs: what a session that left has "
			"sampled is sampled on");
}

void sampler_begin(void)
{
	struct sample_event_choice choices[SAMPLE_CONDITIONS];

	take_choices(choices);
	atomic_store(&sampling_active, true);
	sampled_threads_begin(choices, sampling.conditions, sampling_signal,
		&(struct sampled_threads_for){that_want, sampling_left});
	begin_clock();
}

void sampler_renew(void)
{
	sampled_threads_renew();
}

bool sampler_stop(void)
{
	wall_clock_stop();
	if (!fall_quiet())
		return false;
	/* Events have memory that a handler reads. */
	sampled_threads_stop();
	return true;
}

bool sampler_close(void)
{
	if (atomic_load(&sampling_inside) > 0)
		return false;
	/* Where a handler was inside at the stop. */
	sampled_threads_stop();
	sampled_threads_end();
	sampling_forget_asked();
	give_all_back();
	return true;
}

void sampler_thread_begins(int64_t java_id, const char *name)
{
	struct walk_thread thread = vm_thread_now((uintptr_t)__builtin_frame_address(0));

	sampled_thread_add(gettid(), java_id, name, thread.java);
	if (sampled_thread_now())
		atomic_store(&sampled_thread_now()->slot, slot_current);
}

void sampler_thread_is(uintptr_t java, int64_t java_id, const char *name)
{
	pid_t tid = vm_thread_system_id(java);

	if (tid)
		sampled_thread_add(tid, java_id, name, java);
}

void sampler_thread_ends(void)
{
	sampling_answer_at_end();
	sampled_thread_remove(gettid());
}
