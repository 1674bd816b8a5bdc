/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_test: putting together and taking apart. */
#include "class_test.h"

#include <ctype.h>
#include <stdio.h>

static const char probe_class[] = "Probe";
uint32_t test_first_id = 1;
probe_set test_kinds = PROBE_TIMED, test_otherwise = PROBE_NONE;
const struct rewrite_reading *test_reading;
unsigned test_readings;

static const char *const probe_names[] = {
	"enter", "exit", "unwind", "caught", "entered", "count"};

enum { PROBE_NAMES = sizeof(probe_names) / sizeof(*probe_names) };

/* What readings call. */
static const struct {
	const char *word, *name, *descriptor;
} reading_probes[] = {
	{"valueL", "value", "(Ljava/lang/Object;I)V"},
	{"valueJ", "value", "(JI)V"},
	{"valueD", "value", "(DI)V"},
	{"resultL", "result", "(Ljava/lang/Object;I)V"},
	{"resultJ", "result", "(JI)V"},
	{"resultD", "result", "(DI)V"},
};

enum { READING_PROBES = sizeof(reading_probes) / sizeof(*reading_probes) };

void test_hex(struct writer *writer, const char *digits)
{
	unsigned value = 0, count = 0;

	for (; digits && *digits; digits++) {
		if (isspace((unsigned char)*digits))
			continue;
		value = value << 4 |
			(unsigned)(isdigit((unsigned char)*digits) ? *digits - '0'
								   : *digits - 'a' + 10);
		if (++count % 2 == 0)
			write_u1(writer, value);
	}
	assert_int_equal(count % 2, 0);
}

uint16_t test_class_utf8(struct test_class *test, const char *text)
{
	write_u1(&test->pool, 1);
	write_u2(&test->pool, (uint32_t)strlen(text));
	write_copy(&test->pool, text, strlen(text));
	return test->constants++;
}

static void pool_add(struct test_class *test, const char *digits, unsigned indices)
{
	test_hex(&test->pool, digits);
	test->constants = (uint16_t)(test->constants + indices);
}

void test_class_begin(struct test_class *test, uint16_t version)
{
	*test = (struct test_class){.constants = 1, .version = version};
	test_class_utf8(test, "Code");
	test_class_utf8(test, "StackMapTable");
	test_class_utf8(test, "LineNumberTable");
	test_class_utf8(test, "LocalVariableTable");
	test_class_utf8(test, "RuntimeVisibleTypeAnnotations");
	test_class_utf8(test, "RuntimeVisibleAnnotations");
	test_class_utf8(test, "Other");
	test_class_utf8(test, "<init>");
	test_class_utf8(test, "()V");
	test_class_utf8(test, "Test");
	pool_add(test, "07 000a", 1);
	test_class_utf8(test, "java/lang/Object");
	pool_add(test, "07 000c", 1);
	pool_add(test, "0c 0008 0009", 1);
	pool_add(test, "0a 000d 000e", 1);
	pool_add(test, "0a 000b 000e", 1);
	pool_add(test, "05 0000000000000001", 2);
	test_class_utf8(test, "Ljdk/internal/vm/annotation/IntrinsicCandidate;");
	test_class_utf8(test, "x");
	test_class_utf8(test, "J");
	pool_add(test, "0c 0014 0015", 1);
	pool_add(test, "09 000b 0016", 1);
	assert_int_equal(test->constants, TEST_CONSTANTS);
}

static void attributes_write(
	struct writer *out, const struct test_attribute *attribute, size_t max)
{
	size_t count_at = out->size, size_at;
	uint32_t count = 0;

	write_u2(out, 0);
	for (; count < max && attribute[count].name; count++) {
		write_u2(out, attribute[count].name);
		size_at = out->size;
		write_u4(out, 0);
		test_hex(out, attribute[count].content);
		patch_u4(out, size_at, (uint32_t)(out->size - size_at - 4));
	}
	patch_u2(out, count_at, count);
}

static void code_write(struct writer *out, const struct test_method *method)
{
	size_t size_at, at;

	write_u2(out, TEST_CODE);
	size_at = out->size;
	write_u4(out, 0);
	write_u2(out, method->max_stack);
	write_u2(out, method->max_locals);
	at = out->size;
	write_u4(out, 0);
	test_hex(out, method->code);
	patch_u4(out, at, (uint32_t)(out->size - at - 4));
	at = out->size;
	write_u2(out, 0);
	test_hex(out, method->rows);
	patch_u2(out, at, (uint32_t)(out->size - at - 2) / 8);
	attributes_write(out, method->attribute, 4);
	patch_u4(out, size_at, (uint32_t)(out->size - size_at - 4));
}

void test_class_method(struct test_class *test, const struct test_method *method)
{
	struct writer *out = &test->methods;
	const char *name = method->name ? method->name : "m";
	bool constructor = strcmp(name, "<init>") == 0;
	size_t count_at;

	write_u2(out, method->access ? method->access : constructor ? 0 : 8);
	write_u2(out, test_class_utf8(test, name));
	write_u2(out, test_class_utf8(test, method->descriptor ? method->descriptor : "()V"));
	count_at = out->size;
	attributes_write(out, method->method_attribute, 2);
	if (method->code) {
		patch_u2(out, count_at,
			(uint32_t)(1 + (method->method_attribute[0].name != 0) +
				   (method->method_attribute[1].name != 0)));
		code_write(out, method);
	}
	test->method_count++;
}

uint8_t *test_class_end(struct test_class *test, size_t *size)
{
	struct writer out = {0};
	uint8_t *bytes;

	write_u4(&out, 0xcafebabe);
	write_u4(&out, test->version == 45 ? 3u << 16 | 45 : test->version);
	write_u2(&out, test->constants);
	write_copy(&out, test->pool.bytes, test->pool.size);
	/* public class Test extends Object, with a field x that has an attribute. */
	test_hex(&out, "0021 000b 000d 0000 0001 0000 0014 0015 0001 0007 00000001 ff");
	write_u2(&out, test->method_count);
	write_copy(&out, test->methods.bytes, test->methods.size);
	test_hex(&out, "0001 0007 00000002 abcd");
	free(test->pool.bytes);
	free(test->methods.bytes);
	/* Exactly as large as it is, so that a sanitizer sees what is read behind it. */
	*size = out.size;
	bytes = malloc(out.size);
	assert_non_null(bytes);
	memcpy(bytes, out.bytes, out.size);
	free(out.bytes);
	return bytes;
}

/* The result, being taken apart. */
struct taken {
	struct reader in;
	const uint8_t *bytes;
	uint32_t *constant;          /* offset of each */
	uint16_t probe[PROBE_NAMES]; /* methods of the probe class */
	uint16_t reading[READING_PROBES];
	uint16_t throwable;
	uint16_t integer; /* the last one */
};

static bool constant_is(const struct taken *taken, uint16_t index, const char *text)
{
	const uint8_t *at = taken->bytes + taken->constant[index];

	return *at == 1 && get_u2(at + 1) == strlen(text) &&
	       memcmp(at + 3, text, strlen(text)) == 0;
}

static uint16_t constant_part(const struct taken *taken, uint16_t index, unsigned part)
{
	return get_u2(taken->bytes + taken->constant[index] + 1 + 2 * part);
}

/* The class's name, or the name of a method of the class Probe with that descriptor, is that text. */
static bool constant_names(
	const struct taken *taken, uint16_t index, const char *text, const char *descriptor)
{
	uint16_t class_index, both;

	if (taken->bytes[taken->constant[index]] == 7)
		return constant_is(taken, constant_part(taken, index, 0), text);
	if (taken->bytes[taken->constant[index]] != 10)
		return false;
	class_index = constant_part(taken, index, 0);
	both = constant_part(taken, index, 1);
	return constant_is(taken, constant_part(taken, class_index, 0), probe_class) &&
	       constant_is(taken, constant_part(taken, both, 0), text) &&
	       constant_is(taken, constant_part(taken, both, 1), descriptor);
}

static void take_pool(struct taken *taken)
{
	static const uint8_t sizes[] = {
		[1] = 3, [3] = 5, [5] = 9, [7] = 3, [9] = 5, [10] = 5, [12] = 5};
	uint16_t count;

	read_bytes(&taken->in, 8);
	count = read_u2(&taken->in);
	taken->constant = calloc(count, sizeof(*taken->constant));
	for (uint16_t i = 1; i < count; i++) {
		uint8_t tag = *taken->in.at;

		taken->constant[i] = (uint32_t)(taken->in.at - taken->bytes);
		assert_true(tag < sizeof(sizes) && sizes[tag]);
		if (tag == 1)
			read_bytes(&taken->in, get_u2(taken->in.at + 1));
		read_bytes(&taken->in, sizes[tag]);
		i += tag == 5;
	}
	for (uint16_t i = 1; i < count; i++) {
		if (taken->constant[i] == 0)
			continue;
		if (taken->bytes[taken->constant[i]] == 3)
			taken->integer = i;
		for (unsigned probe = 0; probe < PROBE_NAMES; probe++)
			if (constant_names(taken, i, probe_names[probe], "(I)V"))
				taken->probe[probe] = i;
		for (unsigned probe = 0; probe < READING_PROBES; probe++)
			if (constant_names(taken, i, reading_probes[probe].name,
				    reading_probes[probe].descriptor))
				taken->reading[probe] = i;
		if (constant_names(taken, i, "java/lang/Throwable", ""))
			taken->throwable = i;
	}
}

/* The bytes of a probe's call up to the method. */
static size_t push_bytes(const struct taken *taken, uint8_t *to)
{
	uint32_t id = test_first_id;
	size_t size = 0;

	if (id <= 5) {
		to[size++] = (uint8_t)(3 + id);
	} else if (id <= 127) {
		to[size++] = 0x10;
		to[size++] = (uint8_t)id;
	} else if (id <= 32767) {
		to[size] = 0x11;
		put_u2(to + size + 1, id);
		size = 3;
	} else {
		assert_int_equal(
			get_u4(taken->bytes + taken->constant[taken->integer] + 1), id);
		to[size] = 0x13;
		put_u2(to + size + 1, taken->integer);
		size = 3;
		if (taken->integer < 256) {
			to[0] = 0x12;
			to[1] = (uint8_t)taken->integer;
			size = 2;
		}
	}
	to[size++] = 0xb8;
	return size;
}

/* The word for the probe's call that the reader stands on, which is skipped. */
static const char *take_probe(const struct taken *taken, struct reader *in)
{
	uint8_t push[4];
	size_t size = push_bytes(taken, push);

	for (unsigned i = 0; i < READING_PROBES; i++)
		if (reader_left(in) >= 3 && *in->at == 0xb8 && taken->reading[i] > 0 &&
			taken->reading[i] == get_u2(in->at + 1)) {
			in->at += 3;
			return reading_probes[i].word;
		}
	if (reader_left(in) < size + 2 || memcmp(in->at, push, size) != 0)
		return NULL;
	for (unsigned i = 0; i < PROBE_NAMES; i++)
		if (taken->probe[i] == get_u2(in->at + size)) {
			in->at += size + 2;
			return probe_names[i];
		}
	return NULL;
}

/* As hexadecimal, with words. */
static char *take_text(const struct taken *taken, struct reader in, bool is_code)
{
	const uint8_t *begin = in.at;
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	while (in.at < in.end) {
		const char *word = is_code ? take_probe(taken, &in) : NULL;

		if (!is_code && taken->throwable && reader_left(&in) >= 2 && in.at > begin &&
			in.at[-1] == 7 && get_u2(in.at) == taken->throwable) {
			word = "T";
			in.at += 2;
		}
		if (word)
			fprintf(stream, "%s ", word);
		else
			fprintf(stream, "%02x ", *in.at++);
	}
	fclose(stream);
	return text;
}

static void take_code(struct taken *taken, struct reader in, struct test_code *code)
{
	uint32_t attributes;
	struct reader part;

	code->max_stack = read_u2(&in);
	code->max_locals = read_u2(&in);
	code->length = read_u4(&in);
	code->code = take_text(taken, read_part(&in, code->length), true);
	part = read_part(&in, 8 * (size_t)read_u2(&in));
	code->rows = take_text(taken, part, false);
	attributes = read_u2(&in);
	while (attributes-- > 0) {
		const uint8_t *name = taken->bytes + taken->constant[read_u2(&in)];

		assert_true(code->attributes < 8);
		snprintf(code->attribute[code->attributes].name, 40, "%.*s",
			(int)get_u2(name + 1), (const char *)name + 3);
		part = read_part(&in, read_u4(&in));
		code->attribute[code->attributes++].content = take_text(taken, part, false);
	}
	assert_true(reader_done(&in));
}

/* A member's attributes; of a method that was asked for the Code is taken. */
static void take_attributes(struct taken *taken, struct test_code *code)
{
	uint32_t attributes = read_u2(&taken->in);

	while (attributes-- > 0 && !taken->in.failed) {
		uint16_t name = read_u2(&taken->in);
		struct reader content = read_part(&taken->in, read_u4(&taken->in));

		if (code && name == TEST_CODE)
			take_code(taken, content, code);
	}
}

/* The first method's Code; and the whole class is one. */
static void take_class(struct test_code *code)
{
	struct taken taken = {
		.in = reader_of(code->result.bytes, code->result.size),
		.bytes = code->result.bytes,
	};
	uint32_t methods;

	take_pool(&taken);
	read_bytes(&taken.in, 6 + 2 + 2 + 6); /* to the field's attributes */
	take_attributes(&taken, NULL);
	methods = read_u2(&taken.in);
	for (uint32_t i = 0; i < methods && !taken.in.failed; i++) {
		read_bytes(&taken.in, 6);
		take_attributes(&taken, i == 0 ? code : NULL);
	}
	take_attributes(&taken, NULL);
	assert_true(reader_done(&taken.in));
	free(taken.constant);
}

struct given {
	uint32_t next;
	struct test_code *code;
};

static struct rewrite_probes count_id(void *user, const struct rewrite_method *method)
{
	struct given *given = user;

	assert_string_equal(method->class_name, "Test");
	return (struct rewrite_probes){.kinds = test_kinds,
		.otherwise = test_otherwise,
		.id = given->next++,
		.reading = test_reading,
		.readings = test_readings};
}

static void note_unread(void *user, const struct rewrite_method *method,
	const struct rewrite_reading *reading, enum rewrite_reason why)
{
	struct given *given = user;

	assert_in_range(reading - test_reading, 0, test_readings - 1);
	given->code->unread++;
	given->code->unread_reason = why;
	given->code->unread_last = (unsigned)(reading - test_reading);
}

static void note_untouched(
	void *user, const struct rewrite_method *method, enum rewrite_reason why)
{
	struct given *given = user;

	given->code->untouched++;
	if (given->next == test_first_id + 1)
		given->code->method_reason = why;
}

struct test_code test_rewrite(const uint8_t *bytes, size_t size)
{
	struct test_code code = {0};
	struct given given = {test_first_id, &code};
	const struct rewrite_request request = {.probes = count_id,
		.untouched = note_untouched,
		.unread = note_unread,
		.user = &given,
		.probe = probe_class};

	code.reason = rewrite_class(bytes, size, &request, &code.result);
	if (code.reason != REWRITE_OK)
		assert_null(code.result.bytes);
	if (code.result.bytes)
		take_class(&code);
	return code;
}

struct test_code test_rewrite_method(uint16_t version, const struct test_method *method)
{
	struct test_class test;
	struct test_code code;
	uint8_t *bytes;
	size_t size;

	test_class_begin(&test, version);
	test_class_method(&test, method);
	bytes = test_class_end(&test, &size);
	code = test_rewrite(bytes, size);
	free(bytes);
	return code;
}

void test_code_fini(struct test_code *code)
{
	for (unsigned i = 0; i < code->attributes; i++)
		free(code->attribute[i].content);
	free(code->code);
	free(code->rows);
	free(code->result.bytes);
}

const char *test_content(const struct test_code *code, const char *name)
{
	for (unsigned i = 0; i < code->attributes; i++)
		if (strcmp(code->attribute[i].name, name) == 0)
			return code->attribute[i].content;
	return NULL;
}

static void without_spaces(char *to, const char *from)
{
	for (; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
	*to = '\0';
}

void test_same(unsigned line, const char *what, const char *got, const char *expected)
{
	char *a = calloc(1, strlen(got ? got : "") + 1);
	char *b = calloc(1, strlen(expected ? expected : "") + 1);

	without_spaces(a, got ? got : "");
	without_spaces(b, expected ? expected : "");
	if (strcmp(a, b) != 0)
		fail_msg("line %u: %s is '%s', expected '%s'", line, what,
			got ? got : "nothing", expected ? expected : "nothing");
	free(a);
	free(b);
}
