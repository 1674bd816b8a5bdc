/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sql_shape: a statement of SQL without the values in it.
 *
 *   select * from t where name = 'x' and id in (1, 2, 3) -- c   select * from t where name = ? and id in (?, ...)
 *   insert into t values (1, 'a'), (2, 'b')                     insert into t values (?, ...)
 *
 * - Strings, dates, numbers, bits and bytes become '?'; names, words (null, true) and parameters (?, :name, $1, @p) stay.
 * - Comments go; white space is a blank at most, none inside of parentheses' ends or in front of commas, one behind these.
 * - In parentheses, values that follow one another are `?, ...`, and so is one that is alone behind IN. Of the rows of VALUES, and of
 *   those in a list behind IN, the first one stays.
 *
 * The text is read as every database reads it that may have got it: PostgreSQL, MySQL, Oracle, SQL Server, SQLite, H2, Db2. Where they
 * differ about where a string ends, the rest of the text is one '?': nothing that one of them takes for a
 * string may stay. So it is with
 *   - a backslash in front of the quote that would end a string, but for E'..' and for ESCAPE '\'
 *   - a '#' or a "--" that begins a comment in some of them only, if a quote, a '$' or a comment is in the rest of the line
 *   - a comment within a comment, quotes within [brackets], and a string or comment without an end.
 * "x" is a name in most of them and a string in MySQL: it stays where only a name can be: at a dot, behind FROM, JOIN, INTO...
 *
 * Our own, as what there is for C does less: SQLite's normalize.c knows SQLite's dialect, and needs its parser; libpg_query is
 * PostgreSQL's parser, 10 MB of it, and refuses what that does.
 *
 * Runs: on any thread, in time linear in the text, without memory of its own.
 */
#ifndef JPROF_SQL_SHAPE_H
#define JPROF_SQL_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

/* True: the text begins as a statement does: with a verb, behind blanks, comments, '(' and the '{' of JDBC's calls. */
bool is_sql(const char *text, size_t length);

/* The length of the shape, of which at most `size` bytes are written. It is its own shape. */
size_t sql_shape(const char *text, size_t length, char *shape, size_t size);

#endif
