/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Clients that are slow, dead, greedy or talk nonsense: nobody else is harmed. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "native-tests/control/control_client.h"

#include <cmocka.h>

static int begin(void **state)
{
	return channel_make_root(state) == 0 ? control_start(&channel_setup, NULL) : -1;
}

/* Another client is answered, and soon. */
static void expect_service(void)
{
	long before = now_in_ms();
	int connection = channel_connect();

	assert_true(connection >= 0);
	assert_true(channel_say(connection, "{\"jprof\":1,\"id\":1,\"verb\":\"echo\"}"));
	assert_string_equal(channel_code(connection), "");
	assert_true(now_in_ms() - before < 2000);
	close(connection);
}

static long cpu_ms(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}

/* Nothing happens: nobody spins. */
static void expect_quiet(void)
{
	long before = cpu_ms();

	usleep(300000);
	assert_true(cpu_ms() - before < 100);
}

/* Reads nothing: dropped when a million bytes wait for it. */
static void test_never_reads(void **state)
{
	static const char request[] = "{\"jprof\":1,\"verb\":\"large\"}\n";
	int connection = channel_connect();
	unsigned sent = 0;

	while (sent < 1000 && channel_send(connection, request, strlen(request))) {
		sent++;
		usleep(1000);
	}
	assert_in_range(sent, 5, 500);
	expect_service();
	close(connection);
	expect_quiet();
}

/* One that reads late gets everything, as long as it is not too much. */
static void test_reads_late(void **state)
{
	static char text[120000];
	int connection = channel_connect();

	for (int i = 0; i < 8; i++)
		assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"large\"}"));
	usleep(200000);
	expect_service();
	expect_quiet();
	for (int i = 0; i < 8; i++) {
		assert_true(channel_read(connection, text, sizeof(text)));
		assert_in_range(strlen(text), 100000, 101000);
	}
	close(connection);
}

static void test_half_a_line(void **state)
{
	static const char half[] = "{\"jprof\":1,\"verb\":\"detach\"}";

	for (size_t length = 0; length < sizeof(half); length++) {
		int connection = channel_connect();

		channel_send(connection, half, length);
		close(connection);
	}
	expect_service();
	expect_quiet();
	for (int i = 0; i < 1000 && control_clients() > 0; i++)
		usleep(1000);
	assert_int_equal(control_clients(), 0);
	assert_true(channel_exists());
}

/* Whole lines of one who does not wait for the answer are done all the same. */
static void test_says_and_goes(void **state)
{
	unsigned waits = channel_waits;
	int connection = channel_connect();

	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"wait\"}"));
	close(connection);
	for (int i = 0; i < 1000 && channel_waits == waits; i++)
		usleep(1000);
	assert_int_equal(channel_waits, waits + 1);
	expect_service();
	expect_quiet();
}

/* It is told although it sends on and on. */
static void test_ten_megabytes(void **state)
{
	size_t length = 10 << 20;
	char *line = malloc(length);
	int connection = channel_connect();

	assert_non_null(line);
	memset(line, '{', length);
	assert_true(channel_send(connection, line, length));
	assert_string_equal(channel_code(connection), "format");
	assert_true(channel_ends(connection));
	close(connection);
	free(line);
	expect_service();
}

/* The longest line is not too long. */
static void test_a_megabyte(void **state)
{
	size_t length = 1 << 20;
	char *line = malloc(length + 1);
	int connection = channel_connect();
	static const char begin_with[] = "{\"jprof\":1,\"verb\":\"echo\",\"a\":\"";

	assert_non_null(line);
	memset(line, 'x', length);
	memcpy(line, begin_with, strlen(begin_with));
	memcpy(line + length - 3, "\"}\n", 3);
	assert_true(channel_send(connection, line, length));
	assert_string_equal(channel_code(connection), "");
	memcpy(line + length - 3, "x\"}\n", 4);
	assert_true(channel_send(connection, line, length + 1));
	assert_string_equal(channel_code(connection), "format");
	assert_true(channel_ends(connection));
	close(connection);
	free(line);
}

/* Unfinished lines of many: the pool ends before the memory, and others are served. */
static void test_hoarders(void **state)
{
	enum { HOARDERS = 12 };
	size_t length = 1000000;
	char *line = malloc(length);
	int connection[HOARDERS], told = 0;

	memset(line, ' ', length);
	for (int i = 0; i < HOARDERS; i++) {
		connection[i] = channel_connect();
		assert_true(channel_send(connection[i], line, length));
	}
	expect_service();
	for (int i = 0; i < HOARDERS; i++) {
		char text[1024];
		ssize_t got = recv(connection[i], text, sizeof(text) - 1, MSG_DONTWAIT);

		if (got > 0) {
			text[got] = '\0';
			assert_non_null(strstr(text, "\"memory\""));
			told++;
		}
	}
	assert_in_range(told, HOARDERS - 4, HOARDERS - 2);
	for (int i = 0; i < HOARDERS; i++)
		close(connection[i]);
	free(line);
	expect_service();
}

static void test_garbage(void **state)
{
	uint32_t seed = 1;
	int connection = channel_connect();

	for (int round = 0; round < 200; round++) {
		char bytes[300];

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = (char)(seed >> 24);
			if (bytes[i] == '\n' || bytes[i] == '\r')
				bytes[i] = 'n';
		}
		bytes[sizeof(bytes) - 1] = '\n';
		assert_true(channel_send(connection, bytes, sizeof(bytes)));
		assert_string_equal(channel_code(connection), "format");
	}
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}"));
	assert_string_equal(channel_code(connection), "");
	close(connection);
}

/* A slow verb: others wait for it, each its turn, and no longer. */
static void test_slow_verb(void **state)
{
	int slow = channel_connect(), other[8];
	unsigned waits = channel_waits;
	long before;

	for (int i = 0; i < 8; i++)
		other[i] = channel_connect();
	before = now_in_ms();
	for (int i = 0; i < 5; i++)
		assert_true(channel_say(slow, "{\"jprof\":1,\"verb\":\"wait\"}"));
	while (channel_waits == waits)
		usleep(1000);
	for (int i = 0; i < 8; i++)
		assert_true(channel_say(other[i], "{\"jprof\":1,\"verb\":\"echo\"}"));
	for (int i = 0; i < 8; i++) {
		assert_string_equal(channel_code(other[i]), "");
		close(other[i]);
	}
	/* Behind the first, or the second, of five. */
	assert_in_range(now_in_ms() - before, 200, 1400);
	for (int i = 0; i < 5; i++)
		assert_string_equal(channel_code(slow), "");
	assert_in_range(now_in_ms() - before, 1400, 5000);
	close(slow);
}

/* A slow sender: a byte now and then. */
static void test_slow_sender(void **state)
{
	static const char request[] = "{\"jprof\":1,\"verb\":\"echo\"}\n";
	int connection = channel_connect();

	for (size_t i = 0; i < strlen(request); i++) {
		assert_true(channel_send(connection, request + i, 1));
		usleep(10000);
		if (i % 10 == 0)
			expect_service();
	}
	assert_string_equal(channel_code(connection), "");
	close(connection);
}

static uint64_t number_of(int connection)
{
	static const char answer[] = "{\"jprof\":1,\"ok\":true,\"result\":{\"connection\":%llu";
	unsigned long long number = 0;
	char text[256];

	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"whoami\"}"));
	assert_true(channel_read(connection, text, sizeof(text)));
	assert_int_equal(sscanf(text, answer, &number), 1);
	return number;
}

/* 32 at once; one more is told so, until one of them was silent for ten seconds, that nothing depends on. */
static void test_full(void **state)
{
	enum { MOST = 32 };
	static const char request[] = "{\"jprof\":1,\"verb\":\"echo\"}";
	int connection[MOST], more;

	for (int i = 0; i < MOST; i++) {
		connection[i] = channel_connect();
		assert_true(channel_say(connection[i], request));
		assert_string_equal(channel_code(connection[i]), "");
	}
	for (int i = 0; i < 10; i++) {
		more = channel_connect();
		assert_true(channel_say(more, request));
		assert_string_equal(channel_code(more), "busy");
		assert_true(channel_ends(more));
		close(more);
	}
	assert_int_equal(control_clients(), MOST);
	channel_needed = number_of(connection[4]);
	assert_true(channel_say(connection[5], request));
	assert_string_equal(channel_code(connection[5]), "");
	/* All but the fifth and sixth say something. */
	usleep(6000000);
	for (int i = 0; i < MOST; i++)
		if (i != 4 && i != 5)
			channel_say(connection[i], request);
	usleep(4500000);
	more = channel_connect();
	assert_true(channel_say(more, request));
	assert_string_equal(channel_code(more), "");
	assert_true(channel_ends(connection[5]));
	assert_true(channel_say(connection[4], request));
	for (int i = 0; i < MOST; i++)
		if (i != 5)
			assert_string_equal(channel_code(connection[i]), "");
	channel_needed = 0;
	close(more);
	for (int i = 0; i < MOST; i++)
		close(connection[i]);
}

/* The application has no descriptors left: the channel waits, and does not spin. */
static void test_no_descriptors(void **state)
{
	struct rlimit before, none;
	int spare, connection;

	expect_service();
	/* Its descriptor is closed by then. */
	for (int i = 0; i < 5000 && control_clients() > 0; i++)
		usleep(1000);
	/* The lowest number that is free, and the last that is allowed: the caller gets it, and
	 * there is none to accept it. */
	spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = (rlim_t)spare + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	close(spare);
	connection = channel_connect();
	assert_int_equal(connection, spare);
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}"));
	expect_quiet();
	assert_int_equal(control_clients(), 0);
	setrlimit(RLIMIT_NOFILE, &before);
	assert_string_equal(channel_code(connection), "");
	close(connection);
}

/* A program that closes whatever it has not opened: its own fault, but nothing spins. The socket
 * cannot be removed then. */
static void test_descriptors_closed(void **state)
{
	int connection = channel_connect();
	char path[128];

	expect_service();
	for (int i = 3; i < 64; i++)
		if (i != connection)
			close(i);
	/* The thread sees it when it wakes up. */
	channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}");
	expect_quiet();
	control_end();
	close(connection);
	snprintf(path, sizeof(path), "%s", channel_path());
	unlink(path);
	*strrchr(path, '/') = '\0';
	assert_int_equal(rmdir(path), 0);
}

/* Another user may connect if somebody opened the directory: it is told to go. */
static void test_other_user(void **state)
{
	char directory[128];
	pid_t child;
	int status;

	if (geteuid() != 0)
		skip();
	snprintf(directory, sizeof(directory), "%s", channel_path());
	chmod(directory, 0666);
	*strrchr(directory, '/') = '\0';
	chmod(directory, 0711);
	child = fork();
	if (child == 0) {
		int connection;
		const char *code;

		if (chdir(directory) != 0 || setresuid(65534, 65534, 65534) != 0)
			_exit(9);
		connection = channel_connect_to("control");
		if (connection < 0)
			_exit(8);
		channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}");
		code = channel_code(connection);
		_exit(strcmp(code, "denied") == 0 && channel_ends(connection) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	expect_service();
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, channel_remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_never_reads),
		CASE(test_reads_late),
		CASE(test_half_a_line),
		CASE(test_says_and_goes),
		CASE(test_ten_megabytes),
		CASE(test_a_megabyte),
		CASE(test_hoarders),
		CASE(test_garbage),
		CASE(test_slow_verb),
		CASE(test_slow_sender),
		CASE(test_full),
		CASE(test_no_descriptors),
		CASE(test_other_user),
		CASE(test_descriptors_closed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
