// SPDX-License-Identifier: GPL-2.0-or-later
/** Embedded C: what its comments promise and which of the STAP_ macros it uses, found by reading the text as C's own
 *  lexer would. What it means is clang's business. */
#ifndef SP_SEMA_EMBED_H
#define SP_SEMA_EMBED_H

#include "compiler/sema/program.h"

/** A global that a pragma names. */
struct embed_global {
	const char *name;
	struct span span; // of the name in the pragma
	struct global *global; // bind
	bool reads, writes;
};

struct embed {
	const char *code; // between %{ and %}
	struct span span; // of the code
	enum embed_kind { EMBED_TOP, EMBED_BODY, EMBED_VALUE } kind;
	struct function *function; // EMBED_BODY
	bool is_pure, is_stable, needs_guru, is_unmangled, is_string, is_assembly; // pragmas
	bool has_result, has_next, prints; // macros
	bool has_context; // CONTEXT may hold an error
	SP_VEC(struct embed_global) globals;
	SP_VEC(struct span) errors; // where STAP_ERROR stands
	unsigned index; // among the program's
};

/** Adds the code of a token %{ ... %} to the program's. */
struct embed *embed_add(struct program *program, enum embed_kind kind, const char *code, struct span token);
void embed_destroy(struct embed *embed);

/** A script body for a function that is written in C: it runs the code and gives its result. */
struct ast_stmt *embed_body(struct sp_arena *arena, struct embed *embed, enum ast_type declared);

#endif
