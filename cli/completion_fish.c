/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* completion_fish: a line for each command, and for each of its options. */
#include "cli/completion.h"

#include <string.h>

/* Within single quotes fish knows a backslash and a quote behind one. */
#define SPECIAL "\\"
#define QUOTE   "\\'"

static const char head[] =
	"# fish completion for jprof, as `jprof completion fish` prints it.\n"
	"\n"
	"# True behind that command, and in front of a -- that another one stands behind.\n"
	"function __jprof_in\n"
	"	set -l words (commandline -opc)\n"
	"	test (count $words) -ge 2\n"
	"	and contains -- $words[2] $argv\n"
	"	and not contains -- -- $words\n"
	"end\n"
	"\n"
	"# True behind the -- of that command.\n"
	"function __jprof_behind\n"
	"	set -l words (commandline -opc)\n"
	"	test (count $words) -ge 3\n"
	"	and contains -- $words[2] $argv\n"
	"	and contains -- -- $words\n"
	"end\n"
	"\n"
	"# True where the command is to come.\n"
	"function __jprof_begins\n"
	"	test (count (commandline -opc)) -eq 1\n"
	"end\n"
	"\n"
	"# Process ids, main classes and jars.\n"
	"function __jprof_processes\n"
	"	set -l row '^ *([0-9]+) +\\S+ +\\S+ +\\S+ +(\\S+)'\n"
	"	for line in (jprof list 2>/dev/null)\n"
	"		set -l found (string match -r $row -- $line)\n"
	"		or continue\n"
	"		printf '%s\\t%s\\n' $found[2] $found[3]\n"
	"		string match -qr '^[A-Za-z][A-Za-z0-9_.$/-]*$' -- $found[3]\n"
	"		and printf '%s\\tprocess %s\\n' $found[3] $found[2]\n"
	"	end\n"
	"end\n"
	"\n"
	"# Items of a list that is joined by +.\n"
	"function __jprof_items\n"
	"	set -l word (string replace -r '^--[^=]*=' '' -- (commandline -ct))\n"
	"	set -l front (string match -r '^.*\\+' -- $word)\n"
	"	printf \"$front%s\\n\" $argv\n"
	"end\n"
	"\n"
	"complete -c jprof -f\n"
	"complete -c jprof -n __jprof_begins -l help -d 'what jprof does'\n"
	"complete -c jprof -n __jprof_begins -l version -d 'the version'\n";

static void put_option(
	void *user, const struct command *command, const struct completion_option *option)
{
	bool is_long = option->name[1] == '-';
	FILE *out = user;

	fprintf(out, "complete -c jprof -n '__jprof_in %s' %s %s", command->name,
		is_long ? "-l" : "-s", option->name + (is_long ? 2 : 1));
	/* fish knows of no value that may be left out. */
	if (option->has_value && !option->may_lack)
		fputs(option->is_file ? " -r -F" : " -x", out);
	if (option->is_list)
		fprintf(out, " -a '(__jprof_items %s)'", option->words);
	else if (option->words[0] != '\0')
		fprintf(out, " -a '%s'", option->words);
	fputs(" -d '", out);
	completion_quote(out, option->meaning, SPECIAL, QUOTE);
	fputs("'\n", out);
}

static void put_words(
	const struct completion_tables *tables, const struct command *command, FILE *out)
{
	static const struct {
		unsigned words;
		const char *condition, *offered;
	} rows[] = {
		{WORDS_PROCESS, "__jprof_in", "-a '(__jprof_processes)'"},
		{WORDS_PROFILE, "__jprof_in", "-k -a '(__fish_complete_suffix .jprof)'"},
		{WORDS_PROGRAM, "__jprof_behind", "-F -a '(__fish_complete_command)'"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (command->words & rows[i].words)
			fprintf(out, "complete -c jprof -n '%s %s' %s\n", rows[i].condition,
				command->name, rows[i].offered);
	if (!(command->words & (WORDS_TOPIC | WORDS_SHELL)))
		return;
	fprintf(out, "complete -c jprof -n '__jprof_in %s' -a '", command->name);
	completion_words(tables, command, out);
	fputs("'\n", out);
}

void completion_fish(const struct completion_tables *tables, FILE *out)
{
	fputs(head, out);
	for (size_t i = 0; i < tables->count; i++) {
		fprintf(out, "complete -c jprof -n __jprof_begins -a %s -d '",
			tables->commands[i].name);
		completion_quote(out, tables->commands[i].summary, SPECIAL, QUOTE);
		fputs("'\n", out);
	}
	for (size_t i = 0; i < tables->count; i++) {
		fputc('\n', out);
		put_words(tables, &tables->commands[i], out);
		completion_options(&tables->commands[i], put_option, out);
	}
}
