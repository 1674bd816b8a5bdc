/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_groups: see io_groups.h. */
#include "agent/io/io_groups.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
	ENDING_MAX = 8,      /* longer ones are no endings */
	HEXADECIMAL_MIN = 8, /* shorter ones are words and numbers: "db7" */
	UUID_LENGTH = 36
};

/* Bytes on their way into a text, which stays below its size. */
struct text {
	char *bytes;
	size_t length;
	bool full;
};

static void put(struct text *text, const char *bytes, size_t length)
{
	/* A byte is left for the '*' that says that the name goes on. */
	size_t room = GROUP_TEXT - 1 - text->length;

	if (length > room) {
		text->full = true;
		length = room;
	}
	if (length > 0)
		memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
}

static struct io_name name_of(struct text *text)
{
	if (text->full)
		text->bytes[text->length++] = '*';
	return (struct io_name){text->bytes, text->length};
}

/* ---- patterns ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A run of letters and digits that no person chose. */
static bool is_random(const char *run, size_t length)
{
	bool hexadecimal = true;
	size_t changes = 0, digits = 0;

	for (size_t i = 0; i < length; i++) {
		digits += is_digit(run[i]);
		hexadecimal &= isxdigit((unsigned char)run[i]) != 0;
		changes += i > 0 && is_digit(run[i]) != is_digit(run[i - 1]);
	}
	return digits > 0 && (changes > 1 || (hexadecimal && length >= HEXADECIMAL_MIN));
}

static void put_run(struct text *text, const char *run, size_t length)
{
	if (is_random(run, length)) {
		put(text, "*", 1);
		return;
	}
	for (size_t i = 0; i < length; i++) {
		if (!is_digit(run[i]))
			put(text, &run[i], 1);
		else if (i + 1 == length || !is_digit(run[i + 1]))
			put(text, "*", 1);
	}
}

/* 550e8400-e29b-41d4-a716-446655440000 (RFC 9562). */
static bool is_uuid(const char *bytes)
{
	for (int i = 0; i < UUID_LENGTH; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? bytes[i] != '-' : !isxdigit((unsigned char)bytes[i]))
			return false;
	}
	return true;
}

static void put_pattern(struct text *text, struct io_name name)
{
	size_t end;

	for (size_t i = 0; i < name.length && !text->full; i = end) {
		if (name.length - i >= UUID_LENGTH && is_uuid(name.bytes + i)) {
			put(text, "*", 1);
			end = i + UUID_LENGTH;
			continue;
		}
		for (end = i; end < name.length &&
			      (is_digit(name.bytes[end]) || is_letter(name.bytes[end]));
			end++)
			;
		if (end > i)
			put_run(text, name.bytes + i, end - i);
		else
			put(text, name.bytes + end++, 1);
	}
}

/* ---- files ---- */

static const char *last_of(struct io_name name, char c)
{
	return name.length > 0 ? memrchr(name.bytes, c, name.length) : NULL;
}

/* The folder's pattern, '*' and the ending. */
static void put_folder(struct text *text, struct io_name path)
{
	const char *slash = last_of(path, '/'), *dot = last_of(path, '.');
	const char *end = path.bytes + path.length;

	if (slash)
		put_pattern(text,
			(struct io_name){path.bytes, (size_t)(slash - path.bytes) + 1});
	put(text, "*", 1);
	if (dot && dot > slash && end - dot <= ENDING_MAX)
		put_pattern(text, (struct io_name){dot, (size_t)(end - dot)});
}

/* "*.example.com"; an address, or a name without a domain, is any. */
static void put_domain(struct text *text, struct io_name host)
{
	const char *dot = host.length > 0 ? memchr(host.bytes, '.', host.length) : NULL;

	put(text, "*", 1);
	if (dot && is_letter(host.bytes[host.length - 1]))
		put_pattern(text,
			(struct io_name){dot, host.length - (size_t)(dot - host.bytes)});
}

/* ---- connections ---- */

static struct io_name port_of(struct io_name address)
{
	const char *colon = last_of(address, ':');

	if (!colon)
		return (struct io_name){NULL, 0};
	return (struct io_name){colon, address.length - (size_t)(colon - address.bytes)};
}

static void put_host(struct text *text, struct io_name address)
{
	put(text, address.bytes, address.length - port_of(address).length);
	put(text, ":*", 2);
}

/* Of a connection that was there already: ports that the system gives are high. */
static bool is_accepted(const struct io_opening *opening)
{
	struct io_name local = port_of(opening->name), remote = port_of(opening->peer);

	if (opening->side != SIDE_UNKNOWN)
		return opening->side == SIDE_ACCEPTED;
	return local.length > 0 && remote.length > 0 &&
	       atoi(local.bytes + 1) < atoi(remote.bytes + 1);
}

static void put_connection(
	const struct io_opening *opening, bool fine, struct text *name, struct text *peer)
{
	struct io_name remote = port_of(opening->peer);

	if (opening->peer.length == 0) {
		if (fine || opening->name.length == 0)
			put(name, opening->name.bytes, opening->name.length);
		else
			put_host(name, opening->name);
	} else if (is_accepted(opening)) {
		put(name, opening->name.bytes, opening->name.length);
		if (fine)
			put_host(peer, opening->peer);
		else
			put(peer, "*", 1);
	} else if (fine) {
		put_host(name, opening->name);
		put(peer, opening->peer.bytes, opening->peer.length);
	} else {
		put(name, "*", 1);
		put(peer, "*", 1);
		put(peer, remote.bytes, remote.length);
	}
}

/* ---- the group ---- */

static void put_group(
	const struct io_opening *opening, bool fine, struct text *name, struct text *peer)
{
	switch (opening->kind) {
	case IO_TCP:
	case IO_UDP:
		put_connection(opening, fine, name, peer);
		return;
	case IO_HOST:
		if (fine)
			put_pattern(name, opening->name);
		else
			put_domain(name, opening->name);
		return;
	case IO_ENTRY:
		put_pattern(peer, opening->peer);
		if (fine)
			put_pattern(name, opening->name);
		else
			put(name, "*", 1);
		return;
	default:
		if (fine) {
			put_pattern(name, opening->name);
			put_pattern(peer, opening->peer);
		} else {
			put_folder(name, opening->name);
		}
	}
}

struct io_opening io_group_of(const struct io_opening *opening, enum io_grain grain,
	struct io_group_text *buffers)
{
	struct text name = {.bytes = buffers->name}, peer = {.bytes = buffers->peer};
	struct io_opening group = {.kind = opening->kind,
		.known = opening->known,
		.side = opening->side,
		.descriptor = IO_GROUP,
		.at = opening->at};

	if (grain == GRAIN_KIND)
		put(&name, "*", 1);
	else
		put_group(opening, grain == GRAIN_FINE, &name, &peer);
	group.name = name_of(&name);
	group.peer = name_of(&peer);
	return group;
}
