# SPDX-License-Identifier: GPL-2.0-or-later
# Functions that LLVM's passes take away, as all places have them inlined, are counted no more when the sizes are checked.
. "$SUITE/lib.sh"
expect 0 env MALLOC_PERTURB_=165 "$SPILE" --no-cache -p4 -o x.spo -e 'probe nd_syscall.re* { printf("%s(%s)\n", name, argstr) }
	probe nd_syscall.re*.return { println(retstr) }'
