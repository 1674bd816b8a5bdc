/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * label_choice: see label_choice.h.
 *
 * What was done elsewhere keeps its nodes, for the paths of what is chosen lead through them, but has no figures, no calls and no
 * accounts. A thread has what its nodes have left. Calls that were counted without a path, times of calls one by one, slices of
 * time and events know no labels: they are left out.
 */
#include "profile/label_choice.h"

#include <string.h>

#include "profile/reader.h"

void label_choice_fini(struct label_choice *choice)
{
	pattern_list_fini(&choice->tags);
	pattern_list_fini(&choice->values);
}

bool label_choice_is_tag(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && equals > text;
}

/* ---- which values and which sets of tags ---- */

static const char *text_of(const struct profile_value *value)
{
	if (value->others)
		return VALUE_OTHERS_NAME;
	return value->text ? value->text : VALUE_NULL_NAME;
}

/* What a user wrote is a pattern; but where it is, letter by letter, what some value is, that value is meant: statements have a '*'
 * themselves. By place in the list. */
struct meaning {
	const struct pattern_list *list;
	bool *exact;
};

static bool means(const char *pattern, const char *text, bool exact)
{
	return exact ? strcmp(pattern, text) == 0 : pattern_match(pattern, text);
}

/* "PARAMETER=PATTERN", of a parameter that is called so. */
static bool means_of(const char *pattern, const char *parameter, const char *text, bool exact)
{
	size_t length = strlen(parameter);

	return strncmp(pattern, parameter, length) == 0 && pattern[length] == '=' &&
	       means(pattern + length + 1, text, exact);
}

static bool matches_value(const struct meaning *values, const char *parameter, const char *text)
{
	for (size_t p = 0; p < values->list->count; p++) {
		const char *pattern = values->list->pattern[p];
		bool exact = values->exact[p];

		if (means(pattern, text, exact) || means_of(pattern, parameter, text, exact))
			return true;
	}
	return false;
}

static const struct profile_parameter *parameter_of(
	const struct profile *profile, const struct profile_value *value)
{
	return &profile->parameter[PLACE_OF(profile, parameter, KEY_U32, value->parameter)];
}

/* What the set of tags has of the key that a pattern begins with; NULL: nothing. first: the place of the set's first row. */
static const char *tag_of(const struct profile *profile, size_t first, const char *pattern)
{
	for (size_t i = first;
		i < profile->tag_count && profile->tag[i].set == profile->tag[first].set; i++) {
		const struct profile_value *value = &profile->value[PLACE_OF(
			profile, value, KEY_U32, profile->tag[i].value)];
		const char *key = parameter_of(profile, value)->name;
		size_t length = strlen(key);

		if (strncmp(pattern, key, length) == 0 && pattern[length] == '=')
			return text_of(value);
	}
	return NULL;
}

/* Behind the key. What has no such tag is asked for by its name alone: a pattern that matches anything is of any tag. */
static bool matches_tag(const char *pattern, const char *text, bool exact)
{
	return text ? means(pattern, text, exact) : strcmp(pattern, VALUE_NONE_NAME) == 0;
}

/* True if a pattern of each key that is asked for matches what the set has of it. */
static bool is_chosen_set(
	const struct profile *profile, const struct meaning *tags, size_t first)
{
	const struct pattern_list *list = tags->list;

	for (size_t p = 0; p < list->count; p++) {
		const char *text = tag_of(profile, first, list->pattern[p]);
		size_t key = strcspn(list->pattern[p], "=") + 1;
		bool any = false;

		for (size_t q = 0; q < list->count && !any; q++)
			any = strncmp(list->pattern[q], list->pattern[p], key) == 0 &&
			      matches_tag(list->pattern[q] + key, text, tags->exact[q]);
		if (!any)
			return false;
	}
	return true;
}

/* Which of the patterns are what some value, or (tags) some tag's value, is. False without memory. */
static bool find_meaning(struct owned_profile *owned, const struct pattern_list *list,
	bool tags, struct meaning *meaning)
{
	const struct profile *profile = &owned->profile;

	*meaning = (struct meaning){
		list, store_room(&owned->store, list->count + 1, sizeof(bool))};
	for (size_t p = 0; meaning->exact && p < list->count; p++)
		for (size_t i = 0; strchr(list->pattern[p], '*') && i < profile->value_count;
			i++) {
			const struct profile_value *value = &profile->value[i];
			const struct profile_parameter *parameter =
				parameter_of(profile, value);

			if (parameter->is_tag == tags)
				meaning->exact[p] |= (!tags && means(list->pattern[p],
								       text_of(value), true)) ||
						     means_of(list->pattern[p], parameter->name,
							     text_of(value), true);
		}
	return meaning->exact != NULL;
}

static struct pattern_list list_of(const char *const *tag)
{
	return (struct pattern_list){.pattern = (char **)(uintptr_t)tag, .count = *tag ? 1 : 0};
}

bool labels_have_tag(const struct profile *profile, uint32_t tags, const char *tag)
{
	const struct pattern_list list = list_of(&tag);
	const struct meaning meaning = {&list, &(bool){false}};

	return is_chosen_set(profile, &meaning, profile_tags_find(profile, tags));
}

/* Values and sets of tags that are chosen; the scope's is one of them in any case. */
static int find_chosen(
	struct owned_profile *owned, const struct label_choice *choice, const char *scope)
{
	const struct pattern_list list = list_of(&scope);
	const struct meaning scopes = {&list, &(bool){false}};
	const struct profile *profile = &owned->profile;
	struct labels_chosen *chosen = store_room(&owned->store, 1, sizeof *chosen);
	struct meaning values, tags;

	if (!chosen || !find_meaning(owned, &choice->values, false, &values) ||
		!find_meaning(owned, &choice->tags, true, &tags))
		return -1;
	chosen->by_value = choice->values.count > 0;
	chosen->value = store_room(&owned->store, profile->value_count + 1, sizeof(bool));
	chosen->tags = store_room(&owned->store, profile->tag_count + 1, sizeof(bool));
	if (owned->store.failed)
		return -1;
	for (size_t i = 0; i < profile->value_count; i++) {
		const struct profile_value *value = &profile->value[i];

		chosen->value[i] = matches_value(
			&values, parameter_of(profile, value)->name, text_of(value));
	}
	for (size_t i = 0; i <= profile->tag_count; i++)
		if (i == 0 || i == profile->tag_count ||
			profile->tag[i].set != profile->tag[i - 1].set)
			chosen->tags[i] = is_chosen_set(profile, &tags, i) &&
					  is_chosen_set(profile, &scopes, i);
	owned->chosen = chosen;
	return 0;
}

struct label_state label_state_below(
	const struct owned_profile *owned, struct label_state caller, const uint32_t label[2])
{
	const struct profile *profile = &owned->profile;
	size_t value = label[0] ? PLACE_OF(profile, value, KEY_U32, label[0]) : ROWS_NONE;

	return (struct label_state){.tags = label[1] ? label[1] : caller.tags,
		.below = caller.below || (value != ROWS_NONE && owned->chosen->value[value])};
}

bool label_state_is_chosen(const struct owned_profile *owned, struct label_state state)
{
	const struct labels_chosen *chosen = owned->chosen;

	return (state.below || !chosen->by_value) &&
	       chosen->tags[profile_tags_find(&owned->profile, state.tags)];
}

/* ---- what the others did ---- */

uint8_t labels_usual_state(const struct profile_node *node)
{
	const uint64_t calls[] = {node->interpreted, node->jitted, node->native};
	uint8_t most = 0;

	for (uint8_t state = 1; state < 3; state++)
		if (calls[state] > calls[most])
			most = state;
	return calls[most] > 0 ? most + 1 : node->earlier;
}

/* Its callees are still called by it: so its state stays known. */
void labels_empty_node(const struct profile *profile, struct profile_node *node)
{
	node->earlier = labels_usual_state(node);
	node->calls = node->interpreted = node->jitted = node->native = 0;
	memset(node->transition, 0, sizeof node->transition);
	/* And spent, behind it. */
	memset((void *)(uintptr_t)node->base, 0,
		2 * profile->metric_count * sizeof *node->base);
}

/* Calls with a chosen value, which their method counts elsewhere: it has them here, too. */
static void give_calls(struct profile *profile, const struct profile_node *label)
{
	struct profile_node *node = &profile->node[label->parent];

	while ((node->value > 0 || node->tags > 0) && node->id != 0)
		node = &profile->node[node->parent];
	node->calls += label->calls;
	node->interpreted += label->interpreted;
	node->jitted += label->jitted;
	node->native += label->native;
}

/* Of its waiting for a processor it is not known what it was done under. */
void profile_sum_thread(struct profile *profile, size_t at)
{
	struct profile_thread *thread = &profile->thread[at];
	uint64_t total[PROFILE_METRIC_MAX] = {0}, events = 0;
	struct profile_thread left = {.events = 0};

	for (size_t i = profile->thread_first[at]; i < profile->thread_first[at + 1]; i++) {
		const struct profile_node *node = &profile->node[i];

		for (int k = 0; k < 4; k++)
			events += node->transition[k / 2][k % 2];
		for (unsigned m = 0; m < profile->metric_count; m++)
			total[m] += node->base[m];
	}
	left.events = events;
	left.lost = events > 0 ? thread->lost : 0;
	left.pruned = events > 0 ? thread->pruned : 0;
	memcpy(thread->count, left.count, sizeof thread->count);
	memcpy(thread->total, total, sizeof total);
}

/* What counting cost is known of the whole. */
void labels_note_counting(struct profile *profile)
{
	if (profile->is_chosen)
		return;
	profile->is_chosen = true;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (account->kind == CALLS)
			profile->unlabelled_calls += account->count;
		else if (account->kind == SAMPLES &&
			 sample_place_state(account->subject) == SAMPLE_JPROF)
			profile->counting_samples[sample_place_condition(account->subject)] +=
				account->amount;
	}
}

/* What knows no labels. */
static void leave_out(struct profile *profile)
{
	profile->distribution_count = profile->slow_call_count = 0;
	profile->slice_use_count = 0;
}

int labels_choose(
	struct owned_profile *owned, const struct label_choice *choice, const char *scope)
{
	struct profile *profile = &owned->profile;
	struct label_state *state =
		store_room(&owned->store, profile->node_count + 1, sizeof *state);
	size_t accounts = 0;

	if (find_chosen(owned, choice, scope) != 0 || !state)
		return -1;
	for (size_t i = 0; i < profile->node_count; i++) {
		struct profile_node *node = &profile->node[i];
		bool is_root = node->parent == i;
		struct label_state caller =
			is_root ? (struct label_state){0} : state[node->parent];

		state[i] =
			label_state_below(owned, caller, (uint32_t[]){node->value, node->tags});
		if (!label_state_is_chosen(owned, state[i]))
			labels_empty_node(profile, node);
		else if (node->value > 0 && !is_root && !label_state_is_chosen(owned, caller))
			give_calls(profile, node);
	}
	labels_note_counting(profile);
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		/* Those that a session's scope has left were counted inside. */
		if (account->kind == CALLS ? label_choice_is_all(choice)
					   : label_state_is_chosen(owned, state[account->node]))
			profile->account[accounts++] = *account;
	}
	profile->account_count = accounts;
	for (size_t t = 0; t < profile->thread_count; t++)
		profile_sum_thread(profile, t);
	leave_out(profile);
	return interval_drop_unused(profile);
}
