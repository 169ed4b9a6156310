// SPDX-License-Identifier: GPL-2.0-or-later
/** Structures that a language or its library has for texts: std::string, a string of Go, a &str or String of Rust; and texts of Fortran
 *  whose length is in another variable. */
#ifndef SP_SEMA_TEXT_OBJECT_H
#define SP_SEMA_TEXT_OBJECT_H

#include "compiler/front/ast.h"
#include "compiler/model/type.h"

struct text_object {
	struct text_part {
		const struct c_type *type; // without typedefs and qualifiers
		uint64_t bit_off; // in the structure
		const char *names[8]; // the way there: a member, its member, and so on
		unsigned n_names;
	} pointer, length;
};

/** Is the structure one of them? Texts have characters of one byte. */
bool text_object_find(const struct c_type *type, struct text_object *ret);
/** Puts `length ? user_string_n(pointer, length) : ""`, whose variables are to be resolved, in the place of a variable that is one: an empty
 *  text may be nowhere. False: it is none, or is found by an expression that may do something. */
bool text_object_read(struct sp_arena *arena, const struct c_type *type, struct ast_expr **place);
/** The same for a variable that is a text whose length is in another one; `quoted`: "\"" . text . "\"". */
bool text_variable_read(struct sp_arena *arena, const struct c_type *type, bool quoted, struct ast_expr **place);

#endif
