# SPDX-License-Identifier: GPL-2.0-or-later
# library.index tells what the files of the library declare: the same as the files themselves do, as long as they are as they
# were when it was made.
. "$TOP/testsuite/lib.sh"

mkdir whole
cp "$TOP"/tapsets/*.stp* "$BUILD"/tapsets-made/*.stp whole
for what in functions probe-aliases; do
	SPILE_TAPSET=$PWD/whole "$SPILE" --dump-$what >whole.$what || exit 1
	"$SPILE" --dump-$what >index.$what || exit 1
	cmp whole.$what index.$what || exit 1
done

index()
{
	LC_ALL=C awk -f "$TOP/tapsets/index.awk" FOLDER=. lib/*.stp | LC_ALL=C sort -u >lib/library.index
}

run()
{
	expect "$1" env SPILE_TAPSET="$PWD/lib" "$SPILE" --engine=user -e "$2"
}

mkdir lib
echo 'global counted = 7, other[2]
function one:long () { return 1 }
probe few.first = begin { x = one() }
probe few = begin { x = 3 }' >lib/one.stp
echo 'probe few.second = begin { x = 2 } function two() { return counted }' >lib/two.stp
index
lists() { grep -qx "$1" lib/library.index || { echo "no line $1"; cat lib/library.index; exit 1; }; }
lists 'a few.first 0000'
lists 'a few. 0000'
lists 'a few.second 0001'
lists 'f one 0000'
lists 'g counted 0000'
lists 'g other 0000'
run 0 'probe few.first { println(x, one(), counted) exit() }'
is 117
run 0 'probe few.second { println(x) exit() }'
is 2
run 0 'probe few { println(x) exit() }'
is 3

# What the index says is believed as long as the file is not changed.
sed -i '/few.second/d' lib/library.index
run 1 'probe few.second { println(x) exit() }'
echo 'function three() { return 3 } probe few.third = begin { x = three() }' >>lib/two.stp
run 0 'probe few.second, few.third { println(x) } probe end { println(three()) } probe begin(1) { exit() }'
is "2
3
3"
rm lib/two.stp
run 1 'probe few.second { println(x) exit() }'
run 0 'probe few.first { println(x) exit() }'
is 1

# Macros: a file of them is read when one is asked for, by name or by a name that is near; of two folders the later one's counts,
# whichever is read first.
mkdir -p other
echo '@define first %( 1 %)
@define second %( 2 %)' >lib/macros.stpm
echo '@define second %( 22 %)
@define third %( 3 %)' >other/more.stpm
LC_ALL=C awk -f "$TOP/tapsets/index.awk" FOLDER=. lib/*.stp* | LC_ALL=C sort -u >lib/library.index
lists 'm second 0000'
run 0 'probe begin { println(@first + @second) exit() }'
is 3
run 1 'probe begin { println(@frist) }'
says "hint: did you mean '@first'\?"
for index in no yes; do
	for asked in '@second, @third' '@first, @second'; do
		expect 0 "$SPILE" --engine=user -I "$PWD/lib" -I "$PWD/other" -e "probe begin { println($asked) exit() }"
		case $asked in *third) is 223 ;; *) is 122 ;; esac
	done
	LC_ALL=C awk -f "$TOP/tapsets/index.awk" FOLDER=. other/*.stpm | LC_ALL=C sort -u >other/library.index
done
sed -i '/^m first/d' lib/library.index
run 1 'probe begin { println(@first) }'
touch -d 'now + 1 second' lib/macros.stpm # is younger than the index, which may be of the same tick
run 0 'probe begin { println(@first) exit() }'
is 1
