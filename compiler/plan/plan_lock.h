// SPDX-License-Identifier: GPL-2.0-or-later
/** Handlers are atomic: a handler finds the globals that it touches unchanged by others while it runs.
 *
 *  The problem. Handlers run on all processors at once, interrupt each other, and run outside of the kernel meanwhile (timers).
 *  SystemTap locks each global that a handler touches. But most handlers count, add or remember one number, which an atomic
 *  operation of the processor does without a lock, much faster, and also where handlers interrupt each other.
 *
 *  The idea. A handler's operations on globals are atomic one by one: an addition, `<<<`, a store or a delete, a read of a number,
 *  `in`, and `if (x > most) most = x`, by compare-and-swap, of a scalar or of an element that stays where it is. So a lock is needed only where
 *  somebody can tell several of them from one. A global is locked when one handler in the kernel
 *    - reads it and changes it (`a[1] = a[1] + 1`, `if (!(k in a)) a[k] = t`; `n++` alone is one operation, whose value may be used);
 *    - reads it twice, or walks it, while others change it;
 *    - sets it twice, and others read what it was between;
 *    - sets a text, or reads one in an array, which is no single operation;
 *  and when two handlers, or one on two processors, touch it and another global in ways that do not commute: one stores both, the
 *  other reads both. These are the cycles of the theory of chopped transactions (Shasha and others, 1995), of length two. Additions
 *  commute with each other: `count[k]++; bytes[k] += n` takes no lock, and neither does what only one of both sides touches.
 *
 *  Every handler that touches a locked global holds its lock from the first statement that does so to the end of the last one,
 *  with one exception: who only reads one number, once, of a global that no handler changes twice. Globals that one handler needs
 *  together have one lock, so a handler takes one lock at most, and no two handlers can wait for each other. The lock is a word in
 *  spile_data, of a cache line of its own (struct sp_lock). Who finds it taken waits for MAXTRYLOCK
 *  times TRYLOCKDELAY us, then is skipped and counted; at once when its own processor has it, for then it has interrupted the owner.
 *
 *  What needs no lock: globals that only begin writes; arrays whose elements belong to one thread or one processor (plan_private.h).
 *
 *  The limits. Handlers outside of the kernel take the lock to change locked globals, but do not make globals locked: what a timer's
 *  handler reads and resets may change between. When their handler has loops, or prints, they hold it for one statement at a time, not
 *  to keep the kernel's handlers waiting. A kernel without atomic operations that fetch (5.12) gets no locks, which is warned of. */
#ifndef SP_PLAN_LOCK_H
#define SP_PLAN_LOCK_H

#include "compiler/plan/plan_calls.h"
#include "compiler/plan/plan_env.h"

/** Decides the locks of globals, maps and programs, and `locks` and `unlocks` of statements; it is known where code runs, and what is
 *  outlined. `warns`: of globals that the target's kernel has no locks for. */
void plan_lock(const struct plan_env *env, const struct plan_calls *calls, bool warns);

#endif
