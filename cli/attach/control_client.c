/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * control_client: finds the socket, writes requests, reads answers.
 *
 * In:   bytes of an agent that is trusted to be the target's, not to be well: lines are
 *       bounded, JSON is checked, answers to other requests are passed over.
 */
#include "cli/attach/control_client.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/control/protocol.h"
#include "cli/attach/local_socket.h"
#include "cli/terminal/waiting.h"

enum { STEP = 65536 };

/* Milliseconds: for an agent to listen; to close the connection when it has left; between two
 * looks. */
enum { LISTEN_LIMIT = 5000, LEAVE_LIMIT = 30000, PAUSE = 50 };

/* Milliseconds for an answer: the agent may bring its profile up to date first, for a minute if
 * the disk hangs, and change thousands of classes. */
static const struct {
	const char *verb; /* NULL: any other */
	int64_t limit;
} limits[] = {{"hello", 20000}, {"status", 20000}, {"flush", 10000}, {NULL, 120000}};

/* ---- where it is ---- */

struct control_name control_directory(const struct target *target)
{
	struct control_name name;

	snprintf(name.text, sizeof(name.text), PROTOCOL_DIRECTORY, (long)target->inner_pid);
	return name;
}

/* The socket in a directory, whose name is shown. Another user's directory is none of the
 * agent's. A connection, or a negative number; worst: what is worse than that none is there.
 * Takes the directory's descriptor, which may be negative. */
static int connect_in(
	const struct target *target, int directory, const char *name, struct error *worst)
{
	struct error here = {0};
	struct stat status;
	int result = -1;

	if (directory < 0)
		return result;
	if (fstat(directory, &status) == 0 && status.st_uid == target->uid)
		result = (status.st_mode & 077) == 0
				 ? local_socket_connect(target, directory, PROTOCOL_SOCKET,
					   "control socket", &here)
				 : error_set(&here, ERROR_DENIED,
					   "'%s' is not to be trusted: it is open to others",
					   name);
	if (here.code != ERROR_NONE && here.code != ERROR_MISSING)
		error_set(worst, here.code, "%s", here.text);
	close(directory);
	return result;
}

/* In the agent's directory below one of the usual roots, which may be another user's. */
static int connect_below_roots(const struct target *target, struct error *worst)
{
	const struct control_name own = control_directory(target);
	int result = -1;

	for (size_t i = 0; protocol_roots[i] && result < 0; i++) {
		int parent = target_open_path(target, protocol_roots[i], O_PATH | O_DIRECTORY);
		int directory =
			openat(parent, own.text, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		char name[64];

		snprintf(name, sizeof(name), "%s/%s", protocol_roots[i], own.text);
		if (parent >= 0)
			close(parent);
		result = connect_in(target, directory, name, worst);
	}
	return result;
}

/* In a directory that the target has open, of an agent that found its usual ones taken:
 * ".jprof-PID.N". */
static int connect_by_descriptor(const struct target *target, struct error *worst)
{
	const struct control_name usual = control_directory(target);
	const size_t length = strlen(usual.text);
	int folder = openat(target->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *descriptors = folder >= 0 ? fdopendir(folder) : NULL;
	const struct dirent *entry;
	int result = -1;

	if (!descriptors && folder >= 0)
		close(folder);
	while (descriptors && result < 0 && (entry = readdir(descriptors))) {
		char path[PATH_MAX];
		ssize_t got = readlinkat(folder, entry->d_name, path, sizeof(path) - 1);
		const char *last;

		path[got > 0 ? got : 0] = '\0';
		last = strrchr(path, '/');
		if (last && strncmp(last + 1, usual.text, length) == 0 &&
			last[1 + length] == '.')
			result = connect_in(target,
				openat(folder, entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC),
				path, worst);
	}
	if (descriptors)
		closedir(descriptors);
	return result;
}

int control_open(struct control *control, const struct target *target, struct error *error)
{
	struct error worst = {0};

	*control = (struct control){.pid = (long)target->pid};
	control->descriptor = connect_below_roots(target, &worst);
	if (control->descriptor < 0)
		control->descriptor = connect_by_descriptor(target, &worst);
	if (control->descriptor >= 0)
		return 0;
	if (worst.code != ERROR_NONE)
		return error_set(error, worst.code, "%s", worst.text);
	return error_set(error, ERROR_MISSING,
		"there is no jprof agent in process %ld; load it with: jprof attach %ld",
		control->pid, control->pid);
}

int control_await(struct control *control, const struct target *target, struct error *error)
{
	struct waiting waiting;
	int failed;

	waiting_begin(&waiting, LISTEN_LIMIT, "the agent in process %ld to listen",
		(long)target->pid);
	while ((failed = control_open(control, target, error)) == -ERROR_MISSING &&
		!target_ended(target) && waiting_again(&waiting, PAUSE))
		*error = (struct error){0};
	waiting_end(&waiting);
	return failed;
}

void control_close(struct control *control)
{
	if (control->descriptor >= 0)
		close(control->descriptor);
	control->descriptor = -1;
	free(control->bytes);
	control->bytes = NULL;
	control->size = 0;
}

/* ---- a request and its answer ---- */

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory to talk to the agent");
}

/* Waits for a whole line; its length without the '\n', or a negative code. */
static long await_line(struct control *control, struct waiting *waiting, struct error *error)
{
	size_t seen = 0;

	while (true) {
		char *grown = realloc(control->bytes, control->size + STEP), *stop;
		long got;

		if (!grown)
			return no_memory(error);
		control->bytes = grown;
		stop = memchr(grown + seen, '\n', control->size - seen);
		if (stop)
			return stop - grown;
		seen = control->size;
		if (seen > PROTOCOL_LINE_BYTES)
			return error_set(
				error, ERROR_FORMAT, "the agent's answer is longer than 1 MB");
		got = local_socket_receive(
			control->descriptor, grown + seen, STEP, waiting, error);
		if (got < 0)
			return got;
		if (got == 0)
			return error_set(error, ERROR_IO, "the agent closed the connection");
		control->size += (size_t)got;
	}
}

static int refuse_answer(const char *why, struct error *error)
{
	return error_set(error, ERROR_FORMAT, "the agent's answer is not understood: %s", why);
}

/* The next line as an object, owned. */
static int next_answer(
	struct control *control, struct waiting *waiting, json_t **answer, struct error *error)
{
	json_error_t json_error;
	long length = await_line(control, waiting, error);

	if (length < 0)
		return (int)length;
	*answer = json_loadb(control->bytes, (size_t)length, 0, &json_error);
	control->size -= (size_t)length + 1;
	memmove(control->bytes, control->bytes + length + 1, control->size);
	if (!*answer)
		return refuse_answer(error_subject(json_error.text).text, error);
	if (json_is_object(*answer))
		return 0;
	json_decref(*answer);
	*answer = NULL;
	return refuse_answer("it is no JSON object", error);
}

/* *result: owned. */
static int take_answer(const struct control *control, const json_t *answer, json_t **result,
	struct error *error)
{
	const json_t *refused = json_object_get(answer, "error");
	const char *message = json_string_value(json_object_get(refused, "message"));
	const char *name = json_string_value(json_object_get(refused, "code"));
	json_t *told = json_object_get(answer, "result");
	enum error_code code = ERROR_USAGE;

	if (json_integer_value(json_object_get(answer, "jprof")) != PROTOCOL_VERSION)
		return error_set(error, ERROR_VERSION,
			"the agent in process %ld does not speak version %d of the "
			"control protocol: use the jprof that it came with",
			control->pid, PROTOCOL_VERSION);
	if (json_is_false(json_object_get(answer, "ok"))) {
		while (code < ERROR_JVM && !(name && strcmp(error_name(code), name) == 0))
			code++;
		return error_set(error, code, "process %ld: %s", control->pid,
			message ? message : "the agent refused without a reason");
	}
	if (!json_is_true(json_object_get(answer, "ok")) || (told && !json_is_object(told)))
		return refuse_answer("it has no \"ok\" or no \"result\"", error);
	*result = told ? json_incref(told) : json_object();
	return *result ? 0 : no_memory(error);
}

static int await_answer(
	struct control *control, struct waiting *waiting, json_t **result, struct error *error)
{
	json_t *answer = NULL;
	const json_t *id;
	int failed;

	while ((failed = next_answer(control, waiting, &answer, error)) == 0) {
		/* Of the last request; errors about a line that the agent could not read have
		 * no id. */
		id = json_object_get(answer, "id");
		if (!id || json_is_null(id) ||
			json_integer_value(id) == (json_int_t)control->asked)
			break;
		json_decref(answer);
		answer = NULL;
	}
	if (failed == 0)
		failed = take_answer(control, answer, result, error);
	json_decref(answer);
	return failed;
}

int control_ask(struct control *control, const char *verb, json_t *members, json_t **result,
	struct error *error)
{
	json_t *request = json_pack("{s:i, s:I, s:s}", "jprof", PROTOCOL_VERSION, "id",
		(json_int_t)++control->asked, "verb", verb);
	struct error inner = {0};
	struct waiting waiting;
	char *text = NULL;
	size_t row = 0, length;
	int failed;

	*result = NULL;
	if (request && (!members || json_object_update(request, members) == 0))
		text = json_dumps(request, JSON_COMPACT);
	json_decref(request);
	if (!text)
		return no_memory(error);
	length = strlen(text);
	text[length] = '\n'; /* in the place of the end */
	while (limits[row].verb && strcmp(limits[row].verb, verb) != 0)
		row++;
	waiting_begin(&waiting, waiting_answer_limit(limits[row].limit),
		"the agent in process %ld to answer '%s'", control->pid, verb);
	failed = length < PROTOCOL_LINE_BYTES
			 ? local_socket_send(
				   control->descriptor, text, length + 1, &waiting, &inner)
			 : error_set(&inner, ERROR_VALUE, "the options are larger than 1 MB");
	free(text);
	if (failed == 0)
		failed = await_answer(control, &waiting, result, &inner);
	waiting_end(&waiting);
	if (failed == 0)
		return 0;
	if (strncmp(inner.text, "process ", strlen("process ")) == 0)
		return error_set(error, inner.code, "%s", inner.text);
	return error_set(error, inner.code, "cannot %s process %ld: %s",
		strcmp(verb, "status") == 0 ? "read the status of" : verb, control->pid,
		inner.text);
}

int control_await_end(struct control *control, struct error *error)
{
	struct waiting waiting;
	char bytes[256];
	long got;

	waiting_begin(&waiting, waiting_answer_limit(LEAVE_LIMIT),
		"the agent to leave process %ld", control->pid);
	do {
		got = local_socket_receive(
			control->descriptor, bytes, sizeof(bytes), &waiting, error);
	} while (got > 0);
	waiting_end(&waiting);
	return (int)got;
}

char *control_state(const struct target *target)
{
	struct control control;
	struct error ignored = {0};
	json_t *result = NULL;
	const char *state = NULL;
	char *copy;

	if (control_open(&control, target, &ignored) != 0)
		return ignored.code == ERROR_MISSING ? NULL : strdup("silent");
	if (control_ask(&control, "status", NULL, &result, &ignored) == 0)
		state = json_string_value(json_object_get(result, "state"));
	copy = strdup(state ? state : "silent");
	json_decref(result);
	control_close(&control);
	return copy;
}
