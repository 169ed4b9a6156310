// SPDX-License-Identifier: GPL-2.0-or-later
/** The head of BTF (Documentation/bpf/btf.rst), with what every version has of it: struct btf_header of linux/btf.h has grown since Linux
 *  7.0, and older kernels and LLVM write none that long. */
#ifndef SP_BASE_BTF_HEAD_H
#define SP_BASE_BTF_HEAD_H

#include <stdint.h>

struct sp_btf_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len; // as long as it is in truth
	uint32_t type_off, type_len, str_off, str_len; // in bytes, from the end of the head
};

#endif
