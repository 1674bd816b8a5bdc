/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * options: what the user asked of the agent, whole and checked.
 *
 * In:   the option string of -agentpath (key=value,key=value,...), the JSON file that its
 *       `config` key names, the words of `jprof run`, what one session is started with.
 * Out:  struct options, or one line that names the key, the value and what is legal.
 * Owns: its strings. Every option is one row of the table in option_table.c: parse,
 *       validate, help, the default and docs read the row.
 */
#ifndef JPROF_OPTIONS_H
#define JPROF_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "error/error.h"
#include "options/pattern.h"

enum calls_mode {
	CALLS_AUTO,
	CALLS_SAMPLE,
	CALLS_COUNT,
	CALLS_INSTRUMENT,
	CALLS_EVENTS,
	CALLS_OFF
};
enum io_mode { IO_OFF, IO_SUMMARY, IO_RECORDS };
enum virtual_mode { VIRTUAL_FOLD, VIRTUAL_SEPARATE };
enum timing_mode { TIMING_FAST, TIMING_PRECISE };
enum readers { READERS_OWNER, READERS_GROUP, READERS_ALL };
enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct options {
	char *config; /* path, or NULL */
	char *file;   /* path of the profile, %p and %t not yet replaced */
	int readers;  /* enum readers: who may read the profile */
	bool start;   /* record from the start */
	int calls;    /* enum calls_mode */
	uint64_t
		budget; /* percent of a thread's time, with CALLS_AUTO; 0: off, all are timed */
	struct pattern_list timed, counted; /* methods that are so whatever it costs */
	struct pattern_list distribution;   /* methods whose every call is told of */
	struct pattern_list
		call_sites; /* methods whose call sites are kept apart; empty: none */
	struct pattern_list parameters, tags; /* see parameter_choice.h */
	uint64_t parameter_length;            /* bytes of a value that are kept */
	uint64_t parameter_values;            /* distinct ones of each parameter */
	uint64_t slowest; /* calls of each that are kept with what they did */
	struct pattern_list distribution_process; /* metrics: what all used of it meanwhile */
	struct pattern_list sample;               /* see sample_choice.h; "off" alone: none */
	struct pattern_list metrics; /* metric names, in the order asked for, none twice */
	struct pattern_list include, exclude;
	struct pattern_list threads; /* see thread_choice.h */
	int virtual;                 /* enum virtual_mode */
	struct pattern_list scope;   /* methods; empty: everything is inside */
	bool scope_follow;           /* threads started inside belong to it */
	char *components;            /* a file's path, or "ready-made" */
	struct pattern_list traces;  /* names of enum trace_kind */
	struct pattern_list
		events;       /* methods that traces=events tells of; empty: all timed ones */
	uint64_t events_keep; /* ns of events that are kept, not written; 0: all are written */
	struct pattern_list events_when; /* see event_condition_read */
	uint64_t objects;                /* bytes from one to the next; 0: all */
	bool gc_in_paths;                /* pauses have accounts at the paths that they stop */
	int io;                          /* enum io_mode */
	uint64_t io_slots;               /* descriptors below are in the holder's array */
	bool io_cpu;                     /* the processor time of operations is told */
	bool io_class_loading;           /* reading classes is the application's I/O, too */
	char *calibration;               /* "auto", "off" or a path */
	bool keep_code;      /* the machine code of compiled methods goes into the profile */
	int timing;          /* enum timing_mode */
	uint64_t max_memory; /* bytes */
	uint64_t fold_below; /* percent; 0: off */
	uint64_t flush;      /* seconds, at least 1 */
	uint64_t resolution; /* ns; 0: off */
	int log;             /* enum log_level */
};

/* Fills options from the agent's option string (NULL or "" for none), its config file and
 * the defaults. A key in the string wins over the file, and a list there replaces the
 * file's; a list key repeated within the string adds to it, any other is refused. Items of
 * a list are joined by '+'; none is kept twice. A comma inside a value is written "\,", a
 * backslash "\\", a '+' inside an item "\+". 0, or a negative code with error filled;
 * options is then empty, and options_fini harmless. */
int options_parse(struct options *options, const char *string, struct error *error);
void options_fini(struct options *options);

/* True if calls are timed as far as a budget goes, and counted otherwise. */
bool options_keep_budget(const struct options *options);

/* True if stacks are sampled. */
bool options_sample(const struct options *options);

/* The options of one session: `base` (what the agent was loaded with), overridden by
 * `text`: "key=value,...", or, if its first character that is no blank is '{', a JSON object
 * as in a config file. `config` may be among them; what the text says wins over the file.
 * Lists replace the base's; in JSON, [] replaces it by all, or none. Keys that say how the
 * agent is loaded are refused by name. NULL or blank: a copy of base. options is then
 * independent of base, and must be another object. 0, or a negative code; options is then
 * empty. */
int options_override(struct options *options, const struct options *base, const char *text,
	struct error *error);

/* True for a key that is legal only when the agent is loaded. */
bool options_only_load(const char *key);

/* The keys that an option string (as options_append makes it) and the file that its
 * `config` names give, without `config`, as a JSON object on one line: a text for
 * options_override in a process that cannot read that file. Owned (free); NULL with error
 * filled. A value that is not UTF-8, which JSON cannot hold, is refused. */
char *options_given_json(const char *string, struct error *error);

bool options_is_key(const char *key);

/* True if that value of the key is a path that does not begin at the root. */
bool options_is_relative(const char *key, const char *value);

/* Checks one KEY and VALUE as `jprof run --KEY VALUE` gives them (no commas to escape), and
 * appends "key=value" (escaped) to the string that the agent will get. *string is an owned
 * malloc'ed string or NULL for the first; a failure leaves it as it was. */
int options_append(char **string, const char *key, const char *value, struct error *error);

/* Prints the table of options for people: key, values, default, meaning. */
void options_help(FILE *out);

/* The same table in Markdown, as docs/options.md holds it. */
void options_markdown(FILE *out);

/* The same as a JSON schema (draft 2020-12) of the config file, as config/schema.json holds
 * it. Without memory nothing is printed. */
void options_schema(FILE *out);

/* The whole set as a JSON object text, as config/default.json holds it: used as a config
 * file it gives the same set (so `config` itself is not in it). Bytes that are not UTF-8
 * become U+FFFD, and are then lost. indent: spaces a level; 0: all on one line. Owned by
 * the caller (free), NULL without memory. */
char *options_to_json(const struct options *options, unsigned indent);

/* The path of a profile with "-NUMBER" in front of its ending ("a-2.jprof"). Owned by the caller;
 * NULL without memory. */
char *options_number_file(const char *file, unsigned number);

/* True if processes with the same time get different paths from the file: %p is in it. */
bool options_file_tells_pid(const char *file);

/* The profile's path with %p (pid), %t (seconds since 1970) and %% replaced;
 * any other '%' stays. Owned by the caller; NULL without memory. */
char *options_expand_file(const char *file, long pid, long time_now);

#endif
