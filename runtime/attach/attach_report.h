// SPDX-License-Identifier: GPL-2.0-or-later
/** Messages about sites that were attached, and about those that were not. A wildcard has thousands of sites: only the
 *  first few of each probe statement are told one by one, and all of them with -vv. */
#ifndef SP_RUNTIME_ATTACH_REPORT_H
#define SP_RUNTIME_ATTACH_REPORT_H

#include "runtime/attach/attach.h"

/** Tells with -v by which hooks the sites are attached. `hooks`: for each site; NULL: it is not attached. `why`: the
 *  reason for those hooks; NULL: each site's own. */
void attach_report(const struct bundle *bundle, const struct sp_log *log, const char *const *hooks, const char *why);
/** Takes over what attach_site() has returned for each site. Returns the first failure that ends the script. Failures
 *  that do not: an optional probe (told with -v), and one function of a wildcard of which others are attached (a
 *  warning). */
struct sp_err *attach_judge(const struct attach *attach, struct sp_err *const *failures);

#endif
