/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * shell_word: a text as a word of a command that can be copied into a shell.
 *
 *   h2.jprof   'com.acme.Foo$1.run'   'it'\''s'   $'a\u001bb'
 *
 * The last form, of texts that hold what a terminal might obey (error/harmless.h), is known by bash, zsh and ksh.
 */
#ifndef JPROF_REPORT_SHELL_WORD_H
#define JPROF_REPORT_SHELL_WORD_H

#include "report/text/out.h"

/* Appends the word, quoted where a shell would take it for more than a word. What is written is harmless. */
void out_shell_word(struct out *out, const char *text, size_t length);

#endif
