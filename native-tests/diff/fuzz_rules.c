/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a file of rules: refused with a line, or rules that are whole.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native-tests/fuzz/text_mutator.h"
#include "report/diff/rules.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct rules rules = {0};
	struct error error = {0};
	int failed = rules_parse(&rules, (const char *)bytes, size, "rules", &error);

	require((failed != 0) == (error.text[0] != '\0'), "what is refused is said");
	require(!strchr(error.text, '\n'), "it is one line");
	require(failed != 0 || rules.count > 0, "there is a rule");
	for (size_t i = 0; i < rules.count && failed == 0; i++) {
		const struct rule *rule = &rules.rule[i];

		require(rule->by < DIFF_TABLES && rule->limit < RULE_LIMITS && rule->figure,
			"it has a subject, a figure and a limit");
		require(rule->by == DIFF_TOTAL || rule->pattern, "it has a pattern");
		require(rule->value >= 0 && isfinite(rule->value), "the limit is a number");
		require(rule->min >= 0 && rule->min <= 1, "the least is a share");
	}
	rules_fini(&rules);
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"rules", "method", "path", "call_path", "total", "figure",
	"may_grow", "at_most", "at_least", "min", "name", "\"5%\"", "\"\"", "1e400", "0",
	"1.05", "{", "}", "[", "]", "null", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return text_mutate(data, size, max_size, 0, words, seed);
}
