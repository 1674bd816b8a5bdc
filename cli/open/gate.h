/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * gate: who may ask the server anything.
 *
 * The server listens on 127.0.0.1, where every user of this machine, and every web page in this user's browser,
 * can reach it. What lets a request in:
 *
 *   Host      our own, 127.0.0.1:PORT or localhost:PORT: a name of somebody else's that was made to lead here (DNS
 *             rebinding) is another one
 *   token     128 random bits in the path, in the address that jprof prints
 *   cookie    128 other ones, which the first answer to /TOKEN/ sets and no later one does: who comes to
 *             know the address afterwards gets the page, which holds nothing, and no data. It is
 *             Path=/TOKEN/, as cookies do not know of ports: other servers of this machine never see it
 *   Origin    if it is there, our own; it must be for requests that change something
 *   Sec-Fetch-Site  if it is there, the page's own (same-origin) or the user's (none). The page itself may also be
 *             navigated to from elsewhere, as a top-level document: so does the file that opens the browser
 *
 * The page is not bound to the cookie as browsers do not send one that is SameSite=Strict when a page to which another
 * one (that file) has led is loaded anew.
 *
 * Texts are compared in a time that does not depend on where they differ.
 */
#ifndef JPROF_CLI_GATE_H
#define JPROF_CLI_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "error/error.h"

/* As hexadecimal digits. */
enum { SECRET_DIGITS = 32 };

struct gate {
	char token[SECRET_DIGITS + 1], cookie[SECRET_DIGITS + 1];
	unsigned port;
	bool is_taken; /* the cookie was given to a browser */
};

/* Draws the secrets; the port is set later. 0, or a negative code. */
int gate_init(struct gate *gate, struct error *error);

/* What a request says of itself; members are NULL where it does not, and borrowed. */
struct claim {
	bool is_post;
	const char *path; /* as it was sent, without the query */
	const char *host, *origin, *site, *mode, *destination, *content_type;
	const char *cookie; /* all of them, "a=1; jprof=..." */
	bool is_ambiguous;  /* one of these headers is there twice */
};

enum verdict {
	GATE_STRANGER, /* not to be told anything: 403 */
	GATE_UNKNOWN,  /* no such place, or not for him: 404 */
	GATE_PAGE,     /* may have the page */
	GATE_LATE,     /* has the token, but another browser has the cookie: 403, and why */
	GATE_GUEST     /* may have what is named by place */
};

/* *place: what follows /TOKEN/ in the path, borrowed from it. */
enum verdict gate_judge(const struct gate *gate, const struct claim *claim, const char **place);

/* The value of the header Set-Cookie for the first page, into text; false: it was given away. */
enum { GATE_COOKIE_SIZE = 160 };
bool gate_give_cookie(struct gate *gate, char text[GATE_COOKIE_SIZE]);

/* A request with a body, of the type that no form can send without asking first. */
bool gate_is_json(const struct claim *claim);

#endif
