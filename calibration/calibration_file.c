/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* calibration_file: see calibration_file.h. */
#include "calibration/calibration_file.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITTEN JSON_COMPACT | JSON_REAL_PRECISION(6)

/* The numbers of one sequence and one metric. */
static const struct cost_number {
	const char *name;
	size_t offset;
} cost_numbers[] = {
	{"observed", offsetof(struct calibration_cost, observed)},
	{"minimum", offsetof(struct calibration_cost, minimum)},
	{"environment", offsetof(struct calibration_cost, environment)},
	{"cost", offsetof(struct calibration_cost, cost)},
	{"low", offsetof(struct calibration_cost, low)},
	{"high", offsetof(struct calibration_cost, high)},
	{"work_low", offsetof(struct calibration_cost, work_low)},
	{"work_high", offsetof(struct calibration_cost, work_high)},
	{"spread", offsetof(struct calibration_cost, spread)},
};

enum { COST_NUMBERS = sizeof(cost_numbers) / sizeof(*cost_numbers) };

/* A file being read, and the place in it: "sequences[3].metrics.wall". */
struct reading {
	struct calibration *calibration;
	const char *subject;
	char place[CALIBRATION_NAME + 64];
	struct error *error;
};

struct calibration_subject calibration_subject(const char *path)
{
	struct calibration_subject subject;

	snprintf(subject.text, sizeof(subject.text), "calibration file '%s'",
		error_subject(path).text);
	return subject;
}

/* ---- refusing ---- */

static int refuse(const struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* SUBJECT: what is wrong. */
static int refuse(const struct reading *reading, const char *format, ...)
{
	char text[600];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return error_set(reading->error, ERROR_FORMAT, "%s: %s", reading->subject, text);
}

/* PLACE.NAME, or NAME at the top, and what is wrong with it. */
static int refuse_value(const struct reading *reading, const char *name, const char *what)
{
	return refuse(reading, "%s%s%s %s", reading->place, reading->place[0] ? "." : "",
		error_subject(name).text, what);
}

static int no_memory(const struct reading *reading)
{
	return error_set(
		reading->error, ERROR_MEMORY, "no memory to read %s", reading->subject);
}

static void set_place(struct reading *reading, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void set_place(struct reading *reading, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reading->place, sizeof(reading->place), format, arguments);
	va_end(arguments);
}

/* ---- values ---- */

/* A text of at most size - 1 bytes. */
static int take_text(const struct reading *reading, const json_t *object, const char *name,
	char *text, size_t size)
{
	const json_t *value = json_object_get(object, name);

	if (!value)
		return refuse_value(reading, name, "is missing");
	if (!json_is_string(value))
		return refuse_value(reading, name, "is no text");
	if (json_string_length(value) >= size)
		return refuse_value(reading, name, "is too long");
	snprintf(text, size, "%s", json_string_value(value));
	return 0;
}

static int take_number(
	const struct reading *reading, const json_t *object, const char *name, double *number)
{
	const json_t *value = json_object_get(object, name);

	if (!value)
		return refuse_value(reading, name, "is missing");
	if (!json_is_number(value))
		return refuse_value(reading, name, "is no number");
	*number = json_number_value(value);
	if (!isfinite(*number))
		return refuse_value(reading, name, "is not finite");
	if (fabs(*number) > CALIBRATION_LIMIT)
		return refuse_value(reading, name, "is beyond 1e9");
	return 0;
}

/* A number from 0 to most. */
static int take_within(const struct reading *reading, const json_t *object, const char *name,
	int most, double *number)
{
	char what[40];
	int failed = take_number(reading, object, name, number);

	if (failed || (*number >= 0 && *number <= most))
		return failed;
	snprintf(what, sizeof(what), "is not within 0 and %d", most);
	return refuse_value(reading, name, what);
}

static int take_count(
	const struct reading *reading, const json_t *object, const char *name, uint64_t *count)
{
	const json_t *value = json_object_get(object, name);

	if (!value)
		return refuse_value(reading, name, "is missing");
	if (!json_is_integer(value))
		return refuse_value(reading, name, "is no whole number");
	if (json_integer_value(value) < 0)
		return refuse_value(reading, name, "is negative");
	*count = (uint64_t)json_integer_value(value);
	return 0;
}

static int take_array(
	const struct reading *reading, const json_t *object, const char *name, json_t **array)
{
	*array = json_object_get(object, name);
	if (!*array)
		return refuse_value(reading, name, "is missing");
	return json_is_array(*array) ? 0 : refuse_value(reading, name, "is no list");
}

static int take_object(
	const struct reading *reading, const json_t *object, const char *name, json_t **inner)
{
	*inner = json_object_get(object, name);
	if (!*inner)
		return refuse_value(reading, name, "is missing");
	return json_is_object(*inner) ? 0 : refuse_value(reading, name, "is no object");
}

/* ---- a sequence ---- */

static int check_cost(const struct reading *reading, const struct calibration_cost *cost)
{
	if (cost->low > cost->high)
		return refuse_value(reading, "low", "is above high");
	if (cost->cost < cost->low)
		return refuse_value(reading, "cost", "is below low");
	if (cost->cost > cost->high)
		return refuse_value(reading, "cost", "is above high");
	if (cost->work_low > cost->work_high)
		return refuse_value(reading, "work_low", "is above work_high");
	if (cost->spread < 0)
		return refuse_value(reading, "spread", "is negative");
	return 0;
}

static int read_cost(
	const struct reading *reading, const json_t *object, struct calibration_cost *cost)
{
	for (int i = 0; i < COST_NUMBERS; i++) {
		double number;
		int failed = take_number(reading, object, cost_numbers[i].name, &number);

		if (failed)
			return failed;
		memcpy((char *)cost + cost_numbers[i].offset, &number, sizeof(number));
	}
	return check_cost(reading, cost);
}

static int read_costs(
	struct reading *reading, const json_t *costs, size_t i, struct calibration_row *row)
{
	const struct calibration *calibration = reading->calibration;

	for (unsigned m = 0; m < calibration->metric_count; m++) {
		const char *name = calibration->metric[m].name;
		json_t *object;
		int failed;

		set_place(reading, "sequences[%zu].metrics", i);
		failed = take_object(reading, costs, name, &object);
		if (failed)
			return failed;
		set_place(reading, "sequences[%zu].metrics.%s", i, name);
		failed = read_cost(reading, object, &row->cost[m]);
		if (failed)
			return failed;
	}
	set_place(reading, "sequences[%zu].metrics", i);
	if (json_object_size(costs) != calibration->metric_count)
		return refuse(reading, "%s has other metrics than the file", reading->place);
	return 0;
}

/* A word of a sequence; not there, or null, where it has none. */
static int take_word(const struct reading *reading, const json_t *object, const char *name,
	const char **word)
{
	const json_t *value = json_object_get(object, name);

	*word = NULL;
	if (!value || json_is_null(value))
		return 0;
	*word = json_string_value(value);
	return *word ? 0 : refuse_value(reading, name, "is no text");
}

static int read_code(const struct reading *reading, const json_t *object, int *code)
{
	struct sequence_words words;
	int failed = take_word(reading, object, "first", &words.first);

	if (!failed)
		failed = take_word(reading, object, "begin", &words.begin);
	if (!failed)
		failed = take_word(reading, object, "second", &words.second);
	if (!failed)
		failed = take_word(reading, object, "end", &words.end);
	if (!failed)
		failed = take_word(reading, object, "third", &words.third);
	if (failed)
		return failed;
	*code = sequence_from_words(&words);
	return *code >= 0
		       ? 0
		       : refuse(reading, "%s has words that are no sequence", reading->place);
}

static int read_sequence(struct reading *reading, const json_t *object, size_t i)
{
	struct calibration *calibration = reading->calibration;
	struct calibration_row *row;
	json_t *costs = NULL;
	uint64_t count = 0;
	int code = -1, failed;

	set_place(reading, "sequences[%zu]", i);
	if (!json_is_object(object))
		return refuse(reading, "%s is no object", reading->place);
	failed = read_code(reading, object, &code);
	if (!failed)
		failed = take_count(reading, object, "count", &count);
	if (!failed)
		failed = take_object(reading, object, "metrics", &costs);
	if (failed)
		return failed;
	if (calibration_row(calibration, (uint32_t)code))
		return refuse(reading, "%s is there twice", reading->place);
	row = calibration_add_row(calibration, (uint32_t)code);
	if (!row)
		return no_memory(reading);
	row->count = count;
	return read_costs(reading, costs, i, row);
}

/* ---- a metric ---- */

static int read_tree(struct reading *reading, const json_t *object, size_t i, size_t t)
{
	struct calibration_metric *metric = &reading->calibration->metric[i];
	struct calibration_tree *tree = &metric->tree[t];
	uint64_t nodes = 0;
	int failed;

	set_place(reading, "metrics[%zu].trees[%zu]", i, t);
	if (!json_is_object(object))
		return refuse(reading, "%s is no object", reading->place);
	failed = take_count(reading, object, "nodes", &nodes);
	if (!failed)
		failed = take_number(reading, object, "more", &tree->more);
	if (failed)
		return failed;
	if (tree->more < 0)
		return refuse_value(reading, "more", "is negative");
	if (nodes > UINT32_MAX || nodes <= (t > 0 ? tree[-1].nodes : 0))
		return refuse_value(reading, "nodes", "are not more than those before");
	tree->nodes = (uint32_t)nodes;
	metric->tree_count++;
	return 0;
}

static int read_trees(struct reading *reading, const json_t *object, size_t i)
{
	json_t *list = NULL, *tree;
	int failed = take_array(reading, object, "trees", &list);
	size_t t;

	if (!failed && json_array_size(list) > CALIBRATION_TREES)
		failed = refuse_value(reading, "trees", "are too many");
	if (!failed)
		json_array_foreach(list, t, tree) if (!failed) failed =
			read_tree(reading, tree, i, t);
	return failed;
}

static int read_metric(struct reading *reading, const json_t *object, size_t i)
{
	char name[CALIBRATION_NAME], unit[CALIBRATION_NAME];
	double relative = 0, interpreted, reach = 0;
	int failed;

	set_place(reading, "metrics[%zu]", i);
	if (!json_is_object(object))
		return refuse(reading, "%s is no object", reading->place);
	failed = take_text(reading, object, "name", name, sizeof(name));
	if (!failed)
		failed = take_text(reading, object, "unit", unit, sizeof(unit));
	if (!failed)
		failed = take_within(reading, object, "relative", 1, &relative);
	interpreted = relative;
	if (!failed && json_object_get(object, "interpreted"))
		failed = take_within(reading, object, "interpreted", 1, &interpreted);
	if (!failed)
		failed = take_within(reading, object, "reach", 1, &reach);
	if (failed)
		return failed;
	if (reading->calibration->metric_count == PROFILE_METRIC_MAX)
		return refuse(reading, "it has too many metrics");
	if (calibration_add_metric(reading->calibration, name, unit, relative) < 0)
		return refuse(reading, "%s is there twice", reading->place);
	reading->calibration->metric[i].interpreted = interpreted;
	reading->calibration->metric[i].reach = reach;
	return read_trees(reading, object, i);
}

/* ---- the whole ---- */

static int read_identity(struct reading *reading, const json_t *root)
{
	json_t *made_for;
	int failed = take_object(reading, root, "for", &made_for);

	set_place(reading, "for");
	for (int i = 0; i < IDENTITY_METRICS && !failed; i++)
		failed = take_text(reading, made_for, identity_name((enum identity_field)i),
			reading->calibration->identity.field[i], IDENTITY_TEXT);
	return failed;
}

static int read_list(struct reading *reading, const json_t *root, const char *name,
	int (*read)(struct reading *reading, const json_t *object, size_t i))
{
	json_t *list = NULL;
	int failed;

	set_place(reading, "%s", "");
	failed = take_array(reading, root, name, &list);
	for (size_t i = 0; !failed && i < json_array_size(list); i++)
		failed = read(reading, json_array_get(list, i), i);
	return failed;
}

static int check_version(const struct reading *reading, const json_t *root)
{
	const json_t *version = json_object_get(root, "jprof_calibration");

	if (!json_is_integer(version) || json_integer_value(version) < 1)
		return refuse(reading, "it is no calibration: there is no 'jprof_calibration'");
	if (json_integer_value(version) > CALIBRATION_VERSION)
		return error_set(reading->error, ERROR_VERSION,
			"%s was written by a newer jprof", reading->subject);
	return 0;
}

static int read_all(struct reading *reading, const json_t *root)
{
	struct calibration *calibration = reading->calibration;
	int failed = check_version(reading, root);

	if (!failed)
		failed = take_text(
			reading, root, "made", calibration->made, sizeof(calibration->made));
	if (!failed)
		failed = take_number(reading, root, "seconds", &calibration->seconds);
	if (!failed && calibration->seconds < 0)
		failed = refuse_value(reading, "seconds", "is negative");
	if (!failed)
		failed = read_identity(reading, root);
	if (!failed)
		failed = read_list(reading, root, "metrics", read_metric);
	if (!failed)
		failed = read_list(reading, root, "sequences", read_sequence);
	return failed;
}

int calibration_parse(struct calibration **calibration, const char *bytes, size_t size,
	const char *subject, struct error *error)
{
	struct reading reading = {.subject = subject, .error = error};
	json_error_t place;
	json_t *root;
	int failed;

	*calibration = NULL;
	if (size > CALIBRATION_FILE_MAX)
		return refuse(&reading, "it is larger than 4 MB");
	root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &place);
	if (!root && json_error_code(&place) == json_error_out_of_memory)
		return no_memory(&reading);
	if (!root)
		return refuse(&reading, "not JSON in line %d: %s", place.line, place.text);
	reading.calibration = calibration_create();
	failed = reading.calibration ? read_all(&reading, root) : no_memory(&reading);
	json_decref(root);
	if (failed)
		calibration_destroy(reading.calibration);
	else
		*calibration = reading.calibration;
	return failed;
}

/* ---- files ---- */

static int refuse_file(const char *path, int code, int errno_value, struct error *error)
{
	return error_set_errno(
		error, code, errno_value, "cannot read %s", calibration_subject(path).text);
}

/* At most `size` bytes; how many, or -1. */
static ssize_t read_bytes(int fd, char *bytes, size_t size)
{
	size_t length = 0;
	ssize_t got = 1;

	while (length < size && got > 0) {
		got = read(fd, bytes + length, size - length);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			length += (size_t)got;
	}
	return got < 0 ? -1 : (ssize_t)length;
}

static int read_regular(
	int fd, const char *path, char **text, size_t *size, struct error *error)
{
	struct stat status;
	ssize_t length;

	if (fstat(fd, &status) < 0)
		return refuse_file(path, ERROR_IO, errno, error);
	if (!S_ISREG(status.st_mode))
		return error_set(error, ERROR_FORMAT, "%s: it is no regular file",
			calibration_subject(path).text);
	*text = malloc(CALIBRATION_FILE_MAX + 2);
	if (!*text)
		return error_set(error, ERROR_MEMORY, "no memory to read %s",
			calibration_subject(path).text);
	/* One byte more than is legal shows that it is too large. */
	length = read_bytes(fd, *text, CALIBRATION_FILE_MAX + 1);
	if (length < 0)
		return refuse_file(path, ERROR_IO, errno, error);
	*size = (size_t)length;
	(*text)[length] = '\0';
	return 0;
}

int calibration_load(
	struct calibration **calibration, char **text, const char *path, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), failed;
	char *bytes = NULL;
	size_t size = 0;

	*calibration = NULL;
	if (text)
		*text = NULL;
	if (fd < 0)
		return refuse_file(
			path, errno == ENOENT ? ERROR_MISSING : ERROR_IO, errno, error);
	failed = read_regular(fd, path, &bytes, &size, error);
	close(fd);
	if (!failed)
		failed = calibration_parse(
			calibration, bytes, size, calibration_subject(path).text, error);
	if (!failed && text)
		*text = bytes;
	else
		free(bytes);
	return failed;
}

/* ---- writing ---- */

/* Each puts a value it makes into the object; a negative number without memory. */

static int put_costs(json_t *costs, const struct calibration_metric *metric,
	const struct calibration_cost *cost)
{
	json_t *object = json_object();
	int failed = 0;

	for (int i = 0; i < COST_NUMBERS; i++) {
		double number;

		memcpy(&number, (const char *)cost + cost_numbers[i].offset, sizeof(number));
		failed |= json_object_set_new(object, cost_numbers[i].name, json_real(number));
	}
	return failed | json_object_set_new(costs, metric->name, object);
}

static int put_word(json_t *object, const char *name, const char *word)
{
	return word ? json_object_set_new(object, name, json_string(word)) : 0;
}

static int put_sequence(
	json_t *list, const struct calibration *calibration, const struct calibration_row *row)
{
	json_t *object = json_object(), *costs = json_object();
	struct sequence_words words;
	int failed = sequence_to_words(row->code, &words) ? 0 : -1;

	failed |= put_word(object, "first", words.first);
	failed |= put_word(object, "begin", words.begin);
	failed |= put_word(object, "second", words.second);
	failed |= put_word(object, "end", words.end);
	failed |= put_word(object, "third", words.third);
	failed |= json_object_set_new(object, "count", json_integer((json_int_t)row->count));
	for (unsigned m = 0; m < calibration->metric_count; m++)
		failed |= put_costs(costs, &calibration->metric[m], &row->cost[m]);
	failed |= json_object_set_new(object, "metrics", costs);
	return failed | json_array_append_new(list, object);
}

static int put_trees(json_t *object, const struct calibration_metric *metric)
{
	json_t *list = json_array();
	int failed = 0;

	for (unsigned t = 0; t < metric->tree_count; t++) {
		json_t *tree = json_object();

		failed |= json_object_set_new(
			tree, "nodes", json_integer((json_int_t)metric->tree[t].nodes));
		failed |= json_object_set_new(tree, "more", json_real(metric->tree[t].more));
		failed |= json_array_append_new(list, tree);
	}
	return failed | json_object_set_new(object, "trees", list);
}

static int put_metric(json_t *list, const struct calibration_metric *metric)
{
	json_t *object = json_object();
	int failed = json_object_set_new(object, "name", json_string(metric->name));

	failed |= json_object_set_new(object, "unit", json_string(metric->unit));
	failed |= json_object_set_new(object, "relative", json_real(metric->relative));
	failed |= json_object_set_new(object, "interpreted", json_real(metric->interpreted));
	failed |= json_object_set_new(object, "reach", json_real(metric->reach));
	failed |= put_trees(object, metric);
	return failed | json_array_append_new(list, object);
}

static int put_identity(json_t *root, const struct identity *identity)
{
	json_t *object = json_object();
	int failed = 0;

	for (int i = 0; i < IDENTITY_METRICS; i++)
		failed |= json_object_set_new(object, identity_name((enum identity_field)i),
			json_string(identity->field[i]));
	return failed | json_object_set_new(root, "for", object);
}

static int put_all(json_t *root, const struct calibration *calibration)
{
	json_t *metrics = json_array(), *sequences = json_array();
	int failed = 0;

	failed |= json_object_set_new(
		root, "jprof_calibration", json_integer(CALIBRATION_VERSION));
	failed |= json_object_set_new(root, "made", json_string(calibration->made));
	failed |= json_object_set_new(root, "seconds", json_real(calibration->seconds));
	failed |= put_identity(root, &calibration->identity);
	for (unsigned m = 0; m < calibration->metric_count; m++)
		failed |= put_metric(metrics, &calibration->metric[m]);
	failed |= json_object_set_new(root, "metrics", metrics);
	for (size_t i = 0; i < calibration->row_count; i++)
		failed |= put_sequence(sequences, calibration, &calibration->row[i]);
	return failed | json_object_set_new(root, "sequences", sequences);
}

char *calibration_text(const struct calibration *calibration)
{
	json_t *root = json_object();
	int failed = put_all(root, calibration);
	char *text = failed ? NULL : json_dumps(root, WRITTEN);

	json_decref(root);
	return text;
}

static int write_bytes(int fd, const char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno != EINTR)
			return -1;
		if (written > 0) {
			bytes += written;
			size -= (size_t)written;
		}
	}
	return 0;
}

/* The text in a new file beside the path. 0, or -1 and errno. */
static int write_beside(const char *path, const char *beside, const char *text)
{
	int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	int failed;

	if (fd < 0)
		return -1;
	failed = write_bytes(fd, text, strlen(text)) | write_bytes(fd, "\n", 1);
	failed |= fsync(fd);
	if (close(fd) < 0 || failed || rename(beside, path) < 0) {
		int errno_found = errno;

		unlink(beside);
		errno = errno_found;
		return -1;
	}
	return 0;
}

int calibration_save(
	const struct calibration *calibration, const char *path, struct error *error)
{
	char *text = calibration_text(calibration), *beside = NULL;
	int failed = 0;

	if (!text || asprintf(&beside, "%s.%ld", path, (long)getpid()) < 0) {
		free(text);
		return error_set(error, ERROR_MEMORY, "no memory to write a calibration");
	}
	/* What a killed process of the same number may have left. */
	unlink(beside);
	if (write_beside(path, beside, text) < 0)
		failed = error_set_errno(error, ERROR_IO, errno, "cannot write %s",
			calibration_subject(path).text);
	free(text);
	free(beside);
	return failed;
}
