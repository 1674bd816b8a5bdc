/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * matches: what the patterns that choose what is recorded have matched.
 *
 * One JSON array tells it, in the answers to start, status, stop and detach and in the profile's
 * fact "matches":
 *
 *   [{"option": "scope", "pattern": "com.acme.Shpo.buy", "matches": 0, "near": ["com.acme.Shop.buy"]}, ...]
 *
 * matches: how often it was seen to match a method (of a class that gets probes twice, twice), or
 * a thread. near: where it is 0, the names that come nearest, best first; may be missing. The
 * reader takes any JSON: what is of another shape is skipped.
 */
#ifndef JPROF_MATCHES_H
#define JPROF_MATCHES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row. near: taken, may be NULL. Owned; NULL without memory. */
json_t *matches_row(const char *option, const char *pattern, uint64_t matches, json_t *near);

/* Lines for people: a config file may hold hundreds of patterns. */
enum { MATCHES_SAID = 5 };

/* Calls say with a line for each pattern that has matched nothing, but for `most` at most (0: for all),
 * and then with one that says how many more there are. has_ended: so has the recording; before that,
 * something may still come. The line may hold whatever names may hold. Returns how many there are. */
size_t matches_say(const json_t *rows, bool has_ended, size_t most,
	void (*say)(void *user, const char *line), void *user);

/* What is said of the following: "" or " yet", and the option. */
#define MATCHES_NOTHING "no call was recorded%s: nothing matches '%s'"

/* The option no pattern of which has matched anything, so that no call can have been recorded:
 * "include", "scope" or "threads"; NULL: there is none. */
const char *matches_nothing(const json_t *rows);

#endif
