/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* read_open: a profile's database opened for reading, in whatever state it was left. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "profile/reader.h"

/* How long to wait for a JVM that writes, looking every millisecond: one that writes all
 * the time leaves the file alone for moments only. */
#define BUSY_TRIES    30000
#define BUSY_PAUSE_NS 1000000
/* The largest file that is copied into memory. */
#define COPY_MAX (512 << 20)
/* The longest text and the largest row a profile may hold: a bound for hostile files. */
#define LENGTH_MAX (16 << 20)
/* SQLite's instructions: a row needs some hundred at most, of which a byte in the file
 * each is generous; and so many whatever the size. A file may be made endless by pages
 * that refer to each other. */
enum { STEPS_EACH = 10000, STEPS_FEW = 10000, STEPS_BYTES = 100 };
/* Every byte of a path escaped, and the words around it. */
#define URI_MAX (3 * 512 + 32)

/* --- what the file is --- */

static int check_file(struct read_source *source, const char *path)
{
	const struct place *place = &source->place;
	struct stat status;

	if (stat(path, &status) < 0)
		return error_set_errno(source->error,
			errno == ENOENT ? ERROR_MISSING : ERROR_IO, errno, "cannot open '%s'",
			place->shown);
	if (!S_ISREG(status.st_mode))
		return error_set(source->error, ERROR_FORMAT, "'%s' is not a profile but a %s",
			place->shown, S_ISDIR(status.st_mode) ? "directory" : "special file");
	if (status.st_size == 0)
		return error_set(source->error, ERROR_FORMAT,
			"'%s' is empty: nothing was written to this profile", place->shown);
	source->bytes = (uint64_t)status.st_size;
	return 0;
}

/* Reads the file's first bytes through SQLite's descriptor: closing one of our own would
 * drop the locks SQLite holds on the file. How many came, or -1. */
static int read_header(sqlite3 *db, unsigned char *header, sqlite3_int64 *size)
{
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
		!file || !file->pMethods || file->pMethods->xFileSize(file, size) != SQLITE_OK)
		return -1;
	int bytes = *size < SCHEMA_HEADER_BYTES ? (int)*size : SCHEMA_HEADER_BYTES;
	return file->pMethods->xRead(file, header, bytes, 0) == SQLITE_OK ? bytes : -1;
}

static int check_header(struct read_source *source)
{
	unsigned char header[SCHEMA_HEADER_BYTES] = {0};
	sqlite3_int64 size = 0;
	const char *shown = source->place.shown;
	int bytes = read_header(source->db, header, &size);

	if (bytes < 0)
		return error_set(source->error, ERROR_IO, "cannot read '%s'", shown);
	switch (schema_header_kind(header, (size_t)bytes)) {
	case HEADER_PROFILE:
		return 0;
	case HEADER_SHORT:
		return error_set(source->error, ERROR_FORMAT,
			"'%s' is truncated: it ends after %lld bytes", shown, (long long)size);
	case HEADER_DATABASE:
		return error_set(source->error, ERROR_FORMAT,
			"'%s' is not a jprof profile but another SQLite database", shown);
	case HEADER_OTHER:
		break;
	}
	return error_set(source->error, ERROR_FORMAT, "'%s' is not a jprof profile", shown);
}

/* The size of a side file; -1: there is none. */
static int64_t beside_size(const struct place *place, const char *suffix)
{
	char path[PATH_MAX];
	struct stat status;

	place_beside(place, suffix, path);
	return stat(path, &status) == 0 ? status.st_size : -1;
}

/* Older agents had a write-ahead log. One with something in it holds pages that the file
 * lacks, and can only be read through its index, the -shm file. */
static bool has_log(const struct place *place)
{
	return beside_size(place, "-wal") > 0;
}

/* The size that page size (bytes 16 and 17; 1 is 65,536) and page count (bytes 28 to 31)
 * of the header demand. */
static long long header_size(const unsigned char *header)
{
	long long page = header[16] << 8 | header[17];
	long long pages =
		(long long)header[28] << 24 | header[29] << 16 | header[30] << 8 | header[31];

	return (page == 1 ? 65536 : page) * pages;
}

/* 0, or a negative code if the file is shorter than its header says. A log may hold what
 * is missing. */
static int check_size(struct read_source *source)
{
	unsigned char header[SCHEMA_HEADER_BYTES] = {0};
	sqlite3_int64 size = 0;

	if (read_header(source->db, header, &size) != SCHEMA_HEADER_BYTES ||
		size >= header_size(header) || has_log(&source->place))
		return 0;
	return error_set(source->error, ERROR_FORMAT, "'%s' is truncated: %lld of %lld bytes",
		source->place.shown, (long long)size, header_size(header));
}

int read_failed(struct read_source *source, int result)
{
	if ((result & 0xff) == SQLITE_INTERRUPT)
		return read_damaged(source, "there is no end of it");
	if ((result & 0xff) != SQLITE_CORRUPT && (result & 0xff) != SQLITE_NOTADB)
		return sql_failed(source->error, source->db, result, "read", &source->place);
	if (check_size(source) < 0)
		return -ERROR_FORMAT;
	return read_damaged(source, "%s", sqlite3_errmsg(source->db));
}

int read_damaged(struct read_source *source, const char *format, ...)
{
	char what[256];
	va_list list;

	va_start(list, format);
	vsnprintf(what, sizeof what, format, list);
	va_end(list);
	return error_set(
		source->error, ERROR_FORMAT, "'%s' is damaged: %s", source->place.shown, what);
}

/* --- ways to open it --- */

enum way { WAY_READ_ONLY, WAY_RECOVER, WAY_IMMUTABLE };

static int count_step(void *argument)
{
	struct read_source *source = argument;

	return source->steps == 0 || --source->steps == 0;
}

static int wait_for_writer(void *argument, int tries)
{
	const struct timespec pause = {0, BUSY_PAUSE_NS};

	nanosleep(&pause, NULL);
	return tries < BUSY_TRIES;
}

/* What a file may not make SQLite do. */
static int set_limits(struct read_source *source)
{
	sqlite3_busy_handler(source->db, wait_for_writer, NULL);
	sqlite3_limit(source->db, SQLITE_LIMIT_LENGTH, LENGTH_MAX);
	sqlite3_db_config(source->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(source->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_db_config(source->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(source->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_progress_handler(source->db, STEPS_EACH, count_step, source);
	return sql_exec(source->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
				    "PRAGMA temp_store = MEMORY;");
}

static int open_database(struct read_source *source, enum way way)
{
	static const int flags[] = {
		[WAY_READ_ONLY] = SQLITE_OPEN_READONLY,
		[WAY_RECOVER] = SQLITE_OPEN_READWRITE,
		[WAY_IMMUTABLE] = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
	};
	const char *name = source->place.name;
	char uri[URI_MAX];

	/* file:NAME?immutable=1, with everything escaped that means something in a URI. */
	if (way == WAY_IMMUTABLE) {
		size_t used = (size_t)snprintf(uri, URI_MAX, "file:");

		for (; *name; name++)
			used += (size_t)snprintf(uri + used, URI_MAX - used,
				strchr("%?#", *name) ? "%%%02x" : "%c", (unsigned char)*name);
		snprintf(uri + used, URI_MAX - used, "?immutable=1");
		name = uri;
	}
	int result = sqlite3_open_v2(name, &source->db,
		flags[way] | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, source->place.vfs);
	return result == SQLITE_OK ? set_limits(source) : result;
}

/* BEGIN alone takes no lock; the first look at the file does. */
static int begin(struct read_source *source)
{
	int result = sql_exec(source->db, "BEGIN");

	if (result == SQLITE_OK)
		result = sql_exec(source->db, "SELECT 1 FROM sqlite_master LIMIT 1");
	return result;
}

static void close_database(struct read_source *source)
{
	sqlite3_close(source->db);
	source->db = NULL;
}

static int open_way(struct read_source *source, enum way way)
{
	int result = open_database(source, way);

	if (result != SQLITE_OK)
		return result;
	if (check_header(source) < 0)
		return SQLITE_NOTADB;
	return begin(source);
}

static int open_some_way(struct read_source *source)
{
	int result = open_way(source, WAY_READ_ONLY);

	if (source->error->code != ERROR_NONE || result == SQLITE_OK)
		return -(int)source->error->code;
	/* A rollback journal was left behind: the last transaction has to be undone. */
	bool to_undo = result == SQLITE_READONLY_ROLLBACK;
	if (to_undo || result == SQLITE_READONLY_RECOVERY) {
		close_database(source);
		result = open_way(source, WAY_RECOVER);
	}
	/* The log's side files cannot be made here, and are not needed when there is no
	 * log. */
	int primary = result & 0xff;
	bool refused = primary == SQLITE_CANTOPEN || primary == SQLITE_READONLY;
	if (refused && (to_undo || has_log(&source->place)))
		return error_set(source->error, ERROR_DENIED,
			"cannot read '%s': it has a side file ('%s') that cannot be used "
			"here; copy both to a directory you may write",
			source->place.shown, to_undo ? "-journal" : "-wal");
	if (refused) {
		close_database(source);
		result = open_way(source, WAY_IMMUTABLE);
	}
	if (source->error->code != ERROR_NONE)
		return -(int)source->error->code;
	return result == SQLITE_OK ? 0 : read_failed(source, result);
}

/* --- version --- */

static int check_version(struct read_source *source)
{
	sqlite3_stmt *statement = NULL;
	sqlite3_int64 version = 0, application = 0;
	int result = sqlite3_prepare_v2(source->db,
		"SELECT user_version, application_id "
		"FROM pragma_user_version, pragma_application_id",
		-1, &statement, NULL);

	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		version = sqlite3_column_int64(statement, 0);
		application = sqlite3_column_int64(statement, 1);
	}
	sqlite3_finalize(statement);
	if (result != SQLITE_ROW)
		return read_failed(source, result);
	/* The very first transaction was cut short, and has been undone. */
	if (application != SCHEMA_APPLICATION_ID)
		return error_set(source->error, ERROR_FORMAT,
			"'%s' is empty: nothing was written to this profile",
			source->place.shown);
	if (version < 1)
		return read_damaged(source, "it has no version");
	if (version == SCHEMA_VERSION)
		return 0;
	return error_set(source->error, ERROR_VERSION,
		"'%s' was written by %s jprof (file version %lld, this jprof reads %d)",
		source->place.shown, version > SCHEMA_VERSION ? "a newer" : "an older",
		(long long)version, SCHEMA_VERSION);
}

/* --- while a JVM writes it --- */

/* The writer waits for its readers: they read a copy, which is made in less time than a
 * report. */
static int read_copy(struct read_source *source)
{
	sqlite3 *file = source->db;
	sqlite3_backup *backup = NULL;
	int result = sqlite3_open_v2(":memory:", &source->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (result == SQLITE_OK)
		backup = sqlite3_backup_init(source->db, "main", file, "main");
	if (backup) {
		sqlite3_backup_step(backup, -1);
		result = sqlite3_backup_finish(backup);
	} else if (result == SQLITE_OK) {
		result = sqlite3_extended_errcode(source->db);
	}
	sqlite3_close(file);
	if (result == SQLITE_OK)
		result = set_limits(source);
	if (result == SQLITE_OK)
		result = begin(source);
	return result == SQLITE_OK ? 0 : read_failed(source, result);
}

int read_open(struct read_source *source, const char *path, struct error *error)
{
	struct error local = {0};
	struct stat found;

	*source = (struct read_source){.error = &local};
	place_show(&source->place, path);
	int status = check_file(source, path);
	if (status == 0)
		status = place_init(&source->place, path, &local);
	source->steps = STEPS_FEW;
	if (status == 0)
		status = open_some_way(source);
	/* A JVM may have written until here: what is read stands now. */
	if (status == 0) {
		if (stat(path, &found) == 0 && (uint64_t)found.st_size > source->bytes)
			source->bytes = (uint64_t)found.st_size;
		if (has_log(&source->place))
			source->bytes += (uint64_t)beside_size(&source->place, "-wal");
		source->steps = STEPS_FEW + source->bytes / (STEPS_EACH / STEPS_BYTES);
		status = check_size(source);
	}
	if (status == 0)
		status = check_version(source);
	/* The journal is there from the first commit of a writer to its end; a killed one leaves it. */
	if (status == 0 && source->bytes <= COPY_MAX &&
		beside_size(&source->place, "-journal") >= 0)
		status = read_copy(source);
	if (status < 0) {
		read_close(source);
		error_set(error, local.code, "%s", local.text);
	}
	source->error = error;
	return status;
}

void read_close(struct read_source *source)
{
	close_database(source);
	place_fini(&source->place);
}
