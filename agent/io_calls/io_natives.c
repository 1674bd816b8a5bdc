/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_natives: see io_natives.h. First what a stand-in needs to know of Java objects, then what
 * follows each kind of call, the stand-ins, and how they are bound.
 */
#include "agent/io_calls/io_natives.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/io/descriptor.h"
#include "agent/io_calls/io_call.h"
#include "agent/jvm/native_function.h"
#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/probes/native_thunk.h"
#include "agent/threads/thread_events.h"

/* ---- Java objects ---- */

/* Fields that are read. */
#define FD "Ljava/io/FileDescriptor;"
#define FIELD_TABLE(X)                                                                         \
	X(DESCRIPTOR, "java/io/FileDescriptor", "fd", "I")                                     \
	X(INPUT, "java/io/FileInputStream", "fd", FD)                                          \
	X(OUTPUT, "java/io/FileOutputStream", "fd", FD)                                        \
	X(RANDOM, "java/io/RandomAccessFile", "fd", FD)                                        \
	X(CHANNEL, "sun/nio/ch/FileChannelImpl", "fd", FD)                                     \
	X(SOCKET, "java/net/SocketImpl", "fd", FD)                                             \
	X(DATAGRAM, "java/net/DatagramSocketImpl", "fd", FD)                                   \
	X(FILE_PATH, "java/io/File", "path", "Ljava/lang/String;")                             \
	X(PACKET_LENGTH, "java/net/DatagramPacket", "length", "I")                             \
	X(HOLDER, "java/net/InetAddress", "holder", "L" ADDRESS "Holder;")                     \
	X(HOLDER_ADDRESS, ADDRESS "Holder", "address", "I")                                    \
	X(HOLDER_FAMILY, ADDRESS "Holder", "family", "I")                                      \
	X(HOLDER6, "java/net/Inet6Address", "holder6", "L" ADDRESS6 "Holder;")                 \
	X(HOLDER6_ADDRESS, ADDRESS6 "Holder", "ipaddress", "[B")
#define ADDRESS  "java/net/InetAddress$InetAddress"
#define ADDRESS6 "java/net/Inet6Address$Inet6Address"

enum field {
#define X(field, class, name, signature) field,
	FIELD_TABLE(X)
#undef X
		FIELDS
};

static const struct {
	const char *class, *name, *signature;
} field_of[FIELDS] = {
#define X(field, class, name, signature) {class, name, signature},
	FIELD_TABLE(X)
#undef X
};

static jfieldID _Atomic field_id[FIELDS];

/* Looked up at the first use, within a native method of the JDK: its loader finds the class.
 * Not in the object's own class, which may have a field of that name itself. NULL: there is
 * none. */
static __attribute__((noinline, cold)) jfieldID field_learn(JNIEnv *jni, enum field field)
{
	jclass class = (*jni)->FindClass(jni, field_of[field].class);
	jfieldID id = class ? (*jni)->GetFieldID(jni, class, field_of[field].name,
				      field_of[field].signature)
			    : NULL;

	if (!id)
		(*jni)->ExceptionClear(jni);
	if (class)
		(*jni)->DeleteLocalRef(jni, class);
	atomic_store(&field_id[field], id);
	return id;
}

static inline jfieldID field_get(JNIEnv *jni, enum field field)
{
	jfieldID id = atomic_load_explicit(&field_id[field], memory_order_relaxed);

	return __builtin_expect(id != NULL, 1) ? id : field_learn(jni, field);
}

static inline int number_of(JNIEnv *jni, jobject descriptor)
{
	jfieldID id = descriptor ? field_get(jni, DESCRIPTOR) : NULL;

	return id ? (*jni)->GetIntField(jni, descriptor, id) : -1;
}

/* The object's field, a local reference: it goes when the native method returns. */
static inline jobject object_of(JNIEnv *jni, jobject object, enum field field)
{
	jfieldID id = object ? field_get(jni, field) : NULL;

	return id ? (*jni)->GetObjectField(jni, object, id) : NULL;
}

static inline int number_of_field(JNIEnv *jni, jobject object, enum field field)
{
	return number_of(jni, object_of(jni, object, field));
}

#define NONE                 (-1)
#define NOT_YET              (errno = 0, -1) /* see stream_opened */
#define OF(object)           number_of(jni, object)
#define OF_FIELD(object, in) number_of_field(jni, object, in)

/* The same behind a call, when an exception may be pending. */
static int number_after(JNIEnv *jni, jobject descriptor)
{
	jthrowable exception = jvm_exception_aside(jni);
	int number = number_of(jni, descriptor);

	jvm_exception_back(jni, exception);
	return number;
}

static int dirfd_of(jlong directory)
{
	return dirfd((DIR *)(uintptr_t)directory);
}

static bool thrown(const struct io_call *call)
{
	return (*call->jni)->ExceptionCheck(call->jni);
}

/* The string in UTF-8, in text (DESCRIPTOR_NAME_MAX bytes); what is longer than any path is
 * cut. No exception may be pending. */
static struct io_name text_of(JNIEnv *jni, jstring string, char *text)
{
	const jsize fits =
		(DESCRIPTOR_NAME_MAX - 1) / 3; /* characters, of three bytes at most */
	jsize length = string ? (*jni)->GetStringLength(jni, string) : 0;

	if (length > fits && (*jni)->GetStringUTFLength(jni, string) >= DESCRIPTOR_NAME_MAX)
		length = fits;
	*text = '\0';
	if (length > 0)
		(*jni)->GetStringUTFRegion(jni, string, 0, length, text);
	jvm_to_utf8(text);
	return (struct io_name){text, strlen(text)};
}

static jint int_of(JNIEnv *jni, jobject object, enum field field)
{
	jfieldID id = object ? field_get(jni, field) : NULL;

	return id ? (*jni)->GetIntField(jni, object, id) : 0;
}

/* The address and port of a java.net.InetAddress, as rows of connections have them. Returns the
 * length, 0 for what is not known. No exception may be pending. */
static size_t internet_address(JNIEnv *jni, jobject address, jint port, char *text, size_t size)
{
	enum { IPV6 = 2 }; /* InetAddress.IPv6 */
	jobject holder = object_of(jni, address, HOLDER);
	uint32_t v4 = htonl((uint32_t)int_of(jni, holder, HOLDER_ADDRESS));
	char host[DESCRIPTOR_ADDRESS_MAX];
	jbyte v6[16] = {0};
	jbyteArray bytes;

	if (int_of(jni, holder, HOLDER_FAMILY) != IPV6) {
		address_write(&v4, sizeof(v4), host);
		return (size_t)snprintf(text, size, "%s:%d", host, port);
	}
	bytes = object_of(jni, object_of(jni, address, HOLDER6), HOLDER6_ADDRESS);
	if (!bytes)
		return 0;
	(*jni)->GetByteArrayRegion(jni, bytes, 0, sizeof(v6), v6);
	address_write(v6, sizeof(v6), host);
	return (size_t)snprintf(text, size, "[%s]:%d", host, port);
}

static struct io_name path_at(jlong address)
{
	const char *path = (const char *)(uintptr_t)address;

	return (struct io_name){path, strlen(path)};
}

/* ---- what follows a call ---- */

/* From here to the stand-ins: an exception may be pending, and stays. */

/* Java's convention of streams: the bytes, or -1 at the end of the file. Without any bytes to
 * read or to write the native method does not ask the system. */
static void stream_read(struct io_call *call, jint length, jint result)
{
	if (length == 0)
		return;
	io_call_end(
		call, IO_READ, result > 0 ? (uint64_t)result : 0, result < 0 && thrown(call));
}

static void stream_written(struct io_call *call, jint length)
{
	bool failed = thrown(call);

	if (length == 0)
		return;
	io_call_end(call, IO_WRITE, failed || length < 0 ? 0 : (uint64_t)length, failed);
}

/* NIO's (sun.nio.ch.IOStatus): -1 is the end of the file; below that nothing was done, or an
 * exception is pending. */
static void channel(struct io_call *call, enum account_kind op, jlong result)
{
	io_call_end(call, op, result > 0 ? (uint64_t)result : 0,
		result < -1 || (result < 0 && thrown(call)));
}

static void positional_read(struct io_call *call, jlong position, jlong result)
{
	call->offset = position;
	channel(call, IO_READ, result);
}

static void mapped(struct io_call *call, jlong length)
{
	bool failed = thrown(call);

	io_call_end(call, IO_MAP, failed ? 0 : (uint64_t)length, failed);
}

/* The bytes went from the call's descriptor to another. */
static void moved(struct io_call *call, int to, uint64_t bytes, bool failed)
{
	struct io_ref file;

	io_call_end(call, IO_READ, bytes, failed);
	io_look(to, &file);
	io_also(call, file, IO_WRITE, bytes, failed);
}

/* -4 and below: the system cannot do it with these two, and the JDK goes another way. */
static void transferred(struct io_call *call, jlong position, int to, jlong result)
{
	if (result <= -4 && !thrown(call))
		return;
	call->offset = position;
	moved(call, to, result > 0 ? (uint64_t)result : 0, result < 0);
}

/* Files.copy, of a file that was opened for it: how far it was read is what was copied. */
static void copied(struct io_call *call, int to, bool failed)
{
	off_t position = lseek(call->descriptor, 0, SEEK_CUR);

	moved(call, to, position > 0 ? (uint64_t)position : 0, failed);
}

/* -4 and below: as with transferred. */
static void copied_directly(struct io_call *call, int to, jint result)
{
	if (result > -4 || thrown(call))
		copied(call, to, result < 0);
}

static void packet_done(struct io_call *call, enum account_kind op, jobject packet)
{
	JNIEnv *jni = call->jni;
	bool failed = thrown(call);
	jfieldID id = failed ? NULL : field_get(jni, PACKET_LENGTH);

	io_call_end(call, op, id ? (uint64_t)(*jni)->GetIntField(jni, packet, id) : 0, failed);
}

/* -- names -- */

/* An operation on what the string names. */
static void string_done(struct io_call *call, enum account_kind op, enum io_kind kind,
	jstring string, bool failed)
{
	char text[DESCRIPTOR_NAME_MAX];
	jthrowable exception = jvm_exception_aside(call->jni);

	io_named(call, op, kind, text_of(call->jni, string, text), failed || exception);
	jvm_exception_back(call->jni, exception);
}

static __attribute__((noinline)) void stream_opened_as(
	struct io_call *call, jobject self, enum field field, jstring path)
{
	char text[DESCRIPTOR_NAME_MAX];
	int number;

	if (thrown(call)) {
		string_done(call, IO_OPEN, IO_FILE, path, true);
		return;
	}
	number = number_of_field(call->jni, self, field);
	if (number >= 0)
		io_opened_path(call, number, text_of(call->jni, path, text));
}

/* An open that fails has set errno, which was 0: where it still is, nothing was thrown, and the
 * JVM need not be asked. Were that wrong, the descriptor would be -1, and nothing noted. */
static void stream_opened(struct io_call *call, jobject self, enum field field, jstring path)
{
	if (call->start)
		stream_opened_as(call, self, field, path);
	else if (errno == 0 || !thrown(call))
		io_note(number_of_field(call->jni, self, field));
}

static void file_done(struct io_call *call, enum account_kind op, jobject file, jboolean result)
{
	jthrowable exception = jvm_exception_aside(call->jni);
	jstring path = object_of(call->jni, file, FILE_PATH);

	string_done(call, op, IO_FILE, path, !result);
	(*call->jni)->DeleteLocalRef(call->jni, path);
	jvm_exception_back(call->jni, exception);
}

/* Opened and closed again. That it is there already is no failure. */
static void created(struct io_call *call, jstring path, jboolean result)
{
	bool failed = thrown(call);

	if (result || failed)
		string_done(call, IO_OPEN, IO_FILE, path, failed);
	if (result)
		io_also(call, call->file, IO_CLOSE, 0, false);
}

/* A stream of a directory's entries opens it as it would a file. */
static void path_opened(struct io_call *call, int descriptor, jlong path)
{
	if (descriptor >= 0 && !thrown(call))
		io_opened_path(call, descriptor, path_at(path));
	else
		io_named(call, IO_OPEN, IO_FILE, path_at(path), true);
}

static void path_done(struct io_call *call, enum account_kind op, jlong path)
{
	io_named(call, op, IO_FILE, path_at(path), thrown(call));
}

/* The path is relative to the call's descriptor, a directory. */
static void path_below_done(struct io_call *call, enum account_kind op, jlong path)
{
	struct io_name below = path_at(path);
	struct io_file *directory = io_files_hold(&io_holder.files, call->file.id);
	char text[DESCRIPTOR_NAME_MAX];
	size_t length = directory ? directory->name_length : 0;

	if (length > 0 && below.bytes[0] != '/' && length + 1 + below.length <= sizeof(text)) {
		memcpy(text, directory->name, length);
		text[length] = '/';
		memcpy(text + length + 1, below.bytes, below.length);
		below = (struct io_name){text, length + 1 + below.length};
	}
	if (directory)
		io_file_release(directory);
	io_named(call, op, IO_FILE, below, thrown(call));
}

static void address_resolved(struct io_call *call, jbyteArray address)
{
	JNIEnv *jni = call->jni;
	jthrowable exception = jvm_exception_aside(jni);
	jbyte bytes[16];
	jsize length = (*jni)->GetArrayLength(jni, address);
	char text[DESCRIPTOR_ADDRESS_MAX];

	if (length == 4 || length == 16) {
		(*jni)->GetByteArrayRegion(jni, address, 0, length, bytes);
		address_write(bytes, (size_t)length, text);
		io_named(call, IO_RESOLVE, IO_HOST, (struct io_name){text, strlen(text)},
			exception != NULL);
	}
	jvm_exception_back(jni, exception);
}

/* -- descriptors that come and go -- */

static void closed(struct io_call *call)
{
	io_closed(call, call->start && thrown(call));
}

/* A deferred close makes the number one of a closed connection; another close follows. */
static void plain_closed(struct io_call *call, jboolean deferred)
{
	if (!deferred)
		closed(call);
}

static void found(struct io_call *call, int descriptor)
{
	if (descriptor >= 0 && !thrown(call))
		io_found(call, descriptor, SIDE_UNKNOWN);
	else
		io_call_end(call, IO_OPEN, 0, true);
}

/* By a path that is relative to the call's descriptor. */
static void found_below(struct io_call *call, int descriptor, jlong path)
{
	if (descriptor >= 0 && !thrown(call))
		io_found(call, descriptor, SIDE_UNKNOWN);
	else
		path_below_done(call, IO_OPEN, path);
}

static void opened(struct io_call *call, int descriptor, enum io_kind kind)
{
	if (descriptor >= 0 && !thrown(call))
		io_opened(call, descriptor, kind, (struct io_name){NULL, 0});
	else
		io_call_end(call, IO_OPEN, 0, true);
}

static void object_opened(
	struct io_call *call, jobject object, enum field field, enum io_kind kind)
{
	opened(call, thrown(call) ? -1 : number_of_field(call->jni, object, field), kind);
}

/* The two ends of a pipe, the one to read from in the upper half. */
static void piped(struct io_call *call, jlong ends)
{
	if (thrown(call)) {
		io_call_end(call, IO_OPEN, 0, true);
		return;
	}
	io_found(call, (int)(ends >> 32), SIDE_UNKNOWN);
	io_found(call, (int)ends, SIDE_UNKNOWN);
}

static void array_opened(struct io_call *call, jintArray descriptors, jsize count)
{
	JNIEnv *jni = call->jni;
	jint number[3];

	if (thrown(call) || !descriptors)
		return;
	(*jni)->GetIntArrayRegion(jni, descriptors, 0, count, number);
	for (jsize i = 0; i < count; i++)
		if (number[i] >= 0)
			io_found(call, number[i], SIDE_UNKNOWN);
}

/* -- connections -- */

static void bound(struct io_call *call)
{
	if (!thrown(call))
		io_addressed(call, (struct io_name){NULL, 0});
}

/* A connect that was waited for: that it failed is told as one more. */
static void waited(struct io_call *call)
{
	if (!thrown(call))
		io_addressed(call, (struct io_name){NULL, 0});
	else
		io_call_end(call, IO_CONNECT, 0, true);
}

enum { IO_UNAVAILABLE = -2 }; /* sun.nio.ch.IOStatus */

/* More than 0: connected; IO_UNAVAILABLE: it will be, or not. */
static bool is_connected(const struct io_call *call, jint result)
{
	return result > 0 && !thrown(call);
}

static void connected(struct io_call *call, jint result, struct io_name peer)
{
	bool failed = thrown(call) || (result < 0 && result != IO_UNAVAILABLE);

	if (call->start || !failed)
		io_addressed(call, peer);
	io_call_end(call, IO_CONNECT, 0, failed);
}

/* To that internet address: what the system does not know of who is not, or not yet,
 * connected. */
static void connected_to(struct io_call *call, jint result, jobject address, jint port)
{
	char text[DESCRIPTOR_ADDRESS_MAX * 2];
	struct io_name peer = {text, 0};
	jthrowable exception;

	if (call->start && !is_connected(call, result)) {
		exception = jvm_exception_aside(call->jni);
		peer.length = internet_address(call->jni, address, port, text, sizeof(text));
		jvm_exception_back(call->jni, exception);
	}
	connected(call, result, peer);
}

static void connected_to_path(struct io_call *call, jint result, jbyteArray path)
{
	JNIEnv *jni = call->jni;
	char text[DESCRIPTOR_ADDRESS_MAX * 2];
	struct io_name peer = {text, 0};
	jthrowable exception;

	if (call->start && path && !is_connected(call, result)) {
		exception = jvm_exception_aside(jni);
		peer.length = (size_t)(*jni)->GetArrayLength(jni, path);
		if (peer.length > sizeof(text))
			peer.length = sizeof(text);
		(*jni)->GetByteArrayRegion(jni, path, 0, (jsize)peer.length, (jbyte *)text);
		jvm_exception_back(jni, exception);
	}
	connected(call, result, peer);
}

/* accepted: its FileDescriptor, or its SocketImpl. */
static void accepted_one(struct io_call *call, jint result, jobject accepted, bool is_socket)
{
	bool failed = result < 0 || thrown(call);

	io_call_end(call, IO_ACCEPT, 0, failed);
	if (failed)
		return;
	if (is_socket)
		accepted = object_of(call->jni, accepted, SOCKET);
	io_found(call, number_of(call->jni, accepted), SIDE_ACCEPTED);
}

/* ---- the stand-ins ---- */

enum { ALWAYS, RECORDING };

/* The JDK's own function. */
#define REAL(id) (__atomic_load_n(&real_##id, __ATOMIC_ACQUIRE))

#define P(...) (JNIEnv * jni, jobject self __VA_OPT__(, ) __VA_ARGS__)
#define A(...) (jni, self __VA_OPT__(, ) __VA_ARGS__)

#define VALUE(id, class, name, signature, when, type, parameters, arguments, descriptor, done) \
	static type(JNICALL *real_##id) parameters;                                            \
	static type JNICALL io_##id parameters                                                 \
	{                                                                                      \
		struct io_call call;                                                           \
		type result;                                                                   \
                                                                                               \
		if (when == RECORDING && !io_is_recording())                                   \
			return REAL(id) arguments;                                             \
		io_call_begin(&call, jni, descriptor);                                         \
		result = REAL(id) arguments;                                                   \
		done;                                                                          \
		return result;                                                                 \
	}

#define NOTHING(id, class, name, signature, when, parameters, arguments, descriptor, done)     \
	static void(JNICALL * real_##id) parameters;                                           \
	static void JNICALL io_##id parameters                                                 \
	{                                                                                      \
		struct io_call call;                                                           \
                                                                                               \
		if (when == RECORDING && !io_is_recording()) {                                 \
			REAL(id) arguments;                                                    \
			return;                                                                \
		}                                                                              \
		io_call_begin(&call, jni, descriptor);                                         \
		REAL(id) arguments;                                                            \
		done;                                                                          \
	}

#include "agent/io_calls/io_native_rows.h"
#undef VALUE
#undef NOTHING

/* ---- binding ---- */

#define VALUE(id, class, name, signature, when, type, parameters, arguments, descriptor, done) \
	{class, name, signature, (void *)io_##id, (void **)&real_##id},
#define NOTHING(id, class, name, signature, when, parameters, arguments, descriptor, done)     \
	{class, name, signature, (void *)io_##id, (void **)&real_##id},

static const struct io_native {
	const char *class, *name, *signature;
	void *stand_in, **real;
} io_native[] = {
#include "agent/io_calls/io_native_rows.h"
};
#undef VALUE
#undef NOTHING

enum { IO_NATIVES = sizeof(io_native) / sizeof(*io_native) };

static unsigned missed;
static struct gate binding; /* open: methods that are bound get their stand-ins */

static const struct io_native *row_of(const struct jvm_method *method)
{
	for (int i = 0; method->is_jdk && i < IO_NATIVES; i++) {
		const struct io_native *row = &io_native[i];

		if (strcmp(row->name, method->name) == 0 &&
			strcmp(row->signature, method->signature) == 0 &&
			strcmp(row->class, method->class_name) == 0)
			return row;
	}
	return NULL;
}

/* A thunk that was left there calls what it was put in front of. */
static void *take(const struct io_native *row, void *function)
{
	if (native_is_thunk(function))
		return function;
	if (function != row->stand_in)
		__atomic_store_n(row->real, function, __ATOMIC_RELEASE);
	return row->stand_in;
}

void *io_natives_bind(const struct jvm_method *method, void *function)
{
	const struct io_native *row;

	if (!gate_enter(&binding))
		return function;
	row = row_of(method);
	if (row)
		function = take(row, function);
	gate_leave(&binding);
	return function;
}

/* The method may be bound by now; or will be, and then the event tells. */
static void take_bound(
	JNIEnv *jni, jclass class, jmethodID method, const struct jvm_method *description)
{
	const struct io_native *row = row_of(description);
	enum native_binding binding_is;
	void *function, *taken;

	if (!row)
		return;
	binding_is = native_function_find(method, &function);
	if (binding_is == NATIVE_BOUND) {
		taken = take(row, function);
		missed += taken != function &&
			  !native_function_bind(jni, class, description, taken);
	}
	missed += binding_is == NATIVE_UNKNOWN;
}

/* Not a method that was bound to another function since. */
static void give_back(
	JNIEnv *jni, jclass class, jmethodID method, const struct jvm_method *description)
{
	const struct io_native *row = row_of(description);
	void *function;

	if (row && native_function_find(method, &function) == NATIVE_BOUND &&
		function == row->stand_in &&
		!native_function_bind(
			jni, class, description, __atomic_load_n(row->real, __ATOMIC_ACQUIRE)))
		log_line(LOG_INFO, "%s.%s keeps its stand-in", row->class, row->name);
}

static bool is_io_class(const char *signature)
{
	for (int i = 0; i < IO_NATIVES; i++) {
		const char *a = io_native[i].class, *b = signature + 1;

		while (*a && (*a == *b || (*a == '.' && *b == '/')))
			a++, b++;
		if (*a == '\0' && *b == ';')
			return true;
	}
	return false;
}

static void take_class(JNIEnv *jni, jclass class)
{
	jvm_each_native(jni, class, take_bound);
}

static void give_back_class(JNIEnv *jni, jclass class)
{
	jvm_each_native(jni, class, give_back);
}

void io_natives_open(JNIEnv *jni)
{
	missed = 0;
	if (!native_function_learn(jni))
		log_line(LOG_INFO, "this JVM does not show what native methods are bound to");
	gate_open(&binding);
	jvm_each_class(jni, is_io_class, take_class);
	if (missed)
		log_line(LOG_WARN,
			"%u native methods that do I/O were in use before jprof came, and "
			"could not be replaced: their I/O is not seen",
			missed);
}

void io_natives_close(JNIEnv *jni)
{
	gate_close(&binding);
	jvm_each_class(jni, is_io_class, give_back_class);
}
