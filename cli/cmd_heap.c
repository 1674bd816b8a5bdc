/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof heap: what is in a JVM's heap, by class, or all of it in a file: as the JVM itself says, without the agent. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/attach/hotspot_attach.h"
#include "cli/attach/jvm_list.h"
#include "cli/commands.h"
#include "cli/heap_histogram.h"
#include "cli/terminal/screen.h"
#include "report/formats/sheet.h"
#include "report/request.h"

enum sort { SORT_BYTES, SORT_OBJECTS, SORT_CLASS };
static const char *const sorts[] = {"bytes", "objects", "class", NULL};

struct heap_words {
	pid_t pid;
	bool is_live; /* garbage is collected before */
	const char *dump;
	uint64_t top;
	int sort; /* enum sort */
	const struct format *format;
	unsigned width;
};

/* ---- words ---- */

static int take_process(void *words, const char *word)
{
	struct heap_words *heap = words;
	struct error error = {0};

	if (heap->pid != 0)
		return command_usage("heap", "one process only, not '%s' too", word);
	return jvm_list_find(word, &heap->pid, &error) == 0
		       ? EXIT_DONE
		       : command_usage("heap", "%s", error.text);
}

static int take_sort(const struct taken *taken)
{
	int at = command_choose(taken->command, "column", taken->value, sorts);

	if (at < 0)
		return EXIT_USAGE;
	*(int *)taken->to = at;
	return EXIT_DONE;
}

static int take_format(const struct taken *taken)
{
	struct error error = {0};

	if (request_take_format(taken->to, taken->value, &error) == 0)
		return EXIT_DONE;
	return command_usage(taken->command, "%s", error.text);
}

static const struct command_option heap_options[] = {
	{"--live", NULL, "collect garbage before: what is left is alive", take_flag,
		offsetof(struct heap_words, is_live)},
	{"--dump", "FILE", "write all objects into a new file (*.hprof)", take_some_text,
		offsetof(struct heap_words, dump)},
	{"--top", "N", "the first N classes; the others are summed up", take_whole_number,
		offsetof(struct heap_words, top)},
	{"--sort", "bytes|objects|class", "bytes unless given", take_sort,
		offsetof(struct heap_words, sort)},
	{"--format", "text|json|csv", "text unless given", take_format,
		offsetof(struct heap_words, format)},
	{"--width", "N", "columns of text", take_width, offsetof(struct heap_words, width)},
};

const struct command_table heap_table = {"heap", heap_options,
	sizeof(heap_options) / sizeof(*heap_options), take_process, false};

/* ---- a histogram ---- */

static int by_bytes(const void *a, const void *b)
{
	const struct heap_row *one = a, *other = b;

	if (one->bytes != other->bytes)
		return one->bytes < other->bytes ? 1 : -1;
	return strcmp(one->class, other->class);
}

static int by_objects(const void *a, const void *b)
{
	const struct heap_row *one = a, *other = b;

	if (one->objects != other->objects)
		return one->objects < other->objects ? 1 : -1;
	return by_bytes(a, b);
}

static int by_class(const void *a, const void *b)
{
	return strcmp(((const struct heap_row *)a)->class, ((const struct heap_row *)b)->class);
}

static void put_rows(const struct heap_words *words, const struct heap_histogram *histogram,
	struct sink *sink)
{
	struct cell cells[4],
		left[4] = {cell_null(), cell_number(0), cell_number(0), cell_null()};
	size_t shown =
		words->top > 0 && words->top < histogram->count ? words->top : histogram->count;

	for (size_t i = 0; i < histogram->count; i++) {
		const struct heap_row *row = &histogram->row[i];

		cells[0] = cells[3] = cell_text(row->class);
		cells[1] = cell_number(row->bytes);
		cells[2] = cell_number(row->objects);
		if (i < shown) {
			sink_row(sink, cells, 0);
			continue;
		}
		left[1].number += row->bytes;
		left[2].number += row->objects;
	}
	if (shown < histogram->count)
		sink_extra(sink, "omitted", "more", histogram->count - shown, left);
}

static int print_histogram(
	const struct heap_words *words, struct heap_histogram *histogram, struct error *error)
{
	static int (*const orders[])(const void *, const void *) = {
		[SORT_BYTES] = by_bytes, [SORT_OBJECTS] = by_objects, [SORT_CLASS] = by_class};
	struct screen screen = screen_read(words->width);
	const struct format *format = words->format;
	struct sheet sheet = {.view = "heap"};
	struct sink sink;
	struct out out;
	int failed;

	if (format == &format_text && screen.width > 0)
		format = &format_screen;
	sheet_add(&sheet, NULL, "class", "Class", IN_DATA);
	sheet_add(&sheet, NULL, "bytes", "Bytes", IN_ALL | COLUMN_SUM | COLUMN_BYTES);
	sheet_add(&sheet, NULL, "objects", "Objects", IN_ALL | COLUMN_SUM);
	sheet_add_name(&sheet, "Class");
	sheet.column[1].has_whole = true;
	sheet.column[1].whole = histogram->bytes;
	qsort(histogram->row, histogram->count, sizeof(*histogram->row), orders[words->sort]);
	out_init(&out, STDOUT_FILENO);
	sink_init(&sink, format, &sheet, &out, screen.colour);
	sink.terminal = screen.width;
	if (format->measures) {
		sink.measuring = true;
		put_rows(words, histogram, &sink);
		sink.measuring = false;
	}
	format->begin(&sink);
	put_rows(words, histogram, &sink);
	if (format->end)
		format->end(&sink);
	failed = out_finish(&out, "standard output", error);
	sink_fini(&sink);
	out_fini(&out);
	return failed;
}

static int tell_histogram(
	const struct heap_words *words, const struct target *target, struct error *error)
{
	const char *const ask[4] = {"inspectheap", words->is_live ? "-live" : "-all"};
	struct heap_histogram histogram = {0};
	char *answer;
	int failed = hotspot_ask(target, ask, "to count its objects", &answer, error);

	if (failed == 0)
		failed = heap_histogram_read(&histogram, answer, error);
	if (failed == 0)
		failed = print_histogram(words, &histogram, error);
	heap_histogram_fini(&histogram);
	free(answer);
	return failed;
}

/* ---- a dump ---- */

/* The JVM writes it, as its own user, where it sees that path. */
static int write_dump(
	const struct heap_words *words, const struct target *target, struct error *error)
{
	static const char done[] = "Heap dump file created";
	char path[PATH_MAX + NAME_MAX] = "";
	const char *ask[4] = {"dumpheap", path, words->is_live ? "-live" : "-all"};
	size_t length;
	char *answer;
	int failed;

	if (words->dump[0] != '/') {
		if (!getcwd(path, PATH_MAX))
			return error_set(error, ERROR_IO, "the working directory is not known");
		strcat(path, "/");
	}
	length = strlen(path);
	if (strlen(words->dump) >= sizeof(path) - length)
		return error_set(error, ERROR_VALUE, "--dump: the path is too long");
	strcpy(path + length, words->dump);
	failed = hotspot_ask(target, ask, "to write its heap", &answer, error);
	for (char *at = answer; at && (at = strchr(at, '\n')) != NULL;)
		*at = at[1] == '\0' ? '\0' : ' ';
	if (failed == 0 && !strstr(answer, done))
		failed = error_set(error, ERROR_JVM, "the JVM did not write '%s': %.400s",
			error_subject(path).text, error_subject(answer).text);
	free(answer);
	if (failed == 0)
		say("the heap of process %ld is in '%s'%s", (long)target->pid, path,
			target->same_view ? "" : ", as that process sees it");
	return failed;
}

int cmd_heap(int argc, char **argv)
{
	struct heap_words words = {.format = &format_text};
	struct error error = {0};
	struct jvm_maps maps;
	struct target target;
	int status = command_options_read(&heap_table, &words, argc, argv), failed;

	if (status == EXIT_DONE && words.pid == 0)
		status = command_usage("heap", "no process id given");
	if (status != EXIT_DONE)
		return status;
	failed = target_open(&target, words.pid, &error);
	if (failed != 0)
		return command_failed(&error);
	failed = hotspot_find_jvm(&target, &maps, &error);
	if (failed == 0) {
		failed = hotspot_wake(&target, &maps, &error);
		jvm_maps_fini(&maps);
	}
	if (failed == 0)
		failed = words.dump ? write_dump(&words, &target, &error)
				    : tell_histogram(&words, &target, &error);
	target_close(&target);
	if (failed != 0)
		return error.text[0] != '\0' ? command_failed(&error) : EXIT_FAILED;
	return EXIT_DONE;
}
