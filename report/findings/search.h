/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * search: what all rules look at, made once, and how a rule adds what it has found.
 */
#ifndef JPROF_REPORT_FINDINGS_SEARCH_H
#define JPROF_REPORT_FINDINGS_SEARCH_H

#include "report/findings/findings.h"

#define MILLISECONDS 1000000ull
#define SECONDS      1000000000ull

enum { NOWHERE = -1 };

/* What was done with the files of one name, or in one method. By account_kind. */
struct io_sum {
	uint64_t ops[IO_OPS], bytes[IO_OPS], ns[IO_OPS];
	/* The account that has most operations, + 1, and how many. */
	size_t most[IO_OPS];
	uint64_t most_ops[IO_OPS];
	uint32_t file; /* one of that name; its place + 1; 0: it is a method's */
	bool is_many;  /* the name stands for many that were folded */
	/* Of an archive: how many entries were read, about (rows of others that were folded count, too), and how long
	 * reading its directory took. */
	uint64_t entries, directory_ns;
};

struct search {
	const struct model *model;
	const char *again;
	struct findings *found;
	size_t room;
	const union model_value *cum;
	const struct tally *tally;
	uint64_t whole[MODEL_FIGURES_MAX]; /* of each figure, of the chosen threads */

	/* The place among figures of what tells of processor time, a metric or samples; NOWHERE: nothing does. */
	int time;
	/* That of samples of processor time among conditions, and of the metrics among them; NOWHERE: none. */
	int cpu_samples, cpu, wall, alloc;
	/* Samples of processor time of threads that the JVM has for itself, by state, and all of them; 0 where the user
	 * chose threads. */
	uint64_t jvm_samples[SAMPLE_STATES], jvm_all;
	uint64_t cpu_ns;   /* of the program's threads; 0: not known */
	uint64_t duration; /* by the clock; 0: not known */
	/* Processor time, and the time of I/O that is not waiting for somebody: what time in I/O is a share of. What
	 * is read out of the system's memory is in both, so shares are rather too small. */
	uint64_t busy_ns;

	/* Sums of I/O by name (of one kind), and by place: by method id, and behind those by name what was done
	 * outside every included method. */
	struct io_sum *by_name, *by_place;
	size_t name_count, place_count;
	uint32_t *name_of; /* by place of a file */
	bool *mark;        /* by node: a rule's own, while it looks */
};

/* Fills it. 0, or -1 without memory. */
int search_open(struct search *search, const struct findings_input *input);

/* The place of the first chosen condition of that event and unit; NOWHERE: there is none. */
int search_condition(const struct model *model, const char *event, const char *unit);

/* The nanoseconds that a value of a figure of processor time stands for. */
uint64_t search_ns(const struct search *search, int figure, uint64_t value);

/* What the JVM's own threads used a processor for in a state, by samples, and its share of what all threads used. False: there
 * are no such samples. */
bool search_jvm_used(
	const struct search *search, enum sample_state state, uint64_t *ns, double *share);

/* True if the value and its share of the whole reach the rule's thresholds. */
static inline bool is_enough(const struct finding_rule *rule, uint64_t value, double share)
{
	return value > 0 && value >= rule->least && share >= rule->share;
}

static inline double share_of(uint64_t part, uint64_t whole)
{
	double share = whole > 0 ? (double)part / (double)whole : 0;

	return share > 1 ? 1 : share;
}

/* A new finding of the rule, with its severity and advice; the others are for the rule to fill. Without memory one
 * that is not kept. */
struct finding *search_add(
	struct search *search, const struct finding_rule *rule, uint64_t value, double share);

/* Takes the findings of the rule of that name out again: another one tells the same, and more exactly. */
void search_drop(struct search *search, const char *rule);

/* ---- texts: the store's, harmless, short; "" without memory ---- */

#define search_text(search, ...) store_format((search)->model->store, __VA_ARGS__).text

/* com.acme.Foo.bar; of METHOD_ROOT "(outside every included method)". */
const char *search_method(const struct search *search, uint32_t method);
/* The file's name, its end if it is long. file: its place. */
const char *search_file(const struct search *search, uint32_t file);

/* Any other name from outside: a thread's, a condition's. */
const char *search_name(const struct search *search, const char *name);

/* "1.32 s", "12.3%". */
const char *search_time(const struct search *search, uint64_t ns);
const char *search_count(const struct search *search, uint64_t count);
const char *search_bytes(const struct search *search, uint64_t bytes);
const char *search_share(const struct search *search, double share);

/* "jprof report FILE --view VIEW", with the option and a pattern that finds the method or the file. */
const char *search_command(const struct search *search, const char *view);
const char *search_command_method(
	const struct search *search, const char *view, uint32_t method);
const char *search_command_file(const struct search *search, const char *view, uint32_t file);

/* ---- what a path is of ---- */

/* True for a method of the JDK's own, or of no Java class: a program's author cannot change it. */
bool search_is_jdk(const struct search *search, uint32_t method);

/* The next method of the program on the way up from a node, the node's own first; where there is none, that of a
 * language's runtime. METHOD_ROOT: there is none of that either. */
uint32_t search_program_method(const struct search *search, uint32_t node);

/* ---- the rules: a function each ---- */

typedef void find_rule(struct search *search, const struct finding_rule *rule);

/* find_io.c */
find_rule find_small_reads, find_small_writes, find_reopened_file, find_reopened_archive,
	find_archive_entries, find_sync, find_names;
/* find_methods.c */
find_rule find_exceptions, find_exceptional_exits, find_pattern_compile, find_format,
	find_date_format, find_intern, find_called_often;
/* Archives that are opened again and again, by processor time; one of them. */
void find_opened_archives(
	struct search *search, const struct finding_rule *rule, const struct io_sum *archive);
/* find_memory.c */
find_rule find_collection, find_allocation;
/* find_waits.c */
find_rule find_locks, find_mostly_waits, find_no_processor, find_threads;
/* find_compiled.c */
find_rule find_interpreted, find_compiling;
/* find_traces.c */
find_rule find_lock_contention, find_pauses, find_full_heap, find_explicit_gc, find_thrown,
	find_class_churn, find_deoptimizations, find_slow_calls;
/* find_notes.c */
find_rule find_outside, find_few_samples, find_lost_samples, find_uncertain, find_lost_calls,
	find_folded, find_own_cost, find_budget;

#endif
