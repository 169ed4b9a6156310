# SPDX-License-Identifier: GPL-2.0-or-later
# What a script writes and never reads is shown at the end; variables of the library are not, with -u either.
. "$SUITE/lib.sh"
for options in "" -u; do
	expect 0 "$SPILE" --engine=user $options -e 'global mine probe begin { mine["x"] = 2 qs_wait("a") qs_run("a") qs_done("a") exit() }'
	is 'mine["x"]=2'
done
