/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* client_sessions: see client_sessions.h. */
#include "agent/client_sessions.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "metric/clock.h"
#include "options/json_text.h"

/* Beyond those that record, some that have ended by themselves are kept until somebody asks. */
enum { ROWS = 32 };
#define RETRY_NS UINT64_C(10000000)

static struct row {
	struct client_session session; /* number 0: the row is free */
	uint64_t ends_at;              /* ns of clock_now; 0: not by itself */
	bool ended;                    /* by itself: what follows is what its end has told */
	bool passed;                   /* another session has begun since */
	struct recorder_told told;
	struct error error;
} rows[ROWS];

#define ROWS_END (rows + ROWS)

/* ---- owners ---- */

/* The process's own name; "" where that cannot be told. */
static void read_own_name(pid_t pid, char name[CLIENT_WORD_BYTES])
{
	char path[48];
	ssize_t length;
	int file;

	name[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%ld/comm", (long)pid);
	file = pid > 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (file < 0)
		return;
	length = read(file, name, CLIENT_WORD_BYTES - 1);
	close(file);
	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

int client_owner_read(struct client_owner *owner, const struct control_peer *peer,
	const char *word, struct error *error)
{
	*owner = (struct client_owner){.peer = *peer};
	if (!word)
		read_own_name(peer->pid, owner->by);
	else if (strlen(word) < CLIENT_WORD_BYTES)
		strcpy(owner->by, word);
	else
		return error_set(error, ERROR_USAGE, "by: %d bytes at most are wanted",
			CLIENT_WORD_BYTES - 1);
	return 0;
}

char *client_owner_text(const struct client_owner *owner)
{
	char process[32] = "", *text;

	if (owner->peer.pid > 0)
		snprintf(process, sizeof(process), ", process %ld", (long)owner->peer.pid);
	return asprintf(&text, "uid %ld%s%s%s", (long)owner->peer.uid,
		       owner->by[0] != '\0' ? ", " : "", owner->by, process) < 0
		       ? NULL
		       : text;
}

/* ---- rows ---- */

static void free_row(struct row *row)
{
	recorder_told_fini(&row->told);
	*row = (struct row){0};
}

/* Somebody else has ended it. */
static bool is_over(const struct row *row)
{
	return row->session.number != 0 && !row->ended &&
	       !recorder_has(NULL, row->session.number);
}

static struct row *row_of(uint32_t number)
{
	for (struct row *row = rows; row < ROWS_END; row++)
		if (row->session.number == number)
			return row;
	return NULL;
}

/* One that is free, or else the oldest of those that have ended: fewer sessions record than
 * there are rows. */
static struct row *free_place(void)
{
	struct row *place = row_of(0), *row;

	for (row = rows; row < ROWS_END && !place; row++)
		if (row->ended)
			place = row;
	for (; row < ROWS_END && place->ended; row++)
		if (row->ended && row->session.number < place->session.number)
			place = row;
	free_row(place);
	return place;
}

void client_sessions_add(const struct client_session *session)
{
	struct row *place;

	for (struct row *row = rows; row < ROWS_END; row++) {
		if (is_over(row))
			free_row(row);
		row->passed = true;
	}
	place = free_place();
	place->session = *session;
	if (session->ms)
		place->ends_at = clock_now() + session->ms * 1000000;
}

void client_sessions_forget(void)
{
	for (struct row *row = rows; row < ROWS_END; row++)
		free_row(row);
}

/* ---- ends ---- */

static bool is_asked_for(const struct row *row, const char *name, uint32_t number)
{
	if (!row->ended)
		return false;
	if (name || number)
		return (!number || row->session.number == number) &&
		       (!name || (row->told.name && strcmp(row->told.name, name) == 0));
	return !row->passed;
}

bool client_sessions_take_ended(
	const char *name, uint32_t number, struct recorder_told *told, struct error *error)
{
	struct row *found = NULL;

	for (struct row *row = rows; row < ROWS_END; row++)
		if (is_asked_for(row, name, number) &&
			(!found || row->session.number > found->session.number))
			found = row;
	if (!found)
		return false;
	*told = found->told;
	*error = found->error;
	found->told = (struct recorder_told){0};
	free_row(found);
	return true;
}

static struct row *next_due(void)
{
	struct row *next = NULL;

	for (struct row *row = rows; row < ROWS_END; row++)
		if (row->ends_at && (!next || row->ends_at < next->ends_at))
			next = row;
	return next;
}

int64_t client_sessions_due_in(void)
{
	const struct row *next = next_due();
	uint64_t now = clock_now();

	if (!next)
		return -1;
	return next->ends_at > now ? (int64_t)((next->ends_at - now) / 1000000 + 1) : 0;
}

void client_sessions_due(void)
{
	struct row *row = next_due();
	struct error error = {0};
	struct recorder_told told = {0};
	int code = recorder_stop(NULL, row->session.number, &told, &error);

	if (code && recorder_has(NULL, row->session.number)) {
		/* Another command is under way. */
		row->ends_at = clock_now() + RETRY_NS;
		recorder_told_fini(&told);
		return;
	}
	if (code == -ERROR_BUSY) {
		/* Another command was faster. */
		recorder_told_fini(&told);
		free_row(row);
		return;
	}
	row->ends_at = 0;
	row->ended = true;
	row->told = told;
	row->error = error;
}

static bool depends_on(const struct row *row, uint64_t connection)
{
	return row->session.while_connected && !row->ended &&
	       row->session.owner.peer.connection == connection;
}

void client_sessions_gone(uint64_t connection)
{
	for (struct row *row = rows; row < ROWS_END; row++)
		if (depends_on(row, connection))
			row->ends_at = clock_now();
}

bool client_sessions_need(uint64_t connection)
{
	for (struct row *row = rows; row < ROWS_END; row++)
		if (depends_on(row, connection) && !is_over(row))
			return true;
	return false;
}

/* ---- status ---- */

static json_t *describe_owner(const json_t *text, const struct row *row)
{
	json_t *owner = json_object();

	json_object_set(owner, "text", (json_t *)text);
	if (row) {
		const struct client_owner *known = &row->session.owner;

		json_object_set_new(owner, "uid", json_integer(known->peer.uid));
		if (known->peer.pid > 0)
			json_object_set_new(owner, "pid", json_integer(known->peer.pid));
		json_object_set_new(owner, "by", json_text(known->by));
	}
	return owner;
}

void client_sessions_describe(json_t *list)
{
	uint64_t now = clock_now();
	json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
	{
		json_int_t number = json_integer_value(json_object_get(entry, "number"));
		const struct row *row = number > 0 ? row_of((uint32_t)number) : NULL;

		json_object_set_new(
			entry, "owner", describe_owner(json_object_get(entry, "owner"), row));
		if (row && row->ends_at)
			json_object_set_new(entry, "ends_in_ms",
				json_integer(
					row->ends_at > now
						? (json_int_t)((row->ends_at - now) / 1000000)
						: 0));
		if (row && row->session.while_connected)
			json_object_set_new(entry, "while_connected", json_true());
	}
}
