/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* query: libevent takes it apart and decodes it. */
#include "cli/open/query.h"

#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "options/nearest.h"

struct query {
	struct evkeyvalq pairs;
};

static const struct parameter *find(
	const char *name, const struct parameter *parameters, size_t count, struct error *error)
{
	struct choices choices = {.nearest.wanted = name};

	for (size_t i = 0; i < count; i++) {
		if (strcmp(parameters[i].name, name) == 0)
			return &parameters[i];
		choices_add(&choices, parameters[i].name);
	}
	error_set(error, ERROR_USAGE, "no parameter '%s'%s", error_subject(name).text,
		choices_text(&choices, "parameters"));
	return NULL;
}

int query_read(struct query **made, const char *text, const struct parameter *parameters,
	size_t count, void *words, struct error *error)
{
	struct query *query = calloc(1, sizeof(*query));
	const struct evkeyval *pair;
	int failed = 0;

	*made = query;
	if (!query)
		return error_set(error, ERROR_MEMORY, "no memory to read what was asked for");
	TAILQ_INIT(&query->pairs);
	if (*text != '\0' && evhttp_parse_query_str(text, &query->pairs) != 0)
		return error_set(error, ERROR_USAGE, "'%s' is not NAME=VALUE, joined by '&'",
			error_subject(text).text);
	TAILQ_FOREACH(pair, &query->pairs, next)
	{
		const struct parameter *parameter = find(pair->key, parameters, count, error);
		struct given given = {.name = pair->key, .value = pair->value};

		if (!parameter)
			return -ERROR_USAGE;
		given.to = (char *)words + parameter->offset;
		failed = parameter->take(&given, error);
		if (failed != 0)
			return failed;
	}
	return 0;
}

void query_free(struct query *query)
{
	if (!query)
		return;
	evhttp_clear_headers(&query->pairs);
	free(query);
}
