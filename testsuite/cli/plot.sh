# SPDX-License-Identifier: GPL-2.0-or-later
# --plot: arrays over a number as lines and heat maps, with names that no picture may take for its own, and numbers from end to end.
. "$SUITE/lib.sh"
export TZ=UTC
cat >shapes.stp <<'S'
global lines, means, heat, cells, single, far, ends, texts, words
probe begin
{
	for (i = 0; i < 4; i++) {
		lines[1700000000 + 20 * i, "a<b>&\"c'"] = i * i
		lines[1700000000 + 20 * i, "d"] = -i
		means[i * 100000] <<< i
		means[i * 100000] <<< i + 10
		heat["x", 1700000000123456789 + i * 1000000] <<< 1 << i
		heat["y", i] <<< 3
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
	foreach ([k, t] in heat) print(@hist_log(heat[k, t]))
	foreach (i in cells) print(@hist_linear(cells[i], 0, 20, 10))
	delete heat
	delete lines
}
S
expect 0 "$SPILE" --plot shapes.svg shapes.stp
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
P
python3 words.py shapes.svg >got || fail "no XML"
diff - got <<'W' || fail "another picture"
text shapes.stp
== lines
y -4
y -2
y 0
y 2
y 4
y 6
y 8
y 10
x 22:13:20
x 22:13:30
x 22:13:40
x 22:13:50
x 22:14:00
x 22:14:10
x 22:14:20
axis 2023-11-14
at 92.0 276.6 a<b>&"c', 22:13:20: 0
at 388.0 258.7 a<b>&"c', 22:13:40: 1
at 684.0 205.1 a<b>&"c', 22:14:00: 4
at 980.0 115.9 a<b>&"c', 22:14:20: 9
at 92.0 276.6 d, 22:13:20: 0
at 388.0 294.4 d, 22:13:40: -1
at 684.0 312.3 d, 22:14:00: -2
at 980.0 330.1 d, 22:14:20: -3
text a<b>&"c'
text d
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
band 92.0,511.4 388.0,493.6 684.0,475.7 980.0,457.9  980.0,636.4 684.0,654.3 388.0,672.1 92.0,690.0
at 92.0 600.7 0: 5 (0 to 10)
at 388.0 582.9 100000: 6 (1 to 11)
at 684.0 565.0 200000: 7 (2 to 12)
at 980.0 547.1 300000: 8 (3 to 13)
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
== heat[x]
x 22:13:20.124
x 22:13:20.125
x 22:13:20.126
x 22:13:20.127
axis i, 2023-11-14
at 22:13:20.123456789, 1 to 1: 1
at 22:13:20.124456789, 2 to 3: 1
at 22:13:20.125456789, 4 to 7: 1
at 22:13:20.126456789, 8 to 15: 1
y 1
y 2
y 4
y 8
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
at 92.0 1808.0 7: 8
== far
y 0
y 1
y 2
x 9000000000000000000
x 9000000000000000001
x 9000000000000000002
x 9000000000000000003
axis 
at 92.0 2275.0 9000000000000000000: 1
at 980.0 2150.0 9000000000000000003: 2
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
at 92.0 2732.3 -9223372036854775808: -9223372036854775808
at 980.0 2501.7 9223372036854775807: 9223372036854775807
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
expect 2 "$SPILE" --plot text.png shapes.stp
says '^ERROR: --plot writes FILE.svg, not "text.png"$'
[ ! -e text.png ] || fail "there is a file"
expect 1 "$SPILE" --plot nowhere/text.svg shapes.stp
says '^ERROR: cannot write "nowhere/text.svg": No such file or directory$'
expect 0 "$SPILE" --plot none.svg -e 'global n probe begin { n["x"]++ exit() }'
says '^WARNING: --plot: no array of the script has a number as a key, such as calls\[gettimeofday_s\(\)\]\+\+, and elements$'
python3 words.py none.svg >got || fail "no XML"
exit 0
