/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Lines that JVMs wrote become rows: of each file NAME.log in lines/ those in NAME.rows. With a folder as its argument the
 * program writes these, to be looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tracers/gc_log.h"
#include "agent/tracers/jit_log.h"

static const char *const names[] = {"17-serial", "17-parallel", "17-g1", "17-z",
	"17-shenandoah", "25-serial", "25-parallel", "25-g1", "25-z", "25-shenandoah",
	"25-shenandoah-generational", "17-jit", "25-jit"};

enum { NAMES = sizeof(names) / sizeof(*names) };

/* ---- rows as text ---- */

static const char *size_text(bool is, uint64_t bytes, char *text)
{
	snprintf(text, 24, "%" PRIu64, bytes);
	return is ? text : "-";
}

static void show_collection(void *out, const struct gc_collection *row)
{
	char before[24], after[24], total[24];

	fprintf(out, "%s %" PRIu64 " [%s] [%s] %" PRIu64 " +%" PRIu64 " %s %s %s\n",
		collection_kind_names[row->kind], row->number, row->name, row->cause,
		row->began, row->ns, size_text(row->has_bytes, row->before, before),
		size_text(row->has_bytes, row->after, after),
		size_text(row->has_total, row->total, total));
}

static void show_safepoint(void *out, const struct gc_safepoint *row)
{
	fprintf(out,
		"safepoint [%s] %" PRIu64 " +%" PRIu64 " = %" PRIu64 " %" PRIu64 " %" PRIu64
		"; %" PRIu64 " of %" PRIu64 "\n",
		row->operation, row->began, row->ns, row->reaching_ns, row->cleanup_ns,
		row->at_ns, row->running, row->threads);
}

static void show_compilation(void *out, const struct jit_compilation *row)
{
	char osr[24], ns[24];

	snprintf(osr, sizeof(osr), "%" PRId64, row->osr);
	snprintf(ns, sizeof(ns), "%" PRId64, row->ns);
	fprintf(out, "compilation %u [%s] [%s] [%s] %u %" PRIu64 " %s %" PRIu64 " +%s %s\n",
		row->id, row->method.class_name, row->method.name,
		row->method.signature ? row->method.signature : "-", row->level, row->bytecodes,
		row->osr == JIT_NOT_KNOWN ? "-" : osr, row->began,
		row->ns == JIT_NOT_KNOWN ? "-" : ns, row->failed ? row->failed : "-");
}

static void show_deoptimization(void *out, const struct jit_deoptimization *row)
{
	char bytecode[24];

	snprintf(bytecode, sizeof(bytecode), "%" PRId64, row->bytecode);
	fprintf(out, "%s %u [%s] [%s] [%s] %u %s %" PRIu64 " [%s] [%s]\n",
		deoptimization_kind_names[row->kind], row->id, row->method.class_name,
		row->method.name, row->method.signature ? row->method.signature : "-",
		row->level, row->bytecode == JIT_NOT_KNOWN ? "-" : bytecode, row->at,
		row->reason ? row->reason : "-", row->action ? row->action : "-");
}

/* ---- files ---- */

/* The whole file, owned. */
static char *read_file(const char *name, const char *extension, size_t *size)
{
	char path[4096], *text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s.%s", LINES_FOLDER, name, extension);
	file = fopen(path, "r");
	if (!file)
		fail_msg("no file '%s'", path);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	text = calloc(1, *size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, *size, file), *size);
	fclose(file);
	return text;
}

static void take_gc(void *log, const struct log_line *line)
{
	gc_log_line(log, line);
}

static void take_jit(void *log, const struct log_line *line)
{
	jit_log_line(log, line);
}

/* The rows of a log, in parts of that size. */
static void write_rows(const char *name, size_t part, FILE *out)
{
	const struct gc_log_taker of_gc = {show_collection, show_safepoint, out};
	const struct jit_log_taker of_jit = {show_compilation, show_deoptimization, out};
	bool is_jit = strstr(name, "jit") != NULL;
	struct gc_log *gc = gc_log_create(&of_gc);
	struct jit_log *jit = jit_log_create(&of_jit);
	struct log_lines lines;
	size_t size;
	char *text = read_file(name, "log", &size);

	log_lines_init(&lines, is_jit ? take_jit : take_gc, is_jit ? (void *)jit : (void *)gc);
	for (size_t at = 0; at < size; at += part)
		log_lines_feed(&lines, text + at, size - at < part ? size - at : part);
	assert_int_equal(lines.strange, 0);
	assert_int_equal(gc_log_forgotten(gc), 0);
	assert_int_equal(jit_log_forgotten(jit), 0);
	log_lines_fini(&lines);
	gc_log_destroy(gc);
	jit_log_destroy(jit);
	free(text);
}

static void rows(void **state)
{
	static const size_t parts[] = {1, 7, 4096, 1 << 20};

	for (int i = 0; i < NAMES; i++) {
		size_t wanted_size, size;
		char *wanted = read_file(names[i], "rows", &wanted_size), *text;

		for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
			FILE *out = open_memstream(&text, &size);

			write_rows(names[i], parts[p], out);
			fclose(out);
			if (strcmp(text, wanted) != 0)
				fail_msg("%s in parts of %zu:\n%s", names[i], parts[p], text);
			free(text);
		}
		free(wanted);
	}
}

/* ---- what no JVM wrote here ---- */

struct counted {
	unsigned collections, safepoints, compilations, deoptimizations;
};

static void count_collection(void *counted, const struct gc_collection *row)
{
	((struct counted *)counted)->collections++;
	assert_true(strlen(row->cause) < GC_NAME_MAX);
}

static void count_safepoint(void *counted, const struct gc_safepoint *row)
{
	((struct counted *)counted)->safepoints++;
}

static void no_sections(void **state)
{
	static const struct {
		int line;
		const char *tags, *text;
		unsigned collections;
	} cases[] = {
		{__LINE__, "gc", "GC(1) Pause Young (Normal) (A) 1M->1M(2M) 1.000ms", 1},
		/* An end whose begin was not seen, and that does not say how long. */
		{__LINE__, "gc", "GC(1) Garbage Collection (Warmup) 1M(1%)->1M(1%)", 0},
		{__LINE__, "gc", "GC(1) Pause Young", 0},
		{__LINE__, "gc", "GC(x) Pause Young 1.000ms", 0},
		{__LINE__, "gc", "GC(99999999999999999999) Pause Young 1.000ms", 0},
		{__LINE__, "gc", "Pause Young 1.000ms", 0},
		{__LINE__, "gc,heap", "GC(1) Pause Young 1.000ms", 0},
		{__LINE__, "gc,phases", "GC(1) Phase 1: Mark 1.000ms", 0},
		{__LINE__, "gc", "GC(1) Pause Remark 1.0000000000000ms", 0},
		{__LINE__, "gc", "GC(1) Pause Young (", 0},
		{__LINE__, "gc", "Allocation Stall (a b) 1.000ms", 1},
		{__LINE__, "gc", "Allocation Stall (a b) 99999999.000s", 0},
		{__LINE__, "safepoint", "Safepoint \"X", 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct counted counted = {0};
		const struct gc_log_taker taker = {count_collection, count_safepoint, &counted};
		struct gc_log *log = gc_log_create(&taker);
		const struct log_line line = {.at = UINT64_C(5000000000),
			.tags = cases[i].tags,
			.text = cases[i].text};

		gc_log_line(log, &line);
		if (counted.collections != cases[i].collections || counted.safepoints != 0)
			fail_msg("line %d: %u collections", cases[i].line, counted.collections);
		gc_log_destroy(log);
	}
}

/* More sections than are remembered: the oldest are forgotten, and that is said. */
static void many_open(void **state)
{
	struct counted counted = {0};
	const struct gc_log_taker taker = {count_collection, count_safepoint, &counted};
	struct gc_log *log = gc_log_create(&taker);

	for (int i = 0; i < GC_OPEN_MAX + 3; i++) {
		char text[64];
		const struct log_line line = {.at = 1000, .tags = "gc,start", .text = text};

		snprintf(text, sizeof(text), "GC(%d) Pause Young (Normal) (A)", i);
		gc_log_line(log, &line);
	}
	assert_int_equal(gc_log_open(log), GC_OPEN_MAX);
	assert_int_equal(gc_log_forgotten(log), 3);
	gc_log_destroy(log);
}

static void count_compilation(void *counted, const struct jit_compilation *row)
{
	((struct counted *)counted)->compilations++;
}

static void count_deoptimization(void *counted, const struct jit_deoptimization *row)
{
	((struct counted *)counted)->deoptimizations++;
}

/* As many threads as are remembered compile, and three more. */
static void many_compilers(void **state)
{
	struct counted counted = {0};
	const struct jit_log_taker taker = {count_compilation, count_deoptimization, &counted};
	struct jit_log *log = jit_log_create(&taker);
	const char *begin = "  11       3       com.acme.Foo::bar (10 bytes)",
		   *end = "Installing method (3) com.acme.Foo.bar(I)V ";

	for (uint64_t i = 0; i < JIT_THREADS_MAX + 3; i++)
		jit_log_line(log, &(struct log_line){i + 1, i, "jit,compilation", begin});
	assert_int_equal(jit_log_forgotten(log), 3);
	for (uint64_t i = 0; i < JIT_THREADS_MAX + 3; i++)
		jit_log_line(log, &(struct log_line){1000, i, "nmethod,install", end});
	assert_int_equal(counted.compilations, JIT_THREADS_MAX);
	jit_log_destroy(log);
}

static void selections(void **state)
{
	assert_non_null(
		strstr(gc_log_selection(" garbage-first heap   total 1K"), "heap=debug"));
	assert_non_null(strstr(gc_log_selection(" ZHeap  used 8M"), "phases"));
	assert_null(strstr(gc_log_selection("Shenandoah Heap\n"), "heap"));
	assert_non_null(strstr(gc_log_selection(" PSYoungGen  total 1K"), "heap=info"));
	assert_non_null(strstr(gc_log_selection(""), "safepoint"));
}

static int write_all(const char *folder)
{
	for (int i = 0; i < NAMES; i++) {
		char path[4096];
		FILE *out;

		snprintf(path, sizeof(path), "%s/%s.rows", folder, names[i]);
		out = fopen(path, "w");
		if (!out)
			return 1;
		write_rows(names[i], 4096, out);
		fclose(out);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows),
		cmocka_unit_test(no_sections),
		cmocka_unit_test(many_open),
		cmocka_unit_test(many_compilers),
		cmocka_unit_test(selections),
	};

	if (argc > 1)
		return write_all(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
