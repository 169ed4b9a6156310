// SPDX-License-Identifier: GPL-2.0-or-later
/* probe end(1) { printf("second end\n") }
 * probe end { printf("ticks %d\n", ticks) }
 * probe begin { printf("begin, target %d\n", target()) }
 * probe timer.ms(20) { if (++ticks >= 3) exit() }
 * global ticks, unread */
#define STRINGS(S)                                                                                 \
	S(script, "session.stp")                                                                   \
	S(p_end1, "end(1)") S(p_end, "end") S(p_begin, "begin") S(p_timer, "timer.ms(20)")         \
	S(ticks, "ticks") S(unread, "unread")                                                      \
	S(f_begin, "begin, target %d\n") S(f_end, "ticks %d\n") S(f_end1, "second end\n") S(last, "")
#include "spo.h"

#define N_PROGS 4
SPO_STRINGS
SPO_HEAD(N_PROGS, 2, 1)
SPO_AREAS(N_PROGS, 2, 1, 0, 7)

#define N_BEGIN (N_HEAD + 4 + N_EMIT + 2)
#define N_END1 (N_HEAD + N_EMIT + 2)
#define N_TIMER (6 + N_HEAD + N_EMIT + 2)

const struct bpf_insn code[] SPO_SECTION(SP_SEC_USER) = {
	// begin: prog 2, format 0
	HEAD(16, SP_EVENT_FORMAT, 2, 0), AREA(BPF_REG_1, SP_VM_AREA_SLOTS, 0), LOAD(BPF_REG_1, BPF_REG_1, 0),
	STORE(BPF_REG_10, -8, BPF_REG_1), EMIT(16, 16), MOV(BPF_REG_0, 0), EXIT,
	// end: prog 1, format 1
	HEAD(16, SP_EVENT_FORMAT, 1, 1), AREA(BPF_REG_1, SP_VM_AREA_DATA, GLOBAL_OFFSET(N_PROGS, 0)),
	LOAD(BPF_REG_1, BPF_REG_1, 0), STORE(BPF_REG_10, -8, BPF_REG_1), EMIT(16, 16), MOV(BPF_REG_0, 0), EXIT,
	// end(1): prog 0, format 2
	HEAD(8, SP_EVENT_FORMAT, 0, 2), EMIT(8, 8), MOV(BPF_REG_0, 0), EXIT,
	// timer: prog 3
	AREA(BPF_REG_1, SP_VM_AREA_DATA, GLOBAL_OFFSET(N_PROGS, 0)), LOAD(BPF_REG_2, BPF_REG_1, 0), ADD(BPF_REG_2, 1),
	STORE(BPF_REG_1, 0, BPF_REG_2), JUMP_LESS(BPF_REG_2, 3, N_HEAD + N_EMIT),
	HEAD(8, SP_EVENT_EXIT, 3, 0), EMIT(8, 8), MOV(BPF_REG_0, 0), EXIT,
};

const struct sp_prog progs[] SPO_SECTION(SP_SEC_PROGS) = {
	{ .kind = SP_PROG_USER, .flags = SP_PROG_IN_USER, .first_site = 0, .n_sites = 1,
	  .user_insn = 2 * N_BEGIN, .n_user_insns = N_END1 },
	{ .kind = SP_PROG_USER, .flags = SP_PROG_IN_USER, .first_site = 1, .n_sites = 1,
	  .user_insn = N_BEGIN, .n_user_insns = N_BEGIN },
	{ .kind = SP_PROG_USER, .flags = SP_PROG_IN_USER, .first_site = 2, .n_sites = 1,
	  .user_insn = 0, .n_user_insns = N_BEGIN },
	{ .kind = SP_PROG_USER, .flags = SP_PROG_IN_USER, .first_site = 3, .n_sites = 1,
	  .user_insn = 2 * N_BEGIN + N_END1, .n_user_insns = N_TIMER },
};

const struct sp_site sites[] SPO_SECTION(SP_SEC_SITES) = {
	{ .kind = SP_SITE_END, .prog = 0, .point = STR(p_end1), .object = ~0u, .arg = 1 },
	{ .kind = SP_SITE_END, .prog = 1, .point = STR(p_end), .object = ~0u },
	{ .kind = SP_SITE_BEGIN, .prog = 2, .point = STR(p_begin), .object = ~0u },
	{ .kind = SP_SITE_TIMER, .prog = 3, .point = STR(p_timer), .object = ~0u, .arg = 20000000 },
};

const struct sp_place places[] SPO_SECTION(SP_SEC_PLACES) = { { .file = STR(script), .line = 1, .column = 1 } };

const struct sp_global globals[] SPO_SECTION(SP_SEC_GLOBALS) = {
	{ .name = STR(ticks), .type = SP_LONG, .offset = GLOBAL_OFFSET(N_PROGS, 0), .size = 8 },
	{ .name = STR(unread), .type = SP_LONG, .flags = SP_GLOBAL_UNREAD, .offset = GLOBAL_OFFSET(N_PROGS, 1), .size = 8 },
};

const struct sp_field fields[] SPO_SECTION(SP_SEC_FIELDS) = { { .type = SP_LONG, .offset = 8, .size = 8 } };

const struct sp_format formats[] SPO_SECTION(SP_SEC_FORMATS) = {
	{ .text = STR(f_begin), .n_args = 1, .record_size = 16 },
	{ .text = STR(f_end), .n_args = 1, .record_size = 16 },
	{ .text = STR(f_end1), .record_size = 8 },
};

const struct sp_fixup fixups[] SPO_SECTION(SP_SEC_FIXUPS) = { { .kind = SP_FIX_TARGET_PID, .slot = 0 } };
