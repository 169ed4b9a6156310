// SPDX-License-Identifier: GPL-2.0-or-later
/** The C text of a unit's embedded code: a prelude, the script's top-level code, and one function for each other piece:
 *    s64 spile_embed_N(long parameters, addresses of everything else)
 *  #line says where the script's own lines are. */
#ifndef SP_IR_EMBED_TEXT_H
#define SP_IR_EMBED_TEXT_H

#include "compiler/ir/ir.h"

#define EMBED_FUNCTION "spile_embed_"
/** How #line names text that is not the script's: this, then the number of the piece, then ">". */
#define EMBED_OWN_FILE "<spile:"

/** A header that the code includes; it does not come with the text, but for those in quotes. */
struct embed_header {
	const char *name;
	struct ir_place place;
	enum {
		EMBED_HEADER_PRELUDE, // what it declares is in the prelude
		EMBED_HEADER_KERNEL, // types of the kernel
		EMBED_HEADER_QUOTED, // beside the script
		EMBED_HEADER_UNKNOWN,
	} kind;
};

struct embed_text {
	struct sp_arena arena;
	struct sp_buf prelude; // comes behind the kernel's types
	struct sp_buf code;
	SP_VEC(struct embed_header) headers;
};

void embed_text_make(const struct ir_unit *unit, struct embed_text *ret);
void embed_text_deinit(struct embed_text *text);

#endif
