/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* live: see live.h. */
#include "cli/open/live.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/record/agent_words.h"
#include "cli/record/live_profile.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory to talk to the agent");
}

/* ---- the connection ---- */

/* The descriptor of that folder, of those that are held; -1: it is not held. */
static int held_folder(const struct live *live, int folder)
{
	struct stat held, now;

	for (size_t i = 0; i < live->folders && fstat(folder, &now) == 0; i++)
		if (fstat(live->folder[i], &held) == 0 && now.st_dev == held.st_dev &&
			now.st_ino == held.st_ino)
			return live->folder[i];
	return -1;
}

/* A folder as the target sees it, held: what is in it can be reached when the target has ended, and its mounts are gone,
 * too. One a folder, until the end. A descriptor, or -1. */
static int hold_folder(struct live *live, const char *path)
{
	int folder = target_open_path(&live->target, path, O_PATH | O_DIRECTORY);
	int held = held_folder(live, folder), *more;

	if (folder < 0)
		return -1;
	more = held < 0 ? realloc(live->folder, (live->folders + 1) * sizeof(*more)) : NULL;
	if (!more) {
		close(folder);
		return held;
	}
	live->folder = more;
	live->folder[live->folders++] = folder;
	return folder;
}

/* The profile that an answer names, as we reach it. Owned; NULL: it names none, or there is no memory. */
static char *file_of(struct live *live, const json_t *result)
{
	const char *named = json_string_value(json_object_get(result, "file"));
	const char *last = named ? strrchr(named, '/') : NULL;
	char *path, *file;
	int folder;

	if (!last || live->target.same_view)
		return named ? strdup(named) : NULL;
	path = strndup(named, (size_t)(last - named) + 1);
	folder = path ? hold_folder(live, path) : -1;
	free(path);
	if (folder < 0)
		return target_path_here(&live->target, named);
	return asprintf(&file, "/proc/self/fd/%d%s", folder, last) < 0 ? NULL : file;
}

/* Notes the recording that a status answer names, if it names one. True: it is not the one that was noted before. */
static bool note_recording(struct live *live, const json_t *result)
{
	const char *file = json_string_value(json_object_get(result, "file"));
	const char *started = json_string_value(json_object_get(result, "started"));
	bool is_other;

	if (!file || !started)
		return false;
	is_other = !live->file || strcmp(live->file, file) != 0 ||
		   (live->started && strcmp(live->started, started) != 0);
	if (!is_other && live->started)
		return false;
	free(live->file);
	free(live->started);
	live->file = strdup(file);
	live->started = strdup(started);
	return is_other;
}

static void set_name(struct live *live, const char *name)
{
	free(live->name);
	live->name = name ? strdup(name) : NULL;
}

/* The same of the answer to a start, which does not say when that was: the next status answer does. */
static void note_start(struct live *live, const json_t *result)
{
	const char *file = json_string_value(json_object_get(result, "file"));

	free(live->file);
	free(live->started);
	live->file = file ? strdup(file) : NULL;
	live->started = NULL;
	set_name(live, json_string_value(json_object_get(result, "name")));
}

/* ---- the session ---- */

/* A request is about the session that is looked at. members: owned, or NULL. */
static int put_name(const struct live *live, json_t **members, struct error *error)
{
	if (!live->name)
		return 0;
	if (!*members)
		*members = json_object();
	return json_object_set_new(*members, "name", json_string(live->name)) == 0
		       ? 0
		       : no_memory(error);
}

/* Chooses the session whose profile that file is. */
static void find_name(struct live *live, const json_t *result, const char *path)
{
	const json_t *sessions = json_object_get(result, "sessions"), *session;
	struct stat wanted;
	size_t i;

	if (json_array_size(sessions) < 2 || stat(path, &wanted) != 0)
		return;
	json_array_foreach(sessions, i, session)
	{
		const char *file = json_string_value(json_object_get(session, "file"));

		if (live_profile_is(&live->target, file, &wanted))
			set_name(live, json_string_value(json_object_get(session, "name")));
	}
}

int live_open(struct live *live, pid_t pid, const char *name, const char *shown, char **file,
	struct error *error)
{
	json_t *result = NULL, *members = NULL;
	int failed;

	*file = NULL;
	*live = (struct live){.control.descriptor = -1};
	failed = target_open(&live->target, pid, error);
	if (failed != 0)
		return failed;
	failed = control_open(&live->control, &live->target, error);
	if (failed == 0 && name)
		set_name(live, name);
	if (failed == 0)
		failed = put_name(live, &members, error);
	if (failed == 0)
		failed = control_ask(&live->control, "status", members, &result, error);
	json_decref(members);
	if (failed == 0 && shown && !name)
		find_name(live, result, shown);
	if (failed == 0) {
		*file = file_of(live, result);
		note_recording(live, result);
	}
	json_decref(result);
	live->is_open = live->is_there = true;
	if (failed != 0)
		live_close(live);
	return failed;
}

void live_close(struct live *live)
{
	if (!live->is_open)
		return;
	control_close(&live->control);
	target_close(&live->target);
	for (size_t i = 0; i < live->folders; i++)
		close(live->folder[i]);
	free(live->folder);
	live->folder = NULL;
	live->folders = 0;
	free(live->file);
	free(live->started);
	free(live->name);
	live->file = live->started = live->name = NULL;
	live->is_open = live->is_there = false;
}

/* There is a connection: one that is gone is made anew, where that can be: the agent ends those that were silent for long
 * when others come, and it may leave the JVM, and come back. Only the JVM's end is the end. */
static int connect_again(struct live *live, struct error *error)
{
	if (live->control.descriptor >= 0)
		return 0;
	if (target_ended(&live->target)) {
		live->is_there = false;
		return error_set(
			error, ERROR_MISSING, "process %ld has ended", (long)live->target.pid);
	}
	if (getuid() == 0 && live->target.uid != 0)
		return error_set(error, ERROR_DENIED,
			"the connection to the agent in process %ld is gone, and root makes "
			"no other one to a process of another user while it serves: end "
			"'jprof open' and start it again",
			(long)live->target.pid);
	return control_open(&live->control, &live->target, error);
}

static int ask(struct live *live, const char *verb, json_t *members, json_t **result,
	struct error *error)
{
	int failed = connect_again(live, error);

	if (failed != 0)
		return failed;
	failed = control_ask(&live->control, verb, members, result, error);
	if (failed != -ERROR_IO)
		return failed;
	control_close(&live->control);
	*error = (struct error){0};
	failed = connect_again(live, error);
	return failed != 0 ? failed : control_ask(&live->control, verb, members, result, error);
}

/* From now on the page shows the profile that an answer names; NULL: the same, read again. */
static void show_named(struct live *live, const json_t *result)
{
	char *file = file_of(live, result);

	shown_change(live->shown, file);
	free(file);
}

/* ---- status ---- */

static void answer_ended(struct exchange *exchange)
{
	static const char ended[] = "{\"recording\":false,\"ended\":true}";

	exchange_answer(exchange, 200, TYPE_JSON, strdup(ended), strlen(ended));
}

/* The session may have ended by other ways: then the agent chooses another one, if there is one. */
static int ask_status(struct live *live, json_t **result, struct error *error)
{
	json_t *members = NULL;
	int failed = put_name(live, &members, error);

	if (failed == 0)
		failed = ask(live, "status", members, result, error);
	json_decref(members);
	if (failed != -ERROR_BUSY || !live->name)
		return failed;
	*error = (struct error){0};
	set_name(live, NULL);
	return ask(live, "status", NULL, result, error);
}

void live_status(void *user, struct exchange *exchange)
{
	struct live *live = user;
	struct error error = {0};
	json_t *result = NULL;
	char *text = NULL;
	int failed;

	if (!live->is_there) {
		answer_ended(exchange);
		return;
	}
	failed = ask_status(live, &result, &error);
	/* Others start recordings, too. */
	if (failed == 0 && note_recording(live, result))
		show_named(live, result);
	if (failed == 0)
		text = json_dumps(result, JSON_COMPACT);
	if (!live->is_there)
		answer_ended(exchange);
	else if (failed != 0)
		exchange_refuse(exchange, 503, "%s", error.text);
	else
		exchange_answer(exchange, 200, TYPE_JSON, text, text ? strlen(text) : 0);
	json_decref(result);
}

/* ---- control ---- */

json_t *live_request(const struct exchange *exchange, struct error *error)
{
	json_t *request =
		json_loadb(exchange->body, exchange->body_length, JSON_REJECT_DUPLICATES, NULL);

	if (json_is_string(json_object_get(request, "verb")))
		return request;
	json_decref(request);
	error_set(error, ERROR_VALUE,
		"the request must be a JSON object with a text \"verb\", no name in it twice");
	return NULL;
}

static int start_members(
	struct live *live, json_t *request, json_t **members, struct error *error)
{
	json_t *given = json_object_get(request, "options");
	struct start_request start;
	int failed;

	if (given && !json_is_object(given))
		return error_set(error, ERROR_VALUE, "options must be an object");
	given = given ? json_deep_copy(given) : json_object();
	if (!given)
		return no_memory(error);
	failed = start_request_take(&start, given, error);
	if (failed != 0)
		return failed;
	failed = start_request_ask(&start, &live->control, &live->target, members, error);
	if (failed == 0)
		failed = start_request_sign(members, NULL, "jprof open", error);
	start_request_fini(&start);
	return failed;
}

static int snapshot_members(
	struct live *live, json_t *request, json_t **members, struct error *error)
{
	json_t *label = json_object_get(request, "label");

	if (!label || json_is_null(label))
		return 0;
	if (!json_is_string(label))
		return error_set(error, ERROR_VALUE, "label must be a text");
	*members = json_pack("{s:O}", "label", label);
	return *members ? 0 : no_memory(error);
}

/* As they came: the agent refuses what is wrong with them, by name. */
static int trace_members(
	struct live *live, json_t *request, json_t **members, struct error *error)
{
	*members = json_pack("{s:O*, s:O*, s:O*}", "on", json_object_get(request, "on"), "off",
		json_object_get(request, "off"), "write", json_object_get(request, "write"));
	return *members ? 0 : no_memory(error);
}

/* What the page may have the agent do, what is sent with that, and whether the profile is another one, or has more,
 * afterwards. */
static const struct {
	const char *verb;
	int (*members)(
		struct live *live, json_t *request, json_t **members, struct error *error);
	bool changes_profile;
} verbs[] = {
	{"start", start_members, true},
	{"stop", NULL, true},
	{"snapshot", snapshot_members, true},
	{"reset", NULL, true},
	{"trace", trace_members, false},
};

static int control_agent(struct live *live, json_t *request, struct error *error)
{
	enum { VERBS = sizeof(verbs) / sizeof(*verbs) };
	const char *verb = json_string_value(json_object_get(request, "verb"));
	json_t *members = NULL, *result = NULL;
	size_t row = 0;
	int failed = 0;

	while (row < VERBS && strcmp(verbs[row].verb, verb) != 0)
		row++;
	if (row == VERBS)
		return error_set(error, ERROR_USAGE, "no verb '%s'", error_subject(verb).text);
	if (!live->is_there)
		return error_set(error, ERROR_MISSING,
			"there is no JVM to %s a recording in: it has ended, or the page is "
			"of a file",
			verb);
	if (verbs[row].members)
		failed = connect_again(live, error);
	if (failed == 0 && verbs[row].members)
		failed = verbs[row].members(live, request, &members, error);
	if (failed == 0 && strcmp(verb, "start") != 0)
		failed = put_name(live, &members, error);
	if (failed == 0)
		failed = ask(live, verb, members, &result, error);
	if (failed == 0 && strcmp(verb, "start") == 0)
		note_start(live, result);
	if (failed == 0 && strcmp(verb, "stop") == 0)
		set_name(live, NULL);
	if (failed == 0 && verbs[row].changes_profile)
		show_named(live, result);
	json_decref(result);
	json_decref(members);
	return failed;
}

void live_control(void *user, struct exchange *exchange)
{
	struct error error = {0};
	json_t *request = live_request(exchange, &error);
	int failed = request ? control_agent(user, request, &error) : -(int)error.code;

	json_decref(request);
	exchange_conclude(exchange, failed == 0 ? NULL : error.text);
}
