// SPDX-License-Identifier: GPL-2.0-or-later
// ---- arrays ----

const FEW = 25; // rows that are shown at first
const STATISTICS = ['count', 'min', 'avg', 'max', 'sum', 'variance'];

const is_stack = (part) => Array.isArray(part);
function frame_text(frame) {
  const name = frame.symbol || frame.address, module = frame.module ? frame.module.slice(frame.module.lastIndexOf('/') + 1) : '';
  return name + (frame.inlined ? ' (inlined)' : '') + (module ? ` [${module}]` : '');
}
const part_text = (part) => is_stack(part) ? part.map(frame_text).join(' < ') : part === null ? '' : is_number(part) ? digits_of(part) : part;

function compare(a, b) {
  if (is_number(a) && is_number(b))
    return as_number(a) - as_number(b);
  return part_text(a) < part_text(b) ? -1 : part_text(a) > part_text(b) ? 1 : 0;
}

const small_button = (text, onclick) => el('button', { type: 'button', class: 'quiet', onclick }, text);

// A table of an array, which is sorted by a click on a heading, and under it the histogram of the row that is chosen.
class ArrayCard {
  constructor(name) {
    this.name = name;
    this.sort = null; // { column, falling }
    this.shows_all = false;
    this.chosen = null; // an element's id; null: all together
    this.filter = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': `Filter ${name}`, spellcheck: 'false', class: 'filter', oninput: () => this.draw() });
    this.count = el('span', { class: 'count' });
    this.head = el('tr', {});
    this.body = el('tbody', {});
    this.more = el('button', { type: 'button', class: 'quiet more', hidden: true, onclick: () => { this.shows_all = !this.shows_all; this.draw(); } });
    this.chart = new DistributionChart(name);
    this.legend = legend();
    this.chart_title = el('span', { class: 'of' });
    this.chart_box = el('div', { class: 'under', hidden: true },
      el('div', { class: 'under-head' }, this.chart_title, this.legend.element, el('span', { class: 'tools' },
        small_button('CSV', () => save_csv(`${name}-histogram`, this.chart.csv())), small_button('SVG', () => save_svg(`${name}-histogram`, this.chart.picture)))),
      this.chart.element);
    this.element = el('section', { class: 'card', 'aria-label': name, 'data-array': name },
      el('header', {}, el('h2', { class: 'name' }, name), this.count, el('div', { class: 'tools' }, this.filter, small_button('CSV', () => save_csv(name, this.csv())))),
      el('div', { class: 'scroll tall' }, el('table', {}, el('thead', {}, this.head), this.body)), this.more, this.chart_box);
  }
  // Names, and how to get what is in them of an element.
  find_columns() {
    const array = this.array, first = array.elements.find((e) => e.value !== null && typeof e.value === 'object' && !is_big(e.value));
    const keys = array.keys.map((key, i) => ({ title: key || (array.keys.length > 1 ? `key ${i + 1}` : 'key'), get: (e) => e.key[i], is_key: true }));
    if (!first)
      return [...keys, { title: 'value', get: (e) => e.value, is_main: true }];
    const values = STATISTICS.filter((name) => name in first.value).map((name) => ({ title: name, get: (e) => name in e.value ? e.value[name] : null }));
    if (!values.length)
      values.push({ title: 'count', get: (e) => (histogram_of(e.value) || []).reduce((sum, b) => sum + as_number(b.count), 0) });
    values[0].is_main = true;
    return [...keys, ...values];
  }
  sorted() {
    const wanted = this.filter.value.toLowerCase();
    const shown = this.array.elements.filter((e) => !wanted || e.key.some((part) => part_text(part).toLowerCase().includes(wanted)));
    if (this.sort) {
      const get = this.columns[this.sort.column].get, sign = this.sort.falling ? -1 : 1;
      shown.sort((a, b) => sign * compare(get(a), get(b)));
    }
    return shown;
  }
  csv() {
    return [this.columns.map((column) => column.title), ...this.sorted().map((e) => this.columns.map((column) => {
      const value = column.get(e);
      return is_number(value) ? value : part_text(value);
    }))];
  }
  sort_by(column) {
    const falling = this.sort && this.sort.column === column ? !this.sort.falling : !this.columns[column].is_key;
    this.sort = { column, falling };
    this.draw();
  }
  update(array) {
    this.array = array;
    this.draw();
  }
  draw_head() {
    const text = JSON.stringify([this.columns.map((column) => column.title), this.sort]);
    if (this.drawn_head === text)
      return;
    const had = [...this.head.querySelectorAll('button')].indexOf(document.activeElement);
    this.drawn_head = text;
    this.head.replaceChildren(...this.columns.map((column, i) => {
      const sorted = this.sort && this.sort.column === i ? (this.sort.falling ? 'descending' : 'ascending') : null;
      return el('th', { scope: 'col', class: column.is_key ? null : 'number', 'aria-sort': sorted },
                el('button', { type: 'button', class: 'sort', onclick: () => this.sort_by(i) }, column.title));
    }));
    if (had >= 0)
      this.head.querySelectorAll('button')[had].focus();
  }
  choose(id) {
    this.chosen = this.chosen === id ? null : id;
    this.draw();
  }
  make_row(element) {
    const row = el('tr', {}, ...this.columns.map((column) => el('td', { class: column.is_key ? 'key' : 'number' })));
    if (!histogram_of(element.value))
      return row;
    row.tabIndex = 0;
    row.className = 'choosable';
    row.addEventListener('click', () => this.choose(element.id));
    row.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ')
        return;
      event.preventDefault();
      this.choose(element.id);
    });
    return row;
  }
  fill_row(row, element, most) {
    this.columns.forEach((column, i) => {
      const cell = row.cells[i], value = column.get(element);
      if (is_stack(value))
        fill_stack(cell, value);
      else
        set_text(cell, is_number(value) && !column.is_key ? exact(value, this.array.hex) : part_text(value));
      if (column.is_main && is_number(value)) {
        cell.classList.add('main');
        cell.style.setProperty('--part', `${(100 * Math.max(0, as_number(value)) / most).toFixed(1)}%`);
      }
    });
    if (histogram_of(element.value))
      row.setAttribute('aria-selected', String(this.chosen === element.id));
  }
  draw() {
    this.columns = this.find_columns();
    this.draw_head();
    const all = this.sorted(), shown = this.shows_all ? all : all.slice(0, FEW), main = this.columns.find((column) => column.is_main);
    const most = Math.max(1, ...this.array.elements.map((e) => as_number(main.get(e)) || 0)), n = this.array.elements.length;
    sync(this.body, shown, (e) => `${this.columns.length} ${e.id}`, (e) => this.make_row(e), (row, e) => this.fill_row(row, e, most));
    set_text(this.count, this.filter.value ? `${grouped.format(all.length)} of ${grouped.format(n)}` : this.array.more ? `the greatest ${grouped.format(n)}`
                                                                                                     : `${grouped.format(n)} element${n === 1 ? '' : 's'}`);
    this.more.hidden = all.length <= FEW;
    set_text(this.more, this.shows_all ? `Show ${FEW}` : `Show all ${grouped.format(all.length)}`);
    this.draw_chart();
  }
  draw_chart() {
    if (this.chosen !== null && !this.array.distributions.has(this.chosen))
      this.chosen = null;
    const distribution = this.array.distributions.get(this.chosen), element = this.array.elements.find((e) => e.id === this.chosen);
    this.chart_box.hidden = !distribution;
    if (!distribution)
      return;
    set_text(this.chart_title, element ? element.key.map(part_text).join(', ') : 'all keys; choose a row for one');
    this.chart.draw(distribution);
    this.legend.set(this.chart.most || 1);
  }
}

function fill_stack(cell, frames) {
  const text = JSON.stringify(frames);
  if (cell.stack === text)
    return;
  cell.stack = text;
  const inner = frames.slice(0, 3).map(frame_text).join(' < ') + (frames.length > 3 ? ' < \u2026' : '');
  cell.replaceChildren(el('details', {}, el('summary', {}, inner || '(empty)'), el('ol', {}, ...frames.map((frame) => el('li', {}, frame_text(frame))))));
}

// ---- an aggregate that is no array ----

class AggregateCard {
  constructor(name) {
    this.chart = new DistributionChart(name);
    this.legend = legend();
    this.facts = el('dl', { class: 'facts' });
    this.element = el('section', { class: 'card', 'aria-label': name, 'data-aggregate': name },
      el('header', {}, el('h2', { class: 'name' }, name), el('div', { class: 'tools' }, this.legend.element,
        small_button('CSV', () => save_csv(name, this.chart.csv())), small_button('SVG', () => save_svg(name, this.chart.picture)))),
      this.facts, this.chart.element);
  }
  update(scalar) {
    this.scalar = scalar;
    const names = STATISTICS.filter((name) => name in scalar.value);
    this.facts.hidden = !names.length;
    sync(this.facts, names, (name) => name, (name) => el('div', {}, el('dt', {}, name), el('dd', {})),
         (element, name) => set_text(element.lastChild, exact(scalar.value[name], scalar.hex)));
    this.draw();
  }
  draw() {
    this.chart.draw(this.scalar.distribution);
    this.legend.set(this.chart.most || 1);
  }
}
