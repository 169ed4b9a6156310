# SPDX-License-Identifier: GPL-2.0-or-later
# See root/examples_code.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples each "-p4 -o x.spo" locks memory network processes programs security
