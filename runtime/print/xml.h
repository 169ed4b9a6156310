// SPDX-License-Identifier: GPL-2.0-or-later
/** Text in the pictures, which are SVG: --flamegraph, --plot. */
#ifndef SP_RUNTIME_XML_H
#define SP_RUNTIME_XML_H

#include "runtime/base/buf.h"

/** Appends text, escaped for elements and attributes. What may stand in no XML file becomes a replacement character. */
void xml_put_text(struct sp_buf *out, const char *text, size_t len);
/** Appends so much of a text as fits into so many letters, with ".." for the rest. */
void xml_put_short(struct sp_buf *out, const char *text, size_t room);

#endif
