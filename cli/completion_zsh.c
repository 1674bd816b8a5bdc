/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* completion_zsh: a case for each command, with what _arguments takes. */
#include "cli/completion.h"

#include <string.h>

/* How a quote stands within quotes; what means more to _arguments and _describe. */
#define QUOTE   "'\\''"
#define SPECIAL "\\[]:"

static const char head[] =
	"#compdef jprof\n"
	"# zsh completion for jprof, as `jprof completion zsh` prints it.\n"
	"\n"
	"# Process ids, main classes and jars.\n"
	"__jprof_processes()\n"
	"{\n"
	"	local pid user java jprof program name='^[A-Za-z][A-Za-z0-9_.$/-]*$'\n"
	"	local -a found\n"
	"	while read -r pid user java jprof program; do\n"
	"		[[ $pid == <-> ]] || continue\n"
	"		found+=(\"$pid:${program//:/\\\\:}\")\n"
	"		program=${program%% *}\n"
	"		[[ $program =~ $name ]] && found+=(\"$program:process $pid\")\n"
	"	done < <(jprof list 2>/dev/null)\n"
	"	_describe -t processes 'JVM' found\n"
	"}\n"
	"\n"
	"_jprof()\n"
	"{\n"
	"	local -a commands=(\n";

static const char middle[] = "	)\n"
			     "	if ((CURRENT == 2)); then\n"
			     "		_describe -t commands 'command' commands\n"
			     "		return\n"
			     "	fi\n"
			     "	shift words\n"
			     "	((CURRENT--))\n"
			     "	local -i dashes=${words[(i)--]}\n"
			     "	case $words[1] in\n";

static const char tail[] = "	esac\n"
			   "}\n"
			   "\n"
			   "# Within a folder of completions the file is the function; by "
			   "`source` it is to be made known.\n"
			   "if [[ $funcstack[1] == _jprof ]]; then\n"
			   "	_jprof \"$@\"\n"
			   "else\n"
			   "	compdef _jprof jprof\n"
			   "fi\n";

/* An action that begins with a blank is taken as it is.
 *
 * "		'*--view=[what to show]:VIEW:(tree methods)' \". */
static void put_option(
	void *user, const struct command *command, const struct completion_option *option)
{
	bool is_long = option->name[1] == '-';
	FILE *out = user;

	fprintf(out, "			'*%s%s[", option->name,
		!option->has_value ? ""
		: is_long          ? "="
				   : "+");
	completion_quote(out, option->meaning, SPECIAL, QUOTE);
	fputs("]", out);
	if (option->has_value) {
		fputs(option->may_lack ? "::" : ":", out);
		completion_quote(out, option->called, SPECIAL, QUOTE);
		fputc(':', out);
	}
	if (option->is_list)
		fprintf(out, "_values -s + metric %s", option->words);
	else if (option->words[0] != '\0' && option->is_file)
		fprintf(out, " _alternative \"words\\:word\\:(%s)\" \"files\\:file\\:_files\"",
			option->words);
	else if (option->words[0] != '\0')
		fprintf(out, "(%s)", option->words);
	else if (option->is_file)
		fputs("_files", out);
	fputs("' \\\n", out);
}

static void put_command(
	const struct completion_tables *tables, const struct command *command, FILE *out)
{
	unsigned words = command->words;

	fprintf(out, "	%s)\n", command->name);
	if (words & WORDS_PROGRAM)
		fputs("		# Behind -- stands a command of its own.\n"
		      "		if ((dashes < CURRENT)); then\n"
		      "			shift dashes words\n"
		      "			((CURRENT -= dashes))\n"
		      "			_normal\n"
		      "			return\n"
		      "		fi\n",
			out);
	fputs("		_arguments -S \\\n", out);
	completion_options(command, put_option, out);
	if (words & (WORDS_TOPIC | WORDS_SHELL)) {
		fputs("			':word:(", out);
		completion_words(tables, command, out);
		fputs(")' \\\n", out);
	}
	if ((words & WORDS_PROCESS) && (words & WORDS_PROFILE))
		fputs("			'*:JVM or profile: _alternative "
		      "\"processes\\:JVM\\:__jprof_processes\" "
		      "\"files\\:profile\\:_files -g \\\"*.jprof\\\"\"' \\\n",
			out);
	else if (words & WORDS_PROCESS)
		fputs("			':JVM:__jprof_processes' \\\n", out);
	else if (words & WORDS_PROFILE)
		fputs("			'*:profile:_files -g \"*.jprof\"' \\\n", out);
	fputs("			'--help[what it does]'\n		;;\n", out);
}

void completion_zsh(const struct completion_tables *tables, FILE *out)
{
	fputs(head, out);
	for (size_t i = 0; i < tables->count; i++) {
		fprintf(out, "		'%s:", tables->commands[i].name);
		completion_quote(out, tables->commands[i].summary, SPECIAL, QUOTE);
		fputs("'\n", out);
	}
	fputs(middle, out);
	for (size_t i = 0; i < tables->count; i++)
		put_command(tables, &tables->commands[i], out);
	fputs(tail, out);
}
