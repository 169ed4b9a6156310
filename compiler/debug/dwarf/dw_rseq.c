// SPDX-License-Identifier: GPL-2.0-or-later
// A thread names the sequence that it is in by a descriptor. Whoever writes sequences puts these into a section of their own, where
// debuggers look for them, too, as they cannot stop there either.
#include "compiler/debug/dwarf/dw_rseq.h"

#include "runtime/base/vec.h"

#include <stdlib.h>

// struct rseq_cs of linux/rseq.h.
struct descriptor {
	uint32_t version, flags;
	uint64_t start, size, abort;
};

struct dw_rseq {
	SP_VEC(struct descriptor) found;
};

// Linkers may leave addresses to the dynamic linker, and the bytes in the file zero.
static void relocate(struct dw_rseq *sequences, Elf_Scn *relocations, uint64_t base)
{
	Elf_Data *data = elf_getdata(relocations, NULL);
	GElf_Rela rela;

	for (int i = 0; data && gelf_getrela(data, i, &rela); i++) {
		uint64_t offset = rela.r_offset - base, index = offset / sizeof(struct descriptor);

		if (index < sequences->found.n && offset % sizeof(struct descriptor) == offsetof(struct descriptor, start) &&
		    !GELF_R_SYM(rela.r_info))
			sequences->found.v[index].start = (uint64_t)rela.r_addend;
	}
}

static struct dw_rseq *read_sequences(const struct dw_file *file)
{
	struct dw_rseq *sequences = sp_calloc(1, sizeof(*sequences));
	struct dw_section section;
	size_t names;
	uint64_t base = 0;
	GElf_Shdr header;

	if (!dw_elf_section(file->elf, "__rseq_cs", &section) || elf_getshdrstrndx(file->elf, &names))
		return sequences;
	for (size_t at = 0; at + sizeof(struct descriptor) <= section.size; at += sizeof(struct descriptor)) {
		struct descriptor descriptor;

		memcpy(&descriptor, section.data + at, sizeof(descriptor));
		sp_vec_push(&sequences->found, descriptor);
	}
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));)
		if (gelf_getshdr(scn, &header) && dw_elf_is_text(file->elf, names, header.sh_name, "__rseq_cs"))
			base = header.sh_addr;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->elf, scn));)
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA && header.sh_flags & SHF_ALLOC)
			relocate(sequences, scn, base);
	return sequences;
}

bool dw_rseq_holds(struct dw_file *file, uint64_t addr)
{
	if (!file->sequences)
		file->sequences = read_sequences(file);
	sp_vec_each(descriptor, &file->sequences->found)
		if (addr - descriptor->start < descriptor->size)
			return true;
	return false;
}

void dw_rseq_destroy(struct dw_rseq *sequences)
{
	if (!sequences)
		return;
	sp_vec_deinit(&sequences->found);
	free(sequences);
}
