# SPDX-License-Identifier: GPL-2.0-or-later
# A flame graph in a real browser: zoom, search and the inverted view. `frame:WIDTH@Y`: a frame that is shown.
. "$SUITE/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "needs chromium"
cat >texts.stp <<'S'
global calls
probe begin
{
	calls["leaf+0x1/0x9 [lib]\nouter<int&>+0x2/0x9 [prog]\nmain+0x3/0x9 [prog]\n"] = 3
	calls["outer<int&>+0x2/0x9 [prog]\nmain+0x3/0x9 [prog]\n"] = 1
	calls["leaf+0x1/0x9 [lib]\nother+0x4/0x5 [prog]\nmain+0x3/0x9 [prog]\n"] = 4
	exit()
}
S
expect 0 "$SPILE" --flamegraph page.html texts.stp
cat >drive.py <<'P'
import sys
drive = """<script>
var said = [], by = function (id) { return document.getElementById(id); };
var frames = [].slice.call(document.querySelectorAll('g.f'));
function frame(name) { return frames.filter(function (f) { return f.querySelector('title').textContent.indexOf(name + ' (') == 0; })[0]; }
function click(what) { what.dispatchEvent(new MouseEvent('click', { bubbles: true })); }
function shown() {
  return frames.filter(function (f) { return f.style.display != 'none'; }).map(function (f) {
    var rect = f.querySelector('rect');
    return f.querySelector('title').textContent.replace(/ .*/, '') + ':' + Math.round(rect.getAttribute('width')) + '@' + rect.getAttribute('y');
  }).join(' ');
}
window.prompt = function () { return '^leaf$'; };
said.push('all ' + shown());
click(frame('other')); said.push('zoomed ' + shown());
click(by('reset')); said.push('reset ' + shown());
click(by('search')); said.push('search ' + by('matched').textContent + ' ' + document.querySelectorAll('g.hit').length);
click(by('search')); said.push('cleared ' + document.querySelectorAll('g.hit').length);
click(by('invert')); said.push('inverted ' + shown());
var pre = document.createElement('pre'); pre.textContent = '\\nSAID ' + said.join('\\nSAID ') + '\\n'; document.body.appendChild(pre);
</script>"""
page = sys.stdin.read()
sys.stdout.write(page.replace('</html>', drive + '</html>') if '</html>' in page else page + drive)
P
python3 drive.py <page.html >driven.html
expect 0 timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$TMP/profile" --dump-dom "file://$TMP/driven.html"
sed -n 's/^SAID //p' out >said
cat >want <<'W'
all all:1176@115 main:1176@96 other:588@77 leaf:588@58 outer&lt;int&amp;&gt;:588@77 leaf:441@58
zoomed all:1176@115 main:1176@96 other:1176@77 leaf:1176@58
reset all:1176@115 main:1176@96 other:588@77 leaf:588@58 outer&lt;int&amp;&gt;:588@77 leaf:441@58
search Matched: 87.50% 2
cleared 0
inverted all:1176@58 main:1176@77 other:588@96 leaf:588@115 outer&lt;int&amp;&gt;:588@96 leaf:441@115
W
diff want said || fail "the page is not as expected"

# A page that is higher than its window shows the functions that others are called from: below, or above when it is inverted.
expect 0 "$SPILE" -D MAXSTRINGLEN=4000 --flamegraph deep.html -e 'global calls
	probe begin { for (i = 0; i < 60; i++) text .= sprintf("f%d+0x1/0x9 [prog]\n", i); calls[text] = 1; exit() }'
cat >>deep.html <<'P'
<script>
var page = document.documentElement, at = scrollY;
document.getElementById('invert').dispatchEvent(new MouseEvent('click'));
page.setAttribute('data-said', (at > 0 && at + innerHeight >= page.scrollHeight - 1) + ' ' + scrollY);
</script>
P
expect 0 timeout 300 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$TMP/profile" --dump-dom "file://$TMP/deep.html"
prints 'data-said="true 0"'
