// SPDX-License-Identifier: GPL-2.0-or-later
// ---- charts ----

const LEVELS = 9; // colours of a heat map

function sparkline(values, width, height) {
  const shown = values.slice(-60), most = Math.max(...shown, 1e-9), least = Math.min(...shown, 0), step = width / 59;
  const x = (i) => width - (shown.length - 1 - i) * step, y = (v) => height - 1.5 - (v - least) / (most - least) * (height - 3);
  const line = shown.map((v, i) => `${i ? 'L' : 'M'}${x(i).toFixed(1)} ${y(v).toFixed(1)}`).join('');
  const picture = svg('svg', { class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' });
  if (shown.length > 1)
    picture.append(svg('path', { class: 'spark-area', d: `${line}L${width} ${height}L${x(0).toFixed(1)} ${height}Z` }), svg('path', { class: 'spark-line', d: line }));
  return picture;
}

// How much of the greatest count it is, in steps that each mean as much more than the one before.
const level_of = (count, most) => Math.min(LEVELS - 1, Math.floor(LEVELS * Math.log1p(count) / Math.log1p(most + 0.5)));

const range_text = (row) => as_number(row.low) === as_number(row.high) ? exact(row.low) : `${exact(row.low)} \u2013 ${exact(row.high)}`;
const bound_text = (row) => as_number(row.low) < -9e15 ? '< ' + short_bound(as_number(row.high) + 1) : short_bound(row.low);

// A histogram over time and, at its right, over all: both have the same rows, the least values at the bottom.
class DistributionChart {
  constructor(name) {
    this.element = el('div', { class: 'distribution' });
    this.picture = svg('svg', { role: 'img' });
    this.element.append(this.picture);
    this.name = name;
    this.picture.addEventListener('pointermove', (event) => this.point(event));
    this.picture.addEventListener('pointerleave', hide_tip);
  }
  measure(distribution, width) {
    const rows = distribution.rows().reverse(), n = rows.length;
    const row = n > 40 ? 9 : n > 24 ? 12 : n > 14 ? 15 : 18;
    const labels = rows.map(bound_text), left = Math.max(36, 12 + 6.6 * Math.max(...labels.map((text) => text.length), 0));
    const bars = Math.max(96, Math.min(240, width * 0.28)), heat = Math.max(40, Math.floor(width - left - bars - 20));
    const column = Math.max(3, Math.min(8, Math.round(heat / 90)));
    return { rows, labels, left, row, bars, heat, column, n_columns: Math.floor(heat / column), top: 6, bottom: 6 + n * row, height: 6 + n * row + 24,
             bars_at: left + heat + 20 };
  }
  draw(distribution) {
    const width = Math.floor(this.element.clientWidth);
    if (!width)
      return;
    const m = this.m = this.measure(distribution, width);
    this.columns = distribution.columns.slice(-m.n_columns);
    this.distribution = distribution;
    const most = this.most = Math.max(1, ...this.columns.map((column) => Math.max(0, ...column.counts.values())));
    const total = [...distribution.buckets.values()].reduce((sum, bucket) => sum + bucket.count, 0);
    fill_in(this.picture, { width, height: m.height, viewBox: `0 0 ${width} ${m.height}`,
                            'aria-label': `${this.name}: ${exact(total)} values in ${m.rows.length} buckets, and how they came over time` }, []);
    this.picture.replaceChildren(svg('rect', { class: 'well', x: m.left, y: m.top, width: m.heat, height: m.bottom - m.top }), ...this.draw_heat(most),
                                 ...this.draw_rows(), ...this.draw_times());
  }
  x_of(index) {
    const { left, heat, column } = this.m;
    return left + heat - (this.columns.length - index) * column;
  }
  draw_heat(most) {
    const paths = Array.from({ length: LEVELS }, () => []), { rows, row, column, top } = this.m;
    const gap = row > 9 ? 1 : 0.5, wide = column - (column > 4 ? 1 : 0.5), place = new Map(rows.map((r, i) => [as_number(r.low), i]));
    this.columns.forEach((moment, i) => {
      for (const [low, count] of moment.counts)
        if (place.has(low))
          paths[level_of(count, most)].push(`M${this.x_of(i)} ${top + place.get(low) * row}h${wide}v${row - gap}h${-wide}z`);
    });
    return paths.map((path, level) => path.length ? svg('path', { class: `h${level}`, d: path.join('') }) : null).filter((path) => path);
  }
  draw_rows() {
    const { rows, labels, left, row, top, bars, bars_at } = this.m, every = row < 12 ? 2 : 1, parts = [];
    const count_of = (r) => (this.distribution.buckets.get(as_number(r.low)) || { count: 0 }).count;
    const greatest = Math.max(1, ...rows.map(count_of)), room = bars - 46;
    rows.forEach((r, i) => {
      const y = top + i * row, count = count_of(r), middle = y + row / 2 + 3.6, is_named = (rows.length - 1 - i) % every === 0;
      if (is_named)
        parts.push(svg('text', { class: 'axis', x: left - 8, y: middle, 'text-anchor': 'end' }, labels[i]));
      if (!count)
        return;
      const wide = Math.max(1, room * count / greatest);
      parts.push(svg('rect', { class: 'bar-mark', x: bars_at, y, width: wide.toFixed(1), height: row - 1, rx: Math.min(2, row / 5) }));
      if (is_named)
        parts.push(svg('text', { class: 'axis', x: bars_at + wide + 6, y: middle }, short(count)));
    });
    return parts;
  }
  draw_times() {
    const { left, heat, bottom, bars_at } = this.m, parts = [], last = this.columns.length ? this.columns[this.columns.length - 1].ns : 0;
    const seconds = (column) => (last - column.ns) / 1e9, every = 15 * Math.ceil(60 / this.m.column / 15);
    let before = null;
    this.columns.forEach((column, i) => {
      const mark = Math.floor(seconds(column) / every), x = this.x_of(i);
      if (before !== null && mark < before && before > 0 && x > left + 18 && x < left + heat - 44)
        parts.push(svg('text', { class: 'axis', x, y: bottom + 16, 'text-anchor': 'middle' }, `\u2212${clock(before * every)}`));
      before = mark;
    });
    parts.push(svg('text', { class: 'axis', x: left + heat, y: bottom + 16, 'text-anchor': 'end' }, run.state === 'ended' ? 'the end' : 'now'));
    parts.push(svg('text', { class: 'axis', x: bars_at, y: bottom + 16 }, 'in all'));
    return parts;
  }
  point(event) {
    const box = this.picture.getBoundingClientRect(), m = this.m, x = event.clientX - box.left, y = event.clientY - box.top;
    const row = m && m.rows[Math.floor((y - m.top) / m.row)];
    if (!row)
      return hide_tip();
    const low = as_number(row.low);
    if (x >= m.bars_at) {
      const bucket = this.distribution.buckets.get(low);
      return show_tip(event, range_text(row), `${exact(bucket ? bucket.count : 0)} in all`);
    }
    const column = this.columns[this.columns.length - Math.ceil((m.left + m.heat - x) / m.column)];
    if (!column || x < m.left || x > m.left + m.heat)
      return hide_tip();
    return show_tip(event, range_text(row), `${exact(column.counts.get(low) || 0)} at ${clock((column.ns - run.began_ns) / 1e9)}`);
  }
  // What the chart shows as a table.
  csv() {
    const rows = this.distribution.rows();
    return [['low', 'high', 'count', ...this.columns.map((column) => `at ${clock((column.ns - run.began_ns) / 1e9)}`)],
            ...rows.map((row) => [row.low, row.high, (this.distribution.buckets.get(as_number(row.low)) || { count: 0 }).count,
                                  ...this.columns.map((column) => column.counts.get(as_number(row.low)) || 0)])];
  }
}

// The colours of the heat map, with what the last one means.
function legend() {
  const ramp = svg('svg', { width: 9 * LEVELS, height: 10, 'aria-hidden': 'true' });
  for (let i = 0; i < LEVELS; i++)
    ramp.append(svg('rect', { class: `h${i}`, x: 9 * i, y: 0, width: 8, height: 10 }));
  const most = el('span', {});
  const element = el('span', { class: 'legend', title: 'How many values fell into a bucket from one look to the next, a second' }, el('span', {}, '1'), ramp, most);
  return { element, set: (n) => set_text(most, short(n) + ' / s') };
}

// ---- what is told beside the pointer ----

function show_tip(event, title, text) {
  const tip = by_id('tip');
  tip.replaceChildren(el('strong', {}, title), el('span', {}, text));
  tip.hidden = false;
  const x = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8), y = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8);
  tip.style.transform = `translate(${x}px, ${y}px)`;
}
function hide_tip() {
  by_id('tip').hidden = true;
}
