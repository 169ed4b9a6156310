// SPDX-License-Identifier: GPL-2.0-or-later
// insn_lengths: reads instructions in hexadecimal from standard input, one a line, and prints those that the user engine's
// decoder takes for longer or shorter. With an argument "32" they are those of a 32-bit program.
#include "runtime/base/x86_insn.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned bits = argc > 1 ? (unsigned)atoi(argv[1]) : 64;
	char line[256];
	unsigned n = 0;

	while (fgets(line, sizeof(line), stdin)) {
		// Anything could be behind it.
		uint8_t code[64] = { 0 };
		unsigned size = 0, byte;
		struct x86_insn insn;

		for (char *at = line; isxdigit((unsigned char)at[0]) && sscanf(at, "%2x", &byte) == 1 && size < 15; at += 2)
			code[size++] = (uint8_t)byte;
		for (unsigned i = size; i < sizeof(code); i++)
			code[i] = 0x24;
		n++;
		if (!x86_insn_decode(code, sizeof(code), bits, &insn) || insn.length != size)
			printf("%u %s", insn.length, line);
	}
	fprintf(stderr, "%u\n", n);
	return 0;
}
