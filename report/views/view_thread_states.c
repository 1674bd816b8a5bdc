/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_thread_states: what each thread of the process did while the trace of threads was on: it ran, could have run, or did
 * not run; of that what I/O and, if they were traced, locks tell of it; and how often it left a processor.
 */
#include "report/model/trace_times.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

/* Of a thread that did not run: what is known of that, ns. */
struct known_waits {
	uint64_t io, blocked, waiting, parked, started;
};

/* Items: places of profile->thread_state. Waits: by the place of the thread. */
static size_t thread_of(const struct profile *profile, const struct profile_thread_state *state)
{
	size_t at = profile->thread_count;

	/* Numbers of threads come again: the one that began last before its row did. */
	for (size_t t = 0; t < profile->thread_count; t++)
		if (profile->thread[t].os_id == state->os_id &&
			profile->thread[t].started <= state->to)
			at = t;
	return at;
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	const unsigned time = IN_ALL | COLUMN_SUM | COLUMN_TIME;

	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA);
	sheet_add(sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "os_id", "OS id", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "from", "From", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "to", "To", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "ended", "Ended", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "ns", "Seen for", time);
	sheet_add(sheet, NULL, "running", "Running", time | COLUMN_SHARE);
	sheet_add(sheet, NULL, "runnable", "Runnable", time);
	sheet_add(sheet, NULL, "not_running", "Not running", time);
	sheet_add(sheet, NULL, "blocked", "Blocked", time);
	sheet_add(sheet, NULL, "waiting", "Waiting", time);
	sheet_add(sheet, NULL, "parked", "Parked", time);
	sheet_add(sheet, NULL, "io", "In I/O", time);
	sheet_add(sheet, NULL, "voluntary", "Left", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "involuntary", "Preempted", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "starts", "Starts", IN_ALL | COLUMN_SUM);
	sheet_add_name(sheet, "Thread");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile *profile = report->model->profile;
	const struct profile_thread_state *state = &profile->thread_state[item];
	size_t thread = thread_of(profile, state);
	const struct known_waits *waits = &((const struct known_waits *)report->data)[thread];
	uint64_t ran = state->running + state->runnable;
	struct cell name = thread < profile->thread_count
				   ? cell_label(report->model->thread[thread])
				   : cell_text(state->name);

	*cells++ = name;
	*cells++ = thread < profile->thread_count && profile->thread[thread].java_id
			   ? cell_number((uint64_t)profile->thread[thread].java_id)
			   : cell_null();
	*cells++ = cell_number((uint64_t)state->os_id);
	*cells++ = cell_number(state->from);
	*cells++ = cell_number(state->to);
	*cells++ = cell_bool(state->ended);
	*cells++ = cell_number(state->ns);
	*cells++ = cell_number(state->running);
	*cells++ = cell_number(state->runnable);
	*cells++ = cell_number(state->ns > ran ? state->ns - ran : 0);
	*cells++ = cell_number(waits->blocked);
	*cells++ = cell_number(waits->waiting);
	*cells++ = cell_number(waits->parked);
	*cells++ = cell_number(waits->io);
	*cells++ = cell_number(state->voluntary);
	*cells++ = cell_number(state->involuntary);
	*cells++ = cell_number(waits->started);
	*cells = name;
}

static void add_account(struct known_waits *waits, const struct profile_account *account)
{
	if (account->kind < IO_OPS)
		waits->io += account->ns;
	if (account->kind == LOCKS_BLOCK)
		waits->blocked += account->ns;
	if (account->kind == LOCKS_WAIT)
		waits->waiting += account->ns;
	if (account->kind == LOCKS_PARK)
		waits->parked += account->ns;
	if (account->kind == THREAD_STARTED)
		waits->started += account->count;
}

static int open_states(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct known_waits *waits =
		report_room(report, profile->thread_count + 1, struct known_waits);
	uint32_t *items = report_room(report, profile->thread_state_count, uint32_t);
	size_t count = 0;

	if (!waits || !items)
		return -1;
	report->data = waits;
	for (size_t i = 0; i < profile->account_count; i++)
		add_account(&waits[profile->node[profile->account[i].node].thread],
			&profile->account[i]);
	for (size_t i = 0; i < profile->thread_state_count; i++) {
		size_t thread = thread_of(profile, &profile->thread_state[i]);

		if (thread == profile->thread_count ? report->model->choice->threads.count == 0
						    : report->model->selected[thread])
			items[count++] = (uint32_t)i;
	}
	return report_list_shares(report, items, count);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;

	trace_head(report, sink, TRACE_THREADS);
	if (profile->thread_state_count > 0 && trace_times(profile, TRACE_LOCKS).periods == 0)
		sink_title(sink,
			"blocked, waiting and parked are known where locks are traced, "
			"too: --traces threads+locks");
	report_rows(report, sink);
}

const struct view view_thread_states = {
	.name = "thread-states",
	.meaning = "how long each thread ran, could have run, and did not; traces=threads",
	.by = BY_THREAD,
	.is_long = true,
	.sort = "running",
	.thread_states = true,
	.columns = columns,
	.open = open_states,
	.fill = fill,
	.rows = rows,
};
