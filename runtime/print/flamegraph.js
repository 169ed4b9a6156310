// SPDX-License-Identifier: GPL-2.0-or-later
// What makes a flame graph answer, in every spile-run and every picture: flamegraph_js.awk takes out what only readers need. So each
// statement ends with a semicolon, comments have lines of their own, and no regular expression has a blank or a quotation mark.
(() => {
  var inverted, zoomed, $ = id => document.getElementById(id), set = (e, name, to) => e.setAttribute(name, to);
  var frames = [...document.querySelectorAll('#flame g.f')].map(g => {
    var [tip, rect, text] = g.children, title = tip.textContent;
    return { g, rect, title, text, name: title.replace(/\s\([^()]*\)$/, ''),
             x: +rect.getAttribute('x') - left, w: +rect.getAttribute('width'), d: +g.dataset.d };
  });
  function place(f, x, w) {
    var y = inverted ? top_ + f.d * row : bottom - f.d * row, room = Math.floor((w - 8) / letter);
    set(f.rect, 'x', left + x);
    set(f.rect, 'width', w);
    set(f.rect, 'y', y);
    set(f.text, 'x', left + x + 4);
    set(f.text, 'y', y + 13);
    f.text.textContent = f.name.length <= room ? f.name : room < 4 ? '' : f.name.slice(0, room - 2) + '..';
  }
  function draw() {
    var z = zoomed || frames[0];
    frames.forEach(f => {
      var below = f.d >= z.d && f.x >= z.x - .02 && f.x + f.w <= z.x + z.w + .02;
      var above = f.d < z.d && f.x <= z.x + .02 && f.x + f.w >= z.x + z.w - .02;
      f.g.style.display = below || above ? '' : 'none';
      f.g.classList.toggle('up', above);
      if (above) place(f, 0, full);
      else if (below) place(f, (f.x - z.x) / z.w * full, f.w / z.w * full);
    });
    $('reset').style.display = z.d ? '' : 'none';
  }
  // To the functions that others are called from.
  function turn(way) { inverted = way; draw(); scrollTo(0, way ? 0 : 1e6); }
  function mark(pattern) {
    var test, sum = 0, end = -1;
    if (pattern) try { test = new RegExp(pattern); } catch { $('matched').textContent = 'not a regular expression'; return; }
    frames.forEach(f => { f.g.classList.toggle('hit', f.hit = !!test && test.test(f.name)); });
    frames.filter(f => f.hit).sort((a, b) => a.x - b.x || a.d - b.d)
      .forEach(f => { if (f.x >= end - .02) { sum += f.w; end = f.x + f.w; } });
    $('matched').textContent = test ? 'Matched: ' + (100 * sum / full).toFixed(2) + '%' : '';
    $('search').textContent = test ? 'Clear search' : 'Search';
  }
  function search() {
    mark($('search').textContent == 'Search' && prompt('Mark functions that match (regular expression):', ''));
  }
  frames.forEach(f => {
    f.g.onclick = () => { zoomed = f; draw(); };
    f.g.onmouseover = () => $('details').textContent = f.title;
    f.g.onmouseout = () => $('details').textContent = '';
  });
  $('reset').onclick = () => { zoomed = null; draw(); };
  $('invert').onclick = () => turn(!inverted);
  $('search').onclick = search;
  onkeydown = e => {
    if ((e.ctrlKey || e.metaKey) && e.key == 'f') { e.preventDefault(); search(); }
    if (e.key == 'Escape') { zoomed = null; mark(''); draw(); }
  };
  turn(false);
})();
