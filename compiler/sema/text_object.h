// SPDX-License-Identifier: GPL-2.0-or-later
/** Structures that a language or its library has for texts: std::string, a string of Go, a &str or String of Rust. */
#ifndef SP_SEMA_TEXT_OBJECT_H
#define SP_SEMA_TEXT_OBJECT_H

#include "compiler/model/type.h"

/** Offsets in bits. */
struct text_object {
	const struct c_type *pointer, *length; // bare
	uint64_t pointer_off, length_off;
};

/** Is the structure one of them? Texts have characters of one byte. */
bool text_object_find(const struct c_type *type, struct text_object *ret);

#endif
