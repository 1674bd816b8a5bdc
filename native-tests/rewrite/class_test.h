/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * class_test: class files put together by hand, rewritten, and taken apart again.
 *
 * Bytes are written as hexadecimal digits, spaces as you like. In what comes out the calls of
 * the probes are shown as words: enter, exit, caught, unwind, entered (four bytes each, as the first id
 * is 1), the invokestatic of a reading as valueL, valueJ, valueD, resultL, resultJ, resultD (three bytes each), and the
 * index of java.lang.Throwable as T.
 */
#ifndef JPROF_CLASS_TEST_H
#define JPROF_CLASS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/rewrite/cursor.h"
#include "agent/rewrite/rewrite.h"

/* Constants that every class has, by index. */
enum {
	TEST_CODE = 1, /* Utf8 "Code" */
	TEST_STACK_MAP = 2,
	TEST_LINES = 3,
	TEST_LOCALS = 4,
	TEST_TYPES = 5,       /* "RuntimeVisibleTypeAnnotations" */
	TEST_ANNOTATIONS = 6, /* "RuntimeVisibleAnnotations" */
	TEST_OTHER = 7,       /* "Other" */
	TEST_INIT = 8,        /* "<init>" */
	TEST_VOID = 9,        /* "()V" */
	TEST_THIS_NAME = 10,
	TEST_THIS = 11, /* class Test */
	TEST_SUPER_NAME = 12,
	TEST_SUPER = 13, /* class java/lang/Object */
	TEST_INIT_VOID = 14,
	TEST_SUPER_INIT = 15, /* method java/lang/Object.<init>()V */
	TEST_THIS_INIT = 16,  /* method Test.<init>()V */
	TEST_LONG = 17,       /* long, takes two */
	TEST_INTRINSIC = 19,  /* the annotation's descriptor */
	TEST_FIELD_NAME = 20, /* "x" */
	TEST_FIELD_TYPE = 21, /* "J" */
	TEST_FIELD_BOTH = 22,
	TEST_FIELD = 23, /* long Test.x */
	TEST_CONSTANTS = 24
};

struct test_attribute {
	uint16_t name;
	const char *content; /* hexadecimal */
};

struct test_method {
	const char *name, *descriptor; /* NULL: m()V */
	uint16_t access;               /* 0: static, but for <init> */
	uint16_t max_stack, max_locals;
	const char *code;                          /* NULL: the method has none */
	const char *rows;                          /* of the exception table; NULL: none */
	struct test_attribute attribute[4];        /* of the code; name 0 ends them */
	struct test_attribute method_attribute[2]; /* of the method */
};

struct test_class {
	struct writer pool, methods;
	uint16_t constants, method_count, version;
};

/* What became of the first method. */
struct test_code {
	enum rewrite_reason reason;        /* of the class */
	enum rewrite_reason method_reason; /* what untouched was told, else REWRITE_OK */
	unsigned untouched;                /* how often, of any method */
	unsigned unread;                   /* the same of readings; and the last one: */
	unsigned unread_last;              /* its place in test_reading */
	enum rewrite_reason unread_reason;
	struct rewrite_result result;
	unsigned max_stack, max_locals;
	size_t length;
	char *code, *rows; /* hexadecimal with words; NULL if it was not rewritten */
	struct {
		char name[40];
		char *content;
	} attribute[8];
	unsigned attributes;
};

void test_class_begin(struct test_class *test, uint16_t version);
uint16_t test_class_utf8(struct test_class *test, const char *text);
void test_class_method(struct test_class *test, const struct test_method *method);

/* The class file; the caller's (free). test_class_fini is not needed after it. */
uint8_t *test_class_end(struct test_class *test, size_t *size);

/* Bytes of hexadecimal digits appended. */
void test_hex(struct writer *writer, const char *digits);

/* The first method's id; the others count on from it. */
extern uint32_t test_first_id;

/* What all of them get: PROBE_TIMED, unless a test changes it; and where there is no room for that. */
extern probe_set test_kinds, test_otherwise;

/* The readings of all of them: none, unless a test changes it. */
extern const struct rewrite_reading *test_reading;
extern unsigned test_readings;

/* Rewrites all methods, and takes the first one apart. */
struct test_code test_rewrite(const uint8_t *bytes, size_t size);
struct test_code test_rewrite_method(uint16_t version, const struct test_method *method);
void test_code_fini(struct test_code *code);

/* The content of the first such attribute, NULL if there is none. */
const char *test_content(const struct test_code *code, const char *name);

/* Compares texts, spaces apart, and says the line of the case. */
void test_same(unsigned line, const char *what, const char *got, const char *expected);

#endif
