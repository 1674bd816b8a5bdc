/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * rules: what must not have changed, and what did: for builds that fail by it.
 *
 *   {"rules": [
 *      {"method": "com.acme.*", "figure": "calls", "may_grow": 0},
 *      {"path": "*.db", "figure": "reads.bytes", "at_most": 1.1},
 *      {"total": "cpu", "at_most": 1.05}]}
 *
 * A rule names its subject by one of `subjects`, its limit by one of `limits` (rules.c); docs/ci.md says what
 * they mean. It is broken by an item that goes beyond the limit, if that is a change and not noise.
 *
 * In:   a judged diff, rules in JSON, or one percentage for all.
 * Out:  tests, each with what broke it.
 */
#ifndef JPROF_REPORT_DIFF_RULES_H
#define JPROF_REPORT_DIFF_RULES_H

#include <jansson.h>

#include "report/diff/diff.h"

enum rule_limit { RULE_MAY_GROW, RULE_AT_MOST, RULE_AT_LEAST, RULE_LIMITS };

struct rule {
	enum diff_by by;
	bool is_call_path;   /* pattern is one of paths of methods, not of files */
	const char *pattern; /* of names; NULL: all. Borrowed from the JSON */
	const char *figure;  /* NULL: all */
	enum rule_limit limit;
	double value; /* may_grow: by so much, or, is_part, by such a part; else a factor */
	bool is_part;
	double min;       /* what has less of the whole, on both sides, is not looked at */
	const char *name; /* what a test is called; NULL: what it says */
};

/* A rule's outcome: a test of those that build servers show. */
struct rule_test {
	struct label name;
	size_t looked_at; /* items' figures that it is about */
	struct label
		skipped; /* why it could not be tested: its pattern matched nothing; or none */
	struct label *broken; /* a line each, of the first ones; the diff's store's */
	size_t line_count;    /* of those: RULE_LINES_MAX at most */
	size_t broken_count;  /* of all that broke it */
};

/* A tree may have a million paths that break a rule; nobody reads more than these. */
enum { RULE_LINES_MAX = 1000 };

/* "and 12 more": what broke the rule and has no line; "" where all have. */
struct rule_rest {
	char text[32];
};
struct rule_rest rule_rest(const struct rule_test *test);

struct rules {
	struct rule *rule;
	size_t count;
	json_t *json;           /* owned */
	struct rule_test *test; /* by rule, after rules_test */
};

/* All tables that the rules are about. */
void rules_want(const struct rules *rules, struct diff_choice *choice);

/* Reads a file of rules behind those that there are. 0, or a negative code: -ERROR_VALUE with what is wrong where.
 * Embedded (rules_fini), all zero at first. */
int rules_read(struct rules *rules, const char *path, struct error *error);
/* The same of a text; subject is what messages call it. */
int rules_parse(struct rules *rules, const char *text, size_t length, const char *subject,
	struct error *error);

/* Whatever has a share of min or more may grow by such a part, in all figures: of the whole program, and of items of
 * a table. 0, or a negative code. */
int rules_add_growth(
	struct rules *rules, double part, enum diff_by by, double min, struct error *error);

/* Fills rules->test. 0, or a negative code: there is no memory, or a rule names a figure that there is not. */
int rules_test(struct rules *rules, struct diff *diff, struct error *error);

size_t rules_broken(const struct rules *rules);
void rules_fini(struct rules *rules);

#endif
