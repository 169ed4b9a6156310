// SPDX-License-Identifier: GPL-2.0-or-later
/** Call frame instructions (DWARF 5, 6.4.2): from them, what holds at each instruction of a function of x86_64. Only rules for the
 *  stack pointer, rbp and the return address are kept. The bytes are not trusted. */
#ifndef SP_RUNTIME_CFI_PROGRAM_H
#define SP_RUNTIME_CFI_PROGRAM_H

#include "runtime/base/bytes.h"
#include "runtime/base/vec.h"

struct cfi_cfa {
	enum cfi_cfa_kind {
		CFI_CFA_NONE, // what cannot be expressed
		CFI_CFA_SP, // rsp + offset
		CFI_CFA_BP, // rbp + offset
		CFI_CFA_R10, // r10 + offset
		CFI_CFA_SP_DEREF, // what is at rsp + offset
		CFI_CFA_BP_DEREF, // what is at rbp + offset
		CFI_CFA_PLT, // rsp + 8, and 8 more where pc % 16 >= offset
	} kind;
	int64_t offset;
};

struct cfi_saved {
	enum cfi_saved_kind {
		CFI_SAVED_SAME, // unchanged
		CFI_SAVED_AT_CFA, // at CFA + offset
		CFI_SAVED_AT_BP, // where rbp points to
		CFI_SAVED_UNDEFINED,
		CFI_SAVED_OTHER, // what cannot be expressed
	} kind;
	int64_t offset;
};

struct cfi_rules {
	struct cfi_cfa cfa;
	struct cfi_saved rbp, ret;
};

struct cfi_row {
	uint64_t pc;
	uint32_t info; // the high half of a table's row (abi/unwind.h)
};

struct cfi_rows {
	SP_VEC(struct cfi_row) v;
};

/** What functions have in common (a CIE). */
struct cfi_common {
	uint64_t code_factor;
	int64_t data_factor;
	unsigned encoding; // of a function's addresses: DW_EH_PE_*
	uint64_t ret_register;
	bool has_data; // functions have augmentation data
	bool is_signal;
	struct cfi_rules rules;
};

/** Runs the instructions of the common part: `c->rules` are what functions begin with. */
void cfi_program_begin(struct cfi_common *c, struct sp_bytes insns);
/** Runs those of a function, and appends its rows. From `end` on nothing is known. */
void cfi_program_run(const struct cfi_common *c, struct sp_bytes insns, uint64_t start, uint64_t end, struct cfi_rows *rows);

#endif
