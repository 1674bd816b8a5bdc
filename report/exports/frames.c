/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* frames: names of methods, and a hash table of texts. */
#include "report/exports/frames.h"

#include <stdlib.h>

/* ---- frames ---- */

/* "com.acme.Foo$Bar" and "Foo.java" as "com/acme/Foo.java". */
static struct label path_of(const struct model *model, const struct profile_method *method)
{
	const char *dot = method->class_name ? strrchr(method->class_name, '.') : NULL;
	size_t length = dot ? (size_t)(dot - method->class_name) + 1 : 0;
	struct label path;

	if (!method->file)
		return (struct label){"", 0};
	path = store_format(
		model->store, "%.*s%s", (int)length, method->class_name, method->file);
	for (size_t i = 0; i < length && i < path.length; i++)
		if (path.text[i] == '.')
			((char *)path.text)[i] = '/';
	return path;
}

static struct frame frame_of(const struct model *model, uint32_t method)
{
	const struct label none = {"", 0};
	const struct profile_method *row;
	struct frame frame = {none, none, none, none, METHOD_MARK};

	if (method == METHOD_ROOT || method == METHOD_COUNTED || method == METHOD_DEEPER) {
		frame.name = label_of(method == METHOD_ROOT      ? FRAME_OUTSIDE
				      : method == METHOD_COUNTED ? FRAME_COUNTED
								 : FRAME_DEEPER);
		return frame;
	}
	row = &model->profile->method[method];
	frame.name = model->method[method].display;
	if (!frame.name.text)
		frame.name = none;
	frame.kind = row->kind;
	if (!row->class_name || row->kind == METHOD_MARK || row->kind == METHOD_CLASS)
		return frame;
	if (row->kind != METHOD_JAVA) {
		frame.library = label_of(row->class_name);
		return frame;
	}
	frame.system = store_format(model->store, "%s.%s%s", row->class_name,
		row->name ? row->name : "", row->signature ? row->signature : "");
	frame.file = path_of(model, row);
	return frame;
}

int frames_init(struct frames *frames, const struct model *model)
{
	*frames = (struct frames){.model = model,
		.known = store_room(model->store, model->profile->method_count + 2,
			sizeof(*frames->known))};
	return frames->known ? 0 : -1;
}

void frames_fini(struct frames *frames)
{
	pairs_fini(&frames->places);
}

const struct frame *frames_of(struct frames *frames, uint32_t method)
{
	uint32_t count = frames->model->profile->method_count;
	struct frame *frame = &frames->known[method == METHOD_COUNTED  ? count
					     : method == METHOD_DEEPER ? count + 1
								       : method];

	if (!frame->name.text)
		*frame = frame_of(frames->model, method);
	return frame;
}

/* ---- texts ---- */

void texts_fini(struct texts *texts)
{
	free(texts->text);
	free(texts->slot);
	*texts = (struct texts){0};
}

/* FNV-1a. */
static size_t hash_of(struct label text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < text.length; i++)
		hash = (hash ^ (unsigned char)text.text[i]) * UINT64_C(0x100000001b3);
	return (size_t)(hash ^ hash >> 32);
}

/* The slot of a text: its own, or the free one where it would be. */
static uint32_t *find(const struct texts *texts, struct label text)
{
	size_t at = hash_of(text) & (texts->slots - 1);

	while (texts->slot[at] != 0) {
		const struct label *there = &texts->text[texts->slot[at] - 1];

		if (there->length == text.length &&
			memcmp(there->text, text.text, text.length) == 0)
			break;
		at = (at + 1) & (texts->slots - 1);
	}
	return &texts->slot[at];
}

/* Twice the slots; half of them at most are in use. */
static int grow(struct texts *texts)
{
	struct texts wider = {
		.slots = texts->slots ? 2 * texts->slots : 1024, .count = texts->count};

	wider.slot = calloc(wider.slots, sizeof(*wider.slot));
	wider.text = realloc(texts->text, wider.slots / 2 * sizeof(*wider.text));
	if (wider.text)
		texts->text = wider.text;
	if (!wider.slot || !wider.text) {
		free(wider.slot);
		texts->failed = true;
		return -1;
	}
	for (size_t i = 0; i < wider.count; i++)
		*find(&wider, wider.text[i]) = (uint32_t)(i + 1);
	free(texts->slot);
	*texts = wider;
	return 0;
}

uint32_t texts_take(struct texts *texts, struct label text)
{
	uint32_t *slot;

	if (!text.text || text.length == 0 || texts->failed)
		return 0;
	if (texts->count + 1 > texts->slots / 2 && grow(texts) != 0)
		return 0;
	slot = find(texts, text);
	if (*slot == 0) {
		texts->text[texts->count++] = text;
		*slot = (uint32_t)texts->count;
	}
	return *slot;
}
