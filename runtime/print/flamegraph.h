// SPDX-License-Identifier: GPL-2.0-or-later
/** A flame graph: one file that needs nothing else, for browsers. Frames are as wide as what is spent there and in what they call;
 *  a click enlarges one, a search marks those whose names match, and the graph can be turned upside down. */
#ifndef SP_RUNTIME_FLAMEGRAPH_H
#define SP_RUNTIME_FLAMEGRAPH_H

#include "runtime/print/flame.h"

/** Appends an SVG picture, or an HTML page around it. */
void flamegraph_put(struct sp_buf *out, const struct flame *flame, bool is_html, const char *title);

#endif
