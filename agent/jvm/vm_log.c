/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_log: see vm_log.h. */
#include "agent/jvm/vm_log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/jvm/hotspot.h"
#include "agent/jvm/jvm.h"
#include "agent/lock/lock.h"

enum {
	LOOK_MS = 20,            /* from one look at the log to the next */
	PART = 64 * 1024,        /* bytes that are read at once */
	GIVEN_BACK = 1024 * 1024 /* so many read ones go back to the system at once */
};

/* ---- diagnostic commands ---- */

/* ExecuteDiagnosticCommand(JNIEnv *, jstring command). */
typedef jstring(JNICALL *execute_function)(JNIEnv *jni, jstring command);

/* Where it stands in the management interface (struct jmmInterface_1_ of jmm.h, pointers to functions). */
static const struct {
	int version;
	unsigned index;
} management_version[] = {
	{0x20030000, 38}, /* JMM_VERSION_3, JDK 14 to 20 */
	{0x20040000, 39}  /* JMM_VERSION_4, since JDK 21 */
};

static execute_function find_execute(void)
{
	enum { VERSIONS = sizeof(management_version) / sizeof(*management_version) };
	void *(*get_management)(int version);

	*(void **)&get_management = hotspot_function("JVM_GetManagement");
	for (unsigned i = 0; get_management && i < VERSIONS; i++) {
		const execute_function *interface =
			get_management(management_version[i].version);

		if (interface)
			return interface[management_version[i].index];
	}
	return NULL;
}

/* Of the pending exception, which goes. */
static int say_exception(JNIEnv *jni, const char *command, struct error *error)
{
	jthrowable exception = jvm_exception_aside(jni);
	jclass class = (*jni)->GetObjectClass(jni, exception);
	jmethodID method = (*jni)->GetMethodID(jni, class, "toString", "()Ljava/lang/String;");
	jstring text = method ? (*jni)->CallObjectMethod(jni, exception, method) : NULL;
	const char *words = NULL;

	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	else if (text)
		words = (*jni)->GetStringUTFChars(jni, text, NULL);
	error_set(error, ERROR_JVM, "the JVM's command '%s' failed: %s", command,
		words ? words : "it does not say why");
	if (words)
		(*jni)->ReleaseStringUTFChars(jni, text, words);
	(*jni)->DeleteLocalRef(jni, text);
	(*jni)->DeleteLocalRef(jni, class);
	(*jni)->DeleteLocalRef(jni, exception);
	return -ERROR_JVM;
}

char *vm_command(JNIEnv *jni, const char *command, struct error *error)
{
	execute_function execute = find_execute();
	jstring words, answer = NULL;
	const char *text = NULL;
	char *copy = NULL;

	if (!execute) {
		error_set(error, ERROR_MISSING,
			"cannot read the JVM's log: this JVM runs no diagnostic commands");
		return NULL;
	}
	words = (*jni)->NewStringUTF(jni, command);
	if (words)
		answer = execute(jni, words);
	if ((*jni)->ExceptionCheck(jni))
		say_exception(jni, command, error);
	else if (answer)
		text = (*jni)->GetStringUTFChars(jni, answer, NULL);
	if (text) {
		copy = strdup(text);
		(*jni)->ReleaseStringUTFChars(jni, answer, text);
	}
	(*jni)->DeleteLocalRef(jni, answer);
	(*jni)->DeleteLocalRef(jni, words);
	if (!copy)
		error_set(error, ERROR_MEMORY, "no memory for what '%s' answers", command);
	return copy;
}

/* ---- reading ---- */

struct vm_log {
	log_line_taker take;
	void *argument;
	int file; /* the memory; the JVM has opened it once more */
	bool keep_open;
	unsigned chosen;
	struct log_lines lines;         /* of the thread that reads */
	uint64_t read, given, left_out; /* bytes; the same thread's */
	char *part;                     /* PART bytes; owned */
	pthread_t thread;
	pthread_mutex_t mutex; /* taken around nothing else */
	pthread_cond_t ends;
	bool ending; /* under the mutex */
};

/* Names of classes and methods are UTF-8 elsewhere. */
static void take_line(void *argument, const struct log_line *line)
{
	struct vm_log *log = argument;

	/* It is the memory of log->lines. */
	jvm_to_utf8((char *)line->text);
	log->take(log->argument, line);
}

/* Memory that was read goes back. Whole pages: of what else is asked for the kernel would only clear a part. */
static void give_back(struct vm_log *log)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t to = log->read - log->read % page;

	if (to == log->given)
		return;
	/* Where it is refused the memory goes when the log is closed. */
	if (fallocate(log->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)log->given,
		    (off_t)(to - log->given)) == 0)
		log->given = to;
}

/* What is too much to be read is left out, so that the memory stays bounded. */
static void leave_out(struct vm_log *log, uint64_t size)
{
	if (size - log->read <= VM_LOG_WAITING)
		return;
	log->left_out += size - log->read;
	log->read = size;
	log_lines_gap(&log->lines);
}

/* What is there by now: what comes meanwhile is for the next time, so that this ends, however fast the JVM writes. */
static void read_new(struct vm_log *log)
{
	struct stat status;
	uint64_t size;
	ssize_t bytes;

	if (fstat(log->file, &status))
		return;
	size = (uint64_t)status.st_size;
	leave_out(log, size);
	while (log->read < size) {
		bytes = pread(log->file, log->part, PART, (off_t)log->read);
		if (bytes <= 0)
			return;
		log->read += (uint64_t)bytes;
		log_lines_feed(&log->lines, log->part, (size_t)bytes);
		if (log->read - log->given >= GIVEN_BACK)
			give_back(log);
	}
}

/* False: it is to end. */
static bool wait(struct vm_log *log)
{
	struct timespec until = lock_deadline(LOOK_MS);
	int result = 0;
	bool ending;

	pthread_mutex_lock(&log->mutex);
	while (!log->ending && result == 0)
		result = pthread_cond_timedwait(&log->ends, &log->mutex, &until);
	ending = log->ending;
	pthread_mutex_unlock(&log->mutex);
	return !ending;
}

static void *run(void *argument)
{
	struct vm_log *log = argument;

	while (wait(log))
		read_new(log);
	return NULL;
}

static int begin_thread(struct vm_log *log, struct error *error)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int result;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&log->ends, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&log->mutex, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&log->thread, NULL, run, log);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result == 0) {
		pthread_setname_np(log->thread, "jprof log");
		return 0;
	}
	pthread_cond_destroy(&log->ends);
	pthread_mutex_destroy(&log->mutex);
	return error_set_errno(error, ERROR_MEMORY, result,
		"cannot begin the thread that reads the JVM's log");
}

static void end_thread(struct vm_log *log)
{
	pthread_mutex_lock(&log->mutex);
	log->ending = true;
	pthread_cond_signal(&log->ends);
	pthread_mutex_unlock(&log->mutex);
	pthread_join(log->thread, NULL);
	pthread_cond_destroy(&log->ends);
	pthread_mutex_destroy(&log->mutex);
}

/* ---- the JVM's output ---- */

static void output_name(const struct vm_log *log, char *name, size_t size)
{
	snprintf(name, size, "/proc/self/fd/%d", log->file);
}

/* 0, and the JVM writes; or a negative code. */
static int switch_on(struct vm_log *log, JNIEnv *jni, const char *what, struct error *error)
{
	char name[64], command[512];
	char *answer;

	output_name(log, name, sizeof(name));
	/* An output that may be renamed and opened anew (filecount above 0) would not stay this one. */
	snprintf(command, sizeof(command),
		"VM.log output=%s what=%s decorators=timenanos,tid,tags "
		"output_options=filecount=0",
		name, what);
	answer = vm_command(jni, command, error);
	if (!answer)
		return -ERROR_JVM;
	/* It says nothing unless something is wrong. */
	if (strspn(answer, " \t\r\n") < strlen(answer))
		error_set(error, ERROR_JVM, "the JVM does not log '%s': %s", what, answer);
	free(answer);
	return -(int)error->code;
}

/* True if the JVM still has the output; without memory, too. */
static bool is_on(const struct vm_log *log, JNIEnv *jni)
{
	char line[128], name[64];
	struct error unused = {0};
	char *answer = vm_command(jni, "VM.log list", &unused);
	bool found = true;

	output_name(log, name, sizeof(name));
	snprintf(line, sizeof(line), "file=%s ", name);
	if (answer)
		found = strstr(answer, line) != NULL;
	free(answer);
	return found;
}

/* False: it was off. Of an output that the JVM does not have it would make one, and another file of the same name.
 * Where this fails, for want of memory, the descriptor stays open: another output would have its name, and be this one. */
static bool switch_off(struct vm_log *log, JNIEnv *jni)
{
	char name[64], command[512];
	struct error unused = {0};
	char *answer;

	if (!is_on(log, jni))
		return false;
	output_name(log, name, sizeof(name));
	snprintf(command, sizeof(command), "VM.log output=%s what=all=off", name);
	answer = vm_command(jni, command, &unused);
	if (!answer)
		log->keep_open = true;
	free(answer);
	return true;
}

/* ---- its life ---- */

static void destroy(struct vm_log *log)
{
	if (log->file >= 0 && !log->keep_open)
		close(log->file);
	log_lines_fini(&log->lines);
	free(log->part);
	free(log);
}

/* The memory that the JVM writes into. */
static int make_file(struct vm_log *log, struct error *error)
{
	struct rlimit limit;

	/* The JVM's writes would fail beyond it, and it would say so on the application's terminal. */
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
		return error_set(error, ERROR_DENIED,
			"cannot read the JVM's log: files of this process are limited in size "
			"(ulimit -f)");
	log->file = memfd_create("jprof-log", MFD_CLOEXEC);
	if (log->file < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot make the JVM's log in memory");
	return 0;
}

int vm_log_open(struct vm_log **log, JNIEnv *jni, const char *const *what, log_line_taker take,
	void *argument, struct error *error)
{
	struct vm_log *made = calloc(1, sizeof(*made));
	char *part = malloc(PART);
	int code = -ERROR_JVM;

	*log = NULL;
	if (!made || !part) {
		free(made);
		free(part);
		return error_set(error, ERROR_MEMORY, "no memory for the JVM's log");
	}
	made->part = part;
	made->file = -1;
	made->take = take;
	made->argument = argument;
	log_lines_init(&made->lines, take_line, made);
	code = make_file(made, error);
	if (code == 0)
		code = begin_thread(made, error);
	if (code) {
		destroy(made);
		return code;
	}
	for (unsigned i = 0; what[i]; i++) {
		struct error local = {0};

		made->chosen = i;
		code = switch_on(made, jni, what[i], &local);
		if (code == 0) {
			*log = made;
			return 0;
		}
		if (!what[i + 1])
			error_set(error, local.code, "%s", local.text);
	}
	switch_off(made, jni);
	end_thread(made);
	destroy(made);
	return code;
}

unsigned vm_log_chosen(const struct vm_log *log)
{
	return log->chosen;
}

bool vm_log_close(struct vm_log *log, JNIEnv *jni, struct vm_log_losses *losses)
{
	bool was_on = true;

	if (jni)
		was_on = switch_off(log, jni);
	end_thread(log);
	read_new(log);
	*losses = (struct vm_log_losses){log->left_out, log->lines.strange};
	destroy(log);
	return was_on;
}
