/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* constants: reading the pool, looking things up, adding. */
#include "agent/rewrite/constants.h"

/* Tags, the bytes of such a constant with its tag (a Utf8 has its text too), and where behind
 * the tag it names other constants; names: all bits if it does. */
#define CONSTANT_TABLE(X)                                                                      \
	X(CONSTANT_UTF8, 1, 3, 1, 1, 0)                                                        \
	X(CONSTANT_INTEGER, 3, 5, 1, 1, 0)                                                     \
	X(CONSTANT_FLOAT, 4, 5, 1, 1, 0)                                                       \
	X(CONSTANT_LONG, 5, 9, 1, 1, 0)                                                        \
	X(CONSTANT_DOUBLE, 6, 9, 1, 1, 0)                                                      \
	X(CONSTANT_CLASS, 7, 3, 1, 1, 0xffff)                                                  \
	X(CONSTANT_STRING, 8, 3, 1, 1, 0xffff)                                                 \
	X(CONSTANT_FIELD, 9, 5, 1, 3, 0xffff)                                                  \
	X(CONSTANT_METHOD, 10, 5, 1, 3, 0xffff)                                                \
	X(CONSTANT_INTERFACE_METHOD, 11, 5, 1, 3, 0xffff)                                      \
	X(CONSTANT_NAME_AND_TYPE, 12, 5, 1, 3, 0xffff)                                         \
	X(CONSTANT_METHOD_HANDLE, 15, 4, 2, 2, 0xffff)                                         \
	X(CONSTANT_METHOD_TYPE, 16, 3, 1, 1, 0xffff)                                           \
	X(CONSTANT_DYNAMIC, 17, 5, 3, 3, 0xffff)                                               \
	X(CONSTANT_INVOKE_DYNAMIC, 18, 5, 3, 3, 0xffff)                                        \
	X(CONSTANT_MODULE, 19, 3, 1, 1, 0xffff)                                                \
	X(CONSTANT_PACKAGE, 20, 3, 1, 1, 0xffff)

enum constant_tag {
#define X(tag, number, size, first, second, names) tag = number,
	CONSTANT_TABLE(X)
#undef X
};

/* Tags without a row do not exist. */
static const struct constant_form {
	uint8_t size, first, second;
	uint16_t names;
} constant_form[256] = {
#define X(tag, number, size, first, second, names) [number] = {size, first, second, names},
	CONSTANT_TABLE(X)
#undef X
};
enum { CONSTANT_SIZE_MIN = 3 };

static const char intrinsic_16[] = "Ljdk/internal/vm/annotation/IntrinsicCandidate;";
static const char intrinsic_8[] = "Ljdk/internal/HotSpotIntrinsicCandidate;";

bool text_is_intrinsic(struct text text)
{
	return text_is(text, intrinsic_16, sizeof(intrinsic_16) - 1) ||
	       text_is(text, intrinsic_8, sizeof(intrinsic_8) - 1);
}

/* Bytes of the constant, of which at least CONSTANT_SIZE_MIN are there; 0: there is no
 * such tag. Without a branch on the tag, which processors predict badly. */
static size_t constant_whole(const uint8_t *at)
{
	return constant_form[*at].size + (get_u2(at + 1) & (0u - (*at == CONSTANT_UTF8)));
}

/* True if the whole constant names one that the file does not have: what is added must not make
 * a class well-formed that is not. Without a branch, too. */
static bool names_beyond(const uint8_t *at, uint32_t count)
{
	const struct constant_form *form = &constant_form[*at];
	uint32_t first = get_u2(at + form->first), second = get_u2(at + form->second);

	return ((first > second ? first : second) & form->names) >= count;
}

enum rewrite_reason constants_init(
	struct constants *constants, const uint8_t *bytes, struct reader *reader)
{
	uint32_t count = read_u2(reader);
	const uint8_t *at = reader->at;

	constants->bytes = bytes;
	constants->count = constants->total = count;
	if (count == 0)
		return REWRITE_MALFORMED;
	constants->offset = malloc(count * (sizeof(*constants->offset) + 1));
	if (!constants->offset)
		return REWRITE_MEMORY;
	constants->kind = (uint8_t *)(constants->offset + count);
	memset(constants->kind, 0, count);
	constants->offset[0] = 0;
	for (uint32_t i = 1; i < count; i++) {
		size_t left = (size_t)(reader->end - at);
		size_t size = left >= CONSTANT_SIZE_MIN ? constant_whole(at) : 0;

		if (size == 0 || size > left || names_beyond(at, count))
			return REWRITE_MALFORMED;
		constants->offset[i] = (uint32_t)(at - bytes);
		if (size == 3 + sizeof(intrinsic_16) - 1 || size == 3 + sizeof(intrinsic_8) - 1)
			constants->intrinsics |= text_is_intrinsic(
				(struct text){(const char *)at + 3, (uint16_t)(size - 3)});
		/* These two take two indices (4.4.5). */
		if (*at == CONSTANT_LONG || *at == CONSTANT_DOUBLE) {
			if (++i == count)
				return REWRITE_MALFORMED;
			constants->offset[i] = 0;
		}
		at += size;
	}
	reader->at = at;
	constants->end = (size_t)(at - bytes);
	return REWRITE_OK;
}

void constants_fini(struct constants *constants)
{
	free(constants->offset);
	free(constants->added.bytes);
}

/* The bytes behind the tag, NULL if it is not of that kind. */
static const uint8_t *constant_at(
	const struct constants *constants, uint16_t index, enum constant_tag tag)
{
	const uint8_t *at;

	if (index >= constants->count || constants->offset[index] == 0)
		return NULL;
	at = constants->bytes + constants->offset[index];
	return *at == tag ? at + 1 : NULL;
}

struct text constants_utf8(const struct constants *constants, uint16_t index)
{
	const uint8_t *at = constant_at(constants, index, CONSTANT_UTF8);

	if (!at)
		return (struct text){NULL, 0};
	return (struct text){(const char *)at + 2, get_u2(at)};
}

struct text constants_class(const struct constants *constants, uint16_t index)
{
	const uint8_t *at = constant_at(constants, index, CONSTANT_CLASS);

	return at ? constants_utf8(constants, get_u2(at)) : (struct text){NULL, 0};
}

bool constants_member(const struct constants *constants, uint16_t index, struct text *name,
	struct text *descriptor)
{
	static const enum constant_tag tags[] = {CONSTANT_METHOD, CONSTANT_FIELD,
		CONSTANT_INTERFACE_METHOD, CONSTANT_INVOKE_DYNAMIC};
	const uint8_t *at = NULL;

	for (size_t i = 0; !at && i < sizeof(tags) / sizeof(*tags); i++)
		at = constant_at(constants, index, tags[i]);
	if (at)
		at = constant_at(constants, get_u2(at + 2), CONSTANT_NAME_AND_TYPE);
	if (!at)
		return false;
	*name = constants_utf8(constants, get_u2(at));
	*descriptor = constants_utf8(constants, get_u2(at + 2));
	return name->chars && descriptor->chars;
}

/* The index of a constant about to be written, 0 if there is no room. */
static uint16_t constant_new(struct constants *constants, enum constant_tag tag)
{
	if (constants->total >= UINT16_MAX || constants->added.failed)
		return 0;
	write_u1(&constants->added, tag);
	return (uint16_t)constants->total++;
}

/* A constant of two indices; 0 if one of them is, so that calls can be nested. */
static uint16_t constant_add_pair(
	struct constants *constants, enum constant_tag tag, uint16_t first, uint16_t second)
{
	uint16_t index = first && second ? constant_new(constants, tag) : 0;

	if (index) {
		write_u2(&constants->added, first);
		write_u2(&constants->added, second);
	}
	return constants->added.failed ? 0 : index;
}

uint16_t constants_add_utf8(struct constants *constants, const char *chars)
{
	size_t length = strlen(chars);
	uint16_t index = length <= UINT16_MAX ? constant_new(constants, CONSTANT_UTF8) : 0;

	if (index) {
		write_u2(&constants->added, (uint32_t)length);
		write_copy(&constants->added, chars, length);
	}
	return constants->added.failed ? 0 : index;
}

uint16_t constants_add_integer(struct constants *constants, uint32_t value)
{
	uint16_t index = constant_new(constants, CONSTANT_INTEGER);

	if (index)
		write_u4(&constants->added, value);
	return constants->added.failed ? 0 : index;
}

uint16_t constants_add_class(struct constants *constants, const char *name)
{
	uint16_t text = constants_add_utf8(constants, name);
	uint16_t index = text ? constant_new(constants, CONSTANT_CLASS) : 0;

	if (index)
		write_u2(&constants->added, text);
	return constants->added.failed ? 0 : index;
}

uint16_t constants_add_method(struct constants *constants, uint16_t class_index,
	const char *name, const char *descriptor)
{
	uint16_t name_index = constants_add_utf8(constants, name);
	uint16_t descriptor_index = constants_add_utf8(constants, descriptor);
	uint16_t both = constant_add_pair(
		constants, CONSTANT_NAME_AND_TYPE, name_index, descriptor_index);

	return constant_add_pair(constants, CONSTANT_METHOD, class_index, both);
}

enum rewrite_reason constants_why(const struct constants *constants)
{
	return constants->added.failed ? REWRITE_MEMORY : REWRITE_POOL;
}

/* ---- attributes (4.7) ---- */

#define NAME(text, kind)                                                                       \
	{                                                                                      \
		text, sizeof(text) - 1, kind                                                   \
	}

static const struct {
	char name[40];
	uint8_t length;
	uint8_t kind;
} attribute_names[] = {
	NAME("Code", ATTRIBUTE_CODE),
	NAME("LineNumberTable", ATTRIBUTE_LINES),
	NAME("StackMapTable", ATTRIBUTE_STACK_MAP),
	NAME("LocalVariableTable", ATTRIBUTE_LOCALS),
	NAME("LocalVariableTypeTable", ATTRIBUTE_LOCALS),
	NAME("RuntimeVisibleAnnotations", ATTRIBUTE_ANNOTATIONS),
	NAME("MethodParameters", ATTRIBUTE_PARAMETERS),
	NAME("RuntimeVisibleTypeAnnotations", ATTRIBUTE_TYPES),
	NAME("RuntimeInvisibleTypeAnnotations", ATTRIBUTE_TYPES),
};

enum { ATTRIBUTE_NAMES = sizeof(attribute_names) / sizeof(*attribute_names) };

bool attribute_read(
	const struct constants *constants, struct reader *in, struct attribute *attribute)
{
	uint8_t *kind;
	struct text name;

	attribute->name = read_u2(in);
	attribute->content = read_part(in, read_u4(in));
	if (in->failed || attribute->name >= constants->count)
		return false;
	kind = &constants->kind[attribute->name];
	name = *kind ? (struct text){0} : constants_utf8(constants, attribute->name);
	if (name.chars)
		*kind = ATTRIBUTE_OTHER;
	for (size_t i = 0; name.chars && i < ATTRIBUTE_NAMES; i++)
		if (text_is(name, attribute_names[i].name, attribute_names[i].length))
			*kind = attribute_names[i].kind;
	attribute->kind = *kind;
	return *kind != ATTRIBUTE_UNSEEN;
}
