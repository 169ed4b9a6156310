// SPDX-License-Identifier: GPL-2.0-or-later
// Marks are notes in the file: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation. Scripts and library scripts name
// thousands of them one by one, so that they are kept.
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dwarf/dw_elf.h"

#include "runtime/base/cleanup.h"
#include "runtime/base/file.h"
#include "runtime/base/hash.h"

#include <gelf.h>
#include <string.h>

#define NOTE_SDT 3
#define PAGE 4096u

struct notes {
	struct sp_arena *arena;
	size_t word; // bytes of an address
	uint64_t base; // where .stapsdt.base is now
	SP_VEC(struct dbg_mark) marks;
};

// Three addresses, then three texts. Addresses move when the file is prelinked: by what .stapsdt.base has moved.
static bool read_note(const struct notes *notes, const uint8_t *desc, size_t size, struct dbg_mark *ret)
{
	const char *text = (const char *)desc + 3 * notes->word, *end = (const char *)desc + size;
	const char **texts[] = { &ret->provider, &ret->name, &ret->args };
	uint64_t words[3] = { 0 }, base = notes->base;

	if (size < 3 * notes->word || !size || end[-1])
		return false;
	for (unsigned i = 0; i < 3; i++)
		memcpy(&words[i], desc + i * notes->word, notes->word);
	for (size_t i = 0; i < SP_ARRAY_SIZE(texts); i++) {
		if (text >= end)
			return false;
		*texts[i] = sp_arena_strdup(notes->arena, text);
		text += strlen(text) + 1;
	}
	ret->pc = words[0] + (base ? base - words[1] : 0);
	ret->semaphore = words[2] ? words[2] + (base ? base - words[1] : 0) : 0;
	return true;
}

static void read_section(struct notes *notes, Elf_Data *data)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr header;

	while (data && (next = gelf_getnote(data, at, &header, &name, &desc)) > 0) {
		struct dbg_mark mark = { 0 };
		const char *owner = (const char *)data->d_buf + name;

		if (header.n_type == NOTE_SDT && header.n_namesz == sizeof("stapsdt") && !memcmp(owner, "stapsdt", sizeof("stapsdt")) &&
		    read_note(notes, (const uint8_t *)data->d_buf + desc, header.n_descsz, &mark))
			sp_vec_push(&notes->marks, mark);
		at = next;
	}
}

// The kernel looks for a semaphore by its place in the file, in the first writable mapping of that page. Is that of another segment? While
// a program starts, what will be read-only (RELRO) is writable.
static bool is_hidden(Elf *elf, uint64_t semaphore)
{
	GElf_Phdr own, other;
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t offset;

		if (!gelf_getphdr(elf, (int)i, &own) || own.p_type != PT_LOAD || semaphore - own.p_vaddr >= own.p_memsz)
			continue;
		offset = semaphore - own.p_vaddr + own.p_offset;
		for (size_t k = 0; k < n; k++)
			if (gelf_getphdr(elf, (int)k, &other) && other.p_type == PT_LOAD && other.p_flags & PF_W && other.p_vaddr < own.p_vaddr &&
			    other.p_offset - other.p_offset % PAGE <= offset && offset < SP_ALIGN_UP(other.p_offset + other.p_filesz, PAGE))
				return true;
	}
	return false;
}

static void read_file(struct notes *notes, Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names = 0;
	GElf_Shdr header;

	notes->word = gelf_getclass(elf) == ELFCLASS32 ? 4 : 8;
	elf_getshdrstrndx(elf, &names);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && dw_elf_is_text(elf, names, header.sh_name, ".stapsdt.base"))
			notes->base = header.sh_addr;
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE && dw_elf_is_text(elf, names, header.sh_name, ".note.stapsdt"))
			read_section(notes, elf_getdata(section, NULL));
	sp_vec_each(mark, &notes->marks)
		mark->is_hidden = mark->semaphore && is_hidden(elf, mark->semaphore);
}

static unsigned count_names(struct notes *notes)
{
	sp_cleanup(sp_hash_deinit) struct sp_hash seen = { 0 };

	sp_vec_each(mark, &notes->marks) {
		const char *name = sp_arena_printf(notes->arena, "%s:%s", mark->provider, mark->name);
		void **place = sp_hash_insert(&seen, name, strlen(name));

		mark->is_again = *place;
		*place = mark;
	}
	return (unsigned)seen.n_live;
}

const struct dbg_marks *dbg_marks(struct dbg_module *module)
{
	struct dbg_impl *impl = dbg_impl(module);
	struct notes notes = { .arena = &impl->dbg->arena };
	sp_cleanup_close int fd = -1;
	Elf *elf;

	if (impl->marks)
		return impl->marks;
	fd = sp_file_open_regular(module->path);
	elf_version(EV_CURRENT);
	elf = fd >= 0 ? elf_begin(fd, ELF_C_READ_MMAP, NULL) : NULL;
	if (elf)
		read_file(&notes, elf);
	elf_end(elf);
	impl->marks = sp_arena_new(notes.arena, struct dbg_marks);
	*impl->marks = (struct dbg_marks){ .n = (unsigned)notes.marks.n, .n_names = count_names(&notes) };
	impl->marks->v = sp_arena_memdup(notes.arena, notes.marks.v, notes.marks.n * sizeof(*notes.marks.v));
	sp_vec_deinit(&notes.marks);
	return impl->marks;
}
