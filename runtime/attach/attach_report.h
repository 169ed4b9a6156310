// SPDX-License-Identifier: GPL-2.0-or-later
/** What is told of sites that are attached, and of those that are not. A wildcard has thousands: of each probe statement the
 *  first few are told one by one, all of them with -vv. */
#ifndef SP_RUNTIME_ATTACH_REPORT_H
#define SP_RUNTIME_ATTACH_REPORT_H

#include "runtime/attach/attach.h"

/** Tells by which hooks the sites are attached, with -v. `hooks`: by site; NULL: it is not attached. `why` those, NULL: for
 *  the reasons of each site. */
void attach_report(const struct bundle *bundle, const struct sp_log *log, const char *const *hooks, const char *why);
/** Takes what attach_site() has returned for each site. Returns the first failure that is one of the whole script: an
 *  optional probe is left out, told with -v, and a function that a wildcard found does not stop the others of the same
 *  `probe`, with a warning. */
struct sp_err *attach_judge(const struct attach *attach, struct sp_err *const *failures);

#endif
