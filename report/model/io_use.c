/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_use: sums of I/O. */
#include "report/model/model.h"

static const enum io_part part_of[IO_OPS] = {
	[IO_READ] = IO_PART_READS,
	[IO_WRITE] = IO_PART_WRITES,
	[IO_RECEIVE] = IO_PART_RECEIVED,
	[IO_SEND] = IO_PART_SENT,
};

bool *io_wanted(const struct model *model)
{
	const struct profile *profile = model->profile;
	bool *below = model_below_wanted(model);
	bool *wanted = store_room(model->store, profile->account_count + 1, sizeof(*wanted));

	if (model->store->failed)
		return NULL;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];

		wanted[i] = account_kind_subject(io->kind) == SUBJECT_FILE &&
			    model->selected[profile->node[io->node].thread] &&
			    below[io->node] &&
			    model_wants_file(model,
				    io->subject ? &profile->file[io->subject - 1] : NULL);
	}
	return wanted;
}

/* ---- sums ---- */

static struct io_amount amount_of(const struct profile_account *io)
{
	if (io->kind == IO_CPU)
		return (struct io_amount){.cpu_ns = io->ns};
	return (struct io_amount){io->count, io->amount, io->ns, 0};
}

bool io_has_cpu(const struct profile *profile)
{
	for (size_t i = 0; i < profile->account_count; i++)
		if (profile->account[i].kind == IO_CPU)
			return true;
	return false;
}

void io_use_add(struct io_use *use, const struct profile_account *io)
{
	enum io_part part;
	struct io_amount amount = amount_of(io);

	io_amount_add(&use->part[IO_PART_ALL], &amount);
	if (io->kind == IO_CPU)
		return;
	part = part_of[io->kind] ? part_of[io->kind] : IO_PART_OTHERS;
	io_amount_add(&use->part[part], &amount);
}

void io_use_join(struct io_use *use, const struct io_use *more)
{
	for (int i = 0; i < IO_PARTS; i++)
		io_amount_add(&use->part[i], &more->part[i]);
}

bool io_is_twice(const struct profile *profile, const struct profile_account *io)
{
	return io->subject && profile->file[io->subject - 1].kind == IO_ENTRY;
}

struct io_amount *io_cum_of_nodes(const struct model *model)
{
	const struct profile *profile = model->profile;
	bool *wanted = io_wanted(model);
	struct io_amount *cum = store_room(model->store, profile->node_count + 1, sizeof(*cum));

	if (model->store->failed)
		return NULL;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];
		struct io_amount amount = amount_of(io);

		if (wanted[i] && !io_is_twice(profile, io))
			io_amount_add(&cum[io->node], &amount);
	}
	/* Children stand behind their parents. */
	for (size_t i = profile->node_count; i-- > 0;)
		if (profile->node[i].parent != i)
			io_amount_add(&cum[profile->node[i].parent], &cum[i]);
	return cum;
}

int io_use_of_nodes(const struct model *model, struct io_use **base, struct io_use **cum)
{
	const struct profile *profile = model->profile;
	bool *wanted = io_wanted(model);

	*base = store_room(model->store, profile->node_count + 1, sizeof(**base));
	*cum = store_room(model->store, profile->node_count + 1, sizeof(**cum));
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];

		if (!wanted[i] || io_is_twice(profile, io))
			continue;
		io_use_add(&(*base)[io->node], io);
		io_use_add(&(*cum)[io->node], io);
	}
	/* Children stand behind their parents. */
	for (size_t i = profile->node_count; i-- > 0;)
		if (profile->node[i].parent != i)
			io_use_join(&(*cum)[profile->node[i].parent], &(*cum)[i]);
	return 0;
}
