// SPDX-License-Identifier: GPL-2.0-or-later
#include "compiler/debug/btf/btf_c.h"

#include <bpf/btf.h>
#include <errno.h>

static void print(void *ctx, const char *format, va_list args)
{
	sp_buf_vprintf(ctx, format, args);
}

struct sp_err *btf_c_dump(struct btf_file *file, struct sp_buf *ret)
{
	struct btf *btf = btf_file_raw(file);
	struct btf_dump *dump = btf_dump__new(btf, print, ret, NULL);
	int err = 0;

	if (!dump)
		return sp_err_errno(errno, "the kernel's types as C");
	// With this attribute clang records which member an access is to, and the loader puts in the running kernel's offset.
	sp_buf_puts(ret, "#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)\n");
	for (uint32_t id = 1; id < btf__type_cnt(btf) && !err; id++)
		err = btf_dump__dump_type(dump, id);
	sp_buf_puts(ret, "#pragma clang attribute pop\n");
	btf_dump__free(dump);
	return err ? sp_err_errno(-err, "the kernel's types as C") : NULL;
}
