/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* elf_file: see elf_file.h. */
#include "symbols/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTIONS_MAX = 1 << 20 };

static const uint64_t bytes_max = UINT64_C(1) << 30;

static bool read_all(const struct elf_file *file, void *to, size_t size, uint64_t offset)
{
	char *at = to;

	if (offset > file->size || size > file->size - offset)
		return false;
	while (size > 0) {
		ssize_t got = pread(file->descriptor, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

/* Copies bytes of the file, and puts a NUL behind them. */
static char *copy(const struct elf_file *file, uint64_t offset, uint64_t size)
{
	char *bytes;

	if (size > bytes_max || offset > file->size || size > file->size - offset)
		return NULL;
	bytes = malloc((size_t)size + 1);
	if (bytes && !read_all(file, bytes, (size_t)size, offset)) {
		free(bytes);
		return NULL;
	}
	if (bytes)
		bytes[size] = '\0';
	return bytes;
}

char *elf_file_read(const struct elf_file *file, const Elf64_Shdr *section, size_t *size)
{
	if (section->sh_type == SHT_NOBITS || section->sh_flags & SHF_COMPRESSED)
		return NULL;
	*size = (size_t)section->sh_size;
	return copy(file, section->sh_offset, section->sh_size);
}

static bool is_ours(const Elf64_Ehdr *header)
{
	const int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == order &&
	       (header->e_type == ET_EXEC || header->e_type == ET_DYN);
}

/* Numbers that do not fit into the header are in the section 0. */
static bool read_sections(struct elf_file *file, const Elf64_Ehdr *header)
{
	Elf64_Shdr first;
	uint64_t count = header->e_shnum, names = header->e_shstrndx;

	if (header->e_shoff == 0)
		return true;
	if (header->e_shentsize != sizeof(first) ||
		!read_all(file, &first, sizeof(first), header->e_shoff))
		return false;
	if (count == 0)
		count = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (count > SECTIONS_MAX || names >= count)
		return false;
	file->sections = (void *)copy(file, header->e_shoff, count * sizeof(first));
	if (!file->sections)
		return false;
	file->count = (size_t)count;
	file->names = elf_file_read(file, &file->sections[names], &file->names_size);
	return file->names != NULL;
}

int elf_file_open(struct elf_file *file, const char *path, struct error *error)
{
	Elf64_Ehdr header;
	struct stat status;

	*file = (struct elf_file){.descriptor = -1};
	/* A named pipe would have us wait. */
	file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->descriptor < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot open '%s'", error_subject(path).text);
	if (fstat(file->descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
		elf_file_close(file);
		return error_set(error, ERROR_FORMAT, "'%s' is not a regular file",
			error_subject(path).text);
	}
	file->size = (uint64_t)status.st_size;
	if (!read_all(file, &header, sizeof(header), 0) || !is_ours(&header) ||
		!read_sections(file, &header)) {
		elf_file_close(file);
		return error_set(error, ERROR_FORMAT,
			"'%s' is not a program or library of this machine's kind",
			error_subject(path).text);
	}
	return 0;
}

const Elf64_Shdr *elf_file_section(const struct elf_file *file, const char *name)
{
	for (size_t i = 0; i < file->count; i++) {
		if (file->sections[i].sh_name < file->names_size &&
			strcmp(file->names + file->sections[i].sh_name, name) == 0)
			return &file->sections[i];
	}
	return NULL;
}

void elf_file_close(struct elf_file *file)
{
	if (file->descriptor >= 0)
		close(file->descriptor);
	free(file->sections);
	free(file->names);
	*file = (struct elf_file){.descriptor = -1};
}
