// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that leave a stack which can be walked by frame pointers.
#define FRAME __attribute__((noipa, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls")))

volatile int sink;

__attribute__((noipa)) void leaf(int n)
{
	sink = n;
}

FRAME void inner(int n)
{
	leaf(n + 1);
	sink++;
}

FRAME void outer(int n)
{
	inner(n + 1);
	sink++;
}

FRAME int main(void)
{
	outer(1);
	return sink != 5;
}
