# SPDX-License-Identifier: GPL-2.0-or-later
# Who starts spile may ignore signals, which programs inherit: those of children's ends, too.
. "$SUITE/lib.sh"
export XDG_CACHE_HOME=$PWD/cache
script='probe process("/bin/false").begin { println("begin") } probe end { println("end") }'
"$SPILE" --engine=user -p4 -o x.spo -e "$script" >/dev/null
for how in --ignore-signal=CHLD --ignore-signal --block-signal; do
	for program in "$SPILE" "$SPILE_RUN"; do
		what=(x.spo)
		[ "$program" = "$SPILE_RUN" ] || what=(-e "$script")
		expect 1 timeout 20 env $how "$program" --engine=user -c /bin/false "${what[@]}"
		is 'begin
end'
		says '^WARNING: /bin/false exited with status: 1$'
	done
done
expect 0 timeout 20 env --ignore-signal=CHLD "$SPILE" --remote direct: -e 'probe begin { println("hello") exit() }'
is hello
quiet
