/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * modules: which file's code is where in this process, and where its unwind information is.
 *
 * In: what the dynamic loader has loaded (dl_iterate_phdr(3)).
 * Out: a snapshot: an array sorted by address, which is never changed.
 * Runs: modules_read and modules_changed cold (the loader's lock, malloc); modules_find anywhere: it reads
 * the snapshot alone, takes no lock and calls nothing.
 * A file that is unloaded later (dlclose) leaves its row, whose bytes are gone.
 */
#ifndef JPROF_MODULES_H
#define JPROF_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A piece of code of a file: most files have one. */
struct module {
	uintptr_t begin, end; /* the code */
	uintptr_t bias;       /* address in memory less address in the file */
	/* .eh_frame_hdr (PT_GNU_EH_FRAME), NULL: it has none; and the bytes that may be read around it:
	 * those of its segment, .eh_frame among them. */
	const uint8_t *frame_header;
	size_t frame_header_size;
	const uint8_t *readable, *readable_end;
	const char *path; /* "[vdso]": the kernel's; owned by the snapshot */
};

struct modules {
	unsigned long long added, removed; /* as the loader counts, when this was read */
	size_t count;
	const struct module *module; /* by address, apart */
};

/* A snapshot; owned. NULL: no memory. */
struct modules *modules_read(void);

/* Whether the loader has loaded or unloaded anything since. */
bool modules_changed(const struct modules *modules);

/* The row that a pc is in, or NULL. */
const struct module *modules_find(const struct modules *modules, uintptr_t pc);

/* NULL is allowed. */
void modules_destroy(struct modules *modules);

#endif
