/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* notes: a format that keeps titles alone, up to the empty one in front of the rows. */
#include "report/page/notes.h"

#include "report/model/chosen.h"
#include "report/report.h"

static void no_begin(struct sink *sink)
{
}

static void no_row(struct sink *sink, const struct cell *cells, unsigned depth)
{
}

static void put_title(struct sink *sink, const char *line)
{
	sink->headed |= line[0] == '\0';
	if (sink->headed)
		return;
	if (sink->rows++ > 0)
		out_char(sink->out, ',');
	out_json(sink->out, line, strlen(line));
}

static const struct format format_notes = {.name = "notes",
	.meaning = "titles alone",
	.use = IN_TEXT,
	.begin = no_begin,
	.row = no_row,
	.title = put_title};

int notes_put(
	const struct model *model, const char *state, struct out *out, struct error *error)
{
	struct report_request request = {.choice = *model->choice,
		.state = state,
		.view = &view_overview,
		.format = &format_notes};
	struct label chosen = model_chosen_line(model, model->store);
	struct model together;
	uint64_t violations;
	int failed;

	request.choice.merge_threads = true;
	request.choice.program_alone = request.choice.threads.count == 0;
	out_text(out, "\"notes\":[");
	/* Titles follow: what ran, at least. */
	if (chosen.length > 0) {
		out_json(out, chosen.text, chosen.length);
		out_char(out, ',');
	}
	failed = model_init(&together, model->read, &request.choice, error);
	if (failed == 0)
		failed = report_view(&together, &request, out, &violations, error);
	model_fini(&together);
	out_text(out, "],");
	return failed;
}
