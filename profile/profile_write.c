/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_write: see profile_write.h.
 *
 * The order in which a file comes to life makes it whole at every instant:
 *   lock the file, empty it, remove an older one's side files   (nothing in it: "empty")
 *   schema, in one transaction with a rollback journal          (page 1 says it is ours)
 *   ... commits, each with the journal ...
 *   the journal removed                                         (a single file again)
 *
 * There is no write-ahead log: its index is a mapped file, and whoever shortens that file
 * kills the process that has mapped it (SIGBUS).
 */
#include "profile/profile_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/place.h"
#include "profile/schema.h"
#include "profile/sql.h"

/* How long a transaction waits for readers before it begins. */
#define BUSY_MS 5000

/* How often a file may come and go while it is opened. */
#define OPEN_TRIES 10

/* A file name of SQLite's plus "-journal" must fit into NAME_MAX. */
#define LAST_NAME_MAX (NAME_MAX - 8)

enum statement {
	INSERT_META,
	INSERT_METRIC,
	INSERT_METHOD,
	INSERT_THREAD,
	INSERT_NODE,
	INSERT_FILE,
	INSERT_IO,
	INSERT_OPERATION, /* the schema does it */
	INSERT_IO_THREAD,
	INSERT_PATH,
	INSERT_RECORD,
	INSERT_SNAPSHOT,
	INSERT_MARK,
	INSERT_SEQUENCE,
	COPY_THREADS,
	COPY_NODES,
	COPY_IO,
	COPY_SEQUENCES,
	DROP_NODES,
	DROP_IO,
	DROP_THREAD,
	DROP_FILE,
	STATEMENT_COUNT
};

struct profile_writer {
	sqlite3 *db;
	sqlite3_stmt *statement[STATEMENT_COUNT];
	unsigned metrics;
	/* Locked with flock(2). Closed after the database: closing any descriptor of a
	 * file drops the process's POSIX locks on it, which are SQLite's. */
	int lock;
	bool created; /* the file did not exist before */
	bool aside;   /* an older profile is beside it */
	struct place place;
};

/* False: somebody has removed or renamed it, or its folder. */
static bool has_name(const struct profile_writer *writer)
{
	struct stat ours, named;

	return fstat(writer->lock, &ours) == 0 && stat(writer->place.name, &named) == 0 &&
	       ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

static int failed_of(
	struct profile_writer *writer, struct error *error, int result, const char *doing)
{
	if (has_name(writer))
		return sql_failed(error, writer->db, result, doing, &writer->place);
	return error_set(error, ERROR_IO,
		"cannot %s '%s': the file was removed or renamed since it was begun",
		doing, writer->place.shown);
}

static int failed(struct profile_writer *writer, struct error *error, int result)
{
	return failed_of(writer, error, result, "write");
}

/* --- the file --- */

/* 0 if a file of that mode may become a profile. Looked at before opening: opening a FIFO
 * or a device can wait or have effects. */
static int check_kind(const struct place *place, mode_t mode, struct error *error)
{
	if (S_ISREG(mode))
		return 0;
	return error_set(error, ERROR_IO, "cannot write '%s': %s", place->shown,
		S_ISDIR(mode) ? "Is a directory" : "Not a regular file");
}

static int check_name(const struct place *place, const char *path, struct error *error)
{
	const char *slash = strrchr(path, '/');

	if (strlen(slash ? slash + 1 : path) <= LAST_NAME_MAX)
		return 0;
	return error_set(error, ERROR_IO,
		"cannot write '%s': the file's name is longer than %d bytes",
		place->shown, LAST_NAME_MAX);
}

/* Of a file that is there. In a folder that others can write to they may have put it
 * there: what a link leads to, and what is theirs, stays as it is. */
static int check_found(const struct profile_writer *writer, const struct stat *status,
	struct error *error)
{
	if (S_ISLNK(status->st_mode))
		return error_set(error, ERROR_VALUE,
			"cannot write '%s': it is a symbolic link; name the file that it "
			"leads to",
			writer->place.shown);
	if (check_kind(&writer->place, status->st_mode, error) < 0)
		return -ERROR_IO;
	if (status->st_uid == geteuid())
		return 0;
	return error_set(error, ERROR_DENIED,
		"cannot write '%s': it is there, and belongs to user %ld; remove it, or "
		"name another file",
		writer->place.shown, (long)status->st_uid);
}

/* What SQLite will open is what was opened here: the folder may be others', too. */
static int check_place(struct profile_writer *writer, struct error *error)
{
	place_without_log(&writer->place);
	if (has_name(writer))
		return 0;
	return error_set(error, ERROR_IO, "cannot write '%s': it was replaced just now",
		writer->place.shown);
}

/* Opens the file that is there, or makes one; in between it may come, or go. */
static int open_or_make(struct profile_writer *writer, const char *path, mode_t mode)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
	int file = -1;

	for (int i = 0; i < OPEN_TRIES && file < 0; i++) {
		file = open(path, flags);
		writer->created = file < 0 && errno == ENOENT;
		if (writer->created)
			file = open(path, flags | O_CREAT | O_EXCL, mode);
		if (file < 0 && errno != EEXIST)
			break;
	}
	return place_above_stdio(file);
}

static int open_file(
	struct profile_writer *writer, const char *path, mode_t mode, struct error *error)
{
	enum error_code code;
	struct stat status;
	int found = 0;

	if (check_name(&writer->place, path, error) < 0)
		return -ERROR_IO;
	if (lstat(path, &status) == 0)
		found = check_found(writer, &status, error);
	if (found < 0)
		return found;
	writer->lock = open_or_make(writer, path, mode);
	if (writer->lock >= 0 && writer->created) {
		/* Beyond the umask; some file systems know neither modes nor users. */
		(void)!fchmod(writer->lock, mode);
		return 0;
	}
	if (writer->lock >= 0 && fstat(writer->lock, &status) == 0)
		return check_found(writer, &status, error);
	code = errno == EACCES || errno == EPERM || errno == EROFS ? ERROR_DENIED
								   : ERROR_IO;
	return error_set_errno(
		error, code, errno, "cannot write '%s'", writer->place.shown);
}

/* File systems that know no locks are used without one. */
static int lock_file(struct profile_writer *writer, struct error *error)
{
	if (flock(writer->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return error_set(error, ERROR_BUSY,
		"cannot write '%s': a running JVM is writing this profile",
		writer->place.shown);
}

static int check_replaceable(struct profile_writer *writer, struct error *error)
{
	unsigned char header[SCHEMA_HEADER_BYTES];
	ssize_t bytes = pread(writer->lock, header, sizeof header, 0);

	if (bytes < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot read '%s'", writer->place.shown);
	if (bytes == 0 || schema_header_kind(header, (size_t)bytes) == HEADER_PROFILE)
		return 0;
	return error_set(error, ERROR_FORMAT,
		"cannot write '%s': it exists and is not a jprof profile",
		writer->place.shown);
}

/* The file, and what SQLite has beside it. */
static const char *const files[] = {"", "-wal", "-shm", "-journal"};

enum { FILES = sizeof files / sizeof files[0] };

/* Emptied first: SQLite ignores and removes side files of an empty file, so a death in
 * between harms nothing. */
static int clear_file(struct profile_writer *writer, struct error *error)
{
	char path[PATH_MAX];

	if (ftruncate(writer->lock, 0) < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot empty '%s'", writer->place.shown);
	for (int i = 1; i < FILES; i++) {
		place_beside(&writer->place, files[i], path);
		if (unlink(path) != 0 && errno != ENOENT)
			return error_set_errno(error, ERROR_DENIED, errno,
				"cannot write '%s': '%s%s' is in its way, and cannot be "
				"removed",
				writer->place.shown, writer->place.shown, files[i]);
	}
	return 0;
}

/* --- an older profile, set aside --- */

static const char older[] = "-older";

static void path_of(const struct place *place, const char *end, int i, char *path)
{
	char whole[32];

	snprintf(whole, sizeof whole, "%s%s", end, files[i]);
	place_beside(place, whole, path);
}

/* Gives one of the files another end; there is none of that end if this one is not there.
 */
static bool rename_one(const struct place *place, const char *from, const char *to, int i)
{
	char source[PATH_MAX], target[PATH_MAX];

	path_of(place, from, i, source);
	path_of(place, to, i, target);
	if (rename(source, target) == 0)
		return true;
	if (errno != ENOENT)
		return false;
	unlink(target);
	return true;
}

/* False: they have the ends that they had. */
static bool rename_all(const struct place *place, const char *from, const char *to)
{
	int i = 0;

	while (i < FILES && rename_one(place, from, to, i))
		i++;
	if (i == FILES)
		return true;
	while (i-- > 0)
		rename_one(place, to, from, i);
	return false;
}

/* To others the file is as that one is. */
static void make_like(int file, const struct stat *status)
{
	if (fchown(file, status->st_uid, status->st_gid) == 0 || errno == EPERM)
		fchmod(file, status->st_mode & 0777);
}

/* Where the folder does not allow it the older profile is replaced, as it is without. */
static int set_aside(struct profile_writer *writer, struct error *error)
{
	struct stat status;
	int file;

	if (fstat(writer->lock, &status) < 0 || status.st_size == 0 ||
		!rename_all(&writer->place, "", older))
		return 0;
	writer->aside = true;
	file = place_above_stdio(open(writer->place.name,
		O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600));
	if (file < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot write '%s'", writer->place.shown);
	make_like(file, &status);
	close(writer->lock);
	writer->lock = file;
	writer->created = true;
	return lock_file(writer, error);
}

static void put_back(struct profile_writer *writer)
{
	if (writer->aside)
		rename_all(&writer->place, older, "");
	writer->aside = false;
}

static void remove_aside(struct profile_writer *writer)
{
	char path[PATH_MAX];

	for (int i = 0; i < FILES && writer->aside; i++) {
		path_of(&writer->place, older, i, path);
		unlink(path);
	}
}

/* --- the database --- */

static void close_database(struct profile_writer *writer)
{
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		sqlite3_finalize(writer->statement[i]);
		writer->statement[i] = NULL;
	}
	sqlite3_close(writer->db);
	writer->db = NULL;
}

/* Settings that last for the connection. synchronous = OFF: the process may be killed,
 * the kernel still has every write; docs/profile-format.md says what a power failure can
 * do. */
static const char settings[] = "PRAGMA synchronous = OFF;\n"
			       "PRAGMA journal_mode = TRUNCATE;\n"
			       "PRAGMA journal_size_limit = 4194304;\n"
			       "PRAGMA cache_size = -4096;\n"
			       "PRAGMA mmap_size = 0;\n"
			       "PRAGMA temp_store = MEMORY;\n"
			       "PRAGMA secure_delete = OFF;\n"
			       "PRAGMA auto_vacuum = NONE;\n";

static int open_database(struct profile_writer *writer)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	int result = sqlite3_open_v2(
		writer->place.name, &writer->db, flags, writer->place.vfs);

	if (result != SQLITE_OK)
		return result;
	sqlite3_busy_timeout(writer->db, BUSY_MS);
	sqlite3_db_config(writer->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	return sql_exec(writer->db, settings);
}

static int create_schema(
	struct profile_writer *writer, const struct profile_metric *metric)
{
	char *sql = schema_create(metric, writer->metrics);

	if (!sql)
		return SQLITE_NOMEM;
	int result = sql_exec(writer->db, "BEGIN IMMEDIATE");
	if (result == SQLITE_OK)
		result = sql_exec(writer->db, sql);
	if (result == SQLITE_OK)
		result = sql_exec(writer->db, "COMMIT");
	sqlite3_free(sql);
	return result;
}

static int prepare(struct profile_writer *writer, enum statement which, const char *sql)
{
	if (!sql)
		return SQLITE_NOMEM;
	return sqlite3_prepare_v3(writer->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
		&writer->statement[which], NULL);
}

static int prepare_all(struct profile_writer *writer)
{
	int result =
		prepare(writer, DROP_NODES, "DELETE FROM node WHERE id BETWEEN ? AND ?");

	if (result == SQLITE_OK)
		result = prepare(
			writer, DROP_IO, "DELETE FROM io WHERE id BETWEEN ? AND ?");
	if (result == SQLITE_OK)
		result = prepare(writer, DROP_THREAD, "DELETE FROM thread WHERE id = ?");
	if (result == SQLITE_OK)
		result = prepare(writer, DROP_FILE, "DELETE FROM file WHERE id = ?");
	for (int i = 0; i < TABLE_COUNT && result == SQLITE_OK; i++) {
		char *sql = schema_insert(&schema_tables[i], writer->metrics);
		/* The inserting statements stand in the order of the tables. */
		result = prepare(writer, (enum statement)i, sql);
		sqlite3_free(sql);
	}
	return result;
}

static int step(struct profile_writer *writer, enum statement which, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[which];
	int result = sqlite3_step(statement);

	sqlite3_reset(statement);
	return result == SQLITE_DONE ? 0 : failed(writer, error, result);
}

/* SQLite ends a transaction itself after some failures (disk full); what came then would
 * stand in the file alone. */
static int check_open(struct profile_writer *writer, struct error *error)
{
	if (!sqlite3_get_autocommit(writer->db))
		return 0;
	return error_set(error, ERROR_IO, "cannot write '%s': no transaction is open",
		writer->place.shown);
}

static void bind_text(sqlite3_stmt *statement, int column, const char *text)
{
	sqlite3_bind_text(statement, column + 1, text, -1, SQLITE_STATIC);
}

/* Numbers above 2^63 keep their bits; SQL shows them negative. */
static void bind_number(sqlite3_stmt *statement, int column, uint64_t number)
{
	sqlite3_bind_int64(statement, column + 1, (sqlite3_int64)number);
}

static int put_metrics(struct profile_writer *writer, const struct profile_metric *metric,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_METRIC];
	int status = profile_begin(writer, error);

	for (unsigned i = 0; i < writer->metrics && status == 0; i++) {
		bind_number(statement, SCHEMA_METRIC_ID, i);
		bind_text(statement, SCHEMA_METRIC_NAME, metric[i].name);
		bind_text(statement, SCHEMA_METRIC_UNIT, metric[i].unit);
		bind_text(statement, SCHEMA_METRIC_HOW, metric[i].how);
		status = step(writer, INSERT_METRIC, error);
	}
	return status < 0 ? status : profile_commit(writer, error);
}

static int start_database(struct profile_writer *writer,
	const struct profile_metric *metric, struct error *error)
{
	int result = open_database(writer);

	if (result == SQLITE_OK)
		result = create_schema(writer, metric);
	if (result == SQLITE_OK)
		result = prepare_all(writer);
	if (result == SQLITE_OK)
		return put_metrics(writer, metric, error);
	return failed(writer, error, result);
}

static int start_file(struct profile_writer *writer, const struct profile_metric *metric,
	struct error *error)
{
	int status = clear_file(writer, error);

	if (status == 0)
		status = start_database(writer, metric, error);
	if (status < 0 && writer->created) {
		close_database(writer);
		clear_file(writer, NULL);
		unlink(writer->place.name);
	}
	return status;
}

/* Gives everything back; the database's side files are SQLite's to remove. */
static void destroy(struct profile_writer *writer)
{
	close_database(writer);
	place_fini(&writer->place);
	if (writer->lock >= 0)
		close(writer->lock);
	free(writer);
}

int profile_create_as(struct profile_writer **out, const char *path,
	const struct profile_metric *metric, unsigned metrics,
	const struct profile_creation *creation, struct error *error)
{
	mode_t mode = S_IRUSR | S_IWUSR | creation->readers;
	*out = NULL;
	if (metrics > PROFILE_METRIC_MAX)
		return error_set(
			error, ERROR_VALUE, "more than %d metrics", PROFILE_METRIC_MAX);
	struct profile_writer *writer = calloc(1, sizeof *writer);
	if (!writer)
		return error_set(error, ERROR_MEMORY, "no memory to write a profile");
	writer->lock = -1;
	writer->metrics = metrics;
	place_show(&writer->place, path);

	int status = open_file(writer, path, mode, error);
	if (status == 0)
		status = lock_file(writer, error);
	if (status == 0)
		status = check_replaceable(writer, error);
	if (status == 0)
		status = place_init(&writer->place, path, error);
	if (status == 0)
		status = check_place(writer, error);
	if (status == 0 && creation->set_aside)
		status = set_aside(writer, error);
	if (status == 0)
		status = start_file(writer, metric, error);
	if (status < 0) {
		put_back(writer);
		destroy(writer);
	} else {
		*out = writer;
	}
	return status;
}

int profile_create(struct profile_writer **writer, const char *path,
	const struct profile_metric *metric, unsigned metrics, struct error *error)
{
	return profile_create_as(
		writer, path, metric, metrics, &(struct profile_creation){0}, error);
}

/* --- transactions --- */

int profile_begin(struct profile_writer *writer, struct error *error)
{
	/* Readers are waited for here, once, and not where a page has to be written. */
	int result = sql_exec(writer->db, "BEGIN EXCLUSIVE");

	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

int profile_commit(struct profile_writer *writer, struct error *error)
{
	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	int result = sql_exec(writer->db, "COMMIT");
	if (result != SQLITE_OK) {
		failed(writer, error, result);
		profile_rollback(writer);
		return -(int)sql_error_code(result);
	}
	return 0;
}

void profile_rollback(struct profile_writer *writer)
{
	if (!sqlite3_get_autocommit(writer->db))
		sql_exec(writer->db, "ROLLBACK");
}

/* --- records --- */

int profile_put_meta(struct profile_writer *writer, const char *key, const char *value,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_META];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_text(statement, SCHEMA_META_KEY, key);
	bind_text(statement, SCHEMA_META_VALUE, value);
	return step(writer, INSERT_META, error);
}

int profile_put_method(struct profile_writer *writer, const struct profile_method *method,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_METHOD];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_METHOD_ID, method->id);
	bind_text(statement, SCHEMA_METHOD_CLASS, method->class_name);
	bind_text(statement, SCHEMA_METHOD_NAME, method->name);
	bind_text(statement, SCHEMA_METHOD_SIGNATURE, method->signature);
	bind_number(statement, SCHEMA_METHOD_NATIVE, method->is_native);
	bind_number(statement, SCHEMA_METHOD_STATIC, method->is_static);
	return step(writer, INSERT_METHOD, error);
}

int profile_put_thread(struct profile_writer *writer, const struct profile_thread *thread,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_THREAD];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_THREAD_ID, thread->id);
	bind_number(statement, SCHEMA_THREAD_JAVA_ID, (uint64_t)thread->java_id);
	bind_number(statement, SCHEMA_THREAD_OS_ID, (uint64_t)thread->os_id);
	bind_text(statement, SCHEMA_THREAD_NAME, thread->name);
	bind_number(statement, SCHEMA_THREAD_VIRTUAL, thread->is_virtual);
	bind_number(statement, SCHEMA_THREAD_ALIVE, thread->alive);
	bind_number(statement, SCHEMA_THREAD_FOLDED, thread->folded);
	bind_number(statement, SCHEMA_THREAD_EVENTS, thread->events);
	bind_number(statement, SCHEMA_THREAD_UNWOUND, thread->unwound);
	bind_number(statement, SCHEMA_THREAD_REPAIRED, thread->repaired);
	bind_number(statement, SCHEMA_THREAD_UNMATCHED, thread->unmatched);
	bind_number(statement, SCHEMA_THREAD_LOST, thread->lost);
	bind_number(statement, SCHEMA_THREAD_PRUNED, thread->pruned);
	bind_number(statement, SCHEMA_THREAD_STARTED, thread->started);
	bind_number(statement, SCHEMA_THREAD_ENDED, thread->ended);
	if (thread->ended == 0)
		sqlite3_bind_null(statement, SCHEMA_THREAD_ENDED + 1);
	bind_number(statement, SCHEMA_THREAD_MOUNTS, thread->mounts);
	bind_number(statement, SCHEMA_THREAD_CARRIER_NS, thread->carrier_ns);
	bind_number(statement, SCHEMA_THREAD_WAITED_NS, thread->waited_ns);
	for (unsigned i = 0; i < writer->metrics; i++)
		bind_number(statement, SCHEMA_THREAD_TOTAL + (int)i, thread->total[i]);
	return step(writer, INSERT_THREAD, error);
}

/* One a metric; NULL: zeros. */
static void bind_numbers(const struct profile_writer *writer, sqlite3_stmt *statement,
	int column, const uint64_t *number)
{
	for (unsigned i = 0; i < writer->metrics; i++)
		bind_number(statement, column + (int)i, number ? number[i] : 0);
}

int profile_put_node(struct profile_writer *writer, const struct profile_node *node,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_NODE];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_NODE_ID, schema_node_id(node->thread, node->index));
	bind_number(statement, SCHEMA_NODE_PARENT,
		schema_node_id(node->thread, node->parent));
	if (node->index == 0)
		sqlite3_bind_null(statement, SCHEMA_NODE_PARENT + 1);
	bind_number(statement, SCHEMA_NODE_THREAD, node->thread);
	bind_number(statement, SCHEMA_NODE_METHOD, node->method);
	bind_number(statement, SCHEMA_NODE_RECURSION, node->recursion);
	bind_number(statement, SCHEMA_NODE_CALLS, node->calls);
	bind_number(statement, SCHEMA_NODE_INTERPRETED, node->interpreted);
	bind_number(statement, SCHEMA_NODE_JITTED, node->jitted);
	bind_number(statement, SCHEMA_NODE_NATIVE, node->native);
	/* The four columns stand in the order of the array. */
	for (int i = 0; i < 4; i++)
		bind_number(statement, SCHEMA_NODE_ENTRY_ENTRY + i,
			node->transition[i / 2][i % 2]);
	bind_numbers(writer, statement, SCHEMA_NODE_BASE, node->base);
	bind_numbers(writer, statement, SCHEMA_NODE_BASE + (int)writer->metrics, node->spent);
	return step(writer, INSERT_NODE, error);
}

int profile_put_file(struct profile_writer *writer, const struct profile_file *file,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_FILE];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	if (file->forgotten) {
		bind_number(writer->statement[DROP_FILE], 0, file->id);
		return step(writer, DROP_FILE, error);
	}
	bind_number(statement, SCHEMA_FILE_ID, file->id);
	bind_text(statement, SCHEMA_FILE_KIND, io_kind_name(file->kind));
	bind_number(statement, SCHEMA_FILE_DESCRIPTOR, (uint64_t)file->descriptor);
	if (file->descriptor < 0)
		sqlite3_bind_null(statement, SCHEMA_FILE_DESCRIPTOR + 1);
	bind_text(statement, SCHEMA_FILE_NAME, file->name);
	bind_text(statement, SCHEMA_FILE_PEER, file->peer);
	bind_number(statement, SCHEMA_FILE_OPENED, (uint64_t)file->opened);
	if (!file->opened_known)
		sqlite3_bind_null(statement, SCHEMA_FILE_OPENED + 1);
	bind_text(statement, SCHEMA_FILE_OPENED_BY, file->opened_by);
	bind_number(statement, SCHEMA_FILE_OPENED_IN, file->opened_in);
	if (file->opened_in == 0)
		sqlite3_bind_null(statement, SCHEMA_FILE_OPENED_IN + 1);
	bind_text(statement, SCHEMA_FILE_KNOWN,
		file->known == KNOWN_ATTACH ? "attach" : "open");
	bind_text(statement, SCHEMA_FILE_NOTE, file->note);
	bind_number(statement, SCHEMA_FILE_FOLDED, file->folded);
	bind_number(statement, SCHEMA_FILE_FIRST, (uint64_t)file->first);
	if (!file->first_known)
		sqlite3_bind_null(statement, SCHEMA_FILE_FIRST + 1);
	bind_number(statement, SCHEMA_FILE_GROUP, file->into);
	if (file->into == 0)
		sqlite3_bind_null(statement, SCHEMA_FILE_GROUP + 1);
	return step(writer, INSERT_FILE, error);
}

int profile_put_io(
	struct profile_writer *writer, const struct profile_io *io, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_IO];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_IO_ID, schema_node_id(io->thread, io->index));
	bind_number(statement, SCHEMA_IO_THREAD, io->thread);
	bind_number(statement, SCHEMA_IO_NODE, schema_node_id(io->thread, io->node));
	bind_number(statement, SCHEMA_IO_FILE, io->file);
	bind_text(statement, SCHEMA_IO_OPERATION, io_op_name(io->op));
	bind_number(statement, SCHEMA_IO_OPS, io->ops);
	bind_number(statement, SCHEMA_IO_FAILURES, io->failures);
	bind_number(statement, SCHEMA_IO_BYTES, io->bytes);
	bind_number(statement, SCHEMA_IO_NS, io->ns);
	return step(writer, INSERT_IO, error);
}

int profile_put_io_thread(struct profile_writer *writer,
	const struct profile_io_thread *thread, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_IO_THREAD];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_IO_THREAD_ID, thread->id);
	bind_number(statement, SCHEMA_IO_THREAD_JAVA_ID, (uint64_t)thread->java_id);
	bind_number(statement, SCHEMA_IO_THREAD_OS_ID, (uint64_t)thread->os_id);
	bind_text(statement, SCHEMA_IO_THREAD_NAME, thread->name);
	return step(writer, INSERT_IO_THREAD, error);
}

int profile_put_path(struct profile_writer *writer, const struct profile_path *path,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_PATH];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_PATH_ID, path->id);
	bind_number(statement, SCHEMA_PATH_PARENT, path->parent);
	bind_number(statement, SCHEMA_PATH_METHOD, path->method);
	return step(writer, INSERT_PATH, error);
}

int profile_put_record(struct profile_writer *writer, const struct profile_record *record,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_RECORD];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_RECORD_BEGIN, record->begin);
	bind_number(statement, SCHEMA_RECORD_NS, record->ns);
	bind_number(statement, SCHEMA_RECORD_THREAD, record->thread);
	bind_number(statement, SCHEMA_RECORD_PATH, record->path);
	bind_number(statement, SCHEMA_RECORD_FILE, record->file);
	bind_number(statement, SCHEMA_RECORD_OPERATION, record->op);
	bind_number(statement, SCHEMA_RECORD_BYTES, record->bytes);
	bind_number(statement, SCHEMA_RECORD_FAILED, record->failed);
	return step(writer, INSERT_RECORD, error);
}

int profile_put_snapshot(struct profile_writer *writer,
	const struct profile_snapshot *snapshot, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_SNAPSHOT];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_SNAPSHOT_ID, snapshot->id);
	bind_text(statement, SCHEMA_SNAPSHOT_LABEL, snapshot->label);
	bind_number(statement, SCHEMA_SNAPSHOT_AT, snapshot->at);
	bind_text(statement, SCHEMA_SNAPSHOT_KIND,
		snapshot->kind == SNAPSHOT_RESET ? "reset" : "snapshot");
	int status = step(writer, INSERT_SNAPSHOT, error);
	for (enum statement i = COPY_THREADS; i <= COPY_SEQUENCES && status == 0; i++) {
		bind_number(writer->statement[i], 0, snapshot->id);
		status = step(writer, i, error);
	}
	return status;
}

int profile_put_mark(struct profile_writer *writer, const struct profile_mark *mark,
	struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_MARK];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_MARK_AT, mark->at);
	bind_number(statement, SCHEMA_MARK_JAVA_ID, (uint64_t)mark->java_id);
	bind_text(statement, SCHEMA_MARK_THREAD, mark->thread);
	bind_text(statement, SCHEMA_MARK_NAME, mark->name);
	return step(writer, INSERT_MARK, error);
}

int profile_put_sequence(struct profile_writer *writer,
	const struct profile_sequence *sequence, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[INSERT_SEQUENCE];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, SCHEMA_SEQUENCE_ID, sequence->code);
	bind_text(statement, SCHEMA_SEQUENCE_FIRST, sequence->first);
	bind_text(statement, SCHEMA_SEQUENCE_BEGIN, sequence->begin);
	bind_text(statement, SCHEMA_SEQUENCE_SECOND, sequence->second);
	bind_text(statement, SCHEMA_SEQUENCE_END, sequence->end);
	bind_text(statement, SCHEMA_SEQUENCE_THIRD, sequence->third);
	bind_number(statement, SCHEMA_SEQUENCE_COUNT, sequence->count);
	bind_numbers(writer, statement, SCHEMA_SEQUENCE_SUM, sequence->sum);
	bind_numbers(writer, statement, SCHEMA_SEQUENCE_SUM + (int)writer->metrics,
		sequence->min);
	return step(writer, INSERT_SEQUENCE, error);
}

static int drop_of_thread(struct profile_writer *writer, enum statement which,
	uint32_t thread, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[which];

	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(statement, 0, schema_node_id(thread, 0));
	bind_number(statement, 1, schema_node_id(thread, UINT32_MAX));
	return step(writer, which, error);
}

int profile_drop_io(struct profile_writer *writer, uint32_t thread, struct error *error)
{
	return drop_of_thread(writer, DROP_IO, thread, error);
}

int profile_drop_nodes(
	struct profile_writer *writer, uint32_t thread, struct error *error)
{
	int status = drop_of_thread(writer, DROP_NODES, thread, error);

	return status < 0 ? status : profile_drop_io(writer, thread, error);
}

int profile_drop_thread(
	struct profile_writer *writer, uint32_t thread, struct error *error)
{
	int status = profile_drop_nodes(writer, thread, error);

	if (status < 0)
		return status;
	bind_number(writer->statement[DROP_THREAD], 0, thread);
	return step(writer, DROP_THREAD, error);
}

/* --- the end --- */

int profile_close(struct profile_writer *writer, struct error *error)
{
	int status = 0;

	if (!writer)
		return 0;
	profile_rollback(writer);
	for (int i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_reset(writer->statement[i]);
	/* Removes the journal. */
	int result = sql_exec(writer->db, "PRAGMA journal_mode = DELETE");
	if (result != SQLITE_OK)
		status = failed_of(writer, error, result,
			"make a single file without side files of");
	remove_aside(writer);
	destroy(writer);
	return status;
}

void profile_discard(struct profile_writer *writer)
{
	close_database(writer);
	clear_file(writer, NULL);
	if (writer->aside)
		put_back(writer);
	else
		unlink(writer->place.name);
	destroy(writer);
}
