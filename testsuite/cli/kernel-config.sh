# SPDX-License-Identifier: GPL-2.0-or-later
# %( CONFIG_X %) asks the configuration of the kernel that is compiled for, wherever that is, and tells when there is none.
. "$SUITE/lib.sh"
expect 0 "$SPILE" -p1 -r 4.4.0-none -e '%( CONFIG_BPF == "y" %? probe begin { exit() } %: probe end { exit() } %)'
prints '^  point end @1:[0-9]+$'
says "^WARNING: the kernel's configuration is not known: CONFIG_BPF reads as unset \[W102\]$"
# Where the result does not depend on it, nothing is looked for.
expect 0 "$SPILE" -p1 -r 4.4.0-none -e '%( kernel_v >= "4" || CONFIG_BPF == "y" %? probe begin { exit() } %: probe end { exit() } %)
%( kernel_v < "4" && CONFIG_BPF == "y" %? probe begin { exit() } %)'
quiet
[ -r /proc/config.gz ] || [ -r "/boot/config-$(uname -r)" ] || { echo "this kernel's configuration is not to be had"; exit 77; }
expect 0 "$SPILE" -e '%( CONFIG_PRINTK == "y" && CONFIG_NOSUCH == "" %? probe begin { println("both") exit() } %)'
is both
quiet
