// SPDX-License-Identifier: GPL-2.0-or-later
// Calls a function in its code, and in the code of its file that it has mapped itself.
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>

__attribute__((noinline)) int twice(int x)
{
	return x * 2;
}

int main(void)
{
	const Elf64_Phdr *head = (const Elf64_Phdr *)getauxval(AT_PHDR);
	uintptr_t base = (uintptr_t)head & ~(uintptr_t)4095, address = (uintptr_t)twice;
	int fd = open("/proc/self/exe", O_RDONLY);
	int (*volatile mapped)(int) = NULL;
	uint8_t *code;

	if (head[0].p_type == PT_PHDR)
		base = (uintptr_t)head - head[0].p_vaddr;
	for (unsigned i = 0; i < getauxval(AT_PHNUM); i++) {
		if (head[i].p_type != PT_LOAD || address - base - head[i].p_vaddr >= head[i].p_memsz)
			continue;
		code = mmap(NULL, head[i].p_filesz, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, (off_t)head[i].p_offset & ~4095L);
		if (code == MAP_FAILED)
			abort();
		mapped = (int (*)(int))(code + (head[i].p_offset & 4095) + (address - base - head[i].p_vaddr));
	}
	if (!mapped)
		abort();
	printf("%d\n", twice(1) + mapped(2));
	return 0;
}
