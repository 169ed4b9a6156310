# SPDX-License-Identifier: GPL-2.0-or-later
# Code for the scripts of examples/ is made for each kernel. (root/strace makes most of that of syscalls/strace.stp, which has a
# program for each system call.)
. "$SUITE/lib.sh"
. "$SUITE/examples.sh"
compile_examples each "-p4 -o x.spo" block cpu files functions
