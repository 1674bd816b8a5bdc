/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * log_lines: bytes of the JVM's log into lines.
 *
 *   [75364570801489ns][15283][gc,start   ] GC(3) Pause Young (Allocation Failure)
 *    time              thread tags           text
 *
 * In:  bytes as they come, cut anywhere, by an output with the decorators timenanos, tid, tags.
 * Out: each whole line, once; what is no such line (the rest of a message of several lines, bytes
 *      behind a gap) is counted. Lines may say anything: names in them come from outside.
 */
#ifndef JPROF_LOG_LINES_H
#define JPROF_LOG_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	LOG_LINE_MAX = 256 * 1024
}; /* bytes; a method's name and descriptor have 65,535 each at most */

/* Borrowed for the call. */
struct log_line {
	uint64_t at;      /* CLOCK_MONOTONIC, ns */
	uint64_t thread;  /* the number that the system has for it */
	const char *tags; /* "gc,start" */
	const char *text;
};

typedef void (*log_line_taker)(void *argument, const struct log_line *line);

struct log_lines { /* embedded: init, fini */
	log_line_taker take;
	void *argument;
	char *kept; /* the beginning of a line; owned */
	size_t length, room;
	bool skipping;           /* up to the line's end */
	uint64_t lines, strange; /* taken; of another form, or too long, or without memory */
};

void log_lines_init(struct log_lines *lines, log_line_taker take, void *argument);

/* Calls take for each line that ends within the bytes. */
void log_lines_feed(struct log_lines *lines, const char *bytes, size_t size);

/* Bytes were left out: what comes next is behind them. The line that they were in is none. */
void log_lines_gap(struct log_lines *lines);

void log_lines_fini(struct log_lines *lines);

/* True if the line's tags are these: those of a set have no order that lasts from one JVM to the next, so each has to be
 * there, and no other. */
bool log_line_has_tags(const struct log_line *line, const char *tags);

#endif
