// SPDX-License-Identifier: GPL-2.0-or-later
#include "runtime/base/build_id.h"

#include "runtime/base/util.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

// gABI, "Note Section"; names and descriptions are padded to 4 bytes, as the kernel and linkers write them.
unsigned sp_build_id_find(const void *notes, size_t size, uint8_t ret[SP_BUILD_ID_MAX])
{
	const uint8_t *bytes = notes;
	Elf64_Nhdr head;

	for (size_t at = 0; at <= size && size - at >= sizeof(head);) {
		size_t name = at + sizeof(head), desc;

		memcpy(&head, bytes + at, sizeof(head));
		desc = name + SP_ALIGN_UP((size_t)head.n_namesz, 4);
		if (desc > size || head.n_descsz > size - desc)
			return 0;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof("GNU") &&
		    memcmp(bytes + name, "GNU", sizeof("GNU")) == 0 && head.n_descsz <= SP_BUILD_ID_MAX) {
			memcpy(ret, bytes + desc, head.n_descsz);
			return head.n_descsz;
		}
		at = desc + SP_ALIGN_UP((size_t)head.n_descsz, 4);
	}
	return 0;
}

// FNV-1a, to which pieces of any size give the same.
unsigned sp_build_id_of_content(int fd, uint8_t ret[SP_CONTENT_ID])
{
	uint64_t sum = 0xcbf29ce484222325;
	uint8_t bytes[4096];
	ssize_t n;

	for (off_t at = 0; (n = pread(fd, bytes, sizeof(bytes), at)) > 0; at += n)
		for (ssize_t i = 0; i < n; i++)
			sum = (sum ^ bytes[i]) * 0x100000001b3;
	memcpy(ret, &sum, sizeof(sum));
	return sizeof(sum);
}
