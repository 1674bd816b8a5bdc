/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof list: the JVMs of this machine. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attach/jvm_list.h"
#include "cli/commands.h"
#include "cli/terminal/command_options.h"
#include "error/harmless.h"

/* How long an agent may take to say what it does, unless the user has said. */
#define AGENT_LIMIT "2"

static int refuse_word(void *words, const char *word)
{
	return command_usage("list", "one word too many: '%s'", word);
}

struct shown {
	char text[200];
};

/* For a column; instead: of what is not known. */
static struct shown show(const char *text, const char *instead)
{
	struct shown shown;

	text = text ? text : instead;
	harmless_copy(shown.text, sizeof(shown.text), text, strlen(text));
	return shown;
}

static void print_text(const struct jvm_list *list)
{
	if (list->count > 0)
		printf("%8s  %-10s %-10s %-10s %s\n", "PID", "User", "Java", "jprof",
			"Program");
	for (size_t i = 0; i < list->count; i++) {
		const struct jvm_row *row = &list->row[i];

		printf("%8ld  %-10s %-10s %-10s ", (long)row->pid, show(row->user, "?").text,
			show(row->version, "?").text, show(row->recording, "-").text);
		harmless_put(stdout, row->program ? row->program : "?");
		if (row->refusal) {
			printf("\n%8s  no attach: ", "");
			harmless_put(stdout, row->refusal);
		}
		putchar('\n');
	}
}

/* What is no UTF-8, which JSON cannot hold, is written as text shows it. */
static json_t *text_of(const char *text)
{
	char copy[4096];
	json_t *plain;

	if (!text)
		return json_null();
	plain = json_string(text);
	if (plain)
		return plain;
	harmless_copy(copy, sizeof(copy), text, strlen(text));
	return json_string(copy);
}

static int print_json(const struct jvm_list *list)
{
	json_t *rows = json_array(), *all = json_pack("{s:o}", "jvms", rows);
	char *text;
	int failed = !all;

	for (size_t i = 0; i < list->count && !failed; i++) {
		const struct jvm_row *row = &list->row[i];

		failed = json_array_append_new(
			rows, json_pack("{s:I, s:o, s:o, s:o, s:b, s:o, s:o}", "pid",
				      (json_int_t)row->pid, "user", text_of(row->user), "java",
				      text_of(row->version), "program", text_of(row->program),
				      "attach", !row->refusal, "reason", text_of(row->refusal),
				      "jprof", text_of(row->recording)));
	}
	text = failed ? NULL : json_dumps(all, JSON_COMPACT);
	if (text)
		puts(text);
	free(text);
	json_decref(all);
	return text ? EXIT_DONE : command_no_memory();
}

static const struct command_option list_options[] = {
	{"--format", "text|json", "text unless given", take_json, 0},
};

const struct command_table list_table = {"list", list_options, 1, refuse_word, false};

int cmd_list(int argc, char **argv)
{
	struct error error = {0};
	struct jvm_list list;
	bool is_json = false;
	int status = command_options_read(&list_table, &is_json, argc, argv);

	if (status != EXIT_DONE)
		return status;
	setenv("JPROF_TIMEOUT", AGENT_LIMIT, 0);
	if (jvm_list_read(&list, true, &error) != 0)
		status = command_failed(&error);
	else if (is_json)
		status = print_json(&list);
	else
		print_text(&list);
	jvm_list_fini(&list);
	return status != EXIT_DONE ? status : command_flush();
}
