/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* safe_read: see safe_read.h. */
#include "agent/stack/safe_read.h"

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "arch/read_mostly.h"

enum { WORD = sizeof(uintptr_t) };

static READ_MOSTLY safe_fetch fetch; /* written before the first read */

void safe_read_by(safe_fetch function)
{
	fetch = function;
}

void safe_read_begin(sigset_t *before)
{
	sigset_t faults;

	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	sigaddset(&faults, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &faults, before);
}

void safe_read_end(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static bool kernel_copy(void *to, uintptr_t from, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)from, bytes};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

bool safe_word(uintptr_t at, uintptr_t *word)
{
	const intptr_t *place = (const intptr_t *)at;

	/* Nothing is mapped at the first page, nor in the upper half: half of all bad
	 * pointers need no fault. */
	if (at % WORD != 0 || at < 4096 || (intptr_t)at < 0)
		return false;
	if (!fetch)
		return kernel_copy(word, at, WORD);
	*word = (uintptr_t)fetch(place, -1);
	return *word != UINTPTR_MAX || fetch(place, 0) != 0;
}

/* The part of a word that begins at the address. */
static bool part(uintptr_t at, uintptr_t *value)
{
	uintptr_t inside = at % WORD;

	if (!safe_word(at - inside, value))
		return false;
	*value >>= 8 * inside;
	return true;
}

bool safe_u32(uintptr_t at, uint32_t *value)
{
	uintptr_t word;

	if (at % sizeof(*value) != 0 || !part(at, &word))
		return false;
	*value = (uint32_t)word;
	return true;
}

bool safe_u16(uintptr_t at, uint16_t *value)
{
	uintptr_t word;

	if (at % sizeof(*value) != 0 || !part(at, &word))
		return false;
	*value = (uint16_t)word;
	return true;
}

bool safe_u8(uintptr_t at, uint8_t *value)
{
	uintptr_t word;

	if (!part(at, &word))
		return false;
	*value = (uint8_t)word;
	return true;
}

bool safe_text(char *to, size_t room, uintptr_t from)
{
	uintptr_t word = 0;

	for (size_t i = 0; i + 1 < room; i++) {
		uintptr_t at = from + i;

		if ((i == 0 || at % WORD == 0) && !part(at, &word))
			return false;
		to[i] = (char)word;
		if (to[i] == '\0')
			return true;
		word >>= 8;
	}
	to[room - 1] = '\0';
	return true;
}

bool safe_copy_known(void *to, uintptr_t from, size_t bytes)
{
	if (fetch)
		return safe_copy(to, from, bytes);
	memcpy(to, (const void *)from, bytes);
	return true;
}

bool safe_u32_known(uintptr_t at, uint32_t *value)
{
	if (fetch)
		return safe_u32(at, value);
	memcpy(value, (const void *)at, sizeof(*value));
	return true;
}

bool safe_copy(void *to, uintptr_t from, size_t bytes)
{
	char *out = to;

	if (!fetch)
		return bytes == 0 || kernel_copy(to, from, bytes);
	for (; from % WORD == 0 && bytes >= WORD; bytes -= WORD) {
		uintptr_t word;

		if (!safe_word(from, &word))
			return false;
		memcpy(out, &word, WORD);
		out += WORD;
		from += WORD;
	}
	while (bytes > 0) {
		uintptr_t inside = from % WORD, word;
		size_t some = WORD - inside < bytes ? WORD - inside : bytes;

		if (!safe_word(from - inside, &word))
			return false;
		memcpy(out, (const char *)&word + inside, some);
		out += some;
		from += some;
		bytes -= some;
	}
	return true;
}
