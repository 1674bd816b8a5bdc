/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* frames: what is said of methods. */
#include "report/exports/frames.h"

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
