// SPDX-License-Identifier: GPL-2.0-or-later
/** The script's variables in Prometheus' text exposition format, version 0.0.4:
 *
 *    number or array      a gauge; its labels are the keys, called as struct sp_map says, or key, or key1, key2, ...
 *    text                 NAME_info, a gauge that is 1, with the label `value`
 *    aggregate            a histogram when the script prints one; else a summary of @count and @sum, or that of both which it reads:
 *                         NAME_count (a counter), NAME_sum (a gauge); and NAME_min, NAME_max, NAME_variance */
#ifndef SP_RUNTIME_METRICS_H
#define SP_RUNTIME_METRICS_H

#include "runtime/base/buf.h"
#include "runtime/load/bundle.h"
#include "runtime/vm/store.h"

/** Elements of arrays that are shown; spile_left_out names the arrays that have more. */
#define METRICS_ELEMENTS 10000

/** Appends all globals and arrays of the script. `data`: spile_data. */
void metrics_put_script(struct sp_buf *out, const struct bundle *bundle, const void *data, struct store *store);

/** Appends the lines that begin a family. */
void metrics_put_head(struct sp_buf *out, const char *name, const char *type, const char *help);
/** Appends `NAME="VALUE"`, escaped. */
void metrics_put_label(struct sp_buf *out, const char *name, const char *value, size_t len);

#endif
