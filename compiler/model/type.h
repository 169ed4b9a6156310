// SPDX-License-Identifier: GPL-2.0-or-later
/** C types as debug information describes them, whatever its format.
 *
 *  The problem. DWARF and BTF describe the same types in two forms; a kernel has 100,000 of them, of which a script needs ten; and
 *  types refer to each other in circles.
 *
 *  The idea. debug/ makes a struct c_type for a description when something refers to it, and loads the members of a structure only
 *  when someone asks for them (dbg_complete_type), which is also what breaks the circles.
 *
 *  The invariants. One description of a module has one address, for as long as the struct dbg. NULL is void. Sizes are in bytes,
 *  places of members in bits. Nobody but debug/ changes a type.
 *
 *  The limits. Two modules, and even two units of C, can describe one type at two addresses: equality is by name and layout, never by
 *  pointer. Of C++ there are classes, members, pointers to these, bases, references and names; no templates as
 *  such. */
#ifndef SP_MODEL_TYPE_H
#define SP_MODEL_TYPE_H

#include "runtime/base/buf.h"

enum c_kind {
	C_VOID,
	C_INT, // every integer, with char and bool
	C_FLOAT,
	C_ENUM,
	C_POINTER, // and C++ references
	C_ARRAY,
	C_STRUCT, // and C++ classes, and _Complex numbers
	C_UNION,
	C_FUNC,
	C_TYPEDEF,
	C_CONST,
	C_VOLATILE,
	C_RESTRICT,
	C_ATOMIC,
	C_UNKNOWN, // an encoding that we do not know; its size is right
};

/** Of Rust's enumerations: the variants, which lie over each other, are members, and so is the number that tells which is there. */
enum c_presence {
	C_ALWAYS, // an ordinary member
	C_DISCRIMINANT, // C_ENUM, with the names of the variants that have a number of their own
	C_WHEN_NAMED, // there when the discriminant before it has its name
	C_WHEN_UNNAMED, // there when the discriminant has no name (`Some` of an Option<&T>, whose discriminant is the pointer)
};

struct c_member {
	const char *name; // NULL: anonymous struct or union
	const struct c_type *type;
	uint64_t bit_off; // from the start of the structure, little-endian bit numbering
	uint32_t bit_size; // 0: not a bit-field
	enum c_presence presence;
	bool is_embedded; // in Go: its fields count as those of the structure
};

/** A virtual base of C++, which lies at another place in each class that is derived: how far behind the object's begin is in the
 *  word `slot` bytes before its virtual table (Itanium C++ ABI, 2.5). The object begins with a pointer to that. */
struct c_virtual_base {
	const struct c_type *type;
	uint64_t slot;
};

struct c_enumerator {
	const char *name;
	int64_t value;
};

struct c_type {
	enum c_kind kind;
	const char *name; // without "struct"; NULL: anonymous
	uint64_t size; // in bytes; 0 when not known
	bool is_signed; // C_INT, C_ENUM
	bool is_char; // C_INT of a character type
	bool is_bool;
	bool is_variadic; // C_FUNC: "..." ends its parameters, or it has no prototype
	bool is_declaration; // a structure known by name only
	bool is_reference, is_rvalue; // C_POINTER: "int&" and "int&&" of C++; both are set of the second
	bool is_vector; // C_ARRAY that one register can hold: vector_size(), of gcc and clang
	bool is_class; // C_STRUCT that its declaration calls a class
	bool is_complex; // C_STRUCT that is a _Complex number: its members are `real` and `imag`
	bool is_complete; // members are loaded
	uint8_t x87_size; // C_FLOAT that is in a register of the x87, with its 80 bits: the size of the declared type; else 0
	// A pointer to members of this class ("A" of "int A::*"; else NULL). To data it is a C_ENUM whose values are the offsets of the
	// members, to functions a C_STRUCT of `ptr` and `adj`.
	const char *of_class;
	const struct c_type *target; // pointee, element, qualified or aliased type, result, what members have; NULL: void
	uint64_t count; // C_ARRAY: elements; 0: not known or flexible
	// C_UNKNOWN: a text of any length, as CHARACTER(LEN=*) of Fortran is; the variable that has its length, in the same function.
	const char *length_name;
	struct c_member *members; // C_STRUCT, C_UNION; C_FUNC: the parameters
	unsigned n_members;
	struct c_virtual_base *virtual_bases; // C_STRUCT; those of its other bases are theirs
	unsigned n_virtual_bases;
	struct c_enumerator *enumerators; // C_ENUM
	unsigned n_enumerators;
	void *module; // debug/ only: the reader that has made it
	uint64_t origin; // debug/ only: its DIE or its BTF id
};

/** The type behind typedefs and qualifiers. NULL (void) gives NULL. */
const struct c_type *c_type_strip(const struct c_type *type);
/** Appends the name as listings show it: "struct file*", "loff_t*", "char[16]", "int (*) (struct sock*, ...)", "int A::*",
 *  "class Box const&". */
void c_type_print(struct sp_buf *out, const struct c_type *type);
/** The same for names that are compared: what one unit calls a class may be a struct in another, and a reference is a pointer. */
void c_type_print_plain(struct sp_buf *out, const struct c_type *type);
/** Does a value fit the script's long: an integer, enum, pointer or bool? */
bool c_type_is_scalar(const struct c_type *type);
/** Is it an enumeration of bits that are combined? As gdb has it: no value is negative, and none has more than one bit.
 *  `bits_ret` gets all of its values. */
bool c_type_is_flags(const struct c_type *type, uint64_t *bits_ret);
/** Does it have the 80 bits of x86's long double? _Float128 and others of that size do not. */
bool c_type_is_long_double(const struct c_type *type);
/** Is it a pointer to, or an array of, a character type? */
bool c_type_is_string(const struct c_type *type);

/** Finds a member, also inside anonymous structures and unions, but not of virtual bases; `bit_off_ret` counts from the start of `type`.
 *  `type` must be complete, and so must its anonymous members (dbg_complete_type does both). NULL: no such member. */
const struct c_member *c_type_member(const struct c_type *type, const char *name, uint64_t *bit_off_ret);

#endif
