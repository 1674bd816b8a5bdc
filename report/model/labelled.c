/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* labelled: see labelled.h. */
#include "report/model/labelled.h"

#include <math.h>
#include <stdlib.h>

/* ---- what calls cost, divided among the nodes that have become one ---- */

/* Of one node without labels, and one metric. */
struct sums {
	double deltas, raw;
	double cost; /* that is left to be taken out of those behind */
	uint64_t taken, left;
};

struct dividing {
	const struct profile *labelled;
	const uint32_t *place;
	const struct adjusted *from;
	struct adjusted *to;
	struct sums *sums; /* by node without labels */
};

static double deltas_of(const struct profile_node *node)
{
	double sum = 0;

	for (int i = 0; i < 4; i++)
		sum += (double)node->transition[i / 2][i % 2];
	return sum;
}

/* Each has the part that its deltas are; what it has not, others have. */
static void divide(struct dividing *dividing, const struct profile *profile, unsigned m)
{
	const struct profile *labelled = dividing->labelled;
	unsigned metrics = dividing->to->metric_count;

	for (size_t i = 0; i < profile->node_count; i++)
		dividing->sums[i] =
			(struct sums){.taken = profile->node[i].base[m] -
					       dividing->from->base[i * metrics + m]};
	for (size_t i = 0; i < labelled->node_count; i++) {
		struct sums *sums = &dividing->sums[dividing->place[i]];

		sums->deltas += deltas_of(&labelled->node[i]);
		sums->raw += (double)labelled->node[i].base[m];
		sums->left += labelled->node[i].base[m];
	}
	for (size_t i = 0; i < profile->node_count; i++)
		dividing->sums[i].cost = (double)dividing->sums[i].taken;
	for (size_t i = 0; i < labelled->node_count; i++) {
		const struct profile_node *node = &labelled->node[i];
		size_t of = dividing->place[i], at = i * metrics + m;
		struct sums *sums = &dividing->sums[of];
		struct adjust_error *error = &dividing->from->error[of * metrics + m];
		double part = sums->raw > 0 ? (double)node->base[m] / sums->raw : 0;
		double share = sums->deltas > 0 ? deltas_of(node) / sums->deltas : part;
		uint64_t taken = (uint64_t)llround(sums->cost * share), behind;

		/* At most what it has and what is to be taken; at least what those behind have not. */
		behind = sums->left - node->base[m];
		taken = taken < node->base[m] ? taken : node->base[m];
		taken = taken < sums->taken ? taken : sums->taken;
		if (sums->taken - taken > behind)
			taken = sums->taken - behind;
		sums->taken -= taken;
		sums->left = behind;
		dividing->to->base[at] = node->base[m] - taken;
		dividing->to->error[at] = (struct adjust_error){
			(float)(error->whole * part), (float)(error->common * part)};
	}
}

static void *copy_of(const void *array, size_t size)
{
	void *copy = malloc(size + 1);

	if (copy)
		memcpy(copy, array, size);
	return copy;
}

static int divide_all(struct adjusted *to, const struct profile *profile,
	const struct adjusted *from, struct error *error)
{
	const struct profile *labelled = profile->labelled;
	size_t metrics = from->metric_count, threads = labelled->thread_count;
	struct dividing dividing = {.labelled = labelled,
		.place = profile->labelled_place,
		.from = from,
		.to = to,
		.sums = calloc(profile->node_count + 1, sizeof(struct sums))};
	bool ready;

	*to = (struct adjusted){.metric_count = from->metric_count,
		.base = calloc(labelled->node_count * metrics + 1, sizeof(*to->base)),
		.error = calloc(labelled->node_count * metrics + 1, sizeof(*to->error)),
		.method_error = copy_of(from->method_error,
			labelled->method_count * metrics * sizeof(*to->method_error)),
		.total = copy_of(from->total, threads * metrics * sizeof(*to->total)),
		.deltas = copy_of(from->deltas, threads * sizeof(*to->deltas))};
	ready = dividing.sums && to->base && to->error && to->method_error && to->total &&
		to->deltas;
	for (unsigned m = 0; ready && m < metrics; m++)
		divide(&dividing, profile, m);
	free(dividing.sums);
	return ready ? 0 : model_no_memory(error);
}

/* ---- the model ---- */

int labelled_init(struct labelled *labelled, const struct model *model, struct error *error)
{
	const struct adjustment *adjustment = model->choice->adjustment;
	int failed = 0;

	*labelled = (struct labelled){.choice = *model->choice};
	labelled->choice.merge_threads = false;
	if (adjustment) {
		labelled->adjustment = *adjustment;
		labelled->adjustment.adjusted = (struct adjusted){0};
		labelled->choice.adjustment = &labelled->adjustment;
	}
	if (adjustment && adjustment->calibration)
		failed = divide_all(&labelled->adjustment.adjusted, model->read,
			&adjustment->adjusted, error);
	if (failed == 0)
		failed = model_init(
			&labelled->model, model->read->labelled, &labelled->choice, error);
	return failed;
}

void labelled_fini(struct labelled *labelled)
{
	model_fini(&labelled->model);
	/* Its calibration is borrowed. */
	adjusted_fini(&labelled->adjustment.adjusted);
}

/* ---- values ---- */

bool labels_are_there(const struct profile *profile, bool tags)
{
	bool any = false;

	for (size_t i = 0; profile->labelled && i < profile->parameter_count && !any; i++)
		any = profile->parameter[i].is_tag == tags;
	return any;
}

/* Rows begin with their ids, by which they are ordered. */
static size_t find_place(const void *rows, size_t count, size_t stride, uint32_t id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (*(const uint32_t *)((const char *)rows + middle * stride) < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t label_value_place(const struct profile *profile, uint32_t id)
{
	return find_place(profile->value, profile->value_count, sizeof(*profile->value), id);
}

size_t label_parameter_place(const struct profile *profile, size_t value)
{
	return find_place(profile->parameter, profile->parameter_count,
		sizeof(*profile->parameter), profile->value[value].parameter);
}

const char *label_kind(const struct profile_value *value)
{
	if (value->others)
		return "others";
	return value->text ? "value" : "null";
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct label label_name(struct store *store, const struct profile_value *value)
{
	const char *text = value->text;
	struct label label;
	size_t used = 0;
	char *line;

	if (value->others)
		return label_of(VALUE_OTHERS_NAME);
	if (!text)
		return label_of(VALUE_NULL_NAME);
	if (text[0] == '\0')
		return label_of("\"\"");
	label = store_bytes(store, text, strlen(text));
	line = (char *)label.text;
	for (size_t i = 0; line && i < label.length; i++)
		if (!is_blank(text[i]))
			line[used++] = text[i];
		else if (i == 0 || !is_blank(text[i - 1]))
			line[used++] = ' ';
	if (line)
		line[used] = '\0';
	return (struct label){line, used};
}

/* ---- beside the metrics ---- */

void label_use_add(
	struct label_use *use, const struct profile_account *account, bool io_is_wanted)
{
	if (io_is_wanted)
		io_use_add(&use->io, account);
	switch (account->kind) {
	case VALUE_ROWS:
		use->rows += account->count;
		break;
	case OBJECTS_ALLOCATED:
		use->objects += account->count;
		use->object_bytes += account->amount;
		break;
	case LOCKS_BLOCK:
	case LOCKS_WAIT:
	case LOCKS_PARK:
		use->waits += account->count;
		use->wait_ns += account->ns;
		break;
	default:
		break;
	}
}
