/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * beside: an agent that does what others than jprof may do to a process, all the time: its options
 * name what, joined by '+'.
 *
 *   sigprof   the process' timer of processor time, each millisecond, and a handler of SIGPROF
 *   perf      perf events of every thread, opened, mapped and closed
 *   suspend   Java's threads are suspended, looked at and resumed, one by one and all at once
 *
 * Out: at the JVM's end a line "beside: N" on standard output, N times it did so.
 */
#include <dirent.h>
#include <jvmti.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum {
	EVENTS = 256, /* at once */
	EVENT_US = 100000,
	HELD_US = 20000,
	PAUSE_US = 180000,
	FRAMES = 32
};

static jvmtiEnv *jvmti;
static bool suspends;
static atomic_bool ending;
static atomic_ulong done;

static void on_profile(int signal)
{
	atomic_fetch_add(&done, 1);
}

static int start_timer(void)
{
	struct itimerval often = {{0, 1000}, {0, 1000}};
	struct sigaction action = {.sa_handler = on_profile, .sa_flags = SA_RESTART};

	return sigaction(SIGPROF, &action, NULL) || setitimer(ITIMER_PROF, &often, NULL);
}

/* -1: refused. */
static int open_event(pid_t thread)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 200000,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID,
		.exclude_kernel = 1};

	return (int)syscall(
		SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static int open_all(int *events)
{
	DIR *tasks = opendir("/proc/self/task");
	struct dirent *task;
	int count = 0;

	while (tasks && count < EVENTS && (task = readdir(tasks))) {
		int event = atoi(task->d_name) > 0 ? open_event(atoi(task->d_name)) : -1;

		if (event >= 0)
			events[count++] = event;
	}
	if (tasks)
		closedir(tasks);
	return count;
}

static void *open_and_close(void *unused)
{
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	void *rings[EVENTS];
	int events[EVENTS], count, i;

	while (!atomic_load(&ending)) {
		count = open_all(events);
		for (i = 0; i < count; i++)
			rings[i] = mmap(
				NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, events[i], 0);
		usleep(EVENT_US);
		for (i = 0; i < count; i++) {
			if (rings[i] != MAP_FAILED)
				munmap(rings[i], size);
			close(events[i]);
		}
		atomic_fetch_add(&done, (unsigned long)count);
	}
	return NULL;
}

/* False: it has ended, is suspended by somebody else, or is this one. */
static bool stop(JNIEnv *env, jthread self, jthread thread)
{
	return !(*env)->IsSameObject(env, self, thread) &&
	       !(*jvmti)->SuspendThread(jvmti, thread);
}

static void look_at(jthread thread)
{
	jvmtiFrameInfo frames[FRAMES];
	jint count;

	(*jvmti)->GetStackTrace(jvmti, thread, 0, FRAMES, frames, &count);
}

/* One of them each time; all of them each eighth. */
static void stop_some(JNIEnv *env, jthread self, jthread *threads, jint count, unsigned round)
{
	bool stopped[EVENTS] = {false};
	jint i;

	if (count > EVENTS)
		count = EVENTS;
	for (i = 0; i < count; i++)
		if (round % 8 == 0 || (jint)(round % (unsigned)count) == i)
			stopped[i] = stop(env, self, threads[i]);
	for (i = 0; i < count; i++)
		if (stopped[i])
			look_at(threads[i]);
	usleep(HELD_US);
	for (i = 0; i < count; i++) {
		if (!stopped[i])
			continue;
		(*jvmti)->ResumeThread(jvmti, threads[i]);
		atomic_fetch_add(&done, 1);
	}
}

static void JNICALL suspend_and_resume(jvmtiEnv *unused, JNIEnv *env, void *data)
{
	unsigned round;

	for (round = 0; !atomic_load(&ending); round++) {
		jthread self = NULL, *threads;
		jint count;

		usleep(PAUSE_US);
		if ((*env)->PushLocalFrame(env, EVENTS))
			return;
		if (!(*jvmti)->GetCurrentThread(jvmti, &self) &&
			!(*jvmti)->GetAllThreads(jvmti, &count, &threads)) {
			stop_some(env, self, threads, count, round);
			(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
		}
		(*env)->PopLocalFrame(env, NULL);
	}
}

static void JNICALL on_begin(jvmtiEnv *unused, JNIEnv *env, jthread main)
{
	jclass type = (*env)->FindClass(env, "java/lang/Thread");
	jmethodID make =
		type ? (*env)->GetMethodID(env, type, "<init>", "(Ljava/lang/String;)V") : NULL;
	jstring name = make ? (*env)->NewStringUTF(env, "beside") : NULL;
	jthread thread = name ? (*env)->NewObject(env, type, make, name) : NULL;

	if (!thread || (*env)->ExceptionCheck(env) ||
		(*jvmti)->RunAgentThread(
			jvmti, thread, suspend_and_resume, NULL, JVMTI_THREAD_NORM_PRIORITY))
		fprintf(stderr, "beside: no thread\n");
}

static void JNICALL on_end(jvmtiEnv *unused, JNIEnv *env)
{
	struct itimerval never = {{0, 0}, {0, 0}};

	atomic_store(&ending, true);
	setitimer(ITIMER_PROF, &never, NULL);
	printf("beside: %lu\n", atomic_load(&done));
	fflush(stdout);
}

/* Suspending is asked for only where it is done: it has a price. */
static int get_events(JavaVM *vm)
{
	jvmtiCapabilities wanted = {.can_suspend = suspends};
	jvmtiEventCallbacks callbacks = {.VMInit = on_begin, .VMDeath = on_end};

	return (*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_1_2) ||
	       (*jvmti)->AddCapabilities(jvmti, &wanted) ||
	       (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof(callbacks)) ||
	       (*jvmti)->SetEventNotificationMode(
		       jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL) ||
	       (suspends && (*jvmti)->SetEventNotificationMode(
				    jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL));
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	pthread_t thread;

	if (!options)
		options = "";
	suspends = strstr(options, "suspend");
	if (get_events(vm) || (strstr(options, "sigprof") && start_timer()) ||
		(strstr(options, "perf") &&
			pthread_create(&thread, NULL, open_and_close, NULL)))
		return JNI_ERR;
	return JNI_OK;
}
