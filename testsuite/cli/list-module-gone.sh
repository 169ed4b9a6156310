# SPDX-License-Identifier: GPL-2.0-or-later
# Symbols of a module of which nothing is known are taken as they are: the kernel knows them or not when the script runs.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -l 'kprobe.module("nosuch_module").function("f").return'
is 'kprobe.module("nosuch_module").function("f").return'
