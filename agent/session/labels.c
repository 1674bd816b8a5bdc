/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* labels: see labels.h. */
#include "agent/session/labels.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int label_check(const char *label, struct error *error)
{
	struct error_subject subject = error_subject(label);
	bool has_control = false;
	json_t *text = json_string(label); /* which refuses what is not UTF-8 */
	bool is_utf8 = text != NULL;

	json_decref(text);
	for (const char *c = label; *c != '\0'; c++)
		has_control |= (unsigned char)*c < 0x20 || *c == 0x7f;
	if (label[0] == '\0')
		return error_set(error, ERROR_VALUE, "a snapshot's label may not be empty");
	if (strlen(label) > LABEL_MAX)
		return error_set(error, ERROR_VALUE,
			"the snapshot's label '%s' is longer than %d bytes", subject.text,
			LABEL_MAX);
	if (has_control)
		return error_set(error, ERROR_VALUE,
			"the snapshot's label '%s' has control characters", subject.text);
	if (!is_utf8)
		return error_set(error, ERROR_VALUE, "the snapshot's label '%s' is not UTF-8",
			subject.text);
	if (strstr(label, ".."))
		return error_set(error, ERROR_VALUE,
			"the snapshot's label '%s' has '..' in it, which stands between two "
			"labels",
			subject.text);
	return 0;
}

bool labels_have(const struct labels *labels, uint32_t session, const char *label)
{
	for (size_t i = 0; i < labels->count; i++) {
		const struct label_row *row = &labels->row[i];

		if (!row->reset &&
			(row->session == session || row->session == 0 || session == 0) &&
			strcmp(row->label, label) == 0)
			return true;
	}
	return false;
}

void labels_number(const struct labels *labels, uint32_t session, char label[LABEL_MAX + 1])
{
	unsigned long number = 0;

	do
		snprintf(label, LABEL_MAX + 1, "%lu", ++number);
	while (labels_have(labels, session, label));
}

int labels_reserve(struct labels *labels, struct error *error)
{
	size_t room = labels->room ? 2 * labels->room : 16;
	struct label_row *row;

	if (labels->count < labels->room)
		return 0;
	row = reallocarray(labels->row, room, sizeof(*row));
	if (!row)
		return error_set(error, ERROR_MEMORY, "no memory for one more snapshot");
	labels->row = row;
	labels->room = room;
	return 0;
}

void labels_drop(struct labels *labels, uint32_t session, uint32_t first)
{
	size_t kept = 0;

	for (size_t i = 0; i < labels->count; i++) {
		const struct label_row *row = &labels->row[i];

		if (row->session != session && (row->session != 0 || row->id >= first))
			labels->row[kept++] = *row;
	}
	labels->count = kept;
}
