/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The channel's life, and clients that behave. */
#include "agent/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/lock/lock.h"
#include "native-tests/control/control_client.h"

#include <cmocka.h>

static void start(void)
{
	struct error error = {0};

	errno = 4711;
	if (control_start(&channel_setup, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(errno, 4711);
}

static void end(void)
{
	errno = 4711;
	control_end();
	assert_int_equal(errno, 4711);
	assert_false(channel_exists());
}

static void test_hello(void **state)
{
	int connection;
	char text[1024], expected[256];

	start();
	connection = channel_connect();
	assert_true(channel_say(connection, "{\"jprof\":1,\"id\":1,\"verb\":\"hello\"}"));
	assert_true(channel_read(connection, text, sizeof(text)));
	snprintf(expected, sizeof(expected),
		"{\"jprof\":1,\"id\":1,\"ok\":true,\"result\":{\"agent\":\"%s\",\"protocols\":["
		"1],"
		"\"pid\":%d,\"loaded\":\"start\",\"verbs\":[\"hello\",\"echo\",\"wait\","
		"\"long\","
		"\"large\",\"whoami\",\"detach\"]}}",
		JPROF_VERSION, (int)getpid());
	assert_string_equal(text, expected);
	assert_int_equal(control_clients(), 1);
	close(connection);
	for (int i = 0; i < 1000 && control_clients() > 0; i++)
		usleep(1000);
	assert_int_equal(control_clients(), 0);
	end();
}

/* The listener's pid, which is what a client trusts. */
static void test_peer(void **state)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);
	int connection;

	start();
	connection = channel_connect();
	assert_int_equal(getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size), 0);
	assert_int_equal(peer.pid, getpid());
	assert_int_equal(peer.uid, geteuid());
	close(connection);
	end();
}

/* ---- many at once ---- */

enum { MANY = 20, REQUESTS = 200 };

/* Its answers come in order, with its ids and what it asked for. */
static void *ask_often(void *argument)
{
	int number = (int)(intptr_t)argument, connection = channel_connect();
	bool good = connection >= 0;

	for (int i = 0; i < REQUESTS && good; i++) {
		char line[128], text[256], expected[256];

		snprintf(line, sizeof(line),
			"{\"jprof\":1,\"id\":\"%d-%d\",\"verb\":\"echo\",\"n\":%d}", number, i,
			number * REQUESTS + i);
		snprintf(expected, sizeof(expected),
			"{\"jprof\":1,\"id\":\"%d-%d\",\"ok\":true,\"result\":{\"n\":%d}}",
			number, i, number * REQUESTS + i);
		good = channel_say(connection, line) &&
		       channel_read(connection, text, sizeof(text)) &&
		       strcmp(text, expected) == 0;
	}
	close(connection);
	return good ? argument : (void *)(intptr_t)-1;
}

/* The same, but all is sent before anything is read. */
static void *ask_at_once(void *argument)
{
	int number = (int)(intptr_t)argument, connection = channel_connect();
	bool good = connection >= 0;
	char line[128], text[256], expected[64];

	for (int i = 0; i < REQUESTS && good; i++) {
		snprintf(line, sizeof(line),
			"{\"jprof\":1,\"id\":%d,\"verb\":\"echo\",\"n\":%d}\r\n\n", i, number);
		good = channel_send(connection, line, strlen(line));
	}
	shutdown(connection, SHUT_WR);
	for (int i = 0; i < REQUESTS && good; i++) {
		snprintf(expected, sizeof(expected), "{\"jprof\":1,\"id\":%d,", i);
		good = channel_read(connection, text, sizeof(text)) &&
		       strncmp(text, expected, strlen(expected)) == 0;
	}
	good = good && channel_ends(connection);
	close(connection);
	return good ? argument : (void *)(intptr_t)-1;
}

static void test_many(void **state)
{
	pthread_t thread[MANY];

	start();
	for (intptr_t i = 0; i < MANY; i++)
		assert_int_equal(pthread_create(&thread[i], NULL,
					 i % 2 ? ask_often : ask_at_once, (void *)i),
			0);
	for (intptr_t i = 0; i < MANY; i++) {
		void *result;

		pthread_join(thread[i], &result);
		assert_ptr_equal(result, (void *)i);
	}
	end();
}

/* ---- the end ---- */

static void test_twice(void **state)
{
	struct error error = {0};

	control_end();
	start();
	assert_int_equal(control_start(&channel_setup, &error), -ERROR_BUSY);
	assert_true(channel_exists());
	end();
	end();
	start();
	end();
}

static void test_no_place(void **state)
{
	static const char *const nowhere[] = {"/proc/self/nowhere", NULL};
	struct control_setup setup = channel_setup;
	struct error error = {0};
	unsigned descriptors = count_entries("/proc/self/fd");

	setup.roots = nowhere;
	assert_true(control_start(&setup, &error) < 0);
	assert_non_null(strstr(error.text, "/proc/self/nowhere"));
	control_end();
	assert_int_equal(count_entries("/proc/self/fd"), descriptors);
	start();
	end();
}

/* When the connection is closed the socket is gone, and all may begin anew. */
static void detach_once(bool half_closed)
{
	int connection, other;

	start();
	connection = channel_connect();
	other = channel_connect();
	assert_true(connection >= 0 && other >= 0);
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"detach\",\"fail\":1}"));
	assert_string_equal(channel_code(connection), "jvm");
	assert_true(channel_exists());
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"detach\"}"));
	if (half_closed)
		shutdown(connection, SHUT_WR);
	assert_string_equal(channel_code(connection), "");
	assert_true(channel_ends(connection));
	assert_false(channel_exists());
	assert_true(channel_ends(other));
	assert_int_equal(channel_connect(), -1);
	close(connection);
	close(other);
}

static void test_detach(void **state)
{
	unsigned descriptors = count_entries("/proc/self/fd"),
		 tasks = count_entries("/proc/self/task");

	for (int i = 0; i < 50; i++)
		detach_once(i % 2);
	control_end();
	assert_int_equal(count_entries("/proc/self/fd"), descriptors);
	/* A thread that was joined may be listed for a moment. */
	for (int i = 0; i < 1000 && count_entries("/proc/self/task") > tasks; i++)
		usleep(1000);
	assert_int_equal(count_entries("/proc/self/task"), tasks);
	assert_int_equal(control_clients(), 0);
}

/* The process ends while a verb runs: nobody waits for that. */
static void test_end_during_verb(void **state)
{
	int connection;
	long before;
	unsigned waits = channel_waits;

	start();
	connection = channel_connect();
	assert_true(channel_say(connection, "{\"jprof\":1,\"id\":1,\"verb\":\"long\"}"));
	assert_true(channel_say(connection, "{\"jprof\":1,\"id\":2,\"verb\":\"long\"}"));
	while (channel_waits == waits)
		usleep(1000);
	before = now_in_ms();
	end();
	assert_in_range(now_in_ms() - before, 100, 1000);
	assert_int_equal(channel_connect(), -1);
	/* The next one waits for it; the second request was not done any more. */
	start();
	assert_true(now_in_ms() - before > 1000);
	assert_int_equal(channel_waits, waits + 1);
	assert_string_equal(channel_code(connection), "");
	assert_true(channel_ends(connection));
	close(connection);
	end();
}

static int end_and_answer(const struct control_peer *peer, const json_t *request,
	json_t **result, struct error *error)
{
	control_end();
	*result = json_pack("{s:b}", "there", channel_exists());
	return 0;
}

/* control_end on the control thread itself: as if it were a last verb. */
static void test_end_inside_verb(void **state)
{
	static const struct control_verb verbs[] = {{"end", end_and_answer, false}, {0}};
	struct control_setup setup = channel_setup;
	char text[256];
	int connection;

	setup.verbs = verbs;
	assert_int_equal(control_start(&setup, NULL), 0);
	connection = channel_connect();
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"end\"}"));
	assert_true(channel_read(connection, text, sizeof(text)));
	assert_string_equal(text, "{\"jprof\":1,\"ok\":true,\"result\":{\"there\":false}}");
	assert_true(channel_ends(connection));
	close(connection);
	end();
}

/* ---- who asks, and who is gone ---- */

enum { CONNECTIONS = 4096 };

static _Atomic unsigned gone_times[CONNECTIONS]; /* by the number of the connection */

static void note_gone(uint64_t connection)
{
	if (connection < CONNECTIONS)
		atomic_fetch_add(&gone_times[connection], 1);
}

static unsigned number_of(int connection)
{
	char text[256];
	unsigned number = 0;

	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"whoami\"}"));
	assert_true(channel_read(connection, text, sizeof(text)));
	json_t *answer = json_loads(text, 0, NULL);
	const json_t *result = json_object_get(answer, "result");

	number = (unsigned)json_integer_value(json_object_get(result, "connection"));
	assert_int_equal(json_integer_value(json_object_get(result, "uid")), getuid());
	assert_int_equal(json_integer_value(json_object_get(result, "pid")), getpid());
	json_decref(answer);
	assert_in_range(number, 1, CONNECTIONS - 1);
	return number;
}

static void await_gone(unsigned number)
{
	for (int i = 0; i < 5000 && gone_times[number] == 0; i++)
		usleep(1000);
	assert_int_equal(gone_times[number], 1);
}

/* Each connection has a number of its own, and that it is gone is told once, however it went; of
 * those that are there when the channel ends nothing is told. */
static void test_gone(void **state)
{
	struct control_setup setup = channel_setup;
	int first, second, third, stays;
	unsigned number[4];
	static const struct linger at_once = {1, 0};

	setup.gone = note_gone;
	assert_int_equal(control_start(&setup, NULL), 0);
	first = channel_connect();
	second = channel_connect();
	stays = channel_connect();
	number[0] = number_of(first);
	number[1] = number_of(second);
	number[3] = number_of(stays);
	assert_int_not_equal(number[0], number[1]);
	close(first);
	await_gone(number[0]);
	assert_int_equal(gone_times[number[1]], 0);
	/* Half an end, and with an answer that nobody reads. */
	shutdown(second, SHUT_WR);
	await_gone(number[1]);
	third = channel_connect();
	number[2] = number_of(third);
	assert_int_not_equal(number[2], number[0]);
	assert_int_not_equal(number[2], number[1]);
	channel_say(third, "{\"jprof\":1,\"verb\":\"large\"}");
	setsockopt(third, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(third);
	await_gone(number[2]);
	end();
	assert_int_equal(gone_times[number[3]], 0);
	assert_int_equal(gone_times[number[0]], 1);
	close(second);
	close(stays);
}

static void *end_it(void *argument)
{
	control_end();
	return argument;
}

static void test_end_by_many(void **state)
{
	pthread_t thread[8];

	for (int round = 0; round < 20; round++) {
		start();
		for (unsigned i = 0; i < 8; i++)
			assert_int_equal(pthread_create(&thread[i], NULL, end_it, NULL), 0);
		for (unsigned i = 0; i < 8; i++)
			pthread_join(thread[i], NULL);
		assert_false(channel_exists());
	}
}

/* A child inherits the channel's memory and descriptors, and must leave it alone. */
static void test_fork(void **state)
{
	struct stat status;
	pid_t child;
	int result, connection;
	char path[108];

	start();
	snprintf(path, sizeof(path), "%s", channel_path());
	child = fork();
	if (child == 0) {
		control_end();
		_exit(control_start(&channel_setup, NULL) == -ERROR_BUSY ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &result, 0), child);
	assert_int_equal(result, 0);
	assert_int_equal(lstat(path, &status), 0);
	connection = channel_connect();
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}"));
	assert_string_equal(channel_code(connection), "");
	close(connection);
	end();
}

/* ---- what the application would notice ---- */

/* Reads "NAME: value" of a task's status. */
static bool task_status(const char *task, const char *key, char *value, size_t size)
{
	char path[300], line[256];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0) {
			snprintf(value, size, "%s", line + strlen(key));
			value[strcspn(value, "\n")] = '\0';
			found = true;
		}
	if (file)
		fclose(file);
	return found;
}

/* The thread's number, from its name. */
static bool find_thread(char *task, size_t size)
{
	char command[128];
	FILE *pipe;
	bool found;

	snprintf(command, sizeof(command),
		"grep -lx 'jprof control' /proc/%d/task/*/comm | cut -d/ -f5", (int)getpid());
	pipe = popen(command, "r");
	found = fgets(task, (int)size, pipe) != NULL;
	task[strcspn(task, "\n")] = '\0';
	pclose(pipe);
	return found;
}

static void test_thread(void **state)
{
	char task[32], blocked[300];
	int connection;

	start();
	connection = channel_connect();
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}"));
	assert_string_equal(channel_code(connection), ""); /* it runs, and has its name */
	assert_true(find_thread(task, sizeof(task)));
	assert_true(task_status(task, "SigBlk:\t", blocked, sizeof(blocked)));
	/* All but SIGKILL, SIGSTOP and the C library's own two. */
	assert_true((strtoull(blocked, NULL, 16) | 0x180040100) == UINT64_MAX);
	close(connection);
	end();
}

/* By the name of the descriptor, not by itself: the channel's thread may close it soon. */
static bool is_socket_or_folder(int descriptor)
{
	char path[32];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	return stat(path, &status) == 0 &&
	       (S_ISSOCK(status.st_mode) || S_ISDIR(status.st_mode));
}

static void test_descriptors(void **state)
{
	unsigned before = count_entries("/proc/self/fd");
	int connection;

	start();
	assert_int_equal(count_entries("/proc/self/fd"), before + 2);
	connection = channel_connect();
	assert_true(channel_say(connection, "{\"jprof\":1,\"verb\":\"echo\"}"));
	assert_string_equal(channel_code(connection), "");
	assert_int_equal(count_entries("/proc/self/fd"), before + 4);
	for (int i = 3; i < 64; i++)
		if (i != connection && is_socket_or_folder(i))
			assert_true(fcntl(i, F_GETFD) & FD_CLOEXEC);
	close(connection);
	end();
}

static void test_signals(void **state)
{
	struct sigaction before, after;
	sigset_t mask_before, mask_after;

	sigaction(SIGPIPE, NULL, &before);
	pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
	start();
	end();
	sigaction(SIGPIPE, NULL, &after);
	pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
	assert_memory_equal(&mask_before, &mask_after, 8);
	assert_int_equal(lock_violations(), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, channel_make_root, channel_remove_root)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(test_hello),
		CASE(test_peer),
		CASE(test_many),
		CASE(test_twice),
		CASE(test_no_place),
		CASE(test_detach),
		CASE(test_end_during_verb),
		CASE(test_end_inside_verb),
		CASE(test_gone),
		CASE(test_end_by_many),
		CASE(test_fork),
		CASE(test_thread),
		CASE(test_descriptors),
		CASE(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
