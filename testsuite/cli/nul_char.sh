# SPDX-License-Identifier: GPL-2.0-or-later
# %c of 0 prints a NUL, as SystemTap does, and adds nothing to a text.
. "$SUITE/lib.sh"
cp "$PROGS/ticks" ticks # other cases run it, too
expect 0 "$SPILE" --engine=${ENGINE:-user} -c ./ticks -o printed -e 'probe begin {
		n = 256
		printf("[%c|%3c|%-3c|%#c", 0, n, n, n)
		print_char(n)
		println(sprintf("%c]", n))
	}
	probe process("'$PWD'/ticks").function("tick") {
		n = tid() - tid()
		s = sprintf("%c", n)
		printf("[%c|%2c|%s|%s|%d]", n, n, sprintf("x%cy", n), s, strlen(sprintf("x%cy", n)))
		exit()
	}'
od -An -c printed | tr -d ' \n' >out
is '[\0|\0|\0|\000\0]\n[\0|\0|xy||2]'
