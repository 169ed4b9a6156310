// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers whose rest runs outside of the kernel: the one decision, kept in ir_prog.deferral.
 *
 *  The problem. A handler in the kernel cannot sort a large array, name an address of a program, write a floating point number
 *  into a string, or call a recursive function within foreach (ir_runtime.h). SystemTap's can, and a script should not have to know.
 *
 *  Others are found to be too much for the kernel when their code is made (lower_opts.outside).
 *
 *  The idea. Such a handler is cut in two, before the first statement that the kernel cannot do, or that comes to a global which such
 *  rests change: so these handlers see each other's changes in the order of events. Others that read or set such a global have a rest for
 *  that reason alone; additions come to the same in any order, and stay in the kernel. What comes before stays as it is, and what the
 *  rest reads of registers, `$variables` in memory, times, ids, stacks and globals goes into one record behind it. The rest, a
 *  program without sites, runs in the runtime's machine when the record comes, in the order of events, and reads those values in
 *  the record.
 *
 *  The invariant. The rest asks for nothing that the context of the hook had: also the functions that it calls are copied, and the copies
 *  read the record. Where it would have to (writes to the program, signals, what was kept at a function's entry), the handler is left
 *  whole, and the plan tells why.
 *
 *  The limits. What is read at an address that the rest computes itself, such as the next element of a list, is read when the rest
 *  runs: W640 tells. A value whose memory was not there is read once more then, and is an error when it still is not there. A handler
 *  that has to stay in the kernel sees what rests write after these have run; so does one whose first statements come to such a global
 *  and have to stay there. W640 tells. */
#ifndef SP_LOWER_LOWER_REST_H
#define SP_LOWER_LOWER_REST_H

#include "compiler/lower/lower_ctx.h"

/** Cuts the unit's handlers that need it. To be called before ir_number. */
void lower_rests(struct lower *l);

#endif
