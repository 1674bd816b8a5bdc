/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* symbols_library: functions that test_elf_symbols looks for. */
#define SHOWN __attribute__((visibility("default"), noinline))

SHOWN int library_shown(int x);
SHOWN int library_alias(int x) __attribute__((alias("library_shown")));
SHOWN int library_weak(int x) __attribute__((weak, alias("library_shown")));

static __attribute__((noinline)) int library_hidden(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3;
}

int library_shown(int x)
{
	return library_hidden(x) + 1;
}

SHOWN void *library_hidden_at(void);
void *library_hidden_at(void)
{
	return (void *)library_hidden;
}
