/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* completion_bash: one function that completes, and two that know the tables. */
#include "cli/completion.h"

#include <string.h>

static const char head[] =
	"# bash completion for jprof, as `jprof completion bash` prints it.\n"
	"# shellcheck shell=bash disable=SC2034,SC2046,SC2086\n"
	"\n";

/* Behind the tables. Words that come from processes are never expanded, nor are those with odd characters offered. */
static const char body[] =
	"# Offers the words that begin like the current one; of a list, its last item.\n"
	"__jprof_offer()\n"
	"{\n"
	"	local word front='' rest=$cur\n"
	"	if [[ $list && $cur == *+* ]]; then\n"
	"		front=${cur%+*}+ rest=${cur##*+}\n"
	"	fi\n"
	"	for word in \"$@\"; do\n"
	"		[[ $word == \"$rest\"* ]] || continue\n"
	"		printf -v word %q \"$word\"\n"
	"		COMPREPLY+=(\"$glue$front$word\")\n"
	"	done\n"
	"}\n"
	"\n"
	"# Offers files with such an ending, and folders.\n"
	"__jprof_files()\n"
	"{\n"
	"	local file\n"
	"	compopt -o filenames 2>/dev/null\n"
	"	while IFS= read -r file; do\n"
	"		[[ -d $file || $file == *\"$1\" ]] || continue\n"
	"		COMPREPLY+=(\"$glue$file\")\n"
	"	done < <(compgen -f -- \"$cur\")\n"
	"}\n"
	"\n"
	"# Offers process ids, main classes and jars.\n"
	"__jprof_processes()\n"
	"{\n"
	"	local pid user java jprof program name='^[A-Za-z][A-Za-z0-9_.$/-]*$'\n"
	"	while read -r pid user java jprof program _; do\n"
	"		[[ $pid =~ ^[0-9]+$ ]] || continue\n"
	"		__jprof_offer \"$pid\"\n"
	"		[[ $cur && $program =~ $name ]] && __jprof_offer \"$program\"\n"
	"	done < <(\"${COMP_WORDS[0]}\" list 2>/dev/null)\n"
	"}\n"
	"\n"
	"_jprof()\n"
	"{\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	"	local command=${COMP_WORDS[1]} options='' others='' kinds='' words='' at\n"
	"	local files='' list='' optional='' glue=''\n"
	"	COMPREPLY=()\n"
	"	if ((COMP_CWORD == 1)); then\n"
	"		__jprof_offer $__jprof_commands --help --version\n"
	"		return\n"
	"	fi\n"
	"	__jprof_command\n"
	"	# Behind -- stands a command of its own.\n"
	"	for ((at = 2; at < COMP_CWORD; at++)); do\n"
	"		[[ $kinds == *program* && ${COMP_WORDS[at]} == -- ]] || continue\n"
	"		if declare -F _command_offset >/dev/null; then\n"
	"			_command_offset $((at + 1))\n"
	"		elif ((COMP_CWORD == at + 1)); then\n"
	"			__jprof_offer $(compgen -c -- \"$cur\")\n"
	"		else\n"
	"			__jprof_files ''\n"
	"		fi\n"
	"		return\n"
	"	done\n"
	"	# --view=tree comes as three words, or as one where = does not part words.\n"
	"	if [[ $cur == --*=* ]]; then\n"
	"		before=${cur%%=*} glue=${cur%%=*}= cur=${cur#*=}\n"
	"	elif [[ $cur == = ]]; then\n"
	"		cur=''\n"
	"	elif [[ $before == = ]]; then\n"
	"		before=${COMP_WORDS[COMP_CWORD - 2]}\n"
	"	fi\n"
	"	if __jprof_value \"$command $before\"; then\n"
	"		__jprof_offer $words\n"
	"		[[ $files ]] && __jprof_files ''\n"
	"		[[ $optional ]] || return\n"
	"	fi\n"
	"	if [[ $cur == -* ]]; then\n"
	"		__jprof_offer $options\n"
	"		return\n"
	"	fi\n"
	"	__jprof_offer $others\n"
	"	[[ $kinds == *process* ]] && __jprof_processes\n"
	"	[[ $kinds == *profile* ]] && __jprof_files .jprof\n"
	"	return 0\n"
	"}\n"
	"\n"
	"complete -F _jprof jprof\n";

static void put_name(
	void *user, const struct command *command, const struct completion_option *option)
{
	fprintf(user, " %s", option->name);
}

/* Of an option with a value: "	'report --view') words='tree methods' ;;". */
static void put_value(
	void *user, const struct command *command, const struct completion_option *option)
{
	FILE *out = user;

	if (!option->has_value)
		return;
	fprintf(out, "	'%s %s')", command->name, option->name);
	if (option->words[0] != '\0')
		fprintf(out, " words='%s'", option->words);
	fprintf(out, "%s%s%s ;;\n", option->is_file ? " files=yes" : "",
		option->is_list ? " list=yes" : "", option->may_lack ? " optional=yes" : "");
}

static void put_command(
	const struct completion_tables *tables, const struct command *command, FILE *out)
{
	fprintf(out, "	%s) options='", command->name);
	completion_options(command, put_name, out);
	fprintf(out, " --help%s' kinds='%s%s%s' others='",
		command->words & WORDS_PROGRAM ? " --" : "",
		command->words & WORDS_PROCESS ? "process " : "",
		command->words & WORDS_PROFILE ? "profile " : "",
		command->words & WORDS_PROGRAM ? "program" : "");
	completion_words(tables, command, out);
	fprintf(out, "' ;;\n");
}

void completion_bash(const struct completion_tables *tables, FILE *out)
{
	fputs(head, out);
	fputs("__jprof_commands='", out);
	for (size_t i = 0; i < tables->count; i++)
		fprintf(out, "%s%s", i > 0 ? " " : "", tables->commands[i].name);
	fputs("'\n\n# What a command takes.\n__jprof_command()\n{\n	case $command in\n",
		out);
	for (size_t i = 0; i < tables->count; i++)
		put_command(tables, &tables->commands[i], out);
	fputs("	esac\n}\n\n# What an option's value may be; fails for those without one.\n"
	      "__jprof_value()\n{\n	case $1 in\n",
		out);
	for (size_t i = 0; i < tables->count; i++)
		completion_options(&tables->commands[i], put_value, out);
	fputs("	*) return 1 ;;\n	esac\n}\n\n", out);
	fputs(body, out);
}
