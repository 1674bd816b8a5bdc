/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* control_client: see control_client.h. */
#include "native-tests/control/control_client.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_MS = 10000 };

/* ---- verbs ---- */

_Atomic unsigned channel_waits;

static int echo(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	*result = json_pack("{s:O*}", "n", json_object_get(request, "n"));
	return *result ? 0 : error_set(error, ERROR_MEMORY, "no memory");
}

static int wait_300(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	atomic_fetch_add(&channel_waits, 1);
	usleep(300000);
	return 0;
}

static int wait_long(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	atomic_fetch_add(&channel_waits, 1);
	usleep(2000000);
	return 0;
}

static int give_large(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	static char text[100001];

	memset(text, 'x', sizeof(text) - 1);
	*result = json_pack("{s:s}", "text", text);
	return 0;
}

static int whoami(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	*result = json_pack("{s:I, s:i, s:i}", "connection", (json_int_t)peer->connection,
		"uid", (int)peer->uid, "pid", (int)peer->pid);
	return *result ? 0 : error_set(error, ERROR_MEMORY, "no memory");
}

static int detach(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	if (json_object_get(request, "fail"))
		return error_set(error, ERROR_JVM, "not now");
	return 0;
}

static const struct control_verb verbs[] = {
	{"echo", echo, false},
	{"wait", wait_300, false},
	{"long", wait_long, false},
	{"large", give_large, false},
	{"whoami", whoami, false},
	{"detach", detach, true},
	{0},
};

static char root[80];
static const char *const roots[] = {root, NULL};

_Atomic uint64_t channel_needed;

static bool is_needed(uint64_t connection)
{
	return connection == channel_needed;
}

const struct control_setup channel_setup = {.verbs = verbs, .needs = is_needed, .roots = roots};

/* ---- the place ---- */

int channel_make_root(void **state)
{
	const char *base = getenv("TMPDIR");

	snprintf(root, sizeof(root), "%s/ctlXXXXXX", base ? base : "/tmp");
	return mkdtemp(root) ? 0 : -1;
}

int channel_remove_root(void **state)
{
	control_end();
	/* Fails if anything was left there. */
	return rmdir(root);
}

const char *channel_path(void)
{
	static __thread char path[108];

	snprintf(path, sizeof(path), "%s/.jprof-%d/control", root, (int)getpid());
	return path;
}

bool channel_exists(void)
{
	struct stat status;
	char directory[96];

	snprintf(directory, sizeof(directory), "%s/.jprof-%d", root, (int)getpid());
	return lstat(channel_path(), &status) == 0 || lstat(directory, &status) == 0;
}

/* ---- a client ---- */

int channel_connect(void)
{
	return channel_connect_to(channel_path());
}

int channel_connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(connection, (struct sockaddr *)&address, sizeof(address)) == 0)
		return connection;
	close(connection);
	return -1;
}

bool channel_send(int connection, const void *bytes, size_t length)
{
	const char *next = bytes;

	while (length > 0) {
		ssize_t sent = send(connection, next, length, MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return false;
		if (sent < 0)
			continue;
		next += sent;
		length -= (size_t)sent;
	}
	return true;
}

bool channel_say(int connection, const char *line)
{
	return channel_send(connection, line, strlen(line)) &&
	       channel_send(connection, "\n", 1);
}

static ssize_t receive(int connection, char *bytes, size_t size)
{
	struct pollfd polled = {.fd = connection, .events = POLLIN};

	return poll(&polled, 1, PATIENCE_MS) == 1 ? recv(connection, bytes, size, 0) : -1;
}

bool channel_read(int connection, char *text, size_t size)
{
	for (size_t used = 0; used < size; used++) {
		if (receive(connection, text + used, 1) != 1)
			return false;
		if (text[used] == '\n') {
			text[used] = '\0';
			return true;
		}
	}
	return false;
}

bool channel_ends(int connection)
{
	long until = now_in_ms() + PATIENCE_MS;
	char bytes[4096];

	while (now_in_ms() < until) {
		ssize_t got = receive(connection, bytes, sizeof(bytes));

		if (got == 0 || (got < 0 && errno == ECONNRESET))
			return true;
	}
	return false;
}

const char *channel_code(int connection)
{
	static __thread char code[32];
	char text[4096];
	json_t *answer, *error;

	if (!channel_read(connection, text, sizeof(text)))
		return "(no answer)";
	answer = json_loads(text, 0, NULL);
	error = json_object_get(answer, "error");
	snprintf(code, sizeof(code), "%s",
		error ? json_string_value(json_object_get(error, "code")) : "");
	if (!json_is_boolean(json_object_get(answer, "ok")) ||
		json_is_true(json_object_get(answer, "ok")) == (error != NULL))
		snprintf(code, sizeof(code), "(no answer at all)");
	json_decref(answer);
	return code;
}

unsigned count_entries(const char *directory)
{
	DIR *stream = opendir(directory);
	unsigned count = 0;

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	closedir(stream);
	return count;
}

long now_in_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
