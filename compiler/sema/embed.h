// SPDX-License-Identifier: GPL-2.0-or-later
/** Embedded C, %{ ... %}: which pragmas its comments hold, as in "pure", and which STAP_ macros it uses. Its tokens are read,
 *  its meaning is not: that is clang's part. */
#ifndef SP_SEMA_EMBED_H
#define SP_SEMA_EMBED_H

#include "compiler/sema/program.h"

/** A global that a pragma names. */
struct embed_global {
	const char *name;
	struct span span; // of the name in the pragma
	struct global *global; // found by bind
	bool reads, writes;
};

struct embed {
	const char *code; // between %{ and %}
	struct span span; // of the code
	enum embed_kind { EMBED_TOP, EMBED_BODY, EMBED_VALUE } kind;
	struct function *function; // EMBED_BODY
	bool is_pure, is_stable, needs_guru, is_unmangled, is_string, is_assembly; // by its pragmas
	bool has_result, has_next, prints; // by its macros: STAP_RETVALUE or STAP_RETURN, STAP_NEXT, STAP_PRINTF
	bool has_context; // it uses CONTEXT, through which it can report an error, or kread() and the like, which do that
	SP_VEC(struct embed_global) globals; // of its pragmas read: and write:
	SP_VEC(struct span) errors; // where STAP_ERROR stands
	unsigned index; // in program->embeds
};

/** Adds embedded code to the program's; `span` is that of the code. */
struct embed *embed_add(struct program *program, enum embed_kind kind, const char *code, struct span span);
void embed_destroy(struct embed *embed);
/** Does the code name the parameter, as STAP_ARG_param? */
bool embed_asks(const char *code, const char *param);

/** The body of a script function that is written in C, as a tree: it runs the code and returns what that has given. */
struct ast_stmt *embed_body(struct sp_arena *arena, struct embed *embed, enum ast_type declared);

#endif
