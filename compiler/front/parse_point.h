// SPDX-License-Identifier: GPL-2.0-or-later
/** Probe points: a.b("c").{d,e*}?, f if (cond). */
#ifndef SP_FRONT_PARSE_POINT_H
#define SP_FRONT_PARSE_POINT_H

#include "compiler/front/parser.h"

/** Parses a list of probe points with commas. Alternatives are expanded: a.{b,c} gives two points. Empty after a report. */
struct ast_points parse_points(struct parser *p);

#endif
