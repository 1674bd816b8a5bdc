/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * labels: nodes of lines, values and tags, which become a part of their methods; and what values and tags are.
 *
 * Labels stand behind their method's node, and before what was done under them. Those of lines go first: what is called from
 * there gets the line. What values and tags tell apart is put together again, path by path; as it was, it is kept
 * as the profile's `labelled`.
 */
#include "profile/parting.h"

/* ---- what they are ---- */

static int check_value(struct reader *reader, void *record, size_t i)
{
	const struct profile_value *value = record;

	return PLACE_OF(reader->profile, parameter, KEY_U32, value->parameter) == ROWS_NONE
		       ? read_damaged(reader->source, "a value is of nothing")
		       : 0;
}

static int check_tag(struct reader *reader, void *record, size_t i)
{
	const struct profile_tag *tag = record;

	if (PLACE_OF(reader->profile, value, KEY_U32, tag->value) == ROWS_NONE)
		return read_damaged(reader->source, "a tag has no value");
	if (tag->set < 2 || tag->set > PROFILE_LABEL_MAX ||
		(i > 0 && tag->set < reader->profile->tag[i - 1].set))
		return read_damaged(reader->source, "a tag is of an impossible set");
	return 0;
}

int labels_read(struct reader *reader)
{
	static const struct reader_list parameters = READER_LIST(TABLE_PARAMETER, parameter,
						.key = "parameter id", .least = 1,
						.most = UINT32_MAX, .check = NULL),
					values = READER_LIST(TABLE_VALUE, value,
						.key = "value id", .least = 1,
						.most = PROFILE_LABEL_MAX,
						.check = check_value),
					tags = READER_LIST(TABLE_TAG, tag, .key = "tag id",
						.least = 1, .most = UINT32_MAX,
						.check = check_tag);
	int status = reader_read(reader, &parameters);

	if (status == 0)
		status = reader_read(reader, &values);
	if (status == 0)
		status = reader_read(reader, &tags);
	return status;
}

/* ---- parts of methods ---- */

static bool is_line(const struct profile_node *node)
{
	return node->line > 0;
}

static bool is_value_or_tags(const struct profile_node *node)
{
	return node->value > 0 || node->tags > 0;
}

static bool has_any(
	const struct profile *profile, bool (*is_such)(const struct profile_node *node))
{
	bool any = false;

	for (size_t i = 0; i < profile->node_count && !any; i++)
		any = is_such(&profile->node[i]);
	return any;
}

/* user: by a node as it was: of a line's the line; 0: it is none. */
static int part_line(struct parting *parting, size_t i)
{
	struct profile *profile = parting->profile;
	struct profile_node node = profile->node[i];
	uint32_t caller = node.parent, parent = parting->place[caller], *line = parting->user;
	bool root = caller == i;

	/* One whose method was folded, and that is elsewhere by now, is the method's. */
	if (!root && is_line(&node) && profile->node[parent].method == node.method) {
		line[i] = node.line;
		parting->place[i] = parent;
		parting_add(profile, &profile->node[parent], &node);
		return 0;
	}
	parting->place[i] = (uint32_t)parting->kept;
	node.parent = root ? (uint32_t)parting->kept : parent;
	node.line = root ? 0 : line[caller];
	profile->node[parting->kept++] = node;
	return 0;
}

/* Parts of the root that were folded are the root's all the same. */
static int part_value(struct parting *parting, size_t i)
{
	struct profile *profile = parting->profile;
	struct profile_node node = profile->node[i];
	bool root = node.parent == i;
	uint32_t parent = root ? (uint32_t)parting->kept : parting->place[node.parent];
	uint32_t name;

	if (!root && node.method == METHOD_ROOT)
		parent = (uint32_t)parting->first;
	if (!root && (is_value_or_tags(&node) || node.method == METHOD_ROOT) &&
		profile->node[parent].method == node.method) {
		parting->place[i] = parent;
		parting_add(profile, &profile->node[parent], &node);
		return 0;
	}
	name = pairs_take(&parting->names, node.method, node.line);
	if (name == 0)
		return -1;
	node.value = node.tags = 0;
	return parting_put(parting, i, &node, parent,
		name << 1 | (uint32_t)(parting->apart && node.sampled));
}

/* place: of each node, where it is; the store's. */
static int part_all(struct owned_profile *owned, part_node *part, const uint32_t **place)
{
	struct profile *profile = &owned->profile;
	struct parting parting = {
		.user = store_room(&owned->store, profile->node_count + 1, sizeof(uint32_t))};
	int status = parting.user ? parting_all(&parting, owned, part) : -1;

	for (size_t i = 0; i < profile->account_count && status == 0; i++)
		profile->account[i].node = parting.place[profile->account[i].node];
	*place = parting.place;
	return status;
}

/* A copy of what is about to be changed. */
static int keep_labelled(struct owned_profile *owned)
{
	struct profile *profile = &owned->profile;
	struct store *store = &owned->store;
	struct profile *copy = store_room(store, 1, sizeof *copy);
	size_t nodes = profile->node_count, values = 2 * (size_t)profile->metric_count;
	uint64_t *base = store_room(store, nodes * values + 1, sizeof *base);
	size_t *first = store_room(store, profile->thread_count + 1, sizeof *first);
	struct profile_node *node = store_room(store, nodes + 1, sizeof *node);
	struct profile_account *account =
		store_room(store, profile->account_count + 1, sizeof *account);

	if (store->failed)
		return -1;
	*copy = *profile;
	copy->node = node;
	copy->thread_first = first;
	copy->account = account;
	memcpy(first, profile->thread_first, (profile->thread_count + 1) * sizeof *first);
	if (profile->account_count > 0)
		memcpy(account, profile->account, profile->account_count * sizeof *account);
	for (size_t i = 0; i < nodes; i++) {
		node[i] = profile->node[i];
		memcpy(base, profile->node[i].base, values * sizeof *base);
		node[i].base = base;
		node[i].spent = base + profile->metric_count;
		base += values;
	}
	profile->labelled = copy;
	return 0;
}

int labels_part(struct owned_profile *owned, const struct label_choice *choice)
{
	static const struct label_choice all;
	const struct profile_session *session = owned->profile.session;
	const char *scope = session ? session->tag : NULL;
	const uint32_t *place;
	int status = 0;

	if (has_any(&owned->profile, is_line))
		status = part_all(owned, part_line, &place);
	if (status == 0 && (choice || scope))
		status = labels_choose(owned, choice ? choice : &all, scope);
	if (status == 0 && has_any(&owned->profile, is_value_or_tags)) {
		status = keep_labelled(owned);
		if (status == 0)
			status = part_all(owned, part_value, &owned->profile.labelled_place);
	}
	return status;
}
