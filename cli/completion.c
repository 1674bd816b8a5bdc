/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* completion: see completion.h. */
#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "metric/metric.h"
#include "options/option_table.h"

static void add_word(struct completion_option *option, const char *word, size_t length)
{
	size_t used = strlen(option->words);

	snprintf(option->words + used, sizeof(option->words) - used, "%s%.*s",
		used > 0 ? " " : "", (int)length, word);
}

static void add_metrics(struct completion_option *option)
{
	static const char *const names[] = {
#define X(kind, name, unit) name,
		METRIC_KIND_TABLE(X)
#undef X
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (names[i])
			add_word(option, names[i], strlen(names[i]));
	option->is_list = true;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* ---- a command's own ---- */

/* What one of "FILE|off|auto" stands for: commands.h says how it is read. */
static void add_called(const struct command *command, struct completion_option *option,
	const char *called, size_t length)
{
	char one[64];
	const char *word;

	snprintf(one, sizeof(one), "%.*s", (int)length, called);
	word = command->values ? command->values(one, 0) : NULL;
	for (size_t i = 0; word; word = command->values(one, ++i))
		add_word(option, word, strlen(word));
	if (command->values && command->values(one, 0))
		return;
	if (begins(one, "FILE") || begins(one, "PATH") || begins(one, "OUT"))
		option->is_file = true;
	else if (begins(one, "METRIC") || begins(one, "M["))
		add_metrics(option);
	else if (islower((unsigned char)one[0]))
		add_word(option, one, strlen(one));
}

static void see_own(const struct command *command, see_option *see, void *user)
{
	const struct command_table *table = command->options;

	for (size_t i = 0; table && i < table->count; i++) {
		const struct command_option *row = &table->option[i];
		struct completion_option option = {.name = row->name,
			.meaning = row->meaning,
			.called = row->value,
			.has_value = row->value != NULL,
			.may_lack = row->value && strcmp(row->value, OPTIONAL_VALUE) == 0};

		for (const char *called = row->value; called && *called != '\0';) {
			size_t length = strcspn(called, "|");

			add_called(command, &option, called, length);
			called += length;
			called += *called == '|';
		}
		see(user, command, &option);
	}
}

/* ---- the agent's ---- */

static void see_agent(const struct command *command, see_option *see, void *user)
{
	bool has_loading = command->agent == AGENT_AND_DURATION;

	if (has_loading)
		see(user, command,
			&(struct completion_option){.name = "--duration",
				.meaning = "end the recording after that time",
				.called = "TIME",
				.has_value = true});
	for (size_t i = 0; command->agent != AGENT_NONE && i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		struct completion_option option = {.meaning = row->meaning,
			.called = row->key,
			.has_value = true,
			.is_file = row->not_paths != NULL};
		const char *word = option_words(row);
		size_t length;
		char name[64];

		/* Where the agent is there already `start` would come too late. */
		if (strcmp(row->key, "start") == 0 && !has_loading)
			continue;
		snprintf(name, sizeof(name), "--%s", row->key);
		option.name = name;
		if (!word)
			word = row->not_paths;
		for (; word && (word = option_next_word(word, &length)) != NULL; word += length)
			add_word(&option, word, length);
		if (strcmp(row->key, "metrics") == 0)
			add_metrics(&option);
		see(user, command, &option);
	}
}

void completion_options(const struct command *command, see_option *see, void *user)
{
	see_own(command, see, user);
	see_agent(command, see, user);
}

/* ---- words ---- */

void completion_words(
	const struct completion_tables *tables, const struct command *command, FILE *out)
{
	if (command->words & WORDS_TOPIC) {
		for (size_t i = 0; i < tables->count; i++)
			fprintf(out, "%s ", tables->commands[i].name);
		for (size_t i = 0; tables->topics[i]; i++)
			fprintf(out, "%s ", tables->topics[i]);
	}
	for (size_t i = 0; command->words & WORDS_SHELL && tables->shells[i]; i++)
		fprintf(out, "%s ", tables->shells[i]);
}

void completion_quote(FILE *out, const char *text, const char *special, const char *quote)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'') {
			fputs(quote, out);
			continue;
		}
		if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}
