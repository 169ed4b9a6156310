// SPDX-License-Identifier: GPL-2.0-or-later
// Intel's Software Developer's Manual, volume 2, chapter 2 and appendix A.
#include "runtime/base/x86_insn.h"

// What follows an opcode. Letters: '.' nothing, m ModRM, b a byte, z 4 bytes (2 with prefix 66), M ModRM and a byte, Z ModRM
// and 4 bytes (2), v as z, 8 with REX.W, w 2 bytes, e 3 bytes, j a jump by 4 bytes, a an address, g as m with an operand in
// two of eight forms, G the same with z, p a prefix, x no instruction in 64-bit mode, or one that is looked at apart.
static const char one_byte[] =
	"mmmmbzxx" "mmmmbzxx" "mmmmbzxx" "mmmmbzxx" // 00
	"mmmmbzpx" "mmmmbzpx" "mmmmbzpx" "mmmmbzpx" // 20
	"pppppppp" "pppppppp" "........" "........" // 40
	"xxxmpppp" "zZbM...." "bbbbbbbb" "bbbbbbbb" // 60
	"MZxMmmmm" "mmmmmmmm" "........" "..x....." // 80
	"aaaa...." "bz......" "bbbbbbbb" "vvvvvvvv" // a0
	"MMw.xxMZ" "e.w..bx." "mmmmxxx." "mmmmmmmm" // c0
	"bbbbbbbb" "jjxb...." "p.pp..gG" "......mm"; // e0

static const char two_byte[] =
	"mmmmx..." "..x.xm.M" "mmmmmmmm" "mmmmmmmm" // 00: 0f 0f has its opcode in the last byte
	"mmmmxxxx" "mmmmmmmm" "......x." "xxxxxxxx" // 20
	"mmmmmmmm" "mmmmmmmm" "mmmmmmmm" "mmmmmmmm" // 40
	"mmmmmmmm" "mmmmmmmm" "MMMMmmm." "mmxxmmmm" // 60
	"jjjjjjjj" "jjjjjjjj" "mmmmmmmm" "mmmmmmmm" // 80
	"...mMmxx" "...mMmmm" "mmmmmmmm" "mmMmmmmm" // a0
	"mmMmMMMm" "........" "mmmmmmmm" "mmmmmmmm" // c0
	"mmmmmmmm" "mmmmmmmm" "mmmmmmmm" "mmmmmmmm"; // e0

_Static_assert(sizeof(one_byte) == 257 && sizeof(two_byte) == 257, "a letter for each opcode");

// What differs in 32-bit mode: there is no REX, and instructions that 64-bit mode has not. Far jumps and calls are refused.
static char letter_32(uint8_t opcode)
{
	switch (opcode) {
	case 0x06: case 0x07: case 0x0e: case 0x16: case 0x17: case 0x1e: case 0x1f: // push and pop of segments
	case 0x27: case 0x2f: case 0x37: case 0x3f: // daa, das, aaa, aas
	case 0x60: case 0x61: case 0xce: case 0xd6: // pusha, popa, into, salc
		return '.';
	case 0x63: // arpl
		return 'm';
	case 0x82:
		return 'M';
	case 0xd4: case 0xd5: // aam, aad
		return 'b';
	}
	return (opcode & 0xf0) == 0x40 ? '.' : one_byte[opcode]; // inc, dec
}

struct reader {
	const uint8_t *code;
	size_t size;
	unsigned at;
	bool has_66, has_67;
	bool is_32;
};

static bool take(struct reader *reader, unsigned n)
{
	reader->at += n;
	return reader->at <= reader->size && reader->at <= X86_INSN_MAX;
}

static bool take_modrm(struct reader *reader, struct x86_insn *ret)
{
	uint8_t modrm, mod, rm;

	ret->modrm = reader->at;
	if (!take(reader, 1))
		return false;
	modrm = reader->code[ret->modrm];
	mod = modrm >> 6;
	rm = modrm & 7;
	if (mod == 3)
		return true;
	if (reader->is_32 && reader->has_67)
		return false; // addresses of 16 bits
	if (rm == 4) {
		if (!take(reader, 1))
			return false;
		if (mod == 0 && (reader->code[reader->at - 1] & 7) == 5)
			return take(reader, 4);
	} else if (mod == 0 && rm == 5) {
		ret->rip_relative = !reader->is_32;
		return take(reader, 4);
	}
	return take(reader, mod == 0 ? 0 : mod == 1 ? 1 : 4);
}

static bool take_rest(struct reader *reader, char letter, struct x86_insn *ret)
{
	unsigned z = reader->has_66 && !(ret->rex & 8) ? 2 : 4;

	switch (letter) {
	case '.':
		return true;
	case 'm':
		return take_modrm(reader, ret);
	case 'M':
		return take_modrm(reader, ret) && take(reader, 1);
	case 'Z':
		return take_modrm(reader, ret) && take(reader, z);
	case 'b':
		return take(reader, 1);
	case 'z':
		return take(reader, z);
	case 'v':
		return take(reader, ret->rex & 8 ? 8 : z);
	case 'w':
		return take(reader, 2);
	case 'e':
		return take(reader, 3);
	case 'j':
		return z == 4 && take(reader, 4); // with prefix 66, processors disagree
	case 'a':
		return take(reader, reader->is_32 ? (reader->has_67 ? 2 : 4) : reader->has_67 ? 4 : 8);
	case 'g': // test has an operand, not and neg have none
	case 'G':
		if (!take_modrm(reader, ret))
			return false;
		return reader->code[ret->modrm] & 0x30 ? true : take(reader, letter == 'g' ? 1 : z);
	}
	return false;
}

// `opcode` is in the map of VEX and EVEX.
static bool take_vector(struct reader *reader, struct x86_insn *ret)
{
	uint8_t opcode;

	ret->vex = true;
	ret->opcode = reader->at;
	if (!take(reader, 1))
		return false;
	opcode = reader->code[ret->opcode];
	if (ret->map == 1 && opcode == 0x77)
		return true; // vzeroupper
	if (ret->map == 1)
		return take_rest(reader, two_byte[opcode] == 'M' ? 'M' : 'm', ret);
	if (ret->map == 3)
		return take_rest(reader, 'M', ret);
	return (ret->map == 2 || ret->map == 5 || ret->map == 6) && take_rest(reader, 'm', ret);
}

static bool take_escaped(struct reader *reader, struct x86_insn *ret)
{
	uint8_t opcode;

	if (!take(reader, 1))
		return false;
	opcode = reader->code[reader->at - 1];
	ret->map = opcode == 0x38 ? 2 : opcode == 0x3a ? 3 : 1;
	ret->opcode = reader->at - 1;
	if (ret->map == 1)
		return take_rest(reader, two_byte[opcode], ret);
	ret->opcode = reader->at;
	return take(reader, 1) && take_rest(reader, ret->map == 3 ? 'M' : 'm', ret);
}

// In 32-bit mode these bytes are other instructions with an operand in memory: les, lds, bound.
static bool is_vector(const struct reader *reader, uint8_t byte)
{
	if (byte != 0xc4 && byte != 0xc5 && byte != 0x62)
		return false;
	return !reader->is_32 || (reader->at < reader->size && reader->code[reader->at] >= 0xc0);
}

bool x86_insn_decode(const uint8_t *code, size_t size, unsigned bits, struct x86_insn *ret)
{
	struct reader reader = { .code = code, .size = size, .is_32 = bits == 32 };
	uint8_t byte;
	bool ok;

	*ret = (struct x86_insn){ .length = 0 };
	for (;;) {
		if (!take(&reader, 1))
			return false;
		byte = code[reader.at - 1];
		if ((reader.is_32 ? letter_32(byte) : one_byte[byte]) != 'p')
			break;
		// REX counts only as the last prefix.
		ret->rex = (byte & 0xf0) == 0x40 ? byte : 0;
		reader.has_66 |= byte == 0x66;
		reader.has_67 |= byte == 0x67;
	}
	ret->opcode = reader.at - 1;
	if (byte == 0x0f) {
		ok = take_escaped(&reader, ret);
	} else if (is_vector(&reader, byte)) {
		ok = take(&reader, byte == 0xc5 ? 1 : byte == 0xc4 ? 2 : 3);
		if (ok)
			ret->map = byte == 0xc5 ? 1 : code[ret->opcode + 1] & (byte == 0xc4 ? 31 : 7);
		ok = ok && take_vector(&reader, ret);
	} else if (byte == 0x8f) { // pop; the rest are instructions of AMD's that are gone
		ok = take_modrm(&reader, ret) && !(code[ret->modrm] & 0x38);
	} else if (byte == 0xc4 || byte == 0xc5 || byte == 0x62) {
		ok = take_modrm(&reader, ret);
	} else {
		ok = take_rest(&reader, reader.is_32 ? letter_32(byte) : one_byte[byte], ret);
	}
	ret->length = reader.at;
	return ok;
}
