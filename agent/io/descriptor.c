/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* descriptor: see descriptor.h. */
#include "agent/io/descriptor.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un path;
};

/* "127.0.0.1:80", also for IPv4 in IPv6; "[::1]:80"; nothing for what is not bound. */
static void write_address(
	const union address *address, socklen_t length, char *text, size_t size)
{
	const struct in6_addr *v6 = &address->v6.sin6_addr;
	char host[INET6_ADDRSTRLEN];
	size_t path = length - offsetof(struct sockaddr_un, sun_path);

	*text = '\0';
	switch (address->any.sa_family) {
	case AF_INET:
		if (address->v4.sin_port == 0)
			return;
		inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
		snprintf(text, size, "%s:%u", host, ntohs(address->v4.sin_port));
		return;
	case AF_INET6:
		if (address->v6.sin6_port == 0)
			return;
		if (IN6_IS_ADDR_V4MAPPED(v6))
			inet_ntop(AF_INET, &v6->s6_addr[12], host, sizeof(host));
		else
			inet_ntop(AF_INET6, v6, host, sizeof(host));
		snprintf(text, size, IN6_IS_ADDR_V4MAPPED(v6) ? "%s:%u" : "[%s]:%u", host,
			ntohs(address->v6.sin6_port));
		return;
	case AF_UNIX:
		if (length <= offsetof(struct sockaddr_un, sun_path))
			return;
		/* An abstract name begins with a NUL: '@', as ss(8) writes it (unix(7)). */
		if (address->path.sun_path[0] == '\0')
			snprintf(
				text, size, "@%.*s", (int)path - 1, address->path.sun_path + 1);
		else
			snprintf(text, size, "%.*s", (int)path, address->path.sun_path);
		return;
	default:
		return;
	}
}

/* The address that ask gives of the socket, into text. Returns its family. */
static int write_asked(int number, int (*ask)(int number, struct sockaddr *, socklen_t *),
	char *text, size_t size)
{
	union address address = {.any.sa_family = AF_UNSPEC};
	socklen_t length = sizeof(address);

	*text = '\0';
	if (ask(number, &address.any, &length) == 0)
		write_address(&address, length, text, size);
	return address.any.sa_family;
}

static void look_at_socket(int number, struct descriptor *descriptor)
{
	socklen_t length = sizeof(int);
	int type = 0;
	int family = write_asked(
		number, getsockname, descriptor->name_text, sizeof(descriptor->name_text));

	write_asked(number, getpeername, descriptor->peer_text, sizeof(descriptor->peer_text));
	if (family == AF_UNIX)
		descriptor->kind = IO_UNIX;
	else if ((family != AF_INET && family != AF_INET6) ||
		 getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length))
		descriptor->kind = IO_OTHER;
	else
		descriptor->kind = type == SOCK_DGRAM ? IO_UDP : IO_TCP;
}

static enum io_kind kind_of(int number, mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
	case S_IFBLK:
		return IO_FILE;
	case S_IFDIR:
		return IO_DIRECTORY;
	case S_IFIFO:
		return IO_PIPE;
	case S_IFCHR:
		return isatty(number) ? IO_TERMINAL : IO_FILE;
	default:
		return IO_OTHER;
	}
}

enum io_kind descriptor_kind(int number)
{
	int saved_errno = errno;
	struct stat status;
	enum io_kind kind =
		fstat(number, &status) == 0 ? kind_of(number, status.st_mode) : IO_OTHER;

	errno = saved_errno;
	return kind;
}

bool descriptor_look(int number, struct descriptor *descriptor)
{
	int saved_errno = errno;
	struct stat status;
	bool open = fstat(number, &status) == 0;
	char link[64];
	ssize_t length;

	if (open && S_ISSOCK(status.st_mode)) {
		look_at_socket(number, descriptor);
	} else if (open) {
		descriptor->kind = kind_of(number, status.st_mode);
		snprintf(link, sizeof(link), "/proc/self/fd/%d", number);
		length = readlink(
			link, descriptor->name_text, sizeof(descriptor->name_text) - 1);
		descriptor->name_text[length > 0 ? length : 0] = '\0';
		*descriptor->peer_text = '\0';
	}
	if (open) {
		descriptor->name =
			(struct io_name){descriptor->name_text, strlen(descriptor->name_text)};
		descriptor->peer =
			(struct io_name){descriptor->peer_text, strlen(descriptor->peer_text)};
	}
	errno = saved_errno;
	return open;
}

void descriptors_each(void (*found)(void *user, int number), void *user)
{
	int saved_errno = errno;
	DIR *directory = opendir("/proc/self/fd");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL) {
		char *end;
		long number = strtol(entry->d_name, &end, 10);

		if (*entry->d_name != '.' && *end == '\0' && number != dirfd(directory))
			found(user, (int)number);
	}
	if (directory)
		closedir(directory);
	errno = saved_errno;
}

void address_write(const void *bytes, size_t length, char *text)
{
	*text = '\0';
	inet_ntop(length == 4 ? AF_INET : AF_INET6, bytes, text, DESCRIPTOR_ADDRESS_MAX);
}

struct io_name path_absolute(struct io_name path, char *text)
{
	size_t length;

	if (path.length == 0 || path.bytes[0] == '/' || !getcwd(text, DESCRIPTOR_NAME_MAX))
		return path;
	length = strlen(text);
	if (length > 1)
		text[length++] = '/';
	if (length + path.length >= DESCRIPTOR_NAME_MAX)
		return path;
	memcpy(text + length, path.bytes, path.length);
	return (struct io_name){text, length + path.length};
}
