/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* message: see message.h. */
#include "agent/control/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/control/protocol.h"

/* The table of errors has these names; kept in step by test_message.c. */
const char answer_no_memory[] = "{\"jprof\":1,\"ok\":false,\"error\":{\"code\":\"memory\","
				"\"message\":\"no memory to answer\"}}\n";

/* ---- a request ---- */

/* A parsed value takes up to 130 bytes, a level of nesting some hundred bytes of stack:
 * brackets and commas tell both, well-formed or not. */
static int check_shape(const char *line, size_t length, struct error *error)
{
	size_t values = 0;
	long depth = 0;

	for (size_t i = 0; i < length;) {
		if (line[i] == '"') {
			for (i++; i < length && line[i] != '"';)
				i += line[i] == '\\' ? 2 : 1;
			i++;
			continue;
		}
		char c = line[i++];
		values += c == '[' || c == '{' || c == ',';
		depth += (c == '[' || c == '{') - (c == ']' || c == '}');
		if (depth > MESSAGE_DEPTH)
			return error_set(error, ERROR_FORMAT,
				"the request nests deeper than %d", MESSAGE_DEPTH);
		if (values > MESSAGE_VALUES)
			return error_set(error, ERROR_FORMAT,
				"the request has more than %d values", MESSAGE_VALUES);
	}
	return 0;
}

static int parse_object(json_t **object, const char *line, size_t length, struct error *error)
{
	json_error_t json = {.line = -1};
	int status = check_shape(line, length, error);

	if (status < 0)
		return status;
	*object = json_loadb(line, length, JSON_REJECT_DUPLICATES, &json);
	if (json_is_object(*object))
		return 0;
	if (*object)
		return error_set(
			error, ERROR_FORMAT, "the request is an array; write an object: {...}");
	/* Nothing at all is said when there was no memory to begin with. */
	if (json.line < 0 || json_error_code(&json) == json_error_out_of_memory)
		return error_set(error, ERROR_MEMORY, "no memory to read the request");
	return error_set(error, ERROR_FORMAT, "the request is not a JSON object (byte %d): %s",
		json.position, error_subject(json.text).text);
}

int request_parse(struct request *request, const char *line, size_t length, struct error *error)
{
	const json_t *id, *version, *verb;
	int status;

	*request = (struct request){0};
	status = parse_object(&request->object, line, length, error);
	if (status < 0)
		return status;

	/* First, so that a refusal of the rest can be matched with the request. */
	id = json_object_get(request->object, "id");
	if (id && !json_is_number(id) && !json_is_string(id))
		return error_set(error, ERROR_FORMAT, "'id' must be a number or a string");
	if (json_string_length(id) > MESSAGE_ID_BYTES)
		return error_set(
			error, ERROR_FORMAT, "'id' has more than %d bytes", MESSAGE_ID_BYTES);
	request->id = id;

	version = json_object_get(request->object, "jprof");
	if (!json_is_integer(version))
		return error_set(error, ERROR_VERSION,
			"the request does not tell its protocol version; write "
			"\"jprof\": %d",
			PROTOCOL_VERSION);
	if (json_integer_value(version) != PROTOCOL_VERSION)
		return error_set(error, ERROR_VERSION,
			"protocol version %lld is not spoken here; this agent speaks %d",
			(long long)json_integer_value(version), PROTOCOL_VERSION);

	verb = json_object_get(request->object, "verb");
	if (!json_is_string(verb))
		return error_set(error, ERROR_FORMAT,
			"'verb' is missing or no string; write \"verb\": \"hello\"");
	request->verb = json_string_value(verb);
	return 0;
}

void request_fini(struct request *request)
{
	json_decref(request->object);
	*request = (struct request){0};
}

/* ---- an answer ---- */

/* A message may hold a path, and that any bytes; JSON holds UTF-8. */
static json_t *text_to_json(const char *text)
{
	char clean[sizeof(((struct error *)0)->text)];
	json_t *json = json_string(text);
	size_t length = strnlen(text, sizeof(clean) - 1);

	if (json)
		return json;
	for (size_t i = 0; i < length; i++)
		clean[i] = (unsigned char)text[i] < 0x80 ? text[i] : '?';
	clean[length] = '\0';
	return json_string(clean);
}

char *answer_line(
	const json_t *id, const json_t *result, const struct error *error, size_t *length)
{
	bool ok = error->code == ERROR_NONE;
	json_t *answer = json_pack(
		"{s:i, s:O*, s:b}", "jprof", PROTOCOL_VERSION, "id", (json_t *)id, "ok", ok);
	json_t *value;
	char *line = NULL;

	/* jansson counts references in what is borrowed, too. */
	if (!ok)
		value = json_pack("{s:s, s:o}", "code", error_name(error->code), "message",
			text_to_json(error->text));
	else
		value = result ? json_incref((json_t *)result) : json_object();
	if (json_object_set_new(answer, ok ? "result" : "error", value) != 0) {
		json_decref(answer);
		answer = NULL;
	}

	*length = answer ? json_dumpb(answer, NULL, 0, JSON_COMPACT) : 0;
	if (*length > 0)
		line = malloc(*length + 1);
	if (line && json_dumpb(answer, line, *length, JSON_COMPACT) != *length) {
		free(line);
		line = NULL;
	}
	if (line)
		line[(*length)++] = '\n';
	json_decref(answer);
	return line;
}

/* ---- verbs: `hello` is answered here, everything else by the table ---- */

static const char hello[] = "hello";

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

static int run(const struct control_setup *setup, const struct control_peer *peer,
	const struct request *request, json_t **result, bool *last, struct error *error)
{
	const struct control_verb *verb = setup->verbs;
	int status;

	if (strcmp(request->verb, hello) == 0)
		return say_hello(setup, result, error);
	while (verb->name && strcmp(request->verb, verb->name) != 0)
		verb++;
	if (!verb->name)
		return refuse_verb(setup->verbs, request->verb, error);
	status = verb->run(peer, request->object, result, error);
	*last = status >= 0 && verb->last;
	return status;
}

char *verbs_answer(const struct control_setup *setup, const struct control_peer *peer,
	const char *line, size_t line_length, size_t *length, bool *last)
{
	struct request request;
	struct error error = {0};
	json_t *result = NULL;
	char *answer;
	int status;

	*last = false;
	status = request_parse(&request, line, line_length, &error);
	if (status == 0)
		status = run(setup, peer, &request, &result, last, &error);
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
