/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * live_memory: what one library of a process has of memory, now.
 *
 *   LD_PRELOAD=liblive_memory.so LIVE_MEMORY=FILE   FILE has struct live_memory, which is up to date
 *
 * It is what calls from within libjprof.so have asked malloc(3) and mmap(2) for, and nobody has given back. What the C library
 * asks for itself on such a call, but for copies of texts, is not counted.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 1 << 22, GONE = 1 };

/* As the test reads it. */
struct live_memory {
	uint64_t ready;         /* the library is known: what is asked for from now on counts */
	uint64_t pieces, bytes; /* of malloc's */
	uint64_t maps, mapped;
};

static struct live_memory *live;
static struct piece {
	uintptr_t at; /* 0: none yet; GONE */
	size_t bytes;
	int is_map;
} * pieces; /* by address */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uintptr_t from, to; /* the library */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *piece, size_t bytes);
extern void __libc_free(void *piece);

static unsigned slot_of(uintptr_t at)
{
	return (unsigned)((at >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 42);
}

static void count(const struct piece *piece, int sign)
{
	uint64_t bytes = (uint64_t)sign * piece->bytes;

	*(piece->is_map ? &live->mapped : &live->bytes) += bytes;
	*(piece->is_map ? &live->maps : &live->pieces) += (uint64_t)sign;
}

static void note(const void *caller, const void *at, size_t bytes, int is_map)
{
	struct piece *free_one = NULL;

	if ((uintptr_t)caller < from || (uintptr_t)caller >= to || !at)
		return;
	pthread_mutex_lock(&mutex);
	for (unsigned i = slot_of((uintptr_t)at); !free_one; i = (i + 1) % SLOTS)
		if (pieces[i].at <= GONE)
			free_one = &pieces[i];
	*free_one = (struct piece){(uintptr_t)at, bytes, is_map};
	count(free_one, 1);
	pthread_mutex_unlock(&mutex);
}

static void forget(const void *at)
{
	if (!to || !at)
		return;
	pthread_mutex_lock(&mutex);
	for (unsigned i = slot_of((uintptr_t)at); pieces[i].at; i = (i + 1) % SLOTS) {
		if (pieces[i].at != (uintptr_t)at)
			continue;
		pieces[i].at = GONE;
		count(&pieces[i], -1);
		/* Nobody has to look behind it where nothing is behind it. */
		if (!pieces[(i + 1) % SLOTS].at)
			for (; pieces[i].at == GONE; i = (i + SLOTS - 1) % SLOTS)
				pieces[i].at = 0;
		break;
	}
	pthread_mutex_unlock(&mutex);
}

/* ---- in the place of the C library's ---- */

#define CALLER __builtin_return_address(0)

void *malloc(size_t bytes)
{
	void *made = __libc_malloc(bytes);

	note(CALLER, made, bytes, 0);
	return made;
}

void *calloc(size_t number, size_t bytes)
{
	void *made = __libc_calloc(number, bytes);

	note(CALLER, made, number * bytes, 0);
	return made;
}

void *realloc(void *before, size_t bytes)
{
	void *made;

	/* Before it: by then another thread may have what it was. */
	forget(before);
	made = __libc_realloc(before, bytes);
	note(CALLER, made, bytes, 0);
	return made;
}

void free(void *piece)
{
	forget(piece);
	__libc_free(piece);
}

static char *copy(const char *text, size_t length)
{
	char *made = __libc_malloc(length + 1);

	if (!made)
		return NULL;
	memcpy(made, text, length);
	made[length] = '\0';
	return made;
}

char *strdup(const char *text)
{
	char *made = copy(text, strlen(text));

	note(CALLER, made, strlen(text) + 1, 0);
	return made;
}

char *strndup(const char *text, size_t most)
{
	size_t length = strnlen(text, most);
	char *made = copy(text, length);

	note(CALLER, made, length + 1, 0);
	return made;
}

static void *noted_map(const void *caller, void *made, size_t bytes)
{
	if (made != MAP_FAILED)
		note(caller, made, bytes, 1);
	return made;
}

void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
	static void *(*real)(void *, size_t, int, int, int, off_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "mmap");
	return noted_map(CALLER, real(at, bytes, protection, flags, file, offset), bytes);
}

void *mremap(void *before, size_t old_bytes, size_t bytes, int flags, ...)
{
	static void *(*real)(void *, size_t, size_t, int, ...);
	va_list rest;
	void *at, *made;

	va_start(rest, flags);
	at = flags & MREMAP_FIXED ? va_arg(rest, void *) : NULL;
	va_end(rest);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "mremap");
	forget(before);
	made = real(before, old_bytes, bytes, flags, at);
	return made == MAP_FAILED ? (noted_map(CALLER, before, old_bytes), made)
				  : noted_map(CALLER, made, bytes);
}

int munmap(void *at, size_t bytes)
{
	static int (*real)(void *, size_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "munmap");
	forget(at);
	return real(at, bytes);
}

/* ---- where the library is ---- */

static int look_at(struct dl_phdr_info *library, size_t size, void *unused)
{
	uintptr_t end = 0;

	if (!strstr(library->dlpi_name, "/libjprof.so"))
		return 0;
	for (int i = 0; i < library->dlpi_phnum; i++)
		if (library->dlpi_phdr[i].p_type == PT_LOAD)
			end = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr +
			      library->dlpi_phdr[i].p_memsz;
	from = library->dlpi_addr;
	to = end;
	return 1;
}

static void *find_library(void *unused)
{
	while (!dl_iterate_phdr(look_at, NULL))
		usleep(20 * 1000);
	live->ready = 1;
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("LIVE_MEMORY");
	int file = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	pthread_t thread;

	if (file < 0 || ftruncate(file, sizeof(*live)))
		return;
	live = mmap(NULL, sizeof(*live), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	pieces = __libc_calloc(SLOTS, sizeof(*pieces));
	/* Children have none of it. */
	unsetenv("LD_PRELOAD");
	if (live != MAP_FAILED && pieces &&
		pthread_create(&thread, NULL, find_library, NULL) == 0)
		pthread_detach(thread);
}
