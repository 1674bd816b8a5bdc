/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* verbs: see verbs.h. `hello` is answered here, everything else by the table. */
#include "agent/control/verbs.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/control/message.h"
#include "agent/control/protocol.h"

static const char hello[] = "hello";

/* ---- hello ---- */

static int say_hello(const struct control_setup *setup, json_t **result, struct error *error)
{
	json_t *names = json_pack("[s]", hello);
	int failed = 0;

	for (const struct control_verb *verb = setup->verbs; verb->name; verb++)
		failed |= json_array_append_new(names, json_string(verb->name));
	*result = json_pack("{s:s, s:[i], s:i, s:s, s:o}", "agent", JPROF_VERSION, "protocols",
		PROTOCOL_VERSION, "pid", (int)getpid(), "loaded",
		setup->attached ? "attach" : "start", "verbs", names);
	if (!*result || failed)
		return error_set(error, ERROR_MEMORY, "no memory to say hello");
	return 0;
}

/* ---- the table ---- */

static int refuse_verb(const struct control_verb *verbs, const char *name, struct error *error)
{
	char known[512];
	size_t used = (size_t)snprintf(known, sizeof(known), "%s", hello);

	for (; verbs->name && used < sizeof(known); verbs++)
		used += (size_t)snprintf(
			known + used, sizeof(known) - used, ", %s", verbs->name);
	return error_set(error, ERROR_USAGE, "verb '%s' is not known; legal: %s",
		error_subject(name).text, known);
}

static int run(const struct control_setup *setup, const struct request *request,
	json_t **result, bool *last, struct error *error)
{
	const struct control_verb *verb = setup->verbs;
	int status;

	if (strcmp(request->verb, hello) == 0)
		return say_hello(setup, result, error);
	while (verb->name && strcmp(request->verb, verb->name) != 0)
		verb++;
	if (!verb->name)
		return refuse_verb(setup->verbs, request->verb, error);
	status = verb->run(request->object, result, error);
	*last = status >= 0 && verb->last;
	return status;
}

char *verbs_answer(const struct control_setup *setup, const char *line, size_t line_length,
	size_t *length, bool *last)
{
	struct request request;
	struct error error = {0};
	json_t *result = NULL;
	char *answer;
	int status;

	*last = false;
	status = request_parse(&request, line, line_length, &error);
	if (status == 0)
		status = run(setup, &request, &result, last, &error);
	/* A verb that fails without a word, or says something and succeeds. */
	if (status < 0)
		error_set(&error, ERROR_IO, "'%s' failed", request.verb);
	else
		error.code = ERROR_NONE;
	answer = answer_line(request.id, result, &error, length);
	json_decref(result);
	request_fini(&request);
	return answer;
}
