# SPDX-License-Identifier: GPL-2.0-or-later
# spile-run takes a compiled script from standard input.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -p4 -o some.spo -e 'probe begin { println("it runs") exit() }'
expect 0 "$SPILE_RUN" - <some.spo
is 'it runs'
expect 1 "$SPILE_RUN" - <"$0"
says '^ERROR: -: not a compiled script \(it is not an ELF file\)$'
