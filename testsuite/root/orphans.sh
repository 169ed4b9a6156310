# SPDX-License-Identifier: GPL-2.0-or-later
# The first process of a container inherits the commands of system(): they do not stay as zombies, whether it traces itself or another does.
. "$SUITE/lib.sh"
cat >x.stp <<'E'
global n
probe timer.ms(100) {
	if (++n <= 5) system("true")
	if (n == 15) system("grep -l '^State:.Z' /proc/[0-9]*/status; echo looked")
	if (n == 25) exit()
}
E
own_programs busy
for options in '' "-c '$PROGS/busy ticks' --engine=user"; do
	expect 0 timeout 60 unshare -pf --mount-proc sh -c "exec \"\$0\" $options x.stp" "$SPILE"
	is looked
	quiet
done
