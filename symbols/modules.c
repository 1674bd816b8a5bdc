/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* modules: see modules.h. Rows and paths are one allocation behind the snapshot's head: counted in a
 * first round, filled in in a second one; if something was loaded in between, again. */
#include "symbols/modules.h"

#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* A round: what it counts, and where it puts rows and paths; NULL: nowhere. */
struct round {
	unsigned long long added, removed;
	size_t rows, bytes; /* found */
	size_t rows_room, bytes_room;
	struct module *module;
	char *paths;
	uintptr_t vdso;
	const char *program; /* the loader has no name for it */
	bool first;
};

static uintptr_t part_begin(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
	return info->dlpi_addr + part->p_vaddr;
}

static bool part_holds(
	const struct dl_phdr_info *info, const ElfW(Phdr) * part, uintptr_t address)
{
	return address - part_begin(info, part) < part->p_memsz;
}

static const char *path_of(const struct dl_phdr_info *info, const struct round *round)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type == PT_LOAD && round->vdso != 0 &&
			part_holds(info, part, round->vdso))
			return "[vdso]";
	}
	if (info->dlpi_name && *info->dlpi_name)
		return info->dlpi_name;
	return round->first ? round->program : "";
}

/* Where the unwind information of a file is, into all its rows. */
static struct module frame_of(const struct dl_phdr_info *info)
{
	struct module module = {.bias = info->dlpi_addr};
	const ElfW(Phdr) *header = NULL;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			header = &info->dlpi_phdr[i];
	}
	for (int i = 0; header && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = part_begin(info, part), at = part_begin(info, header);

		/* Behind p_filesz there is no file. */
		if (part->p_type != PT_LOAD || !(part->p_flags & PF_R) ||
			!part_holds(info, part, at) || at - begin > part->p_filesz ||
			header->p_memsz > part->p_filesz - (at - begin))
			continue;
		module.frame_header = (const uint8_t *)at;
		module.frame_header_size = header->p_memsz;
		module.readable = (const uint8_t *)begin;
		module.readable_end = module.readable + part->p_filesz;
	}
	return module;
}

static int visit(struct dl_phdr_info *info, size_t size, void *user)
{
	struct round *round = user;
	const char *path = path_of(info, round);
	size_t length = strlen(path) + 1;
	struct module module = frame_of(info);

	round->added = info->dlpi_adds;
	round->removed = info->dlpi_subs;
	round->first = false;
	if (round->module && length <= round->bytes_room - round->bytes)
		module.path = memcpy(round->paths + round->bytes, path, length);
	round->bytes += length;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];

		if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
			continue;
		module.begin = part_begin(info, part);
		module.end = module.begin + part->p_memsz;
		if (round->module && module.path && round->rows < round->rows_room)
			round->module[round->rows] = module;
		round->rows++;
	}
	return round->module &&
	       (round->rows > round->rows_room || round->bytes > round->bytes_room);
}

static int compare(const void *a, const void *b)
{
	const struct module *one = a, *other = b;

	return (one->begin > other->begin) - (one->begin < other->begin);
}

struct modules *modules_read(void)
{
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct round count, fill;
	struct modules *modules;

	program[length > 0 ? length : 0] = '\0';
	for (;;) {
		count = (struct round){
			.vdso = getauxval(AT_SYSINFO_EHDR), .program = program, .first = true};
		dl_iterate_phdr(visit, &count);
		modules = malloc(
			sizeof(*modules) + count.rows * sizeof(struct module) + count.bytes);
		if (!modules)
			return NULL;
		fill = (struct round){.vdso = count.vdso,
			.program = program,
			.first = true,
			.rows_room = count.rows,
			.bytes_room = count.bytes,
			.module = (struct module *)(modules + 1),
			.paths = (char *)((struct module *)(modules + 1) + count.rows)};
		if (dl_iterate_phdr(visit, &fill) == 0)
			break;
		free(modules);
	}
	qsort(fill.module, fill.rows, sizeof(*fill.module), compare);
	*modules = (struct modules){.added = fill.added,
		.removed = fill.removed,
		.count = fill.rows,
		.module = fill.module};
	return modules;
}

static int look(struct dl_phdr_info *info, size_t size, void *user)
{
	const struct modules *modules = user;

	return 1 + (info->dlpi_adds != modules->added || info->dlpi_subs != modules->removed);
}

bool modules_changed(const struct modules *modules)
{
	return dl_iterate_phdr(look, (void *)modules) == 2;
}

const struct module *modules_find(const struct modules *modules, uintptr_t pc)
{
	size_t low = 0, high = modules->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (modules->module[middle].end <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == modules->count || pc < modules->module[low].begin)
		return NULL;
	return &modules->module[low];
}

void modules_destroy(struct modules *modules)
{
	free(modules);
}
