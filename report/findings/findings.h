/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * findings: known problems that a profile shows, each with its evidence, the place to look at and the next
 * command.
 *
 * In:   a model of merged threads (model.h).
 * Out:  findings, the most important first; those on the profile itself (how far its figures can be trusted) come
 *       last.
 * Owns: nothing: all is the model's store's.
 *
 * A rule is a row of finding_rules (rules.c) and a function. It has to be right before it is complete: each needs an
 * absolute size and a share of the run, and says nothing of what the profile does not know.
 */
#ifndef JPROF_REPORT_FINDINGS_H
#define JPROF_REPORT_FINDINGS_H

#include "report/model/model.h"

struct search;

enum finding_severity { FINDING_HIGH, FINDING_MEDIUM, FINDING_LOW, FINDING_NOTE };

/* "high", "medium", "low", "note". */
extern const char *const finding_severity_names[FINDING_NOTE + 1];

/* From this share of what the rule's shares are of. A note is on the profile itself. */
#define FINDING_HIGH_SHARE   0.30
#define FINDING_MEDIUM_SHARE 0.10

struct finding_rule {
	const char *name;
	bool is_note;      /* on the profile, not on the program */
	const char *what;  /* the problem, for documents */
	const char *unit;  /* of the value: ns, bytes, calls... */
	const char *whole; /* what the share is of */
	/* The thresholds: at least so much of the value, that share, so many operations (0: it has none). */
	uint64_t least;
	double share;
	uint64_t count;
	const char *counted; /* what those operations are, or NULL */
	const char *besides; /* what else has to be so, or NULL */
	const char *reason;  /* why the thresholds are these */
	const char *advice;
	/* Adds what it finds (search.h). */
	void (*find)(struct search *search, const struct finding_rule *rule);
};

extern const struct finding_rule finding_rules[];
extern const size_t finding_rule_count;

struct finding {
	const struct finding_rule *rule;
	enum finding_severity severity;
	const char *title;    /* short, harmless */
	const char *evidence; /* a few sentences, harmless */
	const char *advice;
	const char *command; /* for a shell; it begins as findings_input says; harmless */
	uint64_t value;
	double share;      /* 0 to 1 */
	const char *whole; /* what it is a share of: the rule's, or what is known instead */
	uint32_t method;   /* METHOD_ROOT: it is about none */
	uint32_t node;     /* the heaviest call path that leads there; 0: none */
	uint32_t file;     /* its place in the profile's array + 1; 0: none */
};

struct findings_input {
	const struct model *model;
	/* The command that opens the same, "jprof report FILE", for commands that are shown; NULL: with PROFILE. */
	const char *again;
	/* That of model_cum, and a tally of it; NULL: they are made. */
	const union model_value *cum;
	const struct tally *tally;
};

struct findings {
	struct finding *finding;
	size_t count;
};

/* 0, or -1 without memory. */
int findings_find(struct findings *findings, const struct findings_input *input);

/* The methods on the way to a finding's node, from the outermost on, as people read them; of a deep path the middle
 * is one label that says so. The store's; *count is how many. */
const struct label *finding_path(
	const struct model *model, const struct finding *finding, size_t *count);

#endif
