/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* gate: see gate.h. */
#include "cli/open/gate.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

#define COOKIE_NAME "jprof"
#define JSON_TYPE   "application/json"

static int draw(char text[SECRET_DIGITS + 1], struct error *error)
{
	unsigned char bytes[SECRET_DIGITS / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return error_set_errno(
			error, ERROR_IO, errno, "cannot get random numbers for the address");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

int gate_init(struct gate *gate, struct error *error)
{
	*gate = (struct gate){0};
	return draw(gate->token, error) == 0 ? draw(gate->cookie, error) : -(int)error->code;
}

/* Whether text begins with the secret; reads all of it, be it right or not. */
static bool has_secret(const char *text, const char *secret)
{
	volatile unsigned char differs = 0;

	if (strnlen(text, SECRET_DIGITS) < SECRET_DIGITS)
		return false;
	for (size_t i = 0; i < SECRET_DIGITS; i++)
		differs |= (unsigned char)(text[i] ^ secret[i]);
	return differs == 0;
}

/* What follows "/TOKEN/", or NULL. */
static const char *place_of(const struct gate *gate, const char *path)
{
	bool is_right = path[0] == '/' && has_secret(path + 1, gate->token);

	return is_right && path[1 + SECRET_DIGITS] == '/' ? path + 2 + SECRET_DIGITS : NULL;
}

/* One of the cookies is ours: another server of this machine may have set one of the same name. */
static bool has_cookie(const struct gate *gate, const char *cookies)
{
	static const char name[] = COOKIE_NAME "=";
	bool found = false;

	while (cookies && *cookies != '\0') {
		size_t length;

		cookies += strspn(cookies, " ;");
		length = strcspn(cookies, ";");
		if (length == strlen(name) + SECRET_DIGITS &&
			strncmp(cookies, name, strlen(name)) == 0)
			found |= has_secret(cookies + strlen(name), gate->cookie);
		cookies += length;
	}
	return found;
}

static bool is_own_host(const struct gate *gate, const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	char own[32];

	for (size_t i = 0; host && i < sizeof(names) / sizeof(*names); i++) {
		snprintf(own, sizeof(own), "%s:%u", names[i], gate->port);
		if (strcasecmp(host, own) == 0)
			return true;
	}
	return false;
}

static bool is_own_origin(const struct claim *claim)
{
	static const char scheme[] = "http://";

	return strncmp(claim->origin, scheme, strlen(scheme)) == 0 &&
	       strcasecmp(claim->origin + strlen(scheme), claim->host) == 0;
}

/* The browser goes there, as to the document of a whole tab. */
static bool is_navigation(const struct claim *claim)
{
	return !claim->is_post && claim->mode && strcmp(claim->mode, "navigate") == 0 &&
	       claim->destination && strcmp(claim->destination, "document") == 0;
}

static bool is_own_site(const struct claim *claim)
{
	return !claim->site || strcmp(claim->site, "same-origin") == 0 ||
	       strcmp(claim->site, "none") == 0;
}

enum verdict gate_judge(const struct gate *gate, const struct claim *claim, const char **place)
{
	bool is_page;

	if (claim->is_ambiguous || !is_own_host(gate, claim->host) ||
		(claim->origin ? !is_own_origin(claim) : claim->is_post))
		return GATE_STRANGER;
	*place = place_of(gate, claim->path);
	is_page = *place && **place == '\0';
	if (!is_own_site(claim) && !(is_navigation(claim) && (is_page || !*place)))
		return GATE_STRANGER;
	if (!*place)
		return GATE_UNKNOWN;
	if (is_page)
		return claim->is_post ? GATE_UNKNOWN : GATE_PAGE;
	return has_cookie(gate, claim->cookie) ? GATE_GUEST : GATE_LATE;
}

bool gate_give_cookie(struct gate *gate, char text[GATE_COOKIE_SIZE])
{
	if (gate->is_taken)
		return false;
	gate->is_taken = true;
	snprintf(text, GATE_COOKIE_SIZE,
		COOKIE_NAME "=%s; Path=/%s/; HttpOnly; SameSite=Strict", gate->cookie,
		gate->token);
	return true;
}

bool gate_is_json(const struct claim *claim)
{
	const char *type = claim->content_type;
	size_t length = type ? strcspn(type, "; ") : 0;

	return length == strlen(JSON_TYPE) && strncasecmp(type, JSON_TYPE, length) == 0;
}
