// SPDX-License-Identifier: GPL-2.0-or-later
// Calls one function once: what a lone `probe begin` of a run/ case becomes in the kernel.
__attribute__((noinline, noclone)) void tick(void)
{
	__asm__ volatile("");
}

int main(void)
{
	tick();
	return 0;
}
