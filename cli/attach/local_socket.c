/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * local_socket: holds the socket's file (O_PATH) while it looks at it, and connects to
 * that by way of /proc/self/fd/N: no other one, or a link, can be put in its place.
 */
#include "cli/attach/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/terminal/waiting.h"

enum { CONNECT_LIMIT = 5000, CONNECT_PAUSE = 20 };

/* Connects to the file that is held, as the target's user; tries while the listener's queue is
 * full. 0, or a negative code. */
static int connect_held(const struct target *target, int descriptor, int file, const char *what,
	struct error *error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	struct waiting waiting;
	int reason;

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", file);
	waiting_begin(&waiting, CONNECT_LIMIT, "process %ld to take a connection to its %s",
		(long)target->pid, what);
	target_become(target);
	do {
		reason = connect(descriptor, (const struct sockaddr *)&address,
				 sizeof(address)) == 0
				 ? 0
				 : errno;
	} while ((reason == EINTR || reason == EAGAIN) &&
		 waiting_again(&waiting, CONNECT_PAUSE));
	target_unbecome();
	waiting_end(&waiting);
	if (reason != 0)
		return error_set_errno(error, reason == ECONNREFUSED ? ERROR_MISSING : ERROR_IO,
			reason, "cannot connect to the %s of process %ld", what,
			(long)target->pid);
	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
		peer.pid == target->pid)
		return 0;
	return error_set(error, ERROR_DENIED,
		"the %s of process %ld is held by another process (%ld): not used", what,
		(long)target->pid, (long)peer.pid);
}

int local_socket_connect(const struct target *target, int directory, const char *name,
	const char *what, struct error *error)
{
	/* The file itself, be it a link. */
	int file = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int descriptor = -1, failed;
	const char *why = NULL;
	struct stat status;

	if (file < 0 && errno == ENOENT)
		return error_set(
			error, ERROR_MISSING, "process %ld has no %s", (long)target->pid, what);
	if (file < 0)
		return error_set_errno(error, ERROR_IO, errno, "cannot look at '%s'", name);
	if (fstat(file, &status) != 0)
		why = "it cannot be looked at";
	else if (!S_ISSOCK(status.st_mode))
		why = "it is no socket";
	else if (status.st_uid != target->uid && status.st_uid != 0)
		why = "it belongs to another user";
	else if ((status.st_mode & 077) != 0)
		why = "it is open to other users";
	if (why)
		failed = error_set(error, ERROR_DENIED,
			"the %s '%s' of process %ld is not to be trusted: %s", what, name,
			(long)target->pid, why);
	else if ((descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) <
		 0)
		failed = error_set_errno(error, ERROR_IO, errno, "cannot make a socket");
	else
		failed = connect_held(target, descriptor, file, what, error);
	close(file);
	if (failed != 0 && descriptor >= 0)
		close(descriptor);
	return failed != 0 ? failed : descriptor;
}

int local_socket_send(int descriptor, const char *bytes, size_t size, struct waiting *waiting,
	struct error *error)
{
	ssize_t sent;

	while (size > 0) {
		if (waiting_for(waiting, descriptor, POLLOUT) == 0)
			return waiting_late(waiting, error);
		sent = send(descriptor, bytes, size, MSG_NOSIGNAL);
		if (sent < 0 && errno != EINTR && errno != EAGAIN)
			return error_set(
				error, ERROR_IO, "the connection was closed without an answer");
		if (sent > 0) {
			bytes += sent;
			size -= (size_t)sent;
		}
	}
	return 0;
}

long local_socket_receive(
	int descriptor, char *bytes, size_t size, struct waiting *waiting, struct error *error)
{
	ssize_t got;

	do {
		if (waiting_for(waiting, descriptor, POLLIN) == 0)
			return waiting_late(waiting, error);
		got = recv(descriptor, bytes, size, 0);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));
	/* A listener that ends with bytes of ours unread resets the connection. */
	if (got < 0 && errno != ECONNRESET)
		return error_set_errno(error, ERROR_IO, errno, "cannot read an answer");
	return got < 0 ? 0 : (long)got;
}
