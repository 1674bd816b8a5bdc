/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * opened_profile: a profile as commands that tell of it open it: up to date, of the interval that the
 * user means, and with the adjustment that takes jprof's own cost out.
 *
 * In:   what the user chose: the words of PROFILE_CHOICE_ROWS.
 * Out:  the profile in memory, and the choice that a model is made with (report/model/model.h).
 */
#ifndef JPROF_CLI_OPENED_PROFILE_H
#define JPROF_CLI_OPENED_PROFILE_H

#include "cli/record/live_profile.h"
#include "cli/terminal/command_options.h"
#include "report/model/model.h"

/* The words of a command; all zero at first. Embedded (profile_choice_fini). */
struct profile_choice {
	const char *file;
	const char *interval;    /* "A..B", or NULL */
	const char *from, *to;   /* times, which the interval is made of; or NULL */
	char times[80];          /* it */
	const char *calibration; /* a file, "off", "auto", or NULL */
	const char *java;        /* to measure with, or NULL */
	/* The file as it is: a JVM that still writes it is not asked to bring it up to date. */
	bool as_it_is;
	/* Without its adjustment, which opened_profile_adjust puts there. */
	struct model_choice model;
};

void profile_choice_fini(struct profile_choice *choice);

/* "jprof report FILE --thread PATTERN": the command that chooses the same of it, to be copied, but for what views are
 * chosen by. Owned (free); NULL without memory. */
char *profile_choice_command(const struct profile_choice *choice);

/* Takes a pattern into a struct pattern_list. */
option_taker take_pattern;

/* The same of what --tag takes. */
option_taker take_tag;
/* "component" into a bool. */
option_taker take_grouping;

/* --snapshot, --from and --to, into a struct profile_choice. */
option_taker take_snapshots, take_from, take_to;

/* Rows of a command's option table: which part of a profile it looks at. words: the command's struct; choice: its member of the type
 * above. */
#define PROFILE_PART_ROWS(words, choice)                                                       \
	{"--thread", "PATTERN",                                                                \
		"only threads with such names, e.g. 'worker-*'; may be repeated",              \
		take_pattern, offsetof(words, choice.model.threads)},                          \
		{"--tag", "KEY=PATTERN",                                                       \
			"only what was done under such a tag, e.g. user=alice; of several "    \
			"of one key any, of each key one",                                     \
			take_tag, offsetof(words, choice.model.labels.tags)},                  \
		{"--value", "PATTERN",                                                         \
			"only what calls with such a value of a parameter did, e.g. 'SELECT "  \
			"*' or PARAMETER=PATTERN; may be repeated",                            \
			take_pattern, offsetof(words, choice.model.labels.values)},            \
		{"--path", "PATTERN",                                                          \
			"only what calls of such methods did, e.g. "                           \
			"'com.acme.Shop.order', with all that they called; may be repeated",   \
			take_pattern, offsetof(words, choice.model.paths)},                    \
	{                                                                                      \
		"--component", "NAME",                                                         \
			"only what was done within such components, e.g. 'JDBC*', with all "   \
			"that they called; may be repeated",                                   \
			take_pattern, offsetof(words, choice.model.within)                     \
	}

/* And what of that. */
#define PROFILE_CHOICE_ROWS(words, choice)                                                     \
	{"--metric", "M[+M...]",                                                               \
		"show these metrics, and samples on these conditions, only; all unless "       \
		"given, "                                                                      \
		"cpu first",                                                                   \
		take_text, offsetof(words, choice.model.metrics)},                             \
		PROFILE_PART_ROWS(words, choice),                                              \
		{"--snapshot", "A..B",                                                         \
			"only between two snapshots; A.. to the end, ..B from the beginning; " \
			"see jprof(1)",                                                        \
			take_snapshots, offsetof(words, choice)},                              \
		{"--calibration", "FILE|off|auto",                                             \
			"take jprof's own cost out by this file, leave it in, or measure it "  \
			"now if no calibration is kept; see jprof(1)",                         \
			take_text, offsetof(words, choice.calibration)},                       \
	{                                                                                      \
		"--java", "PATH",                                                              \
			"where no calibration is kept: measure one with this JVM; see "        \
			"jprof(1)",                                                            \
			take_text, offsetof(words, choice.java)                                \
	}

/* The same of a command whose figures of I/O are chosen by files. */
#define PROFILE_FILE_ROW(words, choice)                                                        \
	{                                                                                      \
		"--file", "PATTERN",                                                           \
			"I/O: only that with such files and addresses, e.g. '*.db' or "        \
			"'*:5432', and what led to it; may be repeated",                       \
			take_pattern, offsetof(words, choice.model.files)                      \
	}

/* The same of a command that has no --to of its own. */
#define PROFILE_TIME_ROWS(words, choice)                                                       \
	PROFILE_FROM_ROW(words, choice),                                                       \
	{                                                                                      \
		"--to", "TIME", "only until then", take_to, offsetof(words, choice)            \
	}
#define PROFILE_FROM_ROW(words, choice)                                                        \
	{                                                                                      \
		"--from", "TIME",                                                              \
			"only from 10s (1m30s, 250ms) after the recording's begin on, or "     \
			"from "                                                                \
			"14:03:20 by the clock on; of a profile with resolution=1s",           \
			take_from, offsetof(words, choice)                                     \
	}

struct opened_profile {
	struct profile *profile; /* NULL: it could not be opened */
	struct adjustment adjustment;
	struct live_profile live;
	/* What is to be said of a profile that is still written; "": it is not. */
	char state[sizeof(((struct error *)0)->text) + 128];
};

/* Reads the file; wanted without its interval. 0, or a negative code. Embedded (opened_profile_fini), also after a
 * failure. Shows progress. */
int opened_profile_init(struct opened_profile *opened, const struct profile_choice *choice,
	const struct profile_wanted *wanted, struct error *error);

/* Finds the calibration, measures one where that changes what is shown, and points choice->model to it. 0, or a
 * negative code. */
int opened_profile_adjust(
	struct opened_profile *opened, struct profile_choice *choice, struct error *error);
void opened_profile_fini(struct opened_profile *opened);

#endif
