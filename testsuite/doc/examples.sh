# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of examples/ compile, half of them for each kernel. doc/examples_more and doc/examples_rest have the other areas,
# doc/readme the quickstart; root/examples_code compiles all of them for each kernel, root/examples_* and vm/examples* run them.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples turns -p3 block cpu files
