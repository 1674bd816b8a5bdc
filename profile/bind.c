/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* bind: see bind.h. */
#include "profile/bind.h"

void bind_number(sqlite3_stmt *statement, int at, uint64_t number)
{
	sqlite3_bind_int64(statement, at, (sqlite3_int64)number);
}

void bind_unless(sqlite3_stmt *statement, int at, bool null, uint64_t number)
{
	if (null)
		sqlite3_bind_null(statement, at);
	else
		bind_number(statement, at, number);
}

void bind_column(
	sqlite3_stmt *statement, int at, const struct schema_column *column, const void *record)
{
	const char *value = (const char *)record + column->offset;
	const uint32_t *u32 = (const uint32_t *)(const void *)value;
	const uint64_t *u64 = (const uint64_t *)(const void *)value;
	const uint32_t *thread = record;
	const struct profile_bytes *bytes;

	switch (column->kind) {
	case KIND_U64:
		bind_number(statement, at, *u64);
		break;
	case KIND_U64_OR_NULL:
		bind_unless(statement, at, *u64 == 0, *u64);
		break;
	case KIND_U32:
	case KIND_THREAD:
		bind_number(statement, at, *u32);
		break;
	case KIND_U32_OR_NULL:
		bind_unless(statement, at, *u32 == 0, *u32);
		break;
	case KIND_BOOL:
		bind_number(statement, at, *(const bool *)value);
		break;
	case KIND_TEXT:
	case KIND_NAME:
		sqlite3_bind_text(statement, at, *(const char *const *)(const void *)value, -1,
			SQLITE_STATIC);
		break;
	case KIND_TIME:
		bind_unless(statement, at, (int64_t)*u64 == PROFILE_NOT_KNOWN, *u64);
		break;
	case KIND_BYTES:
	case KIND_BYTES_LATER:
		bytes = (const struct profile_bytes *)(const void *)value;
		sqlite3_bind_blob64(statement, at, bytes->bytes, bytes->size, SQLITE_STATIC);
		break;
	case KIND_DESCRIPTOR:
		bind_unless(statement, at, (int32_t)*u32 < 0, *u32);
		break;
	case KIND_WORD:
		sqlite3_bind_text(statement, at, column->words[*u32], -1, SQLITE_STATIC);
		break;
	case KIND_ID:
	case KIND_ID_IN_THREAD:
		bind_number(statement, at, profile_node_id(*thread, *u32));
		break;
	case KIND_ID_ELSEWHERE:
		bind_number(statement, at, profile_node_id(u32[-1], *u32));
		break;
	case KIND_CALLER:
		bind_unless(statement, at, thread[1] == 0, profile_node_id(*thread, *u32));
		break;
	}
}
