# SPDX-License-Identifier: GPL-2.0-or-later
# --plot: arrays over a number as lines and heat maps, with names that no picture may take for its own, and numbers from end to end.
. "$SUITE/lib.sh"
export TZ=UTC
cat >clock.stp <<'S'
global lines, heat, began
probe begin
{
	for (i = 0; i < 6; i++) {
		if (i != 2) lines[1700000000 + 10 * i, "a<b>&\"c'"] = i * i
		if (i % 2) lines[1700000000 + 10 * i, "d"] = -i
		heat[1700000000123456789 + i * 1000000] <<< 1 << i
	}
	began[7] = 1
	exit()
}
probe end
{
	foreach (t in heat) print(@hist_log(heat[t]))
	delete heat
	delete lines
}
S
cat >numbers.stp <<'S'
global means, heat, cells, single, far, ends, texts, words
probe begin
{
	for (i = 0; i < 4; i++) {
		means[i * 100000] <<< i
		means[i * 100000] <<< i + 10
		heat["y", i] <<< 3
		heat["z", 2 * i] <<< i
		cells[i % 2] <<< 10 * i
	}
	single[7] = 8
	far[9000000000000000000] = 1
	far[9000000000000000003] = 2
	ends[0x7fffffffffffffff] = 0x7fffffffffffffff
	ends[-0x7fffffffffffffff - 1] = -0x7fffffffffffffff - 1
	texts[1] = "text"
	words["word"] = 1
	exit()
}
probe end
{
	foreach ([k, i] in heat) print(@hist_log(heat[k, i]))
	foreach (i in cells) print(@hist_linear(cells[i], 0, 20, 10))
}
S
# Drawn as they were before the end; what is drawn is not printed, what is not is: also arrays over other numbers beside those over the clock.
expect 0 "$SPILE" --plot clock.svg clock.stp
quiet
[ "$(grep -v '[|~]' out | grep .)" = 'began[7]=1' ] || fail "the clock: what is drawn is printed, or what is not is missing"
expect 0 "$SPILE" --plot numbers.svg numbers.stp
quiet
[ "$(grep -v '[|~]' out | grep .)" = 'texts[1]="text"
words["word"]=1' ] || fail "what is drawn is printed, or what is not is missing"
# The picture in words: titles and names as they stand, the texts of the axes, and what the mouse is told of a place.
cat >words.py <<'P'
import sys, xml.etree.ElementTree as tree
svg = '{http://www.w3.org/2000/svg}'
root = tree.parse(sys.argv[1]).getroot()
for e in root:
    if e.tag == svg + 'text':
        name = e.find(svg + 'title')
        print({'t': '== ', 'm': 'x ', 'r': 'y ', 'n r': 'axis '}.get(e.get('class'), 'text '), (e.text or '') + (name.tail if name is not None else ''), sep='')
    elif e.tag in (svg + 'circle', svg + 'rect') and e.find(svg + 'title') is not None:
        place = [e.get(a) for a in ('cx', 'cy') if e.get(a)]
        print('at', *place, e.find(svg + 'title').text)
        assert all(float(e.get(a)) >= 92 for a in ('x', 'cx') if e.get(a)) and all(float(e.get(a)) >= 64 for a in ('y', 'cy') if e.get(a))
    elif e.tag == svg + 'polygon':
        print('band', e.get('points'))
    elif e.tag == svg + 'polyline':
        print('line', e.get('points').strip())
P
for file in clock numbers; do
	python3 words.py $file.svg >got || fail "no XML"
	echo "== $file" >>all
	cat got >>all
done
diff - all <<'W' || fail "another picture"
== clock
text clock.stp
== lines
y -5
y 0
y 5
y 10
y 15
y 20
y 25
x 22:13:20
x 22:13:30
x 22:13:40
x 22:13:50
x 22:14:00
x 22:14:10
axis 2023-11-14
line 92.0,306.3 269.6,298.0
at 92.0 306.3 a<b>&"c', 22:13:20: 0
at 269.6 298.0 a<b>&"c', 22:13:30: 1
line 624.8,231.3 802.4,173.0 980.0,98.0
at 624.8 231.3 a<b>&"c', 22:13:50: 9
at 802.4 173.0 a<b>&"c', 22:14:00: 16
at 980.0 98.0 a<b>&"c', 22:14:10: 25
line 269.6,314.7
at 269.6 314.7 d, 22:13:30: -1
line 624.8,331.3
at 624.8 331.3 d, 22:13:50: -3
line 980.0,348.0
at 980.0 348.0 d, 22:14:10: -5
text a<b>&"c'
text d
== heat
x 22:13:20.124
x 22:13:20.125
x 22:13:20.126
x 22:13:20.127
x 22:13:20.128
x 22:13:20.129
axis t, 2023-11-14
at 22:13:20.123456789, 1 to 1: 1
at 22:13:20.124456789, 2 to 3: 1
at 22:13:20.125456789, 4 to 7: 1
at 22:13:20.126456789, 8 to 15: 1
at 22:13:20.127456789, 16 to 31: 1
at 22:13:20.128456789, 32 to 63: 1
y 1
y 2
y 4
y 8
y 16
y 32
text 1
text 1
== numbers
text numbers.stp
== means (mean)
y 0
y 2
y 4
y 6
y 8
y 10
y 12
y 14
x 0
x 50k
x 100k
x 150k
x 200k
x 250k
x 300k
axis 
band 92.0,169.4 388.0,151.6 684.0,133.7 980.0,115.9  980.0,294.4 684.0,312.3 388.0,330.1 92.0,348.0
line 92.0,258.7 388.0,240.9 684.0,223.0 980.0,205.1
at 92.0 258.7 0: 5 (0 to 10)
at 388.0 240.9 100000: 6 (1 to 11)
at 684.0 223.0 200000: 7 (2 to 12)
at 980.0 205.1 300000: 8 (3 to 13)
== heat[y]
x 0
x 1
x 2
x 3
x 4
axis i
at 0, 2 to 3: 1
at 1, 2 to 3: 1
at 2, 2 to 3: 1
at 3, 2 to 3: 1
y 2
text 1
text 1
== heat[z]
x 0
x 2
x 4
x 6
x 8
axis i
at 0, 0 to 0: 1
at 2, 1 to 1: 1
at 4, 2 to 3: 1
at 6, 2 to 3: 1
y 0
y 1
y 2
text 1
text 1
== cells
x 0
x 1
x 2
axis i
at 0, 0 to 9: 1
at 0, 20 to 29: 1
at 1, 10 to 19: 1
at 1, 30 to 9223372036854775807: 1
y 0
y 10
y 20
y 30
text 1
text 1
== single
y 0
y 2
y 4
y 6
y 8
x 7
x 8
axis 
line 92.0,1466.0
at 92.0 1466.0 7: 8
== far
y 0
y 1
y 2
x 9000000000000000000
x 9000000000000000001
x 9000000000000000002
x 9000000000000000003
axis 
line 92.0,1933.0 980.0,1808.0
at 92.0 1933.0 9000000000000000000: 1
at 980.0 1808.0 9000000000000000003: 2
== ends
y -10E
y -5E
y 0
y 5E
y 10E
x -5E
x 0
x 5E
axis 
line 92.0,2390.3 980.0,2159.7
at 92.0 2390.3 -9223372036854775808: -9223372036854775808
at 980.0 2159.7 9223372036854775807: 9223372036854775807
W
# A line of very many points is drawn by what can be seen of it.
expect 0 "$SPILE" --suppress-time-limits -g --plot many.svg -e 'global n[50000] probe begin { for (i = 0; i < 40000; i++) n[i] = i % 1000 exit() }'
python3 words.py many.svg >got || fail "no XML"
grep -c ^at got | grep -qx 0 || fail "dots are drawn"
[ "$(tr ' ' '\n' <many.svg | grep -c '^[0-9.]*,[0-9.]*$')" -lt 3700 ] || fail "all points are drawn"
# Names: so many lines, the others are told of.
expect 0 "$SPILE" --plot names.svg -e 'global n probe begin { for (i = 0; i < 15; i++) n[1, sprintf("name %02d", i)] = i exit() }'
python3 words.py names.svg | grep '^text' >got
[ "$(sed -n '1p;2p;$p' got)" = 'text <input>
text name 14
text and 3 more, not drawn' ] || fail "other names"
# With -x another process traces, which alone draws.
own_programs busy
"$PROGS/busy" ticks &
target=$!
trap 'kill -KILL $target' EXIT
wait_for 20 test -s ticks
expect 0 timeout 60 "$SPILE" --engine=user --plot ticks.svg -x $target -e "
	global n, i probe process(\"$PROGS/busy\").function(\"tick\") { n[++i] = i if (i == 20) exit() }"
python3 words.py ticks.svg >got || fail "no XML"
expect 2 "$SPILE" --plot text.png numbers.stp
says '^ERROR: --plot writes FILE.svg, not "text.png"$'
[ ! -e text.png ] || fail "there is a file"
expect 1 "$SPILE" --plot nowhere/text.svg numbers.stp
says '^ERROR: cannot write "nowhere/text.svg": No such file or directory$'
expect 0 "$SPILE" --plot none.svg -e 'global n probe begin { n["x"]++ exit() }'
says '^WARNING: --plot: no array of the script has a number as a key, such as calls\[gettimeofday_s\(\)\]\+\+, and elements$'
python3 words.py none.svg >got || fail "no XML"
exit 0
