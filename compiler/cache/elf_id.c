// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/cache/elf_id.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/util.h"

#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
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

// The headers of segments or of sections, in a file of 64 or of 32 bits.
struct headers {
	bool is_32;
	uint64_t at;
	unsigned n, size; // of each
};

static bool read_headers(int fd, struct headers *segments, struct headers *sections)
{
	Elf64_Ehdr elf;
	Elf32_Ehdr elf_32;

	if (!read_at(fd, 0, &elf_32, sizeof(elf_32)) || memcmp(elf_32.e_ident, ELFMAG, SELFMAG) != 0 || elf_32.e_ident[EI_DATA] != OUR_ORDER)
		return false;
	if (elf_32.e_ident[EI_CLASS] == ELFCLASS32) {
		*segments = (struct headers){ true, elf_32.e_phoff, elf_32.e_phnum, elf_32.e_phentsize };
		*sections = (struct headers){ true, elf_32.e_shoff, elf_32.e_shnum, elf_32.e_shentsize };
		return true;
	}
	if (elf_32.e_ident[EI_CLASS] != ELFCLASS64 || !read_at(fd, 0, &elf, sizeof(elf)))
		return false;
	*segments = (struct headers){ false, elf.e_phoff, elf.e_phnum, elf.e_phentsize };
	*sections = (struct headers){ false, elf.e_shoff, elf.e_shnum, elf.e_shentsize };
	return true;
}

// READ(Elf64_Phdr, p_type == PT_NOTE, p_offset, p_filesz): of each such header, what it leads to.
#define READ(Header, is_notes, offset, bytes)                                                                                    \
	do {                                                                                                                     \
		Header header;                                                                                                   \
		for (unsigned i = 0; h->size == sizeof(header) && i < h->n && !len &&                                            \
				     read_at(fd, h->at + i * sizeof(header), &header, sizeof(header)); i++)                              \
			if (header.is_notes)                                                                                     \
				len = find_in(fd, header.offset, header.bytes, ret);                                             \
	} while (0)

static unsigned find_in_segments(int fd, const struct headers *h, uint8_t ret[SP_BUILD_ID_MAX])
{
	unsigned len = 0;

	if (h->is_32)
		READ(Elf32_Phdr, p_type == PT_NOTE, p_offset, p_filesz);
	else
		READ(Elf64_Phdr, p_type == PT_NOTE, p_offset, p_filesz);
	return len;
}

// Modules of the kernel have no segments; those of a debug file are not in it.
static unsigned find_in_sections(int fd, const struct headers *h, uint8_t ret[SP_BUILD_ID_MAX])
{
	unsigned len = 0;

	if (h->is_32)
		READ(Elf32_Shdr, sh_type == SHT_NOTE, sh_offset, sh_size);
	else
		READ(Elf64_Shdr, sh_type == SHT_NOTE, sh_offset, sh_size);
	return len;
}
#undef READ

unsigned elf_id_read(const char *path, uint8_t ret[SP_BUILD_ID_MAX])
{
	sp_cleanup_close int fd = sp_file_open_regular(path);
	struct headers segments, sections;
	unsigned len;

	if (fd < 0 || !read_headers(fd, &segments, &sections))
		return 0;
	len = find_in_segments(fd, &segments, ret);
	return len ? len : find_in_sections(fd, &sections, ret);
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
