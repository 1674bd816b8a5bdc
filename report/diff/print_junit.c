/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_junit: each rule as a test case, in the XML that build servers read. */
#include <stdio.h>
#include <string.h>

#include "report/diff/print.h"

/* XML 1.0 section 2.2: some characters may not be there, even as numbers. Those that out_harmless lets through are
 * U+FFFE and U+FFFF. */
static void put_text(struct out *out, const char *text, size_t length)
{
	static const struct {
		char character;
		const char *entity;
	} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"},
		{'\'', "&apos;"}};
	struct out harmless;

	out_init(&harmless, -1);
	out_harmless(&harmless, text, length);
	if (harmless.failed)
		out->failed = harmless.failed;
	for (size_t i = 0; !harmless.failed && i < harmless.length; i++) {
		const char *at = harmless.buffer + i;
		const char *entity = NULL;

		for (size_t e = 0; e < sizeof(entities) / sizeof(*entities); e++)
			if (*at == entities[e].character)
				entity = entities[e].entity;
		if (i + 2 < harmless.length && (memcmp(at, "\xef\xbf\xbe", 3) == 0 ||
						       memcmp(at, "\xef\xbf\xbf", 3) == 0)) {
			entity = "?";
			i += 2;
		}
		if (entity)
			out_text(out, entity);
		else
			out_char(out, *at);
	}
	out_fini(&harmless);
}

static void put_attribute(struct out *out, const char *name, struct label value)
{
	out_char(out, ' ');
	out_text(out, name);
	out_text(out, "=\"");
	put_text(out, value.text ? value.text : "", value.length);
	out_char(out, '"');
}

static void put_case(struct out *out, const struct rule_test *test)
{
	char message[64];

	out_text(out, "<testcase classname=\"jprof.diff\"");
	put_attribute(out, "name", test->name);
	if (test->broken_count == 0 && !test->skipped.text) {
		out_text(out, "/>\n");
		return;
	}
	out_text(out, ">\n");
	if (test->broken_count > 0) {
		snprintf(message, sizeof(message), "broken by %zu", test->broken_count);
		out_text(out, "<failure type=\"rule\"");
		put_attribute(out, "message",
			test->broken_count == 1 ? test->broken[0] : label_of(message));
		out_text(out, ">");
		for (size_t i = 0; i < test->line_count; i++) {
			put_text(out, test->broken[i].text, test->broken[i].length);
			out_char(out, '\n');
		}
		if (test->broken_count > test->line_count) {
			out_text(out, rule_rest(test).text);
			out_char(out, '\n');
		}
		out_text(out, "</failure>\n");
	} else {
		out_text(out, "<skipped");
		put_attribute(out, "message", test->skipped);
		out_text(out, "/>\n");
	}
	out_text(out, "</testcase>\n");
}

static int print_junit(
	const struct diff *diff, const struct diff_request *request, struct out *out)
{
	const struct rules *rules = request->rules;
	size_t count = rules ? rules->count : 0, failures = 0, skipped = 0;
	char line[160];

	for (size_t i = 0; i < count; i++) {
		failures += rules->test[i].broken_count > 0;
		skipped += rules->test[i].broken_count == 0 && rules->test[i].skipped.text;
	}
	snprintf(line, sizeof(line),
		"<testsuite name=\"jprof diff\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
		"skipped=\"%zu\">\n",
		count, failures, skipped);
	out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	out_text(out, line);
	for (size_t i = 0; i < count; i++)
		put_case(out, &rules->test[i]);
	out_text(out, "<system-out>");
	for (size_t i = 0; i < diff->note_count; i++) {
		put_text(out, diff->note[i].text, diff->note[i].length);
		out_char(out, '\n');
	}
	out_text(out, "</system-out>\n</testsuite>\n");
	return 0;
}

const struct diff_format diff_format_junit = {
	.name = "junit",
	.meaning = "XML for build servers: a test case a rule",
	.needs_rules = true,
	.print = print_junit,
};
