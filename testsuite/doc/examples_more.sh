# SPDX-License-Identifier: GPL-2.0-or-later
# See doc/examples.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples turns -p3 functions locks memory network
