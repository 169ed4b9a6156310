// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/unwind/unwind_table.h"

#include "runtime/abi/unwind.h"
#include "runtime/base/cleanup.h"
#include "runtime/machine/image.h"
#include "runtime/unwind/cfi.h"

#include <gelf.h>

#define ROWS_A_BUCKET 4 // about
#define MIN_SHIFT 6
#define MAX_SEGMENTS 64 // that are looked at
#define MAX_UNPACKED (256u << 20) // bytes of a section, which says itself how many it has

static void cfi_rows_deinit(struct cfi_rows *rows)
{
	sp_vec_deinit(&rows->v);
}

static struct cfi_rows read_section(Elf_Scn *scn, const GElf_Shdr *shdr, bool is_debug_frame)
{
	struct cfi_rows rows = { 0 };
	GElf_Chdr packed;
	Elf_Data *data;

	if (shdr->sh_flags & SHF_COMPRESSED &&
	    (!gelf_getchdr(scn, &packed) || packed.ch_size > MAX_UNPACKED || elf_compress(scn, 0, 0) < 0))
		return rows;
	data = elf_getdata(scn, NULL);
	if (data && data->d_buf)
		cfi_read(&(struct cfi_input){ data->d_buf, data->d_size, shdr->sh_addr, is_debug_frame }, &rows);
	return rows;
}

static struct cfi_rows read_rows(const struct image_elf *file)
{
	struct cfi_rows found[2] = { 0 }; // .eh_frame, .debug_frame
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names))
		return found[0];
	while ((scn = elf_nextscn(file->elf, scn))) {
		GElf_Shdr shdr;
		const char *name;
		bool is_debug;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS)
			continue;
		name = image_elf_text(file, names, shdr.sh_name);
		is_debug = sp_streq(name, ".debug_frame");
		if ((is_debug || sp_streq(name, ".eh_frame")) && !found[is_debug].v.n)
			found[is_debug] = read_section(scn, &shdr, is_debug);
	}
	if (found[0].v.n) {
		sp_vec_deinit(&found[1].v);
		return found[0];
	}
	return found[1];
}

static bool is_code(const GElf_Phdr *segment, uint64_t pc)
{
	return pc >= segment->p_vaddr && pc - segment->p_vaddr < segment->p_filesz;
}

static GElf_Phdr segment_of(Elf *elf, size_t n_segments, uint64_t pc)
{
	GElf_Phdr segment;

	for (size_t i = 0; i < n_segments; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
		    is_code(&segment, pc))
			return segment;
	return (GElf_Phdr){ 0 };
}

// From addresses to places in the file, which is what is known of an address where the file is mapped. Rows of what is not code
// of a segment, or is behind 4 GB, are left out.
static void to_file(Elf *elf, struct cfi_rows *rows)
{
	size_t n_segments = 0, n = 0;
	GElf_Phdr code = { 0 };

	if (elf_getphdrnum(elf, &n_segments))
		n_segments = 0;
	n_segments = SP_MIN(n_segments, (size_t)MAX_SEGMENTS);
	for (size_t i = 0; i < rows->v.n; i++) {
		struct cfi_row row = rows->v.v[i];

		if (!is_code(&code, row.pc))
			code = segment_of(elf, n_segments, row.pc);
		if (!is_code(&code, row.pc))
			continue;
		row.pc = row.pc - code.p_vaddr + code.p_offset;
		if (row.pc <= UINT32_MAX && (!n || row.pc > rows->v.v[n - 1].pc))
			rows->v.v[n++] = row;
	}
	rows->v.n = n;
}

static void choose_buckets(const struct cfi_rows *rows, struct unwind_table *ret)
{
	uint64_t end = rows->v.n ? sp_vec_last(&rows->v).pc + 1 : 0;

	ret->shift = MIN_SHIFT;
	while (ret->shift < SP_UNWIND_MAX_SHIFT && end >> ret->shift > rows->v.n / ROWS_A_BUCKET + 1)
		ret->shift++;
	ret->n_buckets = (uint32_t)(end >> ret->shift) + 1;
}

// Row 0 is before all others, and says nothing.
static void make(const struct cfi_rows *rows, struct unwind_table *ret)
{
	uint32_t first, next = 0;

	if (!rows->v.n)
		return;
	choose_buckets(rows, ret);
	first = ret->n_buckets;
	sp_vec_reserve(&ret->elements, first + rows->v.n + 1);
	for (uint32_t i = 0; i < ret->n_buckets; i++) {
		uint64_t start = (uint64_t)i << ret->shift, low;

		while (next < rows->v.n && rows->v.v[next].pc <= start)
			next++;
		low = first + next;
		while (next < rows->v.n && rows->v.v[next].pc < start + (UINT64_C(1) << ret->shift))
			next++;
		sp_vec_push(&ret->elements, low | (uint64_t)(first + next + 1) << 32);
	}
	sp_vec_push(&ret->elements, SP_UNWIND_NONE);
	sp_vec_each(row, &rows->v)
		sp_vec_push(&ret->elements, row->pc | (uint64_t)row->info << 32);
}

static void read_elf(const struct image_elf *file, struct unwind_table *ret)
{
	sp_cleanup(cfi_rows_deinit) struct cfi_rows rows = { 0 };
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(file->elf, &ehdr) || ehdr.e_machine != EM_X86_64 || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return;
	rows = read_rows(file);
	to_file(file->elf, &rows);
	make(&rows, ret);
}

struct sp_err *unwind_table_read(const char *path, struct unwind_table *ret)
{
	sp_cleanup(image_elf_close) struct image_elf file = { 0 };

	*ret = (struct unwind_table){ 0 };
	SP_TRY(image_elf_open(path, &file));
	read_elf(&file, ret);
	return image_elf_unread(path);
}

struct sp_err *unwind_table_read_memory(void *bytes, size_t size, struct unwind_table *ret)
{
	Elf *elf;

	*ret = (struct unwind_table){ 0 };
	elf_version(EV_CURRENT);
	elf = elf_memory(bytes, size);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return sp_err_new(SP_ERR_FORMAT, "no ELF file in memory");
	}
	read_elf(&(struct image_elf){ elf, -1 }, ret);
	elf_end(elf);
	return NULL;
}

void unwind_table_deinit(struct unwind_table *table)
{
	sp_vec_deinit(&table->elements);
}
