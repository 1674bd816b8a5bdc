/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* object_text: see object_text.h. */
#include "agent/jvm/object_text.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/jvm.h"

/* ---- classes that are known from the beginning ---- */

/* Objects whose one field is what they are. */
static struct boxed {
	const char *name, *type;
	jclass class;
	jfieldID field;
} boxed[] = {
	{"java/lang/Integer", "I", NULL, NULL},
	{"java/lang/Long", "J", NULL, NULL},
	{"java/lang/Boolean", "Z", NULL, NULL},
	{"java/lang/Double", "D", NULL, NULL},
	{"java/lang/Short", "S", NULL, NULL},
	{"java/lang/Byte", "B", NULL, NULL},
	{"java/lang/Character", "C", NULL, NULL},
	{"java/lang/Float", "F", NULL, NULL},
};

enum { BOXED = sizeof(boxed) / sizeof(*boxed) };

static jclass string_class, enum_class, class_class;
static jfieldID enum_name;
static _Atomic bool learnt;

static jclass find_class(JNIEnv *jni, const char *name)
{
	jclass found = (*jni)->FindClass(jni, name), kept = NULL;

	if (found)
		kept = (*jni)->NewGlobalRef(jni, found);
	(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, found);
	return kept;
}

static jfieldID find_field(JNIEnv *jni, jclass class, const char *name, const char *type)
{
	jfieldID field = class ? (*jni)->GetFieldID(jni, class, name, type) : NULL;

	(*jni)->ExceptionClear(jni);
	return field;
}

bool object_text_learn(JNIEnv *jni)
{
	bool all = true;

	if (atomic_load(&learnt))
		return true;
	string_class = find_class(jni, "java/lang/String");
	class_class = find_class(jni, "java/lang/Class");
	enum_class = find_class(jni, "java/lang/Enum");
	enum_name = find_field(jni, enum_class, "name", "Ljava/lang/String;");
	for (int i = 0; i < BOXED; i++) {
		boxed[i].class = find_class(jni, boxed[i].name);
		boxed[i].field = find_field(jni, boxed[i].class, "value", boxed[i].type);
		all = all && boxed[i].field;
	}
	all = all && string_class && class_class && enum_name;
	atomic_store(&learnt, all);
	return all;
}

/* ---- texts ---- */

static void add(struct object_text *text, const char *more, size_t length)
{
	if (length > text->room - text->length)
		length = text->room - text->length;
	memcpy(text->text + text->length, more, length);
	text->length += length;
}

static void add_text(struct object_text *text, const char *more)
{
	add(text, more, strlen(more));
}

/* A character, of one or two units; a surrogate without its other half is U+FFFD. Returns how many units. */
static jsize add_character(struct object_text *text, const jchar *unit, jsize units)
{
	uint32_t c = unit[0];
	char bytes[4];
	size_t length;
	jsize used = 1;

	if (c >= 0xd800 && c < 0xdc00 && units > 1 && unit[1] >= 0xdc00 && unit[1] < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (unit[1] - 0xdc00u);
		used = 2;
	} else if (c >= 0xd800 && c < 0xe000) {
		c = 0xfffd;
	}
	if (c < 0x80) {
		bytes[0] = (char)c;
		length = 1;
	} else if (c < 0x800) {
		bytes[0] = (char)(0xc0 | c >> 6);
		bytes[1] = (char)(0x80 | (c & 0x3f));
		length = 2;
	} else if (c < 0x10000) {
		bytes[0] = (char)(0xe0 | c >> 12);
		bytes[1] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (c & 0x3f));
		length = 3;
	} else {
		bytes[0] = (char)(0xf0 | c >> 18);
		bytes[1] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[2] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[3] = (char)(0x80 | (c & 0x3f));
		length = 4;
	}
	if (length > text->room - text->length)
		/* No half of it, and nothing of the text that was there before. */
		add(text, "...", 3);
	else
		add(text, bytes, length);
	return used;
}

static void add_string(JNIEnv *jni, jstring string, struct object_text *text)
{
	enum { UNITS = 256 };
	jsize length = (*jni)->GetStringLength(jni, string);
	jchar unit[UNITS];

	for (jsize at = 0; at < length && text->length < text->room;) {
		jsize units = length - at < UNITS ? length - at : UNITS, used = 0;

		(*jni)->GetStringRegion(jni, string, at, units, unit);
		/* As a rule there is nothing but ASCII. */
		while (used < units && unit[used] < 0x80 && text->length < text->room)
			text->text[text->length++] = (char)unit[used++];
		/* The last one may be half of a character. */
		while (used < units && (units - used > 1 || at + units == length || used == 0))
			used += add_character(text, unit + used, units - used);
		at += used;
	}
}

static void add_class_name(jclass class, struct object_text *text)
{
	char *name = jvm_type_name(class);

	add_text(text, name ? name : "(no memory)");
	free(name);
}

static void add_thrown(JNIEnv *jni, struct object_text *text)
{
	jthrowable thrown = (*jni)->ExceptionOccurred(jni);

	(*jni)->ExceptionClear(jni);
	add_text(text, "(threw ");
	add_class_name((*jni)->GetObjectClass(jni, thrown), text);
	add_text(text, ")");
}

/* The shortest digits that are read as this number again, laid out as Java does. The C library's point may be a comma. */
static void add_floating(struct object_text *text, double value, bool single)
{
	enum { DIGITS = 17, PLAIN_LEAST = -3, PLAIN_END = 7 };
	char written[40], digits[DIGITS + 1], power[16];
	int count = 1, exponent, more = 1;

	if (value != value) {
		add_text(text, "NaN");
		return;
	}
	if (value < 0 || (value == 0 && 1 / value < 0))
		add_text(text, "-");
	value = value < 0 ? -value : value;
	if (value > DBL_MAX) {
		add_text(text, "Infinity");
		return;
	}
	do
		snprintf(written, sizeof(written), "%.*e", more, value);
	while (++more < DIGITS && (single ? (double)strtof(written, NULL) != value
					  : strtod(written, NULL) != value));
	digits[0] = written[written[0] == '-'];
	for (char *at = written + (written[0] == '-') + 2; *at != 'e'; at++)
		digits[count++] = *at;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	exponent = (int)strtol(strchr(written, 'e') + 1, NULL, 10);
	if (exponent < PLAIN_LEAST || exponent >= PLAIN_END) {
		add(text, digits, 1);
		add_text(text, ".");
		add(text, count > 1 ? digits + 1 : "0", count > 1 ? (size_t)count - 1 : 1);
		snprintf(power, sizeof(power), "E%d", exponent);
		add_text(text, power);
		return;
	}
	for (int place = exponent < 0 ? 0 : exponent; place >= -1 || exponent - place < count;
		place--) {
		int digit = exponent - place;

		if (place == -1)
			add_text(text, ".");
		add(text, digit >= 0 && digit < count ? digits + digit : "0", 1);
	}
}

static void add_primitive(const struct object_value *value, struct object_text *text)
{
	char number[40];
	jchar unit = value->value.c;

	switch (value->type) {
	case 'Z':
		add_text(text, value->value.z ? "true" : "false");
		return;
	case 'C':
		add_character(text, &unit, 1);
		return;
	case 'B':
		snprintf(number, sizeof(number), "%d", value->value.b);
		break;
	case 'S':
		snprintf(number, sizeof(number), "%d", value->value.s);
		break;
	case 'I':
		snprintf(number, sizeof(number), "%" PRId32, value->value.i);
		break;
	case 'J':
		snprintf(number, sizeof(number), "%" PRId64, (int64_t)value->value.j);
		break;
	case 'F':
		add_floating(text, (double)value->value.f, true);
		return;
	default:
		add_floating(text, value->value.d, false);
		return;
	}
	add_text(text, number);
}

/* ---- what is known of classes ---- */

struct class_member {
	jweak class;
	bool is; /* of object_is_below: it is; else there is such a member */
	struct jvm_member member;
};

static const struct class_member *known(JNIEnv *jni, struct member_cache *cache, jclass class)
{
	for (int i = 0; i < MEMBER_CLASSES; i++) {
		struct class_member *member =
			atomic_load_explicit(&cache->class[i], memory_order_acquire);

		if (!member)
			break;
		if ((*jni)->IsSameObject(jni, member->class, class))
			return member;
	}
	return NULL;
}

/* Where there is room for one more class, or in the place of one that is gone: what was known of that is left, as somebody may
 * still look at it. */
static void note(
	JNIEnv *jni, struct member_cache *cache, jclass class, const struct class_member *found)
{
	struct class_member *member = malloc(sizeof(*member));

	if (!member)
		return;
	*member = *found;
	member->class = (*jni)->NewWeakGlobalRef(jni, class);
	for (int i = 0; i < MEMBER_CLASSES && member->class; i++) {
		struct class_member *there = NULL;

		if (atomic_compare_exchange_strong(&cache->class[i], &there, member))
			return;
		/* Another thread was faster. */
		if ((*jni)->IsSameObject(jni, there->class, class))
			break;
		if ((*jni)->IsSameObject(jni, there->class, NULL) &&
			atomic_compare_exchange_strong(&cache->class[i], &there, member))
			return;
	}
	if (member->class)
		(*jni)->DeleteWeakGlobalRef(jni, member->class);
	free(member);
}

bool object_is_below(
	JNIEnv *jni, struct member_cache *cache, jobject object, const char *internal)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	const struct class_member *seen = known(jni, cache, class);
	struct class_member found = {0};

	if (seen)
		return seen->is;
	found.is = jvm_class_is_below(jni, class, internal);
	note(jni, cache, class, &found);
	return found.is;
}

bool object_declarer_is_below(
	JNIEnv *jni, jobject object, const char *declarer, const char *internal)
{
	jclass own = (*jni)->GetObjectClass(jni, object);

	for (jclass class = own; class; class = (*jni)->GetSuperclass(jni, class)) {
		char *name = jvm_type_name(class);
		bool is = name && strcmp(name, declarer) == 0;

		free(name);
		if (is)
			return jvm_class_is_below(jni, class, internal);
	}
	return jvm_class_is_below(jni, own, internal);
}

/* ---- from one to another ---- */

static jvalue get_field(JNIEnv *jni, jobject object, const struct jvm_member *member)
{
	jvalue value = {0};
	jclass class = member->is_static ? (*jni)->GetObjectClass(jni, object) : NULL;

#define GET(letter, type, slot)                                                                \
	case letter:                                                                           \
		value.slot =                                                                   \
			member->is_static                                                      \
				? (*jni)->GetStatic##type##Field(jni, class, member->field)    \
				: (*jni)->Get##type##Field(jni, object, member->field);        \
		break;
	switch (member->type) {
		GET('Z', Boolean, z)
		GET('B', Byte, b)
		GET('C', Char, c)
		GET('S', Short, s)
		GET('I', Int, i)
		GET('J', Long, j)
		GET('F', Float, f)
		GET('D', Double, d)
		GET('L', Object, l)
	}
#undef GET
	return value;
}

static jvalue call_getter(JNIEnv *jni, jobject object, const struct jvm_member *member)
{
	jvalue value = {0};

#define CALL(letter, type, slot)                                                               \
	case letter:                                                                           \
		value.slot = (*jni)->Call##type##MethodA(jni, object, member->method, NULL);   \
		break;
	switch (member->type) {
		CALL('Z', Boolean, z)
		CALL('B', Byte, b)
		CALL('C', Char, c)
		CALL('S', Short, s)
		CALL('I', Int, i)
		CALL('J', Long, j)
		CALL('F', Float, f)
		CALL('D', Double, d)
		CALL('L', Object, l)
	}
#undef CALL
	return value;
}

bool object_step(JNIEnv *jni, struct member_cache *cache, bool getter, const char *name,
	struct object_value *at, struct object_text *text)
{
	struct class_member found = {0};
	const struct class_member *member;
	jclass class;

	if (at->type != 'L' || !at->value.l) {
		text->is_null = true;
		return false;
	}
	class = (*jni)->GetObjectClass(jni, at->value.l);
	member = known(jni, cache, class);
	if (!member) {
		found.is = jvm_find_member(jni, class, getter, name, &found.member);
		if (found.member.type == '[')
			found.member.type = 'L';
		note(jni, cache, class, &found);
		member = &found;
	}
	if (!member->is) {
		add_text(text, getter ? "(no getter " : "(no field ");
		add_text(text, name);
		add_text(text, ")");
		return false;
	}
	at->type = member->member.type;
	at->value = getter ? call_getter(jni, at->value.l, &member->member)
			   : get_field(jni, at->value.l, &member->member);
	if (!(*jni)->ExceptionCheck(jni))
		return true;
	add_thrown(jni, text);
	return false;
}

/* The name of what an array has, and how many. */
static bool add_array(JNIEnv *jni, jobject object, jclass class, struct object_text *text)
{
	char *name = jvm_type_name(class), length[16];
	const char *first = name ? strstr(name, "[]") : NULL;

	if (first) {
		snprintf(length, sizeof(length), "[%d]", (*jni)->GetArrayLength(jni, object));
		add(text, name, (size_t)(first - name));
		add_text(text, length);
		add_text(text, first + 2);
	}
	free(name);
	return first;
}

void object_tell_null(struct object_text *text)
{
	add_text(text, "null");
	text->is_null = false;
}

void object_tell(JNIEnv *jni, const struct object_value *value, struct object_text *text)
{
	jobject object = value->value.l;
	jclass class;

	if (value->type != 'L') {
		add_primitive(value, text);
		return;
	}
	if (!object) {
		text->is_null = true;
		return;
	}
	class = (*jni)->GetObjectClass(jni, object);
	if ((*jni)->IsSameObject(jni, class, string_class)) {
		add_string(jni, object, text);
		return;
	}
	for (int i = 0; i < BOXED; i++) {
		struct jvm_member member = {.field = boxed[i].field, .type = *boxed[i].type};
		struct object_value number = {.type = member.type};

		if (!(*jni)->IsSameObject(jni, class, boxed[i].class))
			continue;
		number.value = get_field(jni, object, &member);
		add_primitive(&number, text);
		return;
	}
	if ((*jni)->IsInstanceOf(jni, object, enum_class)) {
		jstring name = (*jni)->GetObjectField(jni, object, enum_name);

		if (name)
			add_string(jni, name, text);
	} else if ((*jni)->IsSameObject(jni, class, class_class)) {
		add_class_name(object, text);
	} else if (!add_array(jni, object, class, text)) {
		add_class_name(class, text);
	}
}
