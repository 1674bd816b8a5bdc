/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* wanted: what the user named, of threads, methods and files, and what that is. */
#include "report/model/model.h"

const char *model_thread_name(const struct profile_thread *thread)
{
	if (thread->name && thread->name[0] != '\0')
		return thread->name;
	if (!thread->is_virtual)
		return "";
	return thread->folded == 1 ? "(virtual thread)" : "(virtual threads)";
}

bool model_wants_thread(const struct model *model, const struct profile_thread *thread)
{
	const struct pattern_list *wanted = &model->choice->threads;

	if (wanted->count > 0)
		return pattern_list_match(wanted, model_thread_name(thread));
	return !model->choice->program_alone || !model_is_jvm_thread(thread);
}

bool model_method_matches(
	const struct model *model, const struct pattern_list *patterns, uint32_t method)
{
	const struct profile_method *row = &model->profile->method[method];

	for (size_t p = 0; p < patterns->count; p++) {
		const char *pattern = patterns->pattern[p];

		if (row->class_name ? pattern_match_method(pattern, row->class_name, row->name)
				    : model->choice->components && method >= METHOD_FIRST &&
					      pattern_match(pattern, row->name))
			return true;
	}
	return false;
}

bool model_wants_method(const struct model *model, uint32_t method)
{
	const struct pattern_list *wanted = &model->choice->methods;

	return wanted->count == 0 || model_method_matches(model, wanted, method);
}

bool model_wants_file(const struct model *model, const struct profile_file *file)
{
	const struct pattern_list *wanted = &model->choice->files;

	return wanted->count == 0 ||
	       (file && (pattern_list_match(wanted, file->name) ||
				(file->peer && pattern_list_match(wanted, file->peer))));
}

bool *model_below_wanted(const struct model *model)
{
	const struct profile *profile = model->profile;
	bool *wanted = store_room(model->store, profile->node_count + 1, sizeof(*wanted));
	bool all = model->choice->methods.count == 0;

	for (size_t i = 0; wanted && i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		wanted[i] = node->parent == i ? all
					      : wanted[node->parent] ||
							model_wants_method(model, node->method);
	}
	return wanted;
}
