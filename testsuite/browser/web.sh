# SPDX-License-Identifier: GPL-2.0-or-later
# The page of --web in a real browser: names that want to be more than text, switches, keys, filter, order, the flame graph, files, the end.
. "$SUITE/lib.sh"
command -v chromedriver >/dev/null || skip "needs chromium-driver"
cat >web.stp <<'S'
global n, keys, lat, by, calls, text = "<b>bold</b>"
probe begin
{
	keys["<img src=x onerror=\"document.title='bad'\">"] = 9
	keys["=1+1"] = 8
	keys["comma, \"quote\""] = -7
	for (i = 0; i < 30; i++) keys[sprintf("plain %02d", i)] = i * 1000
	calls["leaf<int&>+0x1/0x9 [lib]\nouter+0x2/0x9 [prog]\nmain+0x3/0x9 [prog]\n"] = 3
	calls["</script><script>document.title='bad'</script>+0x2/0x9 [prog]\nmain+0x3/0x9 [prog]\n"] = 1
	println("begun <i>&amp;</i>")
}
probe timer.ms(20) { n++ lat <<< n % 50; by["<svg onload=alert(1)>"] <<< n; by["b"] <<< 1 }
probe timer.ms(30) { text = text }
probe end
{
	print(@hist_log(lat))
	foreach (k in by) print(@hist_log(by[k]))
	println("ended")
}
S
"$SPILE" --web web.stp >out 2>err &
run=$!
trap 'kill $run 2>/dev/null' EXIT
wait_for 60 grep -q '^web: ' err
mkdir files
cat >drive.py <<'P'
import csv, os, sys, time, xml.etree.ElementTree as tree
sys.path.insert(0, sys.argv[1])
from webdriver import Browser

def same(what, got, want):
    if got != want:
        raise SystemExit('%s is %r, not %r' % (what, got, want))

# The file of that name, once it is whole.
def saved(name):
    path = os.path.join('files', name)
    for _ in range(300):
        if os.path.exists(path) and os.path.getsize(path):
            with open(path, newline='') as file:
                return file.read()
        time.sleep(0.1)
    raise SystemExit('no file %s, but %s' % (name, os.listdir('files')))

def drive(page):
    page.open(sys.argv[2])
    page.wait("run.state === 'running' && run.scalars.get('n') && run.scalars.get('n').value > 20")

    # Names are text. What is there of elements is what the page has made itself.
    same('elements of names', page.get("document.querySelectorAll('img, b, i, iframe').length"), 0)
    same('scripts', page.get("document.scripts.length"), 1)
    same('the title', page.get('document.title'), 'web.stp \u2013 spile')
    page.wait("document.querySelector('[data-array=keys] tbody')")
    page.click('[data-array=keys] .more')
    cells = page.get("[...document.querySelectorAll('[data-array=keys] tbody tr')].map((row) => row.cells[0].textContent)")
    same('keys', sorted(cells)[-3:], ['plain 27', 'plain 28', 'plain 29'])
    same('the image', [c for c in cells if 'img' in c], ['<img src=x onerror="document.title=\'bad\'">'])
    page.wait("by_id('output-text').textContent === 'begun <i>&amp;</i>\\n'")
    same('the text', page.get("document.querySelector('[data-scalar=text] .value').textContent"), '<b>bold</b>')

    # The order of a table, and its filter.
    page.click('[data-array=keys] th:nth-child(2) button')
    same('the greatest', page.get("document.querySelector('[data-array=keys] tbody tr').cells[1].textContent"), '29,000')
    same('its order', page.get("document.querySelector('[data-array=keys] th:nth-child(2)').getAttribute('aria-sort')"), 'descending')
    page.click('[data-array=keys] th:nth-child(2) button')
    same('the least', page.get("document.querySelector('[data-array=keys] tbody tr').cells[1].textContent"), '-7')
    page.click('[data-array=keys] .filter')
    page.type('PLAIN 0')
    page.wait("document.querySelector('[data-array=keys] .count').textContent === '10 of 33'")
    page.click('[data-array=keys] .tools button')
    rows = list(csv.reader(saved('keys.csv').splitlines()))
    same('keys.csv', [rows[0][-1], rows[1], len(rows)], ['value', ['plain 00', '0'], 11])
    page.do("const f = document.querySelector('[data-array=keys] .filter'); f.value = ''; f.dispatchEvent(new Event('input')); f.blur()")
    os.remove('files/keys.csv')
    page.click('[data-array=keys] .tools button')
    text = saved('keys.csv')
    for line in ["'=1+1,8\r\n", '"comma, ""quote""",-7\r\n', '"<img src=x onerror=""document.title=\'bad\'"">",9\r\n']:
        if line not in text:
            raise SystemExit('%r is not in keys.csv: %r' % (line, text))
    page.press('/')
    same('the key /', page.get("document.activeElement.className"), 'filter')
    page.do('document.activeElement.blur()')

    # A probe that is switched off does not run.
    page.click('tr[data-probe="timer.ms(20)"] .switch')
    page.wait("[...run.probes.values()].some((p) => p.point === 'timer.ms(20)' && p.state === 'off')")
    page.wait("(window.was = run.scalars.get('n').value, window.then = run.ns, true)")
    page.wait('run.ns > then + 2e9')
    same('n while its probe is off', page.get("run.scalars.get('n').value === was"), True)
    page.click('tr[data-probe="timer.ms(20)"] .switch')
    page.wait("run.scalars.get('n').value > was + 20")

    # Keys: pause and go on.
    page.press('p')
    page.wait("run.state === 'paused' && by_id('pause').textContent === 'Continue'")
    page.press('p')
    page.wait("run.state === 'running'")

    # A histogram: one row of an array, as a table and as a picture.
    page.wait("document.querySelector('[data-array=by] tbody tr')")
    page.click('[data-array=by] tbody tr')
    page.wait("document.querySelector('[data-array=by] .of').textContent.startsWith('<svg') || document.querySelector('[data-array=by] .of').textContent === 'b'")
    page.click('[data-array=by] .under .tools button')
    same('a histogram', next(csv.reader(saved('by-histogram.csv').splitlines()))[:3], ['low', 'high', 'count'])
    page.click('[data-array=by] .under .tools button:last-child')
    tree.fromstring(saved('by-histogram.svg'))
    page.click('[data-aggregate=lat] .tools button:last-child')
    tree.fromstring(saved('lat.svg'))

    # The flame graph: zoom by click and by keys, search, inverted, as a file.
    frames = "[...document.querySelectorAll('#flame-graph .frame')].map((g) => g.textContent).filter((t) => t)"
    same('frames', sorted(page.get(frames)), sorted(['all', 'main', 'outer', 'leaf<int&>', "</script><script>document.title='bad'</script>"]))
    page.do("[...document.querySelectorAll('#flame-graph .frame')].find((g) => g.textContent === 'outer').dispatchEvent(new MouseEvent('click'))")
    same('zoomed', sorted(page.get(frames)), ['all', 'leaf<int&>', 'main', 'outer'])
    same('told', page.get("by_id('flame-details').textContent"), 'outer: 3, 75.0 %')
    page.click('#flame-reset')
    same('all again', page.get(frames + '.length'), 5)
    page.click('#flame-search')
    page.type('^leaf<')
    page.wait("by_id('flame-count').textContent === '4, 75.0 % marked'")
    page.do("by_id('flame-search').value = '('; by_id('flame-search').dispatchEvent(new Event('input'))")
    same('no expression', page.get("by_id('flame-search').validationMessage"), 'This is no regular expression')
    page.do("by_id('flame-search').value = ''; by_id('flame-search').dispatchEvent(new Event('input')); by_id('flame-graph').focus()")
    for key in ['\ue013', '\ue013', '\ue007']: # up, up, Enter
        page.press(key)
    same('by keys', sorted(page.get(frames)), ['all', 'leaf<int&>', 'main', 'outer'])
    page.press('\ue00c') # Escape
    page.click('#flame-invert')
    same('inverted', page.get("by_id('flame-invert').getAttribute('aria-pressed')"), 'true')
    page.click('#flame-svg')
    picture = tree.fromstring(saved('web.stp-stacks.svg'))
    same('names in the file', 'leaf<int&>' in [''.join(e.itertext()) for e in picture.iter('{http://www.w3.org/2000/svg}text')], True)

    # Clear, and the end, which is asked for twice; what is shown stays.
    page.press('c')
    page.wait("run.arrays.get('keys').elements.length === 0 && run.scalars.get('n').value < 1000")
    page.click('#stop')
    page.click('#stop-no')
    same('after Keep on', [page.get('run.state'), page.get("by_id('sure').hidden")], ['running', True])
    page.click('#stop')
    page.click('#stop-yes')
    page.wait("run.state === 'ended' && by_id('state').textContent === 'ended'")
    page.wait("by_id('output-text').textContent.endsWith('ended\\n')")
    page.click('#probes-csv')
    same('probes', sorted(row[0] for row in csv.reader(saved('web.stp-probes.csv').splitlines()))[-2:], ['timer.ms(20)', 'timer.ms(30)'])
    page.click('#scalars-csv')
    same('a variable', [row[1] for row in csv.reader(saved('web.stp-variables.csv').splitlines()) if row[0] == 'text'], ['<b>bold</b>'])
    page.click('#output-save')
    same('the output', saved('web.stp.txt').splitlines()[0], 'begun <i>&amp;</i>')
    same('complaints', page.log(), [])

page = Browser(os.path.abspath('files'))
try:
    drive(page)
except BaseException:
    page.shoot('page.png')
    raise
finally:
    page.close()
P
python3 drive.py "$SUITE" "$(sed -n 's/^web: //p' err)" >said 2>&1 || { tail -5 said; fail "not as it should be"; }
wait $run || fail "status $?"
[ "$(sed -n '1p;$p' out)" = $'begun <i>&amp;</i>\nended' ] || fail "not what it prints without a page"
