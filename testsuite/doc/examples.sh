# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of examples/ are right, for each kernel. doc/examples_more has the other half of the areas, doc/readme the quickstart;
# root/examples_code makes their code, root/examples_* and vm/examples* run them.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples -p3 block cpu files functions
