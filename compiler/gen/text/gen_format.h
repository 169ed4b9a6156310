// SPDX-License-Identifier: GPL-2.0-or-later
/** sprintf in the kernel: the directives of runtime/print/format.c, as code. */
#ifndef SP_GEN_GEN_FORMAT_H
#define SP_GEN_GEN_FORMAT_H

#include "compiler/gen/text/gen_text.h"

struct gen_format_arg {
	LLVMValueRef number;
	LLVMValueRef kept; // where it was stored until it is wanted: it takes no register; NULL: nowhere
	struct gen_str text; // ptr NULL: it is a number
};

LLVMValueRef gen_format_number(struct gen *g, const struct gen_format_arg *arg);
/** Puts the text at `dst`, zeros behind. The arguments are as many and of such types as the directives want. A NUL that a
 *  %b or %m brings ends what that directive prints. */
void gen_format(struct gen *g, const char *format, const struct gen_format_arg *args, struct gen_str dst,
		LLVMValueRef work);

/** The same at the end of a text. */
void gen_format_append(struct gen *g, struct gen_text *t, const char *format, const struct gen_format_arg *args);

#endif
