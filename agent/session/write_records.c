/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_records: see write_records.h. */
#include "agent/session/write_records.h"

static int put_thread(void *user, const struct io_ring_thread *thread)
{
	struct record_writer *writer = user;
	const struct profile_io_thread record = {
		.id = thread->id,
		.java_id = thread->java_id,
		.os_id = thread->os_id,
		.name = thread->name,
	};

	/* Its records follow. */
	if (writer->putting == 0 && profile_begin(writer->profile, writer->error) < 0)
		return -ERROR_IO;
	return profile_put_io_thread(writer->profile, &record, writer->error);
}

static int put_records(
	void *user, uint32_t thread, const struct io_record *record, uint32_t count)
{
	struct record_writer *writer = user;
	int status = 0;

	writer->putting += count;
	for (uint32_t i = 0; i < count && status == 0; i++) {
		const struct profile_record out = {
			.begin = record[i].begin - writer->began,
			.ns = record[i].end - record[i].begin,
			.thread = thread,
			.path = record[i].path,
			.file = record[i].file,
			.op = record[i].op,
			.bytes = record[i].bytes,
			.failed = record[i].failed,
		};

		status = profile_put_record(writer->profile, &out, writer->error);
	}
	return status;
}

int records_put(struct record_writer *writer, struct error *error)
{
	const struct io_drain drain = {writer, put_thread, put_records};

	writer->putting = 0;
	writer->error = error;
	return io_records_drain(writer->records, &drain);
}

void records_put_done(struct record_writer *writer, bool committed)
{
	if (committed)
		writer->written += writer->putting;
	else
		io_records_lose(writer->records, writer->putting);
}

int paths_put(struct io_paths *paths, uint32_t *from, struct profile_writer *profile,
	struct error *error)
{
	struct io_path path[64];
	uint32_t count;
	int status = 0;

	for (; (count = io_paths_copy(paths, *from, path, 64)) > 0 && status == 0;
		*from += count) {
		for (uint32_t i = 0; i < count && status == 0; i++) {
			const struct profile_path record = {
				.id = *from + i,
				.parent = path[i].parent,
				.method = path[i].method,
			};

			status = profile_put_path(profile, &record, error);
		}
	}
	return status;
}
