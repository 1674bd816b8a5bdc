/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * make_hostile: a small profile of all that exports must not stumble over.
 *
 * In:   make_hostile FILE [KEY=VALUE...]: facts.
 * Out:  methods, threads, files and marks whose names hold quotes, ';', line breaks, escapes, half characters, 100,000 bytes;
 *       threads of one name, and without; recursion, a fold, native and kernel frames, samples in states and lines, calls without
 *       paths, records of I/O, two snapshots.
 */
#include <stdio.h>
#include <string.h>

#include "profile/profile_write.h"

enum { LONG_NAME = 100000, METRICS = 2 };

static char long_name[LONG_NAME + 1];

/* What stands in a thread's tree: a parent is the place of a row above. */
struct row {
	uint32_t parent, method;
	uint64_t calls, cpu, alloc;
	bool sampled;
};

static const struct profile_method methods[] = {
	{.class_name = "com.acme.\"Quoted\"",
		.name = "a;b",
		.signature = "()V",
		.file = "Quo\"ted.java"},
	{.class_name = "com.acme.Lines\nand\rmore",
		.name = "tab\there",
		.signature = "(I)I",
		.file = "two\nlines.java"},
	{.class_name = "com.acme.</script><b>",
		.name = "\x1b[31mred\x07",
		.signature = "()I",
		.file = "\x1b.java"},
	/* Two halves of a character of UTF-16, alone, and bytes that are nothing. */
	{.class_name = "com.acme.Half\xed\xa0\x80",
		.name = "\xed\xb0\x80low\xff\xfe",
		.signature = "()V"},
	{.class_name = "com.acme.Right\xe2\x80\xaeleft",
		.name = "\xf0\x9f\x94\xa5\\u0041",
		.signature = "()V",
		.file = "Right.java"},
	{.class_name = "com.acme.Long",
		.name = long_name,
		.signature = "()V",
		.file = long_name},
	{.class_name = "com.acme.Over",
		.name = "load",
		.signature = "(I)V",
		.file = "Over.java"},
	{.class_name = "com.acme.Over",
		.name = "load",
		.signature = "(J)V",
		.file = "Over.java"},
	{.class_name = "(3) fn=(4)", .name = "calls=1 2", .signature = "()V"},
	{.class_name = "libc.so.6", .name = "write", .kind = METHOD_NATIVE, .is_native = true},
	{.class_name = "[kernel]",
		.name = "do;syscall\n64",
		.kind = METHOD_KERNEL,
		.is_native = true},
	{.class_name = "[stub]", .name = "vtable stub", .kind = METHOD_STUB, .is_native = true},
	{.class_name = "byte[]", .kind = METHOD_CLASS},
};

enum { METHOD_COUNT = sizeof(methods) / sizeof(methods[0]) };

/* Of the tables below: a row's method. */
#define M(n) (METHOD_FIRST + (n))

static const struct row main_rows[] = {
	{.parent = 0, .method = METHOD_ROOT, .cpu = 1000, .alloc = 16},
	{0, METHOD_FOLDED, 0, 0, 0, false},
	{0, M(0), 3, 2000, 24, false},
	{2, M(1), 5, 300, 0, false},
	{3, M(0), 7, 40, 8, false}, /* a method that calls itself through another */
	{4, M(1), 9, 5, 0, false},
	{2, M(2), 1, 1234567890123, 0, false},
	{6, M(3), 2, 77, 0, false},
	{6, M(4), 2, 78, 1, false},
	{8, M(5), 1, 79, 2, false},
	{8, M(6), 4, 10, 0, false},
	{8, M(7), 6, 11, 0, false},
	{8, M(8), 8, 12, 0, false},
	{1, M(2), 11, 13, 0, false}, /* what was folded */
	{3, M(2), 0, 0, 0, true},
	{14, M(9), 0, 0, 0, true},
	{15, M(10), 0, 0, 0, true},
	{14, M(11), 0, 0, 0, true},
	{14, M(12), 0, 0, 0, true},
};

static const struct row other_rows[] = {
	{.parent = 0, .method = METHOD_ROOT, .cpu = 7, .alloc = 0},
	{0, METHOD_FOLDED, 0, 0, 0, false},
	{0, M(0), 1, 50, 32, false},
	{2, M(1), 1, 60, 0, false},
};

static const struct row idle_rows[] = {
	{.parent = 0, .method = METHOD_ROOT},
};

static const struct thread {
	struct profile_thread row;
	const struct row *rows;
	uint32_t count;
} threads[] = {
	{{.id = 1,
		 .java_id = 1,
		 .os_id = 4711,
		 .name = "main;\"x\"\n\x1b[2J",
		 .folded = 1,
		 .started = 1000,
		 .alive = true},
		main_rows, sizeof(main_rows) / sizeof(main_rows[0])},
	{{.id = 2,
		 .java_id = 12,
		 .os_id = 4712,
		 .name = "worker",
		 .folded = 1,
		 .started = 2000,
		 .ended = 900000},
		other_rows, sizeof(other_rows) / sizeof(other_rows[0])},
	/* The same name; the number that another thread had before. */
	{{.id = 3,
		 .java_id = 13,
		 .os_id = 4712,
		 .name = "worker",
		 .folded = 1,
		 .started = 950000,
		 .alive = true},
		other_rows, sizeof(other_rows) / sizeof(other_rows[0])},
	{{.id = 4, .name = "pool-*", .folded = 8, .started = 3000, .ended = 800000}, other_rows,
		sizeof(other_rows) / sizeof(other_rows[0])},
	{{.id = 5,
		 .java_id = 14,
		 .os_id = 4714,
		 .name = "",
		 .folded = 1,
		 .started = 4000,
		 .alive = true},
		other_rows, sizeof(other_rows) / sizeof(other_rows[0])},
	{{.id = 6,
		 .java_id = 15,
		 .name = NULL,
		 .folded = 1,
		 .is_virtual = true,
		 .started = 5000,
		 .alive = true},
		idle_rows, 1},
};

enum { THREAD_COUNT = sizeof(threads) / sizeof(threads[0]) };

/* Of the first thread. */
static const struct profile_account accounts[] = {
	{.node = 3,
		.kind = SAMPLES,
		.subject = 0 + 16 * (SAMPLE_C2 + 16 * 42),
		.count = 3,
		.amount = 3},
	{.node = 3,
		.kind = SAMPLES,
		.subject = 0 + 16 * (SAMPLE_C1 + 16 * 42),
		.count = 1,
		.amount = 2},
	{.node = 3,
		.kind = SAMPLES,
		.subject = 0 + 16 * (SAMPLE_C2 + 16 * 43),
		.count = 2,
		.amount = 2},
	{.node = 14,
		.kind = SAMPLES,
		.subject = 0 + 16 * SAMPLE_INTERPRETED,
		.count = 1,
		.amount = 1},
	{.node = 15,
		.kind = SAMPLES,
		.subject = 0 + 16 * (SAMPLE_NATIVE + 16 * 44),
		.count = 1,
		.amount = 5},
	{.node = 16,
		.kind = SAMPLES,
		.subject = 0 + 16 * (SAMPLE_KERNEL + 16 * 45),
		.count = 4,
		.amount = 4},
	{.node = 17,
		.kind = SAMPLES,
		.subject = 0 + 16 * (SAMPLE_STUB + 16 * 46),
		.count = 6,
		.amount = 6},
	{.node = 18,
		.kind = SAMPLES,
		.subject = 1 + 16 * (SAMPLE_JVM + 16 * 47),
		.count = 9,
		.amount = 9},
	{.node = 3,
		.kind = SAMPLES,
		.subject = 1 + 16 * (SAMPLE_C2 + 16 * 42),
		.count = 1,
		.amount = 1},
	{.node = 3, .kind = IO_READ, .subject = 1, .count = 2, .amount = 30, .ns = 700},
	{.node = 0, .kind = CALLS, .subject = M(1), .count = 1000},
	{.node = 0, .kind = CALLS, .subject = M(6), .count = 2000},
};

static int put_methods(struct profile_writer *writer, struct error *error)
{
	for (uint32_t i = 0; i < METHOD_COUNT; i++) {
		struct profile_method method = methods[i];

		method.id = METHOD_FIRST + i;
		if (profile_put(writer, &method, error) != 0)
			return -1;
	}
	return 0;
}

/* Ids of sampled nodes are their own. */
static uint32_t id_of(const struct row *rows, uint32_t i)
{
	return rows[i].sampled ? NODE_SAMPLED_FIRST + i : i;
}

static uint32_t recursion_of(const struct row *rows, uint32_t i)
{
	uint32_t count = 0;

	if (i == 0 || rows[i].sampled)
		return 0;
	for (uint32_t up = rows[i].parent; up != 0; up = rows[up].parent)
		count += rows[up].method == rows[i].method;
	return count;
}

/* times: how often all was done. */
static int put_thread(struct profile_writer *writer, const struct thread *thread,
	unsigned times, struct error *error)
{
	struct profile_thread row = thread->row;

	for (uint32_t i = 0; i < thread->count; i++) {
		const struct row *from = &thread->rows[i];
		const uint64_t base[METRICS] = {times * from->cpu, times * from->alloc};
		const struct profile_node node = {.thread = row.id,
			.id = id_of(thread->rows, i),
			.parent = id_of(thread->rows, from->parent),
			.method = from->method,
			.recursion = recursion_of(thread->rows, i),
			.sampled = from->sampled,
			.calls = times * from->calls,
			.jitted = times * from->calls,
			.transition = {{0, times * from->calls}, {0, 0}},
			.base = base};

		row.total[0] += base[0];
		row.total[1] += base[1];
		row.events += 2 * node.calls;
		if (profile_put(writer, &node, error) != 0)
			return -1;
	}
	return profile_put(writer, &row, error);
}

static int put_accounts(struct profile_writer *writer, unsigned times, struct error *error)
{
	for (uint32_t i = 0; i < sizeof(accounts) / sizeof(accounts[0]); i++) {
		struct profile_account account = accounts[i];

		account.thread = 1;
		account.id = account.kind == CALLS
				     ? ACCOUNT_OF_METHOD + (uint32_t)account.subject
				     : i + 1;
		account.node = id_of(main_rows, account.node);
		account.count *= times;
		account.amount *= times;
		account.ns *= times;
		if (profile_put(writer, &account, error) != 0)
			return -1;
	}
	return 0;
}

static int put_state(struct profile_writer *writer, unsigned times, struct error *error)
{
	for (size_t t = 0; t < THREAD_COUNT; t++)
		if (put_thread(writer, &threads[t], times, error) != 0)
			return -1;
	return put_accounts(writer, times, error);
}

static int put_records(struct profile_writer *writer, struct error *error)
{
	const struct profile_file file = {.id = 1,
		.kind = IO_TCP,
		.descriptor = 7,
		.name = "\"local\"\n;\x1b",
		.peer = "\xff</script>",
		.known = KNOWN_OPEN};
	const struct profile_record_thread rows[] = {
		{.id = 1, .java_id = 1, .os_id = 4711, .name = "main;\"x\"\n\x1b[2J"},
		{.id = 2, .java_id = 77, .os_id = 4799, .name = "gone\\\"\t"},
	};
	const struct profile_record records[] = {
		{.begin = 10001,
			.ns = 999,
			.thread = 1,
			.node = profile_node_id(1, 3),
			.subject = 1,
			.kind = IO_READ,
			.amount = 10},
		{.begin = 20000,
			.ns = 0,
			.thread = 2,
			.kind = IO_SEND,
			.subject = 1,
			.amount = 20,
			.failed = true},
	};
	const struct profile_mark marks[] = {
		{.at = 30000,
			.java_id = 1,
			.thread = "main;\"x\"\n\x1b[2J",
			.name = "mark;\"\n"},
		{.at = 40000, .name = ""},
	};

	if (profile_put(writer, &file, error) != 0)
		return -1;
	for (size_t i = 0; i < 2; i++)
		if (profile_put(writer, &rows[i], error) != 0 ||
			profile_put(writer, &records[i], error) != 0 ||
			profile_put(writer, &marks[i], error) != 0)
			return -1;
	return 0;
}

static int put_facts(struct profile_writer *writer, char *const *facts, struct error *error)
{
	if (profile_put_meta(writer, "java.command", "Main \"x\"\n--to;y", error) != 0 ||
		profile_put_meta(writer, "pid", "4710", error) != 0 ||
		profile_put_meta(writer, "started", "2026-01-02T03:04:05Z", error) != 0 ||
		profile_put_meta(writer, "flushed_ns", "5000000", error) != 0 ||
		profile_put_meta(writer, "complete", "yes", error) != 0)
		return -1;
	for (; *facts; facts++) {
		size_t length = strcspn(*facts, "=");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)length, *facts);
		if (profile_put_meta(writer, key, *facts + length + 1, error) != 0)
			return -1;
	}
	return 0;
}

static int put_all(struct profile_writer *writer, char *const *facts, struct error *error)
{
	const struct profile_condition conditions[] = {
		{0, "cpu:1ms", "cpu", 1000000, "ns", "perf task-clock"},
		{1, "alloc:512k", "alloc", 524288, "bytes", "events of the JVM"},
	};
	const struct profile_snapshot snapshots[] = {
		{.id = 1, .label = "first\"<", .at = 1000000},
		{.id = 2, .label = "second", .at = 3000000},
	};

	if (profile_begin(writer, error) != 0 || put_facts(writer, facts, error) != 0 ||
		profile_put(writer, &conditions[0], error) != 0 ||
		profile_put(writer, &conditions[1], error) != 0 ||
		put_methods(writer, error) != 0)
		return -1;
	for (unsigned i = 0; i < 2; i++)
		if (put_state(writer, i + 1, error) != 0 ||
			profile_put_snapshot(writer, &snapshots[i], error) != 0 ||
			profile_commit(writer, error) != 0 || profile_begin(writer, error) != 0)
			return -1;
	if (put_state(writer, 3, error) != 0 || put_records(writer, error) != 0)
		return -1;
	return profile_commit(writer, error);
}

int main(int argc, char **argv)
{
	const struct profile_metric metrics[METRICS] = {
		{.name = "cpu", .unit = "ns", .how = "clock_gettime"},
		{.name = "alloc", .unit = "bytes", .how = "thread-local buffer"},
	};
	struct profile_writer *writer;
	struct error error = {0};
	int failed;

	if (argc < 2) {
		fprintf(stderr, "usage: make_hostile FILE [KEY=VALUE...]\n");
		return 2;
	}
	memset(long_name, 'x', LONG_NAME);
	memcpy(long_name, "long;\"\n", 7);
	failed = profile_create(&writer, argv[1], metrics, METRICS, NULL, &error);
	if (failed == 0) {
		failed = put_all(writer, argv + 2, &error);
		if (profile_close(writer, &error) != 0)
			failed = -1;
	}
	if (failed != 0)
		fprintf(stderr, "make_hostile: %s\n", error.text);
	return failed != 0;
}
