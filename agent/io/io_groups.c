/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_groups: see io_groups.h. */
#include "agent/io/io_groups.h"

#include <stdlib.h>
#include <string.h>

#include "profile/name_pattern.h"

enum { ENDING_MAX = 8 /* longer ones are no endings */ };

static void put_pattern(struct pattern_text *text, struct io_name name)
{
	pattern_put_name(text, name.bytes, name.length);
}

/* One that goes on ends with '*'. */
static struct io_name name_of(struct pattern_text *text)
{
	if (text->full)
		text->bytes[text->length++] = '*';
	return (struct io_name){text->bytes, text->length};
}

/* ---- files ---- */

static const char *last_of(struct io_name name, char c)
{
	return name.length > 0 ? memrchr(name.bytes, c, name.length) : NULL;
}

/* The folder's pattern, '*' and the ending. */
static void put_folder(struct pattern_text *text, struct io_name path)
{
	const char *slash = last_of(path, '/'), *dot = last_of(path, '.');
	const char *end = path.bytes + path.length;

	if (slash)
		put_pattern(
			text, (struct io_name){path.bytes, (size_t)(slash - path.bytes) + 1});
	pattern_put(text, "*", 1);
	if (dot && dot > slash && end - dot <= ENDING_MAX)
		put_pattern(text, (struct io_name){dot, (size_t)(end - dot)});
}

/* "*.example.com"; an address, or a name without a domain, is any. */
static void put_domain(struct pattern_text *text, struct io_name host)
{
	const char *dot = host.length > 0 ? memchr(host.bytes, '.', host.length) : NULL;
	char last = host.length > 0 ? host.bytes[host.length - 1] : '0';

	pattern_put(text, "*", 1);
	if (dot && (last < '0' || last > '9'))
		put_pattern(
			text, (struct io_name){dot, host.length - (size_t)(dot - host.bytes)});
}

/* ---- connections ---- */

static struct io_name port_of(struct io_name address)
{
	const char *colon = last_of(address, ':');

	if (!colon)
		return (struct io_name){NULL, 0};
	return (struct io_name){colon, address.length - (size_t)(colon - address.bytes)};
}

static void put_host(struct pattern_text *text, struct io_name address)
{
	pattern_put(text, address.bytes, address.length - port_of(address).length);
	pattern_put(text, ":*", 2);
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

static void put_connection(const struct io_opening *opening, bool fine,
	struct pattern_text *name, struct pattern_text *peer)
{
	struct io_name remote = port_of(opening->peer);

	if (opening->peer.length == 0) {
		if (fine || opening->name.length == 0)
			pattern_put(name, opening->name.bytes, opening->name.length);
		else
			put_host(name, opening->name);
	} else if (is_accepted(opening)) {
		pattern_put(name, opening->name.bytes, opening->name.length);
		if (fine)
			put_host(peer, opening->peer);
		else
			pattern_put(peer, "*", 1);
	} else if (fine) {
		put_host(name, opening->name);
		pattern_put(peer, opening->peer.bytes, opening->peer.length);
	} else {
		pattern_put(name, "*", 1);
		pattern_put(peer, "*", 1);
		pattern_put(peer, remote.bytes, remote.length);
	}
}

/* ---- the group ---- */

static void put_group(const struct io_opening *opening, bool fine, struct pattern_text *name,
	struct pattern_text *peer)
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
			pattern_put(name, "*", 1);
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

struct io_opening io_group_of(
	const struct io_opening *opening, enum io_grain grain, struct io_group_text *buffers)
{
	struct pattern_text name = {.bytes = buffers->name, .size = GROUP_TEXT};
	struct pattern_text peer = {.bytes = buffers->peer, .size = GROUP_TEXT};
	struct io_opening group = {.kind = opening->kind,
		.known = opening->known,
		.side = opening->side,
		.descriptor = IO_GROUP,
		.at = opening->at};

	if (grain == GRAIN_KIND)
		pattern_put(&name, "*", 1);
	else
		put_group(opening, grain == GRAIN_FINE, &name, &peer);
	group.name = name_of(&name);
	group.peer = name_of(&peer);
	return group;
}
