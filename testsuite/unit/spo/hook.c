// SPDX-License-Identifier: GPL-2.0-or-later
/* probe HOOK { printf("%d %d\n", ++n, pid()) if (n == LIMIT) exit() }   probe end { printf("end %d\n", n) }
 *
 * One handler for each kind of hook; the build says which:
 *   -DKIND=SP_PROG_x -DSITE=SP_SITE_x -DSECTION='"..."' -DSYMBOL='"..."' [-DOFFSET=n] [-DPATH='"..."'] [-DFLAGS=n]
 *   [-DLIMIT=n] [-DONLY_TARGET] [-DBAD_READ] [-DRING=n] */
#ifndef SYMBOL
#define SYMBOL ""
#endif
#ifndef PATH
#define PATH ""
#endif
#ifndef OFFSET
#define OFFSET 0
#endif
#ifndef FLAGS
#define FLAGS 0
#endif
#ifndef LIMIT
#define LIMIT 3
#endif
#define STRINGS(S)                                                                                 \
	S(script, "hook.stp") S(p_hook, "HOOK") S(p_end, "end") S(hook, "hook") S(symbol, SYMBOL)  \
	S(path, PATH) S(n, "n") S(f_hit, "%d %d\n") S(f_end, "end %d\n") S(why, "the test wants it") \
	S(events, SP_MAP_EVENTS) S(last, "")
#include "spo.h"

#define N_PROGS 2
SPO_STRINGS
SPO_HEAD(N_PROGS, 1, 1)
SPO_AREAS(N_PROGS, 1, 1, 0)
SPO_EVENTS

struct hit {
	struct sp_event_head head;
	int64_t n, pid;
};

SEC(SECTION) int hook(uint64_t *ctx)
{
	int64_t pid = (int64_t)(bpf_get_current_pid_tgid() >> 32), n;
	struct sp_event_head *over;
	struct hit *hit;

	if (spile_data.control.exiting)
		return 0;
#ifdef ONLY_TARGET
	if (pid != (int64_t)spile_slots[0])
		return 0;
#endif
#ifdef BAD_READ
	n = *(volatile int64_t *)(pid + 8); // a number used as an address
#endif
	n = __sync_fetch_and_add(&spile_data.globals[0], 1) + 1;
	hit = bpf_ringbuf_reserve(&spile_events, sizeof(*hit), 0);
	if (hit) {
		*hit = (struct hit){ .head = { .kind = SP_EVENT_FORMAT, .prog = 0, .id = 0 }, .n = n, .pid = pid };
		bpf_ringbuf_submit(hit, 0);
	} else {
		__sync_fetch_and_add(&spile_data.drops[0], 1);
	}
	if (n != LIMIT)
		return 0;
	spile_data.control.exiting = 1;
	over = bpf_ringbuf_reserve(&spile_events, sizeof(*over), 0);
	if (over) {
		*over = (struct sp_event_head){ .kind = SP_EVENT_EXIT, .prog = 0 };
		bpf_ringbuf_submit(over, 0);
	}
	return 0;
}

#define N_END (N_HEAD + 4 + N_EMIT + 2)
#define N_HOOK (8 + N_HEAD + N_EMIT + 2)
const struct bpf_insn code[] SPO_SECTION(SP_SEC_USER) = {
	HEAD(16, SP_EVENT_FORMAT, 1, 1), AREA(BPF_REG_1, SP_VM_AREA_DATA, GLOBAL_OFFSET(N_PROGS, 0)),
	LOAD(BPF_REG_1, BPF_REG_1, 0), STORE(BPF_REG_10, -8, BPF_REG_1), EMIT(16, 16), MOV(BPF_REG_0, 0), EXIT,
	// the hook for the user engine: prints n and the first argument (x86: di, the 14th word of pt_regs, index 14)
	AREA(BPF_REG_3, SP_VM_AREA_DATA, GLOBAL_OFFSET(N_PROGS, 0)), LOAD(BPF_REG_2, BPF_REG_3, 0), ADD(BPF_REG_2, 1),
	STORE(BPF_REG_3, 0, BPF_REG_2), STORE(BPF_REG_10, -16, BPF_REG_2),
	LOAD(BPF_REG_2, BPF_REG_1, SITE == SP_SITE_URETPROBE ? 80 : 112), STORE(BPF_REG_10, -8, BPF_REG_2),
	HEAD(24, SP_EVENT_FORMAT, 0, 0), EMIT(24, 24), MOV(BPF_REG_0, 0), EXIT,
};

const struct sp_prog progs[] SPO_SECTION(SP_SEC_PROGS) = {
	{ .name = STR(hook), .kind = KIND, .first_site = 0, .n_sites = 1,
	  .flags = SP_PROG_IN_KERNEL | (KIND == SP_PROG_REGS ? SP_PROG_IN_USER : 0),
	  .user_insn = KIND == SP_PROG_REGS ? N_END : 0, .n_user_insns = KIND == SP_PROG_REGS ? N_HOOK : 0 },
	{ .kind = SP_PROG_USER, .flags = SP_PROG_IN_USER, .first_site = 1, .n_sites = 1, .n_user_insns = N_END },
};

const struct sp_site sites[] SPO_SECTION(SP_SEC_SITES) = {
	{ .kind = SITE, .prog = 0, .flags = FLAGS, .point = STR(p_hook), .symbol = STR(symbol), .why = STR(why),
	  .object = sizeof(PATH) > 1 ? 0 : ~0u, .offset = OFFSET },
	{ .kind = SP_SITE_END, .prog = 1, .point = STR(p_end), .object = ~0u },
};

const struct sp_place places[] SPO_SECTION(SP_SEC_PLACES) = { { .file = STR(script), .line = 1, .column = 1 } };

const struct sp_map maps[] SPO_SECTION(SP_SEC_MAPS) = {
	{ .name = STR(events), .label = STR(events), .kind = SP_MAP_RING, .flags = SP_MAP_PRIVATE, .max_entries = 4096 },
};

const struct sp_global globals[] SPO_SECTION(SP_SEC_GLOBALS) = {
	{ .name = STR(n), .type = SP_LONG, .offset = GLOBAL_OFFSET(N_PROGS, 0), .size = 8 },
};

const struct sp_field fields[] SPO_SECTION(SP_SEC_FIELDS) = {
	{ .type = SP_LONG, .offset = 8, .size = 8 },
	{ .type = SP_LONG, .offset = 16, .size = 8 },
};

const struct sp_format formats[] SPO_SECTION(SP_SEC_FORMATS) = {
	{ .text = STR(f_hit), .n_args = 2, .record_size = 24 },
	{ .text = STR(f_end), .n_args = 1, .record_size = 16 },
};

const struct sp_fixup fixups[] SPO_SECTION(SP_SEC_FIXUPS) = { { .kind = SP_FIX_TARGET_PID, .slot = 0 } };

#define OBJECT(...) const struct sp_object objects[] SPO_SECTION(SP_SEC_OBJECTS) = { __VA_ARGS__ };
OBJECT({ .name = STR(path), .path = STR(path), .kind = SP_OBJECT_PROGRAM })
