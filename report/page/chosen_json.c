/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* chosen_json: see chosen_json.h. */
#include "report/page/chosen_json.h"

#include <string.h>

void page_put_chosen(struct out *out, const struct model_choice *choice)
{
	const struct {
		const char *key;
		const struct pattern_list *list;
	} lists[] = {
		{"tags", &choice->labels.tags},
		{"values", &choice->labels.values},
		{"paths", &choice->paths},
		{"components", &choice->within},
		{"threads", &choice->threads},
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		const struct pattern_list *list = lists[i].list;

		out_text(out, i > 0 ? ",\"" : "{\"");
		out_text(out, lists[i].key);
		out_text(out, "\":[");
		for (size_t p = 0; p < list->count; p++) {
			if (p > 0)
				out_char(out, ',');
			out_json(out, list->pattern[p], strlen(list->pattern[p]));
		}
		out_char(out, ']');
	}
	out_char(out, '}');
}
