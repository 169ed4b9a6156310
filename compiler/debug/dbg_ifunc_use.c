// SPDX-License-Identifier: GPL-2.0-or-later
// Which function an IFUNC is in a process that runs. The dynamic linker has put its address where calls take it from: in the slots of
// the relocations JUMP_SLOT, GLOB_DAT and IRELATIVE of all files that the process has mapped.
#define _GNU_SOURCE // process_vm_readv
#include "compiler/debug/dbg_impl.h"
#include "compiler/debug/dbg_process.h"
#include "compiler/debug/dwarf/dw_elf.h"
#include "compiler/debug/dwarf/dw_ifunc.h"

#include "runtime/base/cleanup.h"

#include <sys/uio.h>
#include <unistd.h>

struct user {
	pid_t pid;
	const struct dbg_module *module;
	const char *name;
	struct dw_sym resolver;
	uint64_t bias; // of the module: its addresses in the process lie so far behind those in its file
	bool has_bias;
	uint64_t chosen; // as in the file
	bool has_chosen;
};

// A file that is only read, as we read this one, is mapped as a whole.
static bool is_segment(const GElf_Phdr *segment, const struct dbg_mapped *mapped)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return segment->p_type == PT_LOAD && !segment->p_offset &&
	       mapped->end - mapped->start <= SP_ALIGN_UP(segment->p_filesz, page);
}

static bool bias_of(Elf *elf, const struct dbg_mapped *mapped, uint64_t *ret)
{
	GElf_Phdr segment;
	size_t n;

	if (mapped->offset || elf_getphdrnum(elf, &n) < 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &segment) && is_segment(&segment, mapped)) {
			*ret = mapped->start - segment.p_vaddr;
			return true;
		}
	return false;
}

static void take_if_chosen(void *ctx, uint64_t addr)
{
	struct user *user = ctx;

	user->has_chosen |= addr == user->chosen;
}

// What the slot has is one of the choices, unless the dynamic linker is still to fill it.
static void read_slot(struct user *user, uint64_t addr)
{
	uint64_t value;
	struct iovec to = { &value, sizeof(value) }, from = { (void *)(uintptr_t)addr, sizeof(value) };

	if (process_vm_readv(user->pid, &to, 1, &from, 1, 0) != (ssize_t)sizeof(value))
		return;
	user->chosen = value - user->bias;
	dw_ifunc_choices(dbg_impl(user->module)->file, &user->resolver, take_if_chosen, user);
}

// Is it a slot for the function's address? The file that has the IFUNC may refer to it by its resolver.
static bool is_slot(const struct user *user, Elf *elf, uint32_t syms, const GElf_Rela *rela, bool is_own)
{
	GElf_Shdr shdr;
	GElf_Sym sym;

	if (GELF_R_TYPE(rela->r_info) == R_X86_64_IRELATIVE)
		return is_own && (uint64_t)rela->r_addend == user->resolver.addr;
	if (GELF_R_TYPE(rela->r_info) != R_X86_64_JUMP_SLOT && GELF_R_TYPE(rela->r_info) != R_X86_64_GLOB_DAT)
		return false;
	Elf_Scn *scn = elf_getscn(elf, syms);
	if (!scn || !gelf_getshdr(scn, &shdr) || !gelf_getsym(elf_getdata(scn, NULL), (int)GELF_R_SYM(rela->r_info), &sym))
		return false;
	return dw_elf_is_text(elf, shdr.sh_link, sym.st_name, user->name);
}

static void read_slots(struct user *user, Elf *elf, uint64_t bias, bool is_own)
{
	GElf_Shdr shdr;
	GElf_Rela rela;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || !(shdr.sh_flags & SHF_ALLOC))
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);
		for (int i = 0; !user->has_chosen && data && gelf_getrela(data, i, &rela); i++)
			if (is_slot(user, elf, shdr.sh_link, &rela, is_own))
				read_slot(user, bias + rela.r_offset);
	}
}

// The file that has the IFUNC often has a slot for it, too.
static bool search_module(void *ctx, const struct dbg_mapped *mapped)
{
	struct user *user = ctx;
	Elf *elf = dbg_impl(user->module)->file->elf;

	user->has_bias = sp_streq(mapped->path, user->module->path) && bias_of(elf, mapped, &user->bias);
	if (user->has_bias)
		read_slots(user, elf, user->bias, true);
	return !user->has_bias;
}

static bool search_other(void *ctx, const struct dbg_mapped *mapped)
{
	struct user *user = ctx;
	struct dw_image image;
	uint64_t bias;

	if (mapped->offset || sp_streq(mapped->path, user->module->path))
		return true;
	struct sp_err *err = dw_elf_open(mapped->path, &image);
	if (!err) {
		if (bias_of(image.elf, mapped, &bias))
			read_slots(user, image.elf, bias, false);
		dw_elf_deinit(&image);
	}
	sp_err_free(err); // a file that is mapped need not be a program
	return !user->has_chosen;
}

bool dbg_ifunc_chosen(const struct dbg_module *module, const char *name, int pid, uint64_t *ret)
{
	struct user user = { .pid = pid, .module = module, .name = name };
	struct dw_file *file = dbg_impl(module)->file;

	if (!file || file->ehdr.e_machine != EM_X86_64)
		return false;
	for (size_t pos = 0; !user.resolver.is_ifunc && dw_sym_next(file, &pos, &user.resolver);)
		user.resolver.is_ifunc &= sp_streq(user.resolver.name, name);
	if (!user.resolver.is_ifunc)
		return false;
	sp_err_free(dbg_process_mappings(pid, search_module, &user));
	if (user.has_bias && !user.has_chosen)
		sp_err_free(dbg_process_mappings(pid, search_other, &user));
	if (user.has_chosen)
		*ret = user.chosen;
	return user.has_chosen;
}
