// SPDX-License-Identifier: GPL-2.0-or-later
/** Texts that are put together and looked through, in both engines: what concatenation, sprintf in the kernel and the string
 *  functions are made of.
 *
 *  The problem. BPF has no string instructions, and a loop over single bytes costs the verifier a round for each of them.
 *
 *  The idea. Work goes by words of eight bytes: a NUL or a character is found in a word by arithmetic, and what lies over two words
 *  is shifted together. What a loop must remember from round to round is in cells of a work area in memory. The verifier believes
 *  nothing of what it reads there, so it looks at a round once, for all values.
 *
 *  The limits. Strings that are worked on here must be in the scratch frame, in the data area, or constants (plan.h): the stack
 *  cannot be read at any byte. */
#ifndef SP_GEN_GEN_TEXT_H
#define SP_GEN_GEN_TEXT_H

#include "compiler/gen/core/gen_core.h"

/** Numbers of an operation's work area (ir_work_size), which the verifier does not follow. */
enum gen_cell { GEN_CELL_END, GEN_CELL_A, GEN_CELL_B, GEN_CELL_C, GEN_CELL_COUNT };

/** A text that grows. Its end is a cell. */
struct gen_text {
	struct gen_str dst; // all zeros at first
	LLVMValueRef work;
	uint32_t room; // bytes that are left, at least, all of dst only while it is empty: what surely has room is put by less
		       // code; 0: not known
};

LLVMValueRef gen_cell(struct gen *g, LLVMValueRef work, enum gen_cell cell);
void gen_cell_set(struct gen *g, LLVMValueRef work, enum gen_cell cell, LLVMValueRef value);

// ---- words ----

/** The bytes at `offset` (any number), the first one lowest; those that are not in the string's memory are 0. */
LLVMValueRef gen_text_word(struct gen *g, struct gen_str s, LLVMValueRef offset);
/** The one byte. */
LLVMValueRef gen_text_byte(struct gen *g, struct gen_str s, LLVMValueRef offset);
/** How many bytes come before the first 0, at most 8. */
LLVMValueRef gen_text_count(struct gen *g, LLVMValueRef word);
/** The first `n` bytes, if there are so many (signed); the others are 0. */
LLVMValueRef gen_text_first(struct gen *g, LLVMValueRef word, LLVMValueRef n);
/** The 8 hexadecimal digits of 32 bits. */
LLVMValueRef gen_text_hex(struct gen *g, LLVMValueRef half);
/** Eight times the (constant or not) byte. */
LLVMValueRef gen_text_spread(struct gen *g, LLVMValueRef byte);
/** Bits of the bytes that are 0; right up to the first one. */
LLVMValueRef gen_text_zeros(struct gen *g, LLVMValueRef word);
/** An i1: is `needle`, whole, at `offset` of `s`? */
LLVMValueRef gen_text_match(struct gen *g, struct gen_str s, LLVMValueRef offset, struct gen_str needle);

/** A table of 256 words, how each byte is written: itself, as a backslash and a letter if the pairs of `short_ones` say
 *  so, or as a backslash and three octal digits. The last byte of a word is the length. */
LLVMValueRef gen_text_escapes(struct gen *g, const char *short_ones);

// ---- texts ----

/** Begins an empty text. */
struct gen_text gen_text_begin(struct gen *g, struct gen_str dst, LLVMValueRef work);
/** Puts the word at the end, and moves that by `n` bytes; what has no room is cut. */
void gen_text_put(struct gen *g, struct gen_text *t, LLVMValueRef word, LLVMValueRef n);
/** Of the room, `most` bytes at most are taken. */
void gen_text_use(struct gen_text *t, uint32_t most);
/** Appends the string from byte `from` (NULL: the first) on, at most `limit` (signed; NULL: all) bytes. */
void gen_text_append(struct gen *g, struct gen_text *t, struct gen_str src, LLVMValueRef from, LLVMValueRef limit);
/** Appends `len` bytes of the generator's. */
void gen_text_literal(struct gen *g, struct gen_text *t, const char *bytes, uint32_t len);
/** Appends `n` (signed) times the byte. */
void gen_text_fill(struct gen *g, struct gen_text *t, char byte, LLVMValueRef n);
/** The text is complete. */
void gen_text_end(struct gen *g, struct gen_text *t);

/** The length, of which the verifier knows nothing; uses CELL_A of `work`. */
LLVMValueRef gen_text_length(struct gen *g, struct gen_str s, LLVMValueRef work);

#endif
