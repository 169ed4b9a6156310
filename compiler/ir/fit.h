// SPDX-License-Identifier: GPL-2.0-or-later
/** Verifier fit: which engine runs what, homes of strings (512 bytes of stack), form of loops, layout of the data area,
 *  features and limits of the target. Reports E6xx with script places where a program cannot fit.
 *
 *  What the code generator may rely on:
 *
 *  - Homes. A string that is a part of a key, the value of MAP_SET, SET, GSET or RETURN, the first operand of CONCAT, a
 *    branch of COND, or an operand of EMIT when neither it nor a later one has effects, has home NONE when it can be
 *    computed straight into the consumer's place (key buffer, value buffer, variable, result, the CONCAT's or COND's
 *    own place, record field): nothing that the expression reads lives there. Every other computed string, so each
 *    operand of SPRINTF and CALL, has a home of its own. Homes of values that are never alive together overlap.
 *    The script's string locals have homes, too. String parameters are addresses of what the caller keeps, and are
 *    never SET (lower makes copies): their home is NONE. String results are written to an address that the caller
 *    passes (the CALL's home, or the consumer's place). Stack areas are at most 256 bytes along any chain of calls; the
 *    rest is scratch. A callee's part of the scratch frame begins where its caller's part ends.
 *  - Engines. in_kernel and in_user of functions follow the call graph. FOREACH is in user-side code alone.
 *  - Loops of kernel code. UNROLL: `trips` is the trip count (less when a BREAK is taken), at most 32. BOUNDED: the verifier
 *    must see a constant bound; `trips` when it is known, else max_action, which all such loops of one run of a handler
 *    share (decremented once an iteration; at 0 the loop fails with SP_RT_MAXACTION at its place).
 *  - SPRINTF in kernel code was checked to be within bpf_snprintf: %d %i %u %x %X %s %c %p %% with the flags `-`, `0`, ` `, `+`
 *    and a constant width, at most 12 arguments. bpf_snprintf wants "ll" in front of number conversions, and
 *    prints %p as a hash: write 0x%llx for it. CONCAT in kernel code may use it, too: the target has it.
 *  - A builtin's arguments are complete: PPID, EUID and EGID in kernel code have two byte offsets, of the pointer in
 *    task_struct (real_parent, cred) and of the number behind it (tgid, euid, egid). PID, TID, UID and the like have none. These never reach the generator: ERROR EXIT LOG WARN (statements),
 *    KERNEL_STRING USER_STRING (LOADSTR), STRLEN, PP PPFUNC (LITERAL or SITE), TARGET STAP_PID (SLOT), GETTIMEOFDAY_NS and
 *    GET_CYCLES (KTIME_GET_NS and slots). */
#ifndef SP_IR_FIT_H
#define SP_IR_FIT_H

#include "compiler/front/diag.h"
#include "compiler/ir/ir.h"

void ir_fit(struct ir_unit *unit, struct source_map *sources, struct diag_ctx *dc);

#endif
