// SPDX-License-Identifier: GPL-2.0-or-later
/** A pack: one file, NAME.spo, with a script that was compiled for several targets (kernels, builds of programs, architectures).
 *
 *    struct sp_pack_head
 *    struct sp_pack_entry[]   one a target
 *    bytes                    what the entries say, deflated (RFC 1951)
 *
 *  Numbers are little-endian. An entry is a compiled script (abi/bundle.h), whole, or as a delta to an earlier entry that is whole:
 *  two kernels often differ in some offsets alone. A delta is a list of these until all bytes of the script are there:
 *
 *    length, bytes    bytes that are new
 *    length, from     bytes of the other script; `from` is relative to where the last such run ended there, plus the length of the
 *                     new bytes since: 0 when they have replaced as many. At the end of the script it is left out
 *
 *  Lengths are LEB128 numbers, `from` is a signed one: 0, -1, 1, -2, ... are 0, 1, 2, 3, ... */
#ifndef SP_ABI_PACK_H
#define SP_ABI_PACK_H

#include <stdint.h>

#define SP_PACK_MAGIC "SPILPACK"
#define SP_PACK_VERSION 1
#define SP_PACK_MAX_ENTRIES 4096
#define SP_PACK_NONE UINT32_MAX

struct sp_pack_head {
	char magic[8];
	uint16_t version;
	uint16_t head_size;
	uint32_t n_entries;
	uint64_t size; // of the file
	uint8_t sha256[32]; // of the file, with zeros in this place
	uint8_t script[32]; // of the script and its options: what is added later must be compiled from the same
};
_Static_assert(sizeof(struct sp_pack_head) == 88, "abi");

struct sp_pack_entry {
	char target[64]; // what it was compiled for, as the user named it; NUL-padded
	char arch[16]; // uname -m name; NUL-padded
	// Of the kernel that has probes, to try the likely entries first: what must be the same, the compiled script says.
	uint8_t build_id[32];
	uint32_t build_id_len; // 0: there is none
	uint32_t release; // 6012003: 6.12.3
	uint32_t base; // an earlier entry that is whole, to which this is a delta; SP_PACK_NONE: this is whole
	uint32_t delta; // bytes when they are inflated; `size` when this is whole
	uint32_t size; // bytes of the compiled script
	uint32_t stored; // deflated bytes
	uint64_t offset; // of them, from the start of the file
};
_Static_assert(sizeof(struct sp_pack_entry) == 144, "abi");

#endif
