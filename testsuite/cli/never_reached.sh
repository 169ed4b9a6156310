# SPDX-License-Identifier: GPL-2.0-or-later
# What only code that is never reached calls is taken out by LLVM, and is not asked for its size. libc fills what is freed.
. "$SUITE/lib.sh"

export MALLOC_PERTURB_=85
expect 0 "$SPILE" -w --engine=kernel -p4 -o /dev/null -e 'global ma, mb
	probe process(@1).function("tick") { if (!(-a >>> (["x", "y"] in mb))) { } else ma["k"] .= mb["k", "y"] }' "$PROGS/once"
