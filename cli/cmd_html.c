/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof html: a profile as one HTML page. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/page/page_file.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/output_file.h"

struct words {
	struct profile_choice choice;
	const char *to; /* a file, "-", or NULL: beside the profile */
};

static int take_file(void *words, const char *word)
{
	struct words *html = words;

	if (html->choice.file)
		return command_usage("html",
			"one profile only, not '%s' too: jprof diff has two on a page", word);
	html->choice.file = word;
	return EXIT_DONE;
}

static const struct command_option html_options[] = {
	{"-o", "OUT.html", "where the page goes; - is standard output", take_some_text,
		offsetof(struct words, to)},
	PROFILE_CHOICE_ROWS(struct words, choice),
	PROFILE_TIME_ROWS(struct words, choice),
};

const struct command_table html_table = {
	"html", html_options, sizeof(html_options) / sizeof(*html_options), take_file, false};

static int write_page(struct words *words)
{
	char *beside = words->to ? NULL : output_file_beside(words->choice.file, "", ".html");
	const char *to = words->to ? words->to : beside;
	struct error error = {0};
	int failed, status;

	if (!to)
		return command_no_memory();
	status = output_file_check("html", to, words->choice.file, words->to != NULL);
	if (status != EXIT_DONE) {
		free(beside);
		return status;
	}
	failed = page_file_write(&words->choice, 1, to, &error);
	if (failed == 0 && beside)
		say("the page is '%s'", beside);
	free(beside);
	if (failed == 0)
		return EXIT_DONE;
	return error.code == ERROR_USAGE ? command_usage("html", "%s", error.text)
					 : command_failed(&error);
}

int cmd_html(int argc, char **argv)
{
	struct words words = {0};
	int status = command_options_read(&html_table, &words, argc, argv);
	char *found = NULL;

	if (status == 0)
		status = profile_file_choose("html", &words.choice.file, &found);
	if (status == 0)
		status = write_page(&words);
	free(found);
	profile_choice_fini(&words.choice);
	return status;
}
