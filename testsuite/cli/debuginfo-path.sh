# SPDX-License-Identifier: GPL-2.0-or-later
# SYSTEMTAP_DEBUGINFO_PATH: where separate debug files are, in the words of elfutils.
. "$SUITE/lib.sh"
command -v objcopy >/dev/null || skip "no objcopy"
# split NAME OPTION...: a program, its debug information in NAME.debug, and a link to that.
split()
{
	printf 'int twice(int n) { return n * 2; }\nint main(void) { return twice(0); }\n' >main.c
	gcc -g -O0 "${@:2}" -o "$1" main.c || fail gcc
	objcopy --only-keep-debug "$1" "$1.debug"
	objcopy --strip-debug --add-gnu-debuglink="$1.debug" "$1"
}
# has, misses PATH PROGRAM: with and without the variables of its function.
has()
{
	SYSTEMTAP_DEBUGINFO_PATH=$1 expect 0 "$SPILE" -L "process(\"$2\").function(\"twice\")"
	is "process(\"$PWD/${2#./}\").function(\"twice@$PWD/main.c:1\") \$n:int"
}
misses()
{
	SYSTEMTAP_DEBUGINFO_PATH=$1 expect 1 "$SPILE" -p2 -e "probe process(\"$2\").function(\"twice\") { println(\$n) }"
	says "no debug information in $PWD/${2#./}$3; compile the program"
}

# By its build-id, which absolute folders have; by its name, below absolute folders, beside it, and in folders beside it.
split named -Wl,--build-id=0x0123456789
id=.build-id/01/23456789.debug
mkdir -p ids/.build-id/01 tree"$PWD" flat build
mv named.debug debug
cp debug ids/$id
has "+:.debug:$PWD/ids" ./named
has "$PWD/nowhere:$PWD/ids" ./named
misses "+:build:$PWD/tree" ./named ", $PWD/tree/$id, $PWD/named.debug, $PWD/build/named.debug, .*, $PWD/tree/named.debug"
misses "ids" ./named ", $PWD/ids/named.debug"
cp debug "tree$PWD/named.debug"
has "$PWD/tree" ./named
cp debug flat/named.debug
has "$PWD/flat" ./named
cp debug build/named.debug
has "+:.debug:/usr/lib/debug:build" ./named
misses "" ./named ", $PWD/named.debug"
rm -r build/named.debug

# Without a build-id, the checksum tells, unless there is a '-'.
split plain -Wl,--build-id=none
mv plain.debug build
has build ./plain
objcopy --remove-section=.comment build/plain.debug
misses build ./plain ", $PWD/build/plain.debug"
has -build ./plain
has "-:build" ./plain
misses "-:+build" ./plain ", $PWD/plain.debug, $PWD/build/plain.debug"

# It decides on what is kept in the cache.
export XDG_CACHE_HOME=$PWD/cache
script='probe process("./named").function("twice") { println($n) }'
for round in 1 2; do
	SYSTEMTAP_DEBUGINFO_PATH=$PWD/ids expect 0 "$SPILE" -p4 -o x.spo -e "$script"
	SYSTEMTAP_DEBUGINFO_PATH=nowhere expect 1 "$SPILE" -p4 -o x.spo -e "$script"
done
