// SPDX-License-Identifier: GPL-2.0-or-later
/** What the object file says of a program and its sites. */
#ifndef SP_LOWER_PROG_H
#define SP_LOWER_PROG_H

#include "compiler/lower/lower_ctx.h"

/** Everything that may not stand in a name of the kernel's or of ELF becomes '_'. */
void lower_make_identifier(char *name);
/** "ksys_read_3": what bpftool shows begins with what is probed. For the unit's next program. */
const char *lower_prog_name(struct lower *l, const struct site *site);
/** The program's section in the object, as libbpf reads it. */
const char *lower_prog_section(struct lower *l, const struct site *site);
/** Appends the site to the unit. */
void lower_prog_site(struct lower *l, const struct site *site);
/** What pp(), pn(), ppfunc() and probemod() give there. */
const char *lower_site_text(const struct site *site, enum sp_site_text what);
/** Can a program of several sites, of which this is one, find out at which one it runs? */
bool lower_tells_site(const struct lower *l, const struct site *site);

#endif
