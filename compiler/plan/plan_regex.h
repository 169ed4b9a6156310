// SPDX-License-Identifier: GPL-2.0-or-later
/** Patterns become tables, and what matched() and ngroups() read of the last match gets a place in a
 *  handler's scratch memory, in front of its slots:
 *
 *    uint64_t groups;	how many the pattern of the last match has, with group 0; 0: there was none
 *    int16_t regs[256];	2n, 2n + 1: where group n begins and ends, -1: it took no part
 *    char text[];	in which it was found; its size is the power of two from MAXSTRINGLEN on */
#ifndef SP_PLAN_REGEX_H
#define SP_PLAN_REGEX_H

#include "compiler/plan/plan_env.h"

#define PLAN_MATCH_REGS 8
#define PLAN_MATCH_REG 2 // bytes
#define PLAN_MATCH_TEXT (PLAN_MATCH_REGS + 256 * PLAN_MATCH_REG)

/** Makes the automata, and decides the size of that place. */
void plan_regex(const struct plan_env *env);

#endif
