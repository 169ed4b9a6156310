# SPDX-License-Identifier: GPL-2.0-or-later
# Code for the scripts of examples/ is made for each kernel, but for syscalls/: code for all calls takes many seconds, and
# root/examples_syscalls makes that of a part of strace.stp, and of the other scripts.
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples each "-p4 -o x.spo" block cpu files functions
