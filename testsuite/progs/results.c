// SPDX-License-Identifier: GPL-2.0-or-later
// Functions whose results have several widths and signs.
#include <errno.h>

#define NOINLINE __attribute__((noipa)) // the result is really in the register

NOINLINE int failed(void)
{
	return -ENOENT;
}

NOINLINE unsigned int bits(void)
{
	return 0xfffffff0u;
}

NOINLINE signed char narrow(void)
{
	return -3;
}

NOINLINE long wide(void)
{
	return -5;
}

NOINLINE long address(void)
{
	return 0x7fffffffffffL;
}

int main(void)
{
	return !(failed() + narrow() + wide() + address() && bits());
}
