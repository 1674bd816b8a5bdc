/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * value_text: the text that is kept of what a call was given.
 *
 *   KEEP_PLAIN   Orders 2026                      Orders 2026
 *   KEEP_HASH    alice@example.com                #5e0c1b7a99d2f340
 *   KEEP_SHAPE   select x from t where id = 17    select x from t where id = ?
 *   KEEP_ROUTE   GET /orders/4711?key=abc         GET /orders/{}
 *   KEEP_AUTO    KEEP_SHAPE of what begins as statements of SQL do, otherwise KEEP_PLAIN
 *
 * Runs: on any thread, without locks or memory of its own.
 */
#ifndef JPROF_VALUE_TEXT_H
#define JPROF_VALUE_TEXT_H

#include <stddef.h>

#include "agent/values/text_hash.h"
#include "options/parameter_sets.h"

enum { VALUE_TEXT_MAX = 4096 }; /* bytes of a kept text */

/* How many bytes of a text stay, if it may have `limit` (8 at least) with a "..." behind them; not half of a character of UTF-8.
 * length, if nothing needs to go. */
size_t value_cut(const char *text, size_t length, size_t limit);

/* Writes what is kept of the text: `limit` bytes at most (8 to VALUE_TEXT_MAX; a hash has 17 always),
 * whose number it returns. key: of KEEP_HASH. */
size_t value_text(enum value_keep keep, struct hash_key key, const char *text, size_t length,
	char *kept, size_t limit);

#endif
