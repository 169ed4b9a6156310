# SPDX-License-Identifier: GPL-2.0-or-later
# A handler that prints something else at more places than a script may have programs is refused while it is resolved (pass 2), with the
# pattern that finds too much; one that may not come to print is not.
. "$SUITE/lib.sh"
awk 'BEGIN {
	for (i = 0; i < 33000; i++) {
		if (i % 50 == 0)
			printf "%svoid f%d(void) {\n", i ? "}\n" : "", i
		printf "{ int v%d\n= 1; }\n", i
	}
	print "}\nint main(void) { return 0; }"
}' >many.c
gcc -g -O0 -o many many.c || fail "many.c does not compile"
places='process("./many").statement("*@many.c:*")'

expect 1 "$SPILE" -p2 -e "probe $places { println(\$\$vars) }"
says '^semantic error: there are more than 32000 handlers \[E638\]$'
says '^    at <input>:1:7$'
says "^    note: process\\(\"\\./many\"\\)\\.statement\\(\"\\*@many\\.c:\\*\"\\) has [0-9]+ sites, and [0-9]+ of them need 32001 handlers\$"
says '^    hint: a pattern of fewer functions, files or lines; a handler that prints no \$variables is one for all sites$'
# Below the limit, and where it is one program at all sites.
expect 0 "$SPILE" -p2 -e 'probe process("./many").statement("f1*@many.c:*") { println($$vars) }'
expect 0 "$SPILE" -p3 -e "probe $places { println(probefunc()) }"
# What is not printed for certain is counted when it is lowered.
expect 0 "$SPILE" -p2 -e "global on probe $places { if (on) println(\$\$vars) }"
expect 0 "$SPILE" -p2 -e "probe $places { next; println(\$\$vars) }"
