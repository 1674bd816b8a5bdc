/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The writer: what the file holds is what the trace shows, after any number of flushes,
 * failures, prunings and foldings between them. */
#include "../trace/trace_test.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/log/log.h"
#include "agent/session/writer.h"
#include "profile/profile_read.h"
#include "native-tests/test_folder.h"

#define METRICS      2
#define MANY_METHODS 200

static char directory[] = "/tmp/jprof-writer-XXXXXX";

/* ---- what the writer does, seen and disturbed ---- */

static atomic_ulong nodes_put, flushes, lines;
static atomic_long fail_put_at = -1; /* so many puts succeed, then all fail */
static atomic_bool fail_commit;
static char last_line[1024];

int __real_profile_put_row(struct profile_writer *writer, enum schema_table_id table,
	const void *record, struct error *error);
int __wrap_profile_put_row(struct profile_writer *writer, enum schema_table_id table,
	const void *record, struct error *error)
{
	const struct profile_node *node = record;
	long left = atomic_load(&fail_put_at);

	if (table != TABLE_NODE)
		return __real_profile_put_row(writer, table, record, error);
	if (left == 0)
		return error_set(error, ERROR_IO, "no room");
	if (left > 0)
		atomic_fetch_sub(&fail_put_at, 1);
	atomic_fetch_add(&nodes_put, 1);
	assert_int_equal(node->calls, node->interpreted + node->jitted + node->native);
	return __real_profile_put_row(writer, table, record, error);
}

int __real_profile_commit(struct profile_writer *writer, struct error *error);
int __wrap_profile_commit(struct profile_writer *writer, struct error *error)
{
	if (!atomic_load(&fail_commit))
		return __real_profile_commit(writer, error);
	profile_rollback(writer);
	return error_set(error, ERROR_IO, "no room");
}

void __wrap_log_line(enum log_level level, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(last_line, sizeof(last_line), format, list);
	va_end(list);
	atomic_fetch_add(&lines, 1);
}

/* ---- a session ---- */

static atomic_uint methods = METHOD_FIRST;

static uint32_t methods_end(void)
{
	return atomic_load(&methods);
}

static const struct profile_method *method_of(uint32_t id)
{
	static struct profile_method record[METHOD_FIRST + MANY_METHODS];
	static char name[METHOD_FIRST + MANY_METHODS][16];

	snprintf(name[id], sizeof(name[id]), "m%u", id);
	record[id] = (struct profile_method){
		.id = id, .class_name = "A", .name = name[id], .signature = "()V"};
	return &record[id];
}

static void facts(void *argument, bool final,
	void (*put)(void *put_argument, const char *key, const char *value), void *put_argument)
{
	assert_ptr_equal(argument, directory);
	put(put_argument, "complete", final ? "yes" : "no");
	atomic_fetch_add(&flushes, 1);
}

static atomic_uint notes_put;

static void notes(void *argument,
	void (*put)(void *put_argument, const char *key, const char *value), void *put_argument)
{
	assert_ptr_equal(argument, directory);
	put(put_argument, "options", "{}");
	atomic_fetch_add(&notes_put, 1);
}

static const struct writer_source source = {.methods_end = methods_end,
	.method = method_of,
	.notes = notes,
	.facts = facts,
	.argument = directory};

static struct metric_set set;
static char path[256];

static struct writer *start(struct trace *trace, const char *name, uint64_t flush_seconds)
{
	struct writer *writer;
	struct error error = {0};

	atomic_store(&nodes_put, 0);
	atomic_store(&flushes, 0);
	atomic_store(&notes_put, 0);
	atomic_store(&lines, 0);
	atomic_store(&fail_put_at, -1);
	atomic_store(&fail_commit, false);
	atomic_store(&methods, METHOD_FIRST + MANY_METHODS);
	snprintf(path, sizeof(path), "%s/%s.jprof", directory, name);
	writer_start(&writer, trace, &source, &set, path, flush_seconds, &error);
	assert_string_equal(error.text, "");
	assert_non_null(writer);
	return writer;
}

static void finish(struct writer *writer)
{
	struct error error = {0};

	writer_finish(writer, &error);
	assert_string_equal(error.text, "");
}

/* Two flushes that began after now. The second has ended when a third reports its facts.
 */
static void wait_for_flushes(void)
{
	unsigned long seen = atomic_load(&flushes);

	for (int i = 0; i < 20000 && atomic_load(&flushes) < seen + 3; i++)
		poll(NULL, 0, 1);
	assert_true(atomic_load(&flushes) >= seen + 3);
}

static struct profile *read_profile(void)
{
	struct profile *profile = NULL;
	struct error error = {0};

	profile_open(&profile, path, &error);
	assert_string_equal(error.text, "");
	return profile;
}

/* ---- file and trace side by side ---- */

static void same_node(const struct profile_node *all, const struct profile_node *node,
	const struct tree_node *shown)
{
	struct tree_states states = tree_node_states(shown);

	assert_int_equal(node->id, shown->id);
	assert_int_equal(all[node->parent].id, shown->parent);
	assert_int_equal(node->method, shown->method);
	assert_int_equal(node->recursion, shown->recursion);
	assert_int_equal(node->calls, shown->calls);
	assert_int_equal(node->interpreted, states.interpreted);
	assert_int_equal(node->jitted, states.jitted);
	assert_int_equal(node->native, states.native);
	assert_memory_equal(node->transition, shown->transition, sizeof(node->transition));
	assert_memory_equal(node->base, shown->base, METRICS * sizeof(uint64_t));
}

static void same_thread(const struct profile_thread *thread, const struct test_row *row)
{
	assert_int_equal(thread->id, row->thread.id);
	assert_string_equal(thread->name, row->identity.name);
	assert_int_equal(thread->alive, row->thread.alive);
	assert_int_equal(thread->folded, row->thread.folded);
	assert_int_equal(thread->events, row->thread.events);
	assert_int_equal(thread->repaired, row->thread.repaired);
	assert_int_equal(thread->unmatched, row->thread.unmatched);
	assert_int_equal(thread->unwound, row->thread.unwound);
	assert_int_equal(thread->lost, row->thread.lost);
	assert_int_equal(thread->pruned, row->thread.pruned);
	assert_int_equal(thread->mounts, row->thread.mounts);
	assert_int_equal(thread->carrier_ns, row->thread.carrier_ns);
	assert_memory_equal(thread->total, row->thread.total, METRICS * sizeof(uint64_t));
	assert_true(row->thread.alive ? thread->ended == 0 : thread->ended > 0);
}

static int by_id(const void *a, const void *b)
{
	uint32_t x = ((const struct tree_node *)a)->id, y = ((const struct tree_node *)b)->id;

	return (x > y) - (x < y);
}

/* No thread runs any more. */
static void assert_same(struct trace *trace)
{
	struct test_picture picture = {.metrics = METRICS, .keep_nodes = true};
	struct profile *profile = read_profile();

	test_visit(trace, &picture);
	assert_int_equal(profile->thread_count, picture.count);
	for (size_t t = 0; t < picture.count; t++) {
		const struct test_row *row = &picture.row[t];
		size_t first = profile->thread_first[t];

		same_thread(&profile->thread[t], row);
		assert_int_equal(profile->thread_first[t + 1] - first, row->thread.nodes);
		qsort(row->nodes, row->thread.nodes, row->stride, by_id);
		for (uint32_t i = 0; i < row->thread.nodes; i++)
			same_node(profile->node, &profile->node[first + i],
				trace_node(row->nodes, row->stride, i));
	}
	test_picture_fini(&picture);
	profile_free(profile);
}

/* ---- threads that record ---- */

struct walk {
	struct model model;
	struct test_walk walk;
};

static void walk_begin(struct walk *walk, struct trace *trace, const char *name, uint64_t seed)
{
	model_init(&walk->model);
	walk->walk = (struct test_walk){.random = {seed},
		.model = &walk->model,
		.context = test_begin(trace, name),
		.methods = MANY_METHODS,
		.depth = 20,
		.faults = true};
}

static void walk_steps(struct walk *walk, int steps)
{
	for (int i = 0; i < steps; i++)
		test_step(&walk->walk);
}

static void walk_end(struct walk *walk, struct trace *trace)
{
	trace_thread_end(trace, walk->walk.context, NULL);
	model_fini(&walk->model);
}

/* ---- tests ---- */

static void one_flush(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct walk alive, ended;
	struct profile *profile;
	struct writer *writer = start(trace, "one", 3600);

	walk_begin(&alive, trace, "main", 1);
	walk_begin(&ended, trace, "worker-7", 2);
	walk_steps(&alive, 5000);
	walk_steps(&ended, 5000);
	walk_end(&ended, trace);
	profile = read_profile();
	assert_int_equal(profile->thread_count, 0);
	profile_free(profile);
	trace_stop(trace);
	finish(writer);
	assert_int_equal(atomic_load(&flushes), 1);
	assert_same(trace);

	profile = read_profile();
	assert_string_equal(profile_meta_get(profile, "complete"), "yes");
	assert_int_equal(profile->method_count, METHOD_FIRST + MANY_METHODS);
	assert_string_equal(profile->method[77].name, "m77");
	assert_string_equal(profile->metric[1].name, "m1");
	assert_int_equal(profile->thread[0].java_id, 1);
	assert_int_equal(profile->thread[0].os_id, 2);
	profile_free(profile);
	walk_end(&alive, trace);
	trace_destroy(trace);
}

static void only_what_changed(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct walk first, second;
	unsigned long before, all;
	struct profile *profile;
	struct writer *writer = start(trace, "changed", 0);

	walk_begin(&first, trace, "first", 1);
	walk_begin(&second, trace, "second", 2);
	walk_steps(&first, 20000);
	walk_steps(&second, 20000);
	walk_end(&second, trace);
	wait_for_flushes();
	profile = read_profile();
	assert_string_equal(profile_meta_get(profile, "complete"), "no");
	all = profile->node_count;
	profile_free(profile);

	/* Nothing happens: nothing is written. */
	before = atomic_load(&nodes_put);
	wait_for_flushes();
	assert_int_equal(atomic_load(&nodes_put), before);
	/* Ten events touch eleven nodes at most. */
	walk_steps(&first, 10);
	wait_for_flushes();
	assert_in_range(atomic_load(&nodes_put) - before, 1, 11);
	assert_true(all > 5000);
	/* A metric alone, without an event. */
	before = atomic_load(&nodes_put);
	trace_stop(trace);
	finish(writer);
	assert_in_range(atomic_load(&nodes_put) - before, 0, 1);
	assert_same(trace);
	walk_end(&first, trace);
	trace_destroy(trace);
}

/* Little memory: trees are pruned and renumbered between flushes and during them. */
static void pruned_between(void **state)
{
	struct trace *trace = trace_create(&set, 2 << 20);
	struct walk walk[2];
	struct writer *writer = start(trace, "pruned", 0);
	struct profile *profile;
	uint64_t pruned = 0;

	walk_begin(&walk[0], trace, "a", 3);
	walk_begin(&walk[1], trace, "b", 4);
	for (int i = 0; i < 60; i++) {
		walk_steps(&walk[i % 2], 3000);
		if (i % 10 == 0)
			wait_for_flushes();
	}
	walk_end(&walk[1], trace);
	trace_stop(trace);
	finish(writer);
	assert_same(trace);
	profile = read_profile();
	for (size_t t = 0; t < profile->thread_count; t++)
		pruned += profile->thread[t].pruned;
	assert_true(pruned > 1000);
	profile_free(profile);
	walk_end(&walk[0], trace);
	trace_destroy(trace);
}

/* More ended threads than keep a row. */
static void folded_between(void **state)
{
	enum { THREADS = TRACE_KEPT_ENDED + 700 };
	struct trace *trace = trace_create(&set, 256 << 20);
	struct writer *writer = start(trace, "folded", 0);
	struct profile *profile;
	uint64_t folded = 0;

	for (int i = 0; i < THREADS; i++) {
		struct walk walk;
		char name[32];

		snprintf(name, sizeof(name), "%s-%d", i % 3 ? "pool" : "http", i);
		walk_begin(&walk, trace, name, (uint64_t)i);
		walk_steps(&walk, 30);
		walk_end(&walk, trace);
		/* Also while a row of folded ones stands for one, and for two. */
		if (i % 400 == 399 || i / 6 == TRACE_KEPT_ENDED / 6)
			wait_for_flushes();
	}
	trace_stop(trace);
	finish(writer);
	assert_same(trace);
	profile = read_profile();
	for (size_t t = 0; t < profile->thread_count; t++)
		folded += profile->thread[t].folded;
	assert_int_equal(folded, THREADS);
	assert_true(profile->thread_count < THREADS - 500);
	profile_free(profile);
	trace_destroy(trace);
}

struct runner {
	struct trace *trace;
	pthread_t thread;
	atomic_bool *stop;
	atomic_int *begun; /* runners that the trace knows */
	uint64_t seed;
};

static void *record(void *argument)
{
	struct runner *runner = argument;
	bool known = false;

	for (uint64_t round = 0; !atomic_load(runner->stop); round++) {
		struct walk walk;

		walk_begin(&walk, runner->trace, "runner", runner->seed + round * 100);
		if (walk.walk.context == NULL) { /* the others have all the memory */
			model_fini(&walk.model);
			continue;
		}
		if (!known)
			atomic_fetch_add(runner->begun, 1);
		known = true;
		for (int i = 0; i < 100 && !atomic_load(runner->stop); i++)
			walk_steps(&walk, 200);
		walk_end(&walk, runner->trace);
	}
	return NULL;
}

/* Threads record, end and begin while flush follows flush. */
static void while_threads_run(void **state)
{
	struct trace *trace = trace_create(&set, 8 << 20);
	struct writer *writer = start(trace, "running", 0);
	atomic_bool stop = false;
	atomic_int begun = 0;
	struct runner runner[3];

	for (uint64_t i = 0; i < 3; i++) {
		runner[i] = (struct runner){
			.trace = trace, .stop = &stop, .begun = &begun, .seed = i};
		pthread_create(&runner[i].thread, NULL, record, &runner[i]);
	}
	while (atomic_load(&begun) < 3)
		sched_yield();
	for (int i = 0; i < TEST_TRIES(10); i++) {
		struct profile *profile;

		wait_for_flushes();
		profile = read_profile();
		assert_true(profile->thread_count > 0);
		for (size_t n = 0; n < profile->node_count; n++) {
			const struct profile_node *node = &profile->node[n];
			assert_int_equal(
				node->calls, node->interpreted + node->jitted + node->native);
		}
		profile_free(profile);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < 3; i++)
		pthread_join(runner[i].thread, NULL);
	trace_stop(trace);
	finish(writer);
	assert_same(trace);
	trace_destroy(trace);
}

/* The n-th node cannot be written, then the commit cannot; said once; made good later. */
static void failures(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct walk walk;
	struct writer *writer = start(trace, "failures", 0);
	struct profile *profile;
	size_t nodes;

	walk_begin(&walk, trace, "main", 1);
	walk_steps(&walk, 2000);
	wait_for_flushes();
	profile = read_profile();
	nodes = profile->node_count;
	profile_free(profile);

	for (long n = 0; n < 20; n++) {
		atomic_store(&fail_put_at, n * 7);
		walk_steps(&walk, 300);
		for (int i = 0; i < 5000 && atomic_load(&fail_put_at) > 0; i++)
			poll(NULL, 0, 1);
		atomic_store(&fail_put_at, -1);
		if (n % 5 == 0)
			wait_for_flushes();
	}
	atomic_store(&fail_put_at, 0);
	walk_steps(&walk, 300);
	for (int i = 0; i < 5000 && atomic_load(&lines) == 0; i++)
		poll(NULL, 0, 1);
	assert_int_equal(atomic_load(&lines), 1);
	assert_non_null(strstr(last_line, "no room; the profile stays as it was"));
	profile = read_profile();
	assert_true(profile->node_count >= nodes);
	profile_free(profile);

	atomic_store(&fail_put_at, -1);
	atomic_store(&fail_commit, true);
	walk_steps(&walk, 300);
	poll(NULL, 0, 50);
	atomic_store(&fail_commit, false);
	trace_stop(trace);
	finish(writer);
	assert_int_equal(atomic_load(&lines), 1);
	assert_same(trace);
	walk_end(&walk, trace);
	trace_destroy(trace);
}

/* The last flush fails: the caller hears it, and the file holds the one before. */
static void last_flush_fails(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct walk walk;
	struct writer *writer = start(trace, "last", 0);
	struct error error = {0};
	struct profile *profile;

	walk_begin(&walk, trace, "main", 1);
	walk_steps(&walk, 2000);
	wait_for_flushes();
	atomic_store(&fail_commit, true);
	trace_stop(trace);
	assert_int_equal(writer_finish(writer, &error), -ERROR_IO);
	assert_string_equal(error.text, "no room");
	atomic_store(&fail_commit, false);
	profile = read_profile();
	assert_string_equal(profile_meta_get(profile, "complete"), "no");
	profile_free(profile);
	assert_same(trace);
	walk_end(&walk, trace);
	trace_destroy(trace);
}

/* Facts that stay as they are: put again only where the file has not got them. */
static void notes_once(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct writer *writer = start(trace, "notes", 3600);
	struct profile *profile;
	struct error error = {0};
	char *label;
	uint64_t at;

	atomic_store(&fail_commit, true);
	assert_int_equal(writer_snapshot(writer, 0, "a", &label, &at, &error), -ERROR_IO);
	atomic_store(&fail_commit, false);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(writer_snapshot(writer, 0, NULL, &label, &at, NULL), 0);
		free(label);
		assert_int_equal(atomic_load(&notes_put), 2);
	}
	trace_stop(trace);
	finish(writer);
	assert_int_equal(atomic_load(&notes_put), 2);
	profile = read_profile();
	assert_string_equal(profile_meta_get(profile, "options"), "{}");
	profile_free(profile);
	trace_destroy(trace);
}

static void in_a_forked_child(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct walk walk;
	struct writer *writer = start(trace, "fork", 3600);
	int status;
	pid_t child;

	walk_begin(&walk, trace, "main", 1);
	walk_steps(&walk, 2000);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		struct error error = {0};
		status = writer_finish(writer, &error);
		_exit(status != 0 || atomic_load(&flushes) != 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	trace_stop(trace);
	finish(writer);
	assert_same(trace);
	walk_end(&walk, trace);
	trace_destroy(trace);
}

/* The line of a thread's status that begins with the key; "" if the thread is not there.
 */
static void writer_status(const char *key, char *value, size_t size)
{
	FILE *file = popen("cat /proc/$PPID/task/*/status", "r");
	char line[256];
	bool ours = false;

	value[0] = '\0';
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Name:", 5) == 0)
			ours = strstr(line, "jprof writer") != NULL;
		if (ours && strncmp(line, key, strlen(key)) == 0)
			snprintf(value, size, "%s", line + strlen(key));
	}
	pclose(file);
}

static void signals_are_blocked(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct writer *writer = start(trace, "signals", 3600);
	char mask[256];

	writer_status("SigBlk:", mask, sizeof(mask));
	/* All but 9 and 19; of 32 and 33, which the C library uses itself, it may keep
	 * some. */
	assert_true((strtoull(mask, NULL, 16) | 3ull << 31) == ~(1ull << 8 | 1ull << 18));
	finish(writer);
	writer_status("SigBlk:", mask, sizeof(mask));
	assert_string_equal(mask, "");
	trace_destroy(trace);
}

static void cannot_start(void **state)
{
	struct trace *trace = trace_create(&set, 64 << 20);
	struct writer *first = start(trace, "taken", 3600), *writer = first;
	struct error error = {0};

	assert_int_equal(
		writer_start(&writer, trace, &source, &set, "/no/such/x.jprof", 1, &error),
		-ERROR_IO);
	assert_null(writer);
	assert_non_null(strstr(error.text, "'/no/such/x.jprof': No such file or directory"));
	error = (struct error){0};
	assert_int_equal(
		writer_start(&writer, trace, &source, &set, path, 1, &error), -ERROR_BUSY);
	assert_null(writer);
	assert_int_equal(writer_finish(NULL, &error), 0);
	finish(first);
	trace_destroy(trace);
}

static int prepare(void **state)
{
	set = test_set(METRICS);
	for (unsigned i = 0; i < METRICS; i++) {
		snprintf(set.metric[i].name, sizeof(set.metric[i].name), "m%u", i);
		snprintf(set.metric[i].unit, sizeof(set.metric[i].unit), "count");
	}
	return test_folder_make(directory);
}

static int clean(void **state)
{
	return test_folder_remove(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_flush),
		cmocka_unit_test(only_what_changed),
		cmocka_unit_test(pruned_between),
		cmocka_unit_test(folded_between),
		cmocka_unit_test(while_threads_run),
		cmocka_unit_test(failures),
		cmocka_unit_test(last_flush_fails),
		cmocka_unit_test(notes_once),
		cmocka_unit_test(in_a_forked_child),
		cmocka_unit_test(signals_are_blocked),
		cmocka_unit_test(cannot_start),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
