/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * rewrite: the class file as a whole (JVM specification, 4.1). What is not the Code of a
 * method that gets probes is copied, in runs as long as possible.
 */
#include "agent/rewrite/rewrite.h"

#include "agent/rewrite/annotations.h"
#include "agent/rewrite/argument_names.h"
#include "agent/rewrite/constants.h"
#include "agent/rewrite/method.h"

enum {
	CLASS_MAGIC_SIZE = 8, /* magic, minor and major version; then the pool's count */
	VERSION_FIRST = 45,
	VERSION_LAST = 69,   /* Java 25 */
	VERSION_FRAMES = 50, /* the first whose StackMapTable is read (4.10.1) */
	VERSION_MINOR = 3    /* of 45: before, a Code attribute had narrower fields */
};

/* Table 4.6-A. */
enum { ACCESS_STATIC = 0x0008, ACCESS_NATIVE = 0x0100 };

struct rewriter {
	const uint8_t *bytes;
	size_t size;
	const struct rewrite_request *request;
	struct reader in;
	struct constants constants;
	struct writer out;      /* what comes behind the constant pool */
	const uint8_t *copied;  /* up to here the file is in out */
	struct writer names;    /* the class's, and the current method's */
	size_t class_name_size; /* with its NUL */
	struct method_work work;
	unsigned methods; /* that got probes */
	unsigned sited, sites_left, read;
};

static const char *const reason_text[] = {
#define X(name, text) [name] = text,
	REWRITE_REASONS(X)
#undef X
};

const char *rewrite_reason_text(enum rewrite_reason reason)
{
	return (size_t)reason < sizeof(reason_text) / sizeof(*reason_text) ? reason_text[reason]
									   : "unknown";
}

/* Appends a text to names, with a NUL. False: it holds one itself, or no memory. */
static enum rewrite_reason name_write(struct rewriter *rewriter, struct text text)
{
	if (!text.chars || memchr(text.chars, '\0', text.length))
		return REWRITE_MALFORMED;
	write_copy(&rewriter->names, text.chars, text.length);
	write_u1(&rewriter->names, '\0');
	return rewriter->names.failed ? REWRITE_MEMORY : REWRITE_OK;
}

/* The file's head, and its constants. */
static enum rewrite_reason head_read(struct rewriter *rewriter)
{
	struct reader *in = &rewriter->in;
	uint32_t magic = read_u4(in), minor = read_u2(in), major = read_u2(in);

	if (in->failed || magic != 0xCAFEBABE)
		return REWRITE_MALFORMED;
	if (major < VERSION_FIRST || major > VERSION_LAST ||
		(major == VERSION_FIRST && minor < VERSION_MINOR))
		return REWRITE_VERSION;
	rewriter->work.typed = major >= VERSION_FRAMES;
	return constants_init(&rewriter->constants, rewriter->bytes, in);
}

/* An index that is not one of the file's constants; the next two bytes. What is added to the
 * constants must not make a class well-formed that is not. */
static bool index_is_beyond(struct rewriter *rewriter)
{
	return read_u2(&rewriter->in) >= rewriter->constants.count;
}

static bool skip_attributes(struct rewriter *rewriter)
{
	struct reader *in = &rewriter->in;
	uint32_t count = read_u2(in);

	while (count-- > 0 && !in->failed) {
		if (index_is_beyond(rewriter))
			return false;
		read_bytes(in, read_u4(in));
	}
	return !in->failed;
}

/* From the access flags to the fields. */
static enum rewrite_reason class_read(struct rewriter *rewriter)
{
	struct reader *in = &rewriter->in;
	enum rewrite_reason reason;
	uint32_t interfaces, fields;

	read_u2(in); /* access flags */
	reason = name_write(rewriter, constants_class(&rewriter->constants, read_u2(in)));
	if (reason != REWRITE_OK)
		return reason;
	rewriter->class_name_size = rewriter->names.size;
	if (index_is_beyond(rewriter)) /* super class */
		return REWRITE_MALFORMED;
	interfaces = read_u2(in);
	while (interfaces-- > 0)
		if (index_is_beyond(rewriter))
			return REWRITE_MALFORMED;
	fields = read_u2(in);
	while (fields-- > 0) {
		read_u2(in); /* access flags */
		if (index_is_beyond(rewriter) || index_is_beyond(rewriter) ||
			!skip_attributes(rewriter))
			return REWRITE_MALFORMED;
	}
	return in->failed ? REWRITE_MALFORMED : REWRITE_OK;
}

static enum rewrite_reason method_read(
	struct rewriter *rewriter, struct method *method, struct argument_names *names)
{
	struct reader *in = &rewriter->in;
	const struct constants *constants = &rewriter->constants;
	uint32_t attributes;

	method->access = read_u2(in);
	method->name = constants_utf8(constants, read_u2(in));
	method->descriptor = constants_utf8(constants, read_u2(in));
	attributes = read_u2(in);
	*names = (struct argument_names){.constants = constants,
		.descriptor = method->descriptor,
		.is_static = method->access & ACCESS_STATIC,
		.parameters = reader_of(in->at, 0),
		.code = reader_of(in->at, 0)};
	while (attributes-- > 0) {
		const uint8_t *start = in->at;
		struct attribute attribute;

		if (!attribute_read(constants, in, &attribute))
			return REWRITE_MALFORMED;
		if (attribute.kind == ATTRIBUTE_CODE) {
			if (method->code_start)
				return REWRITE_MALFORMED;
			method->code = attribute;
			method->code_start = start;
			names->code = attribute.content;
		}
		if (attribute.kind == ATTRIBUTE_PARAMETERS)
			names->parameters = attribute.content;
		if (attribute.kind == ATTRIBUTE_ANNOTATIONS && constants->intrinsics)
			method->intrinsic |=
				annotations_are_intrinsic(constants, attribute.content);
	}
	return in->failed ? REWRITE_MALFORMED : REWRITE_OK;
}

static void reading_left(struct rewriter *rewriter, const struct rewrite_method *described,
	const struct rewrite_reading *reading, enum rewrite_reason why)
{
	const struct rewrite_request *request = rewriter->request;

	if (request->unread)
		request->unread(request->user, described, reading, why);
}

/* Which of its readings the method can have. */
static enum rewrite_reason readings_find(struct rewriter *rewriter, struct method *method,
	const struct rewrite_method *described)
{
	const struct rewrite_probes *probes = &method->probes;
	bool is_constructor = probes->readings > 0 && strcmp(described->name, "<init>") == 0;

	for (unsigned i = 0; i < probes->readings; i++) {
		struct reading reading;
		enum rewrite_reason reason = reading_find(&reading, &probes->reading[i],
			method->descriptor, method->access & ACCESS_STATIC, is_constructor);

		if (reason == REWRITE_MALFORMED)
			return reason;
		if (reason == REWRITE_OK && (method->access & ACCESS_NATIVE))
			reason = REWRITE_NATIVE;
		if (reason == REWRITE_OK && method->readings == READINGS_MAX)
			reason = REWRITE_READINGS;
		if (reason == REWRITE_OK)
			rewriter->work.reading[method->readings++] = reading;
		else
			reading_left(rewriter, described, &probes->reading[i], reason);
	}
	return REWRITE_OK;
}

/* Puts the probes in; reader and file stand behind the method. */
static enum rewrite_reason method_rewrite(struct rewriter *rewriter,
	const struct method *method, const struct rewrite_method *described)
{
	const struct rewrite_request *request = rewriter->request;
	struct writer *out = &rewriter->out;
	size_t before = out->size;
	struct method other = *method;
	enum rewrite_reason reason;

	write_copy(out, rewriter->copied, (size_t)(method->code_start - rewriter->copied));
	reason = method_write(&rewriter->work, method, out);
	switch (reason) {
	case REWRITE_OK:
		rewriter->copied = method->code.content.end;
		rewriter->methods++;
		rewriter->sited += method->probes.sites && rewriter->work.code.reaches;
		rewriter->sites_left += rewriter->work.sites_left;
		rewriter->read += method->readings > 0;
		return REWRITE_OK;
	case REWRITE_MALFORMED:
	case REWRITE_MEMORY:
		return reason;
	default:
		out->size = before;
		if (method->probes.sites) {
			other.probes.sites = false;
			rewriter->work.sites_left = true;
			return method_rewrite(rewriter, &other, described);
		}
		if (method->readings > 0) {
			for (unsigned i = 0; i < method->readings; i++)
				reading_left(rewriter, described,
					rewriter->work.reading[i].asked, reason);
			other.readings = 0;
			return other.probes.kinds == PROBE_NONE
				       ? REWRITE_OK
				       : method_rewrite(rewriter, &other, described);
		}
		other.probes.kinds = method->probes.otherwise;
		other.probes.otherwise = PROBE_NONE;
		if (other.probes.kinds != PROBE_NONE)
			return method_rewrite(rewriter, &other, described);
		/* The method stays as it is. */
		if (request->untouched)
			request->untouched(request->user, described, reason);
		return REWRITE_OK;
	}
}

/* Where its instructions are (4.7.3). */
static void code_bounds(struct reader content, struct rewrite_method *method)
{
	uint32_t size;

	read_u4(&content); /* stack and locals */
	size = read_u4(&content);
	method->code = read_bytes(&content, size);
	method->code_size = method->code ? size : 0;
}

static enum rewrite_reason method_do(struct rewriter *rewriter)
{
	const struct rewrite_request *request = rewriter->request;
	struct method method = {0};
	struct argument_names names;
	struct rewrite_method described;
	enum rewrite_reason reason;

	rewriter->names.size = rewriter->class_name_size;
	if ((reason = method_read(rewriter, &method, &names)) ||
		(reason = name_write(rewriter, method.name)) ||
		(reason = name_write(rewriter, method.descriptor)))
		return reason;
	described = (struct rewrite_method){
		.class_name = (char *)rewriter->names.bytes,
		.name = (char *)rewriter->names.bytes + rewriter->class_name_size,
		.descriptor = (char *)rewriter->names.bytes + rewriter->class_name_size +
			      method.name.length + 1,
		.access = method.access,
		.intrinsic = method.intrinsic,
		.arguments = &names,
	};
	if (method.code_start)
		code_bounds(method.code.content, &described);
	method.probes = request->probes(request->user, &described);
	if ((method.code_start || (method.access & ACCESS_NATIVE)) &&
		(reason = readings_find(rewriter, &method, &described)))
		return reason;
	if (!method.code_start || (method.probes.kinds == PROBE_NONE && method.readings == 0))
		return REWRITE_OK;
	method.probes.sites &= (method.probes.kinds & PROBE_TIMED) != 0;
	rewriter->work.sites_left = false;
	method.constructor = strcmp(described.name, "<init>") == 0 &&
			     strcmp(described.class_name, "java/lang/Object") != 0;
	return method_rewrite(rewriter, &method, &described);
}

/* Head, old constants, new constants, the rest. */
static enum rewrite_reason result_make(
	const struct rewriter *rewriter, struct rewrite_result *result)
{
	const struct constants *constants = &rewriter->constants;
	size_t tail = (size_t)(rewriter->bytes + rewriter->size - rewriter->copied);
	uint8_t *to;

	result->size = constants->end + constants->added.size + rewriter->out.size + tail;
	result->bytes = to = malloc(result->size);
	if (!to)
		return REWRITE_MEMORY;
	memcpy(to, rewriter->bytes, constants->end);
	put_u2(to + CLASS_MAGIC_SIZE, constants->total);
	to += constants->end;
	memcpy(to, constants->added.bytes, constants->added.size);
	to += constants->added.size;
	memcpy(to, rewriter->out.bytes, rewriter->out.size);
	memcpy(to + rewriter->out.size, rewriter->copied, tail);
	result->methods = rewriter->methods;
	result->sited = rewriter->sited;
	result->sites_left = rewriter->sites_left;
	result->read = rewriter->read;
	return REWRITE_OK;
}

enum rewrite_reason rewrite_class(const uint8_t *bytes, size_t size,
	const struct rewrite_request *request, struct rewrite_result *result)
{
	struct rewriter rewriter = {
		.bytes = bytes,
		.size = size,
		.request = request,
		.in = reader_of(bytes, size),
	};
	enum rewrite_reason reason = head_read(&rewriter);
	uint32_t methods;

	*result = (struct rewrite_result){0};
	rewriter.work.constants = &rewriter.constants;
	rewriter.work.probe_class = request->probe;
	rewriter.work.site = request->site;
	rewriter.work.user = request->user;
	rewriter.copied = bytes + rewriter.constants.end;
	if (reason == REWRITE_OK)
		reason = class_read(&rewriter);
	/* Most classes grow by less than half. */
	if (reason == REWRITE_OK && !writer_grow(&rewriter.out, size + size / 2))
		reason = REWRITE_MEMORY;
	methods = reason == REWRITE_OK ? read_u2(&rewriter.in) : 0;
	while (methods-- > 0 && reason == REWRITE_OK)
		reason = method_do(&rewriter);
	/* Nothing is behind the class. */
	if (reason == REWRITE_OK && !(skip_attributes(&rewriter) && reader_done(&rewriter.in)))
		reason = REWRITE_MALFORMED;
	if (reason == REWRITE_OK && rewriter.methods > 0)
		reason = result_make(&rewriter, result);
	method_fini(&rewriter.work);
	constants_fini(&rewriter.constants);
	free(rewriter.out.bytes);
	free(rewriter.names.bytes);
	return reason;
}

static void tell_class(const struct constants *constants, uint16_t index,
	void (*each)(void *user, const char *name), void *user)
{
	struct text text = constants_class(constants, index);
	char *name = text.chars ? strndup(text.chars, text.length) : NULL;

	if (name)
		each(user, name);
	free(name);
}

void rewrite_class_above(const uint8_t *bytes, size_t size,
	void (*each)(void *user, const char *name), void *user)
{
	struct rewriter rewriter = {.bytes = bytes, .size = size, .in = reader_of(bytes, size)};
	struct reader *in = &rewriter.in;
	uint32_t interfaces;

	if (head_read(&rewriter) == REWRITE_OK) {
		read_u2(in); /* access flags */
		read_u2(in); /* itself */
		tell_class(&rewriter.constants, (uint16_t)read_u2(in), each, user);
		interfaces = read_u2(in);
		while (interfaces-- > 0 && !in->failed)
			tell_class(&rewriter.constants, (uint16_t)read_u2(in), each, user);
	}
	constants_fini(&rewriter.constants);
}

char *rewrite_class_name(const uint8_t *bytes, size_t size)
{
	struct rewriter rewriter = {.bytes = bytes, .size = size, .in = reader_of(bytes, size)};
	char *name = NULL;

	if (head_read(&rewriter) == REWRITE_OK && class_read(&rewriter) == REWRITE_OK)
		name = strdup((char *)rewriter.names.bytes);
	constants_fini(&rewriter.constants);
	free(rewriter.names.bytes);
	return name;
}
