// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/elf_id.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/util.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NOTES 65536 // bytes
#define OUR_ORDER (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)

static bool read_at(int fd, uint64_t at, void *ret, size_t size)
{
	return at <= INT64_MAX && pread(fd, ret, size, (off_t)at) == (ssize_t)size;
}

static unsigned find_in(int fd, uint64_t at, uint64_t size, uint8_t ret[SP_BUILD_ID_MAX])
{
	sp_cleanup_free uint8_t *notes = size <= MAX_NOTES ? sp_malloc(size + 1) : NULL;

	return notes && read_at(fd, at, notes, size) ? sp_build_id_find(notes, size, ret) : 0;
}

static unsigned find_in_segments(int fd, const Elf64_Ehdr *elf, uint8_t ret[SP_BUILD_ID_MAX])
{
	Elf64_Phdr phdr;
	unsigned len = 0;

	for (unsigned i = 0; i < elf->e_phnum && !len && read_at(fd, elf->e_phoff + i * sizeof(phdr), &phdr, sizeof(phdr)); i++)
		if (phdr.p_type == PT_NOTE)
			len = find_in(fd, phdr.p_offset, phdr.p_filesz, ret);
	return len;
}

// Modules of the kernel have no segments; those of a debug file are not in it.
static unsigned find_in_sections(int fd, const Elf64_Ehdr *elf, uint8_t ret[SP_BUILD_ID_MAX])
{
	Elf64_Shdr shdr;
	unsigned len = 0;

	for (unsigned i = 0; i < elf->e_shnum && !len && read_at(fd, elf->e_shoff + i * sizeof(shdr), &shdr, sizeof(shdr)); i++)
		if (shdr.sh_type == SHT_NOTE)
			len = find_in(fd, shdr.sh_offset, shdr.sh_size, ret);
	return len;
}

unsigned elf_id_read(const char *path, uint8_t ret[SP_BUILD_ID_MAX])
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	Elf64_Ehdr elf;
	unsigned len;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || !read_at(fd, 0, &elf, sizeof(elf)) ||
	    memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_ident[EI_DATA] != OUR_ORDER)
		return 0;
	len = elf.e_phentsize == sizeof(Elf64_Phdr) ? find_in_segments(fd, &elf, ret) : 0;
	return len || elf.e_shentsize != sizeof(Elf64_Shdr) ? len : find_in_sections(fd, &elf, ret);
}

unsigned elf_id_of_notes(const char *path, uint8_t ret[SP_BUILD_ID_MAX])
{
	sp_cleanup_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t notes[4096];
	ssize_t size = fd >= 0 ? read(fd, notes, sizeof(notes)) : -1;

	return size > 0 ? sp_build_id_find(notes, (size_t)size, ret) : 0;
}

const char *elf_id_text(const uint8_t *id, unsigned len, char text[ELF_ID_TEXT])
{
	*text = '\0';
	for (unsigned i = 0; i < len && i < SP_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", id[i]);
	return text;
}
