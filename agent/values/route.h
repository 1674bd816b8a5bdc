/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * route: the path of a URL without the values in it, so that calls of one handler have one text.
 *
 *   GET /orders/4711/lines?key=abc#top          GET /orders/{}/lines
 *   /users/3f2504e0-4f89-11d3-9a0c-0305e82c3301  /users/{}
 *   /app;jsessionid=A1B2C3/home                  /app/home
 *
 * A value is a part between slashes that is a number, or hexadecimal digits, dashes among them, as UUIDs are (8 or more of
 * which one is decimal), or has '@', '=', '%' or ',', or more than 40 bytes. What is behind '?' or '#' is left out, as is what is behind ';' in a
 * part. Blanks part words, each of which may be a path; words without a slash stay as they are, up to '?', '#' and ';'.
 *
 * Runs: on any thread, in time linear in the text.
 */
#ifndef JPROF_VALUES_ROUTE_H
#define JPROF_VALUES_ROUTE_H

#include <stddef.h>

/* The length of the route, of which at most `size` bytes are written. */
size_t route_of(const char *text, size_t length, char *route, size_t size);

#endif
