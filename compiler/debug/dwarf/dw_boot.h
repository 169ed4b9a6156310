// SPDX-License-Identifier: GPL-2.0-or-later
/** The kernel inside of a boot image, /boot/vmlinuz-RELEASE: an ELF file without symbols and debug information, but with the build-id and
 *  the kernel's BTF, where it has one. Machines have it for each kernel that is installed. */
#ifndef SP_DEBUG_DW_BOOT_H
#define SP_DEBUG_DW_BOOT_H

#include "compiler/debug/dwarf/dw_elf.h"

/** Opens it, decompressed in memory. Images of x86 have it (Documentation/arch/x86/boot.rst in Linux), compressed by gzip, xz, lz4 or
 *  zstd; of others the error says what they are. */
struct sp_err *dw_boot_open(const char *path, struct dw_image *ret);
/** The same of a file that is compressed as a whole, ext4.ko.xz, by gzip, xz or zstd. */
struct sp_err *dw_boot_unpack(const char *path, struct dw_image *ret);

#endif
