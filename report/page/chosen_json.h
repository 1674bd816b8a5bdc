/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* chosen_json: what was chosen of a profile, as the page and what serves it tell each other. */
#ifndef JPROF_PAGE_CHOSEN_JSON_H
#define JPROF_PAGE_CHOSEN_JSON_H

#include "report/model/model.h"
#include "report/text/out.h"

/* {"tags":["user=alice"],"values":[],"paths":[],"components":[],"threads":[]}: what of a profile was chosen, as the user wrote it. */
void page_put_chosen(struct out *out, const struct model_choice *choice);

#endif
