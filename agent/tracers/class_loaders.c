/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_loaders: see class_loaders.h. */
#include "agent/tracers/class_loaders.h"

#include <stdlib.h>
#include <string.h>

#include "agent/jvm/jvm.h"
#include "agent/lock/lock.h"

enum { SLOTS = 4096 /* of the table by hash code */, SAME_HASH = 8 };

struct loader {
	jweak reference; /* NULL: it has none, or is gone */
	int32_t hash;
	uint32_t next; /* with the same slot; 0: none */
	char *class_name, *name;
	uint64_t count[LOADER_COUNTS];
	bool gone, put, used;
};

static struct {
	struct lock lock;
	struct loader *loader; /* by number; the first one is none */
	uint32_t count, room;
	uint32_t slot[SLOTS]; /* the newest of each */
} state = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_LOADERS}};

/* ---- the table ---- */

/* Under the lock. 0: no memory. */
static uint32_t append(const struct loader *fresh)
{
	struct loader *more;
	uint32_t room = state.room ? 2 * state.room : 64, at;

	if (state.count == state.room) {
		more = realloc(state.loader, room * sizeof(*more));
		if (!more)
			return 0;
		state.loader = more;
		state.room = room;
	}
	at = state.count++;
	state.loader[at] = *fresh;
	return at;
}

/* The rows that are there from the first on. Under the lock. */
static bool begin(void)
{
	static const struct loader none = {0};
	struct loader boot = {.used = true}, others = {0};

	if (state.count > LOADER_OTHERS)
		return true;
	boot.class_name = strdup("(boot loader)");
	others.class_name = strdup("(other loaders)");
	if (append(&none) == 0 && append(&boot) == LOADER_BOOT &&
		append(&others) == LOADER_OTHERS)
		return true;
	free(boot.class_name);
	free(others.class_name);
	state.count = 0;
	return false;
}

/* Those with that hash code: numbers and references. Under the lock. */
static unsigned same_hash(int32_t hash, uint32_t number[SAME_HASH], jweak reference[SAME_HASH])
{
	unsigned found = 0;
	uint32_t at = state.slot[(uint32_t)hash % SLOTS];

	for (; at && found < SAME_HASH; at = state.loader[at].next) {
		if (state.loader[at].hash != hash || !state.loader[at].reference)
			continue;
		number[found] = at;
		reference[found++] = state.loader[at].reference;
	}
	return found;
}

/* It becomes a row, unless others came since there were `count`: 0. */
static uint32_t enter(struct loader *fresh, uint32_t count)
{
	uint32_t *slot = &state.slot[(uint32_t)fresh->hash % SLOTS], at = 0;

	lock_take(&state.lock);
	if (state.count == count) {
		fresh->next = *slot;
		at = append(fresh);
		if (at)
			*slot = at;
	}
	lock_give(&state.lock);
	return at;
}

/* ---- the loader itself ---- */

/* A text of Java's. Owned; NULL: there is none. */
static char *text_of(JNIEnv *jni, jstring string)
{
	const char *text = string ? (*jni)->GetStringUTFChars(jni, string, NULL) : NULL;
	char *copy = text ? strdup(text) : NULL;

	if (copy)
		jvm_to_utf8(copy);
	if (text)
		(*jni)->ReleaseStringUTFChars(jni, string, text);
	return copy;
}

/* Loaders of applications in servers, whose getName() says nothing: the way to what the server calls them, field by field, to a
 * text. Fields alone are read: no code of the program's is called. */
static const struct {
	const char *class_name; /* begins so */
	struct {
		const char *name, *type;
	} field[4]; /* to NULL */
} servers[] = {
	{"org.apache.catalina.loader.", {{"resources", "Lorg/apache/catalina/WebResourceRoot;"},
						{"context", "Lorg/apache/catalina/Context;"},
						{"name", "Ljava/lang/String;"}}},
	{"org.eclipse.jetty.", {{"_name", "Ljava/lang/String;"}}},
};

/* What the object's field refers to, a local reference; NULL: it has none of that name. */
static jobject field_of(JNIEnv *jni, jobject object, const char *name, const char *type)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	jfieldID field = (*jni)->GetFieldID(jni, class, name, type);
	jobject found = NULL;

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else
		found = (*jni)->GetObjectField(jni, object, field);
	(*jni)->DeleteLocalRef(jni, class);
	return found;
}

/* Owned; NULL: it is none of a server's that is known. */
static char *server_name_of(JNIEnv *jni, jobject loader, const char *class_name)
{
	jobject at = NULL, next;
	char *name;
	size_t s = 0;

	while (s < sizeof(servers) / sizeof(*servers) && class_name &&
		strncmp(class_name, servers[s].class_name, strlen(servers[s].class_name)) != 0)
		s++;
	if (!class_name || s == sizeof(servers) / sizeof(*servers))
		return NULL;
	for (size_t i = 0; servers[s].field[i].name && (i == 0 || at); i++) {
		next = field_of(jni, i == 0 ? loader : at, servers[s].field[i].name,
			servers[s].field[i].type);
		(*jni)->DeleteLocalRef(jni, at);
		at = next;
	}
	name = text_of(jni, at);
	(*jni)->DeleteLocalRef(jni, at);
	return name;
}

static char *name_of(JNIEnv *jni, jobject loader)
{
	static jfieldID field;
	jclass class = field ? NULL : (*jni)->FindClass(jni, "java/lang/ClassLoader");
	jstring name = NULL;
	char *copy;

	if (class)
		field = (*jni)->GetFieldID(jni, class, "name", "Ljava/lang/String;");
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	if (field)
		name = (*jni)->GetObjectField(jni, loader, field);
	copy = text_of(jni, name);
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, name);
	(*jni)->DeleteLocalRef(jni, class);
	return copy;
}

static struct loader describe(JNIEnv *jni, jobject loader, int32_t hash)
{
	jclass class = (*jni)->GetObjectClass(jni, loader);
	struct loader fresh = {.reference = (*jni)->NewWeakGlobalRef(jni, loader),
		.hash = hash,
		.class_name = jvm_type_name(class),
		.name = name_of(jni, loader),
		.used = true};

	if (!fresh.name)
		fresh.name = server_name_of(jni, loader, fresh.class_name);
	(*jni)->DeleteLocalRef(jni, class);
	return fresh;
}

static void drop(JNIEnv *jni, struct loader *loader)
{
	if (loader->reference && jni)
		(*jni)->DeleteWeakGlobalRef(jni, loader->reference);
	free(loader->class_name);
	free(loader->name);
}

uint32_t class_loader_number(JNIEnv *jni, jobject loader)
{
	int32_t hash = loader ? jvm_hash(loader) : 0;
	uint32_t number[SAME_HASH], at = 0, count;
	jweak reference[SAME_HASH];
	struct loader fresh;
	unsigned found;
	bool ready;

	lock_take(&state.lock);
	ready = begin();
	lock_give(&state.lock);
	if (!ready || !loader)
		return LOADER_BOOT;
	while (!at) {
		lock_take(&state.lock);
		count = state.count;
		found = same_hash(hash, number, reference);
		lock_give(&state.lock);
		for (unsigned i = 0; i < found; i++)
			if ((*jni)->IsSameObject(jni, reference[i], loader))
				return number[i];
		if (count >= CLASS_LOADERS_MAX)
			return LOADER_OTHERS;
		fresh = describe(jni, loader, hash);
		if (!fresh.reference || !fresh.class_name) {
			drop(jni, &fresh);
			return LOADER_OTHERS;
		}
		at = enter(&fresh, count);
		if (!at)
			drop(jni, &fresh);
	}
	return at;
}

/* ---- counts ---- */

void class_loader_count(uint32_t loader, enum loader_count what)
{
	lock_take(&state.lock);
	if (loader < state.count) {
		state.loader[loader].count[what]++;
		state.loader[loader].put = false;
		state.loader[loader].used = true;
	}
	lock_give(&state.lock);
}

static uint32_t loaders_end(void)
{
	uint32_t end;

	lock_take(&state.lock);
	end = state.count;
	lock_give(&state.lock);
	return end;
}

void class_loaders_look(JNIEnv *jni)
{
	uint32_t end = loaders_end();

	for (uint32_t at = LOADER_OTHERS + 1; at < end; at++) {
		jweak reference;

		lock_take(&state.lock);
		reference = state.loader[at].reference;
		lock_give(&state.lock);
		if (!reference || !(*jni)->IsSameObject(jni, reference, NULL))
			continue;
		lock_take(&state.lock);
		state.loader[at].gone = true;
		state.loader[at].put = false;
		lock_give(&state.lock);
	}
}

bool class_loader_is_gone(uint32_t loader)
{
	bool gone;

	lock_take(&state.lock);
	gone = loader < state.count && state.loader[loader].gone;
	lock_give(&state.lock);
	return gone;
}

/* ---- the file ---- */

int class_loaders_put(struct profile_writer *profile, struct error *error)
{
	uint32_t end = loaders_end();
	int status = 0;

	for (uint32_t at = LOADER_BOOT; at < end && status == 0; at++) {
		struct profile_class_loader record = {.id = at};
		bool put;

		/* What it has of texts stays. */
		lock_take(&state.lock);
		put = state.loader[at].used && !state.loader[at].put;
		state.loader[at].put = true;
		record.class_name = state.loader[at].class_name;
		record.name = state.loader[at].name;
		record.before = state.loader[at].count[LOADER_BEFORE];
		record.loaded = state.loader[at].count[LOADER_LOADED];
		record.unloaded = state.loader[at].count[LOADER_UNLOADED];
		record.gone = state.loader[at].gone;
		lock_give(&state.lock);
		if (put)
			status = profile_put(profile, &record, error);
	}
	return status;
}

void class_loaders_done(bool kept)
{
	lock_take(&state.lock);
	for (uint32_t at = 0; !kept && at < state.count; at++)
		state.loader[at].put = false;
	lock_give(&state.lock);
}

void class_loaders_forget(JNIEnv *jni)
{
	for (uint32_t at = 0; at < state.count; at++)
		drop(jni, &state.loader[at]);
	free(state.loader);
	state.loader = NULL;
	state.count = state.room = 0;
	memset(state.slot, 0, sizeof(state.slot));
}
