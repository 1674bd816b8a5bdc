/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_records: see write_records.h. */
#include "agent/session/write_records.h"

static int put_thread(void *user, const struct record_thread *thread)
{
	struct record_writer *writer = user;
	const struct profile_record_thread record = {
		.id = thread->id,
		.java_id = thread->java_id,
		.os_id = thread->os_id,
		.name = thread->name,
	};

	/* Its records follow. */
	writer->row = thread->row;
	if (writer->putting == 0 && profile_begin(writer->profile, writer->error) < 0)
		return -ERROR_IO;
	return profile_put(writer->profile, &record, writer->error);
}

static int put_records(void *user, uint32_t thread, const struct record *record, uint32_t count)
{
	struct record_writer *writer = user;
	int status = 0;

	writer->putting += count;
	for (uint32_t i = 0; i < count && status == 0; i++) {
		const struct profile_record out = {
			.begin = record[i].begin - writer->began,
			.ns = record[i].end - record[i].begin,
			.thread = thread,
			.node = (uint64_t)writer->row << 32 | record[i].node,
			.subject = record[i].subject,
			.kind = record[i].kind,
			.amount = record[i].amount,
			.failed = record[i].failed,
		};

		writer->new_paths |= record[i].is_new;
		status = profile_put(writer->profile, &out, writer->error);
	}
	return status;
}

int records_put(struct record_writer *writer, struct error *error)
{
	const struct record_drain drain = {writer, put_thread, put_records};

	writer->putting = 0;
	writer->error = error;
	return records_drain(writer->records, &drain);
}

void records_put_done(struct record_writer *writer, bool committed)
{
	if (committed)
		writer->written += writer->putting;
	else
		records_lose(writer->records, writer->putting);
}
