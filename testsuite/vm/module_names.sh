# SPDX-License-Identifier: GPL-2.0-or-later
# Addresses in a kernel module that is loaded when others have been named already have names.
. "$SUITE/lib.sh"
modprobe -qr dummy
[ -e /sys/module/dummy ] && skip "the module dummy is in use"
cat >use.sh <<'S'
modprobe dummy numdummies=0
sleep 2
ip link add spile0 type dummy
ip link del spile0
S
expect 0 timeout 300 "$SPILE" -c "sh -e use.sh" -e '
global told
probe kernel.trace("sched:sched_process_exec") { if (!told++) print_backtrace() }
probe module("dummy").function("dummy_setup") { println("at ", symname(addr())) }'
modprobe -r dummy # not before: names are looked up when they are printed
prints '^at dummy_setup$'
exit 0
