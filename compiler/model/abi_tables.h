// SPDX-License-Identifier: GPL-2.0-or-later
/** The tables behind abi_find; for abi.c alone. */
#ifndef SP_MODEL_ABI_TABLES_H
#define SP_MODEL_ABI_TABLES_H

struct abi;
extern const struct abi abi_x86_64;
extern const struct abi abi_aarch64;
extern const struct abi abi_i386;

#endif
