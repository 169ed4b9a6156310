// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/dwarf/dw_ifunc.h"

// A resolver is small; one without a size in the symbol table is read so far.
#define MAX_SIZE 4096
#define LEA_SIZE 7

// `lea DISPLACEMENT(%rip), REGISTER` of 8 bytes: the address that it computes. False: another instruction.
static bool is_lea(const uint8_t *code, uint64_t pc, uint64_t *ret)
{
	int32_t displacement;

	// REX.W with or without REX.R, the opcode, and a ModRM byte that says "relative to %rip".
	if ((code[0] & 0xfb) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 0x05)
		return false;
	memcpy(&displacement, code + 3, sizeof(displacement));
	*ret = pc + LEA_SIZE + (uint64_t)(int64_t)displacement;
	return true;
}

static bool is_code(const struct dw_file *file, uint64_t addr)
{
	size_t n = 0;

	if (elf_getphdrnum(file->elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr segment;
		if (gelf_getphdr(file->elf, (int)i, &segment) && segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
		    addr >= segment.p_vaddr && addr - segment.p_vaddr < segment.p_filesz)
			return true;
	}
	return false;
}

void dw_ifunc_choices(struct dw_file *file, const struct dw_sym *resolver, void (*fn)(void *ctx, uint64_t addr), void *ctx)
{
	uint64_t size = resolver->size && resolver->size < MAX_SIZE ? resolver->size : MAX_SIZE, addr;
	const uint8_t *code = file->ehdr.e_machine == EM_X86_64 ? dw_file_bytes(file, resolver->addr, size) : NULL;

	// Instructions are not told apart: the three bytes in the middle of others would have to be followed by four that lead to code.
	for (uint64_t i = 0; code && i + LEA_SIZE <= size; i++)
		if (is_lea(code + i, resolver->addr + i, &addr) && is_code(file, addr) &&
		    (addr < resolver->addr || addr - resolver->addr >= size))
			fn(ctx, addr);
}
