# SPDX-License-Identifier: GPL-2.0-or-later
# Types of header files: the C compiler makes their debug information.
. "$SUITE/lib.sh"
cat >mine.h <<'C'
struct mine { char a; union { long b; struct { int c, d; } e; }; };
C
mkdir scratch
export TMPDIR=$PWD/scratch
script="probe process(\"$PROGS/calls\").function(\"look\") {
	o = \$o
	println(@cast(o, \"struct mine\", \"<$PWD/mine.h>\")->b == \$o->ref, \" \", @cast_module_sizeof(\"<$PWD/mine.h>\", \"struct mine\"))
	println(&@cast(0, \"struct stat\", \"<stdio.h><sys/stat.h>\")->st_size, \" \", &@cast(0, \"stat\", \"<sys/stat.h>\")->st_mtim->tv_nsec)
	exit()
}"
expect 0 "$SPILE" --engine=user -c "$PROGS/calls 1" -e "$script"
is '0 16
48 96'
expect 1 "$SPILE" -p4 -e 'probe begin { println(@cast(0, "struct nosuch", "<stddef.h>")->x) }'
says "^semantic error: there is no type 'struct nosuch' in <stddef.h> \[E505\]$"
expect 1 "$SPILE" -p4 -e 'probe begin { println(@cast(0, "struct stat", "<nosuch.h>")->x) }'
says '^semantic error: cannot compile <nosuch.h>: nosuch.h: No such file or directory \[E511\]$'
expect 1 env PATH=/nowhere "$SPILE" -p4 -e 'probe begin { println(@cast(0, "struct stat", "<sys/stat.h>")->st_size) }'
says '^semantic error: types of header files need a C compiler \(apt-get install gcc\); a program that uses the type can be named instead \[E511\]$'
[ -z "$(ls scratch)" ] || fail "files are left: $(ls scratch)"
