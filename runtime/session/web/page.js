// SPDX-License-Identifier: GPL-2.0-or-later
// ---- the page ----

const flame = new FlameGraph(by_id('flame-graph'));
const array_cards = new Map(), aggregate_cards = new Map();
const file_name = () => run.name.replace(/^.*\//, '').replace(/[^\w.-]+/g, '_') || 'spile';

// What is asked for is done by the script's session, and seen in what it sends next.
async function ask(wish) {
  try {
    const answer = await fetch('wish', { method: 'POST', body: wish });
    if (!answer.ok)
      throw new Error(answer.statusText);
  } catch (e) {
    if (run.state !== 'ended')
      set_state('cut off');
  }
}

// ---- the bar ----

const state_words = { waiting: 'waiting', running: 'running', paused: 'paused', ended: 'ended', 'cut off': 'connection lost' };
const is_live = () => run.state === 'running' || run.state === 'paused';

function set_state(state) {
  const element = by_id('state'), is_on = state === 'running' || state === 'paused';
  if (element.dataset.state === state)
    return;
  element.dataset.state = state;
  set_text(element, state_words[state]);
  for (const id of ['pause', 'clear', 'stop'])
    by_id(id).disabled = !is_on;
  set_text(by_id('pause'), state === 'paused' ? 'Continue' : 'Pause');
  by_id('pause').setAttribute('aria-pressed', String(state === 'paused'));
  if (!is_on)
    want_stop(false);
}

function want_stop(is_wanted) {
  by_id('sure').hidden = !is_wanted;
  for (const id of ['pause', 'clear', 'stop'])
    by_id(id).hidden = is_wanted;
}

function draw_bar() {
  const name = run.name.replace(/^.*\//, '');
  let rate = 0, share = 0;
  for (const probe of run.probes.values()) {
    rate += probe.rate;
    share += probe.share;
  }
  set_state(run.state);
  set_text(by_id('name'), name);
  by_id('name').title = run.name;
  document.title = `${run.state === 'running' ? '' : state_words[run.state] + ': '}${name} \u2013 spile`;
  set_text(by_id('clock'), clock((run.ns - run.began_ns) / 1e9));
  set_text(by_id('rate'), short(Math.round(rate)));
  set_text(by_id('share'), percent(share));
}

// ---- probes ----

const probe_columns = [
  { title: 'on', get: (p) => p.number, is_switch: true },
  { title: 'probe', get: (p) => p.point },
  { title: 'hits', get: (p) => p.hits, text: (p) => exact(p.hits), is_number: true },
  { title: 'hits / s', get: (p) => p.rate, text: (p) => short(Math.round(p.rate)), is_number: true },
  { title: 'last minute', is_spark: true },
  { title: 'mean time', get: (p) => p.hits ? p.ns / p.hits : 0, text: (p) => p.hits ? nanoseconds(p.ns / p.hits) : '\u2013', is_number: true },
  { title: 'share of CPUs', get: (p) => p.share, text: (p) => percent(p.share), is_number: true, is_share: true },
];
const probe_sort = { column: 0, falling: false }; // by the switch: in the order of the script

function sort_probes(column) {
  probe_sort.falling = probe_sort.column === column ? !probe_sort.falling && column > 0 : Boolean(probe_columns[column].is_number);
  probe_sort.column = column;
  draw_probe_head();
  draw_probes();
  by_id('probes-table').tHead.rows[0].cells[column].querySelector('button').focus();
}

function draw_probe_head() {
  by_id('probes-table').tHead.replaceChildren(el('tr', {}, ...probe_columns.map((column, i) => el('th', {
    scope: 'col', class: column.is_number ? 'number' : column.is_switch ? 'switch-column' : column.is_spark ? 'spark-column' : null,
    'aria-sort': probe_sort.column === i && i ? (probe_sort.falling ? 'descending' : 'ascending') : null },
    column.is_spark ? column.title : el('button', { type: 'button', class: 'sort', title: i ? null : 'In the order of the script', onclick: () => sort_probes(i) }, column.title)))));
}

function make_probe(probe) {
  const number = probe.number;
  const toggle = el('button', { type: 'button', role: 'switch', class: 'switch', 'aria-label': probe.point,
                                onclick: () => ask(`${run.probes.get(number).state === 'off' ? 'on' : 'off'} ${number}`) }, el('span', {}));
  return el('tr', { 'data-probe': probe.point }, el('td', { class: 'switch-column' }, toggle),
            el('td', { class: 'key' }, el('span', { class: 'point' }, probe.point), el('span', { class: 'beside' })),
            ...probe_columns.slice(2).map((column) => el('td', { class: column.is_number ? 'number' : 'spark-column' })));
}

function update_probe(row, probe) {
  const toggle = row.querySelector('.switch'), greatest = Math.max(...[...run.probes.values()].map((p) => p.share), 1e-9);
  toggle.hidden = probe.state === 'fixed';
  toggle.disabled = !is_live();
  toggle.setAttribute('aria-checked', String(probe.state !== 'off'));
  toggle.title = probe.state === 'off' ? 'Set the probe again' : 'Detach the probe: then nothing of it runs';
  row.dataset.state = probe.state;
  set_text(row.querySelector('.beside'), (probe.points > 1 ? `and ${probe.points - 1} more` : '') + (probe.state === 'disarmed' ? ' waits for its condition' : ''));
  probe_columns.forEach((column, i) => {
    const cell = row.cells[i];
    if (column.is_spark)
      cell.replaceChildren(sparkline(probe.rates, 110, 22));
    else if (column.text)
      set_text(cell, column.text(probe));
    if (column.is_share) {
      cell.classList.add('main');
      cell.style.setProperty('--part', `${Math.max(0, 100 * probe.share / greatest).toFixed(1)}%`);
    }
  });
}

function draw_probes() {
  const get = probe_columns[probe_sort.column].get, sign = probe_sort.falling ? -1 : 1;
  const probes = [...run.probes.values()].sort((a, b) => sign * compare(get(a), get(b)) || a.number - b.number);
  sync(by_id('probes-table').tBodies[0], probes, (probe) => probe.number, make_probe, update_probe);
  set_text(by_id('probes-count'), String(probes.length));
}

const probes_csv = () => [['probe', 'points', 'state', 'hits', 'hits/s', 'ns', 'share'],
  ...[...run.probes.values()].map((p) => [p.point, p.points, p.state, p.hits, Number(p.rate.toFixed(3)), p.ns, Number(p.share.toFixed(6))])];

// ---- variables ----

const plain_text = (scalar) => is_number(scalar.value) ? exact(scalar.value, scalar.hex) : typeof scalar.value === 'string' ? scalar.value : null;

function make_tile(scalar) {
  return el('div', { class: 'tile', 'data-scalar': scalar.name }, el('div', { class: 'label' }, scalar.name), el('div', { class: 'value' }),
            el('div', { class: 'trend' }), el('dl', { class: 'facts' }));
}

function update_tile(tile, scalar) {
  const text = plain_text(scalar), value = tile.querySelector('.value');
  value.hidden = text === null;
  set_text(value, text === null ? '' : text);
  value.classList.toggle('text', typeof scalar.value === 'string');
  tile.querySelector('.trend').replaceChildren(is_number(scalar.value) && !scalar.hex ? sparkline(scalar.values, 88, 26) : '');
  sync(tile.querySelector('dl'), text === null ? STATISTICS.filter((name) => name in scalar.value) : [], (name) => name,
       (name) => el('div', {}, el('dt', {}, name), el('dd', {})), (element, name) => set_text(element.lastChild, exact(scalar.value[name], scalar.hex)));
}

function draw_variables() {
  const all = [...run.scalars.values()], plain = all.filter((scalar) => !scalar.distribution);
  by_id('scalars').hidden = !plain.length;
  sync(by_id('tiles'), plain, (scalar) => scalar.name, make_tile, update_tile);
  const cards = [...all.filter((scalar) => scalar.distribution).map((value) => ({ key: `a ${value.name}`, of: aggregate_cards, value, type: AggregateCard })),
                 ...[...run.arrays.values()].map((value) => ({ key: `t ${value.name}`, of: array_cards, value, type: ArrayCard }))];
  sync(by_id('cards'), cards, (card) => card.key, (card) => {
    card.of.set(card.value.name, new card.type(card.value.name));
    return card.of.get(card.value.name).element;
  }, () => {});
  for (const card of cards) // now they are in the page, and have a width
    card.of.get(card.value.name).update(card.value);
}

const scalars_csv = () => [['name', 'value', ...STATISTICS], ...[...run.scalars.values()].map((scalar) => [
  scalar.name, plain_text(scalar) === null ? '' : scalar.value,
  ...STATISTICS.map((name) => plain_text(scalar) === null && name in scalar.value ? scalar.value[name] : '')])];

// ---- losses, stacks, output ----

function draw_losses() {
  const lines = run.losses.map((loss) => ({ id: `${loss.kind} ${loss.probe}`, count: as_number(loss.count), what: loss.text, where: loss.probe }));
  if (run.errors)
    lines.unshift({ id: 'errors', count: run.errors, what: `run-time error${run.errors === 1 ? '' : 's'} of the script: see the output`, where: '' });
  by_id('losses').hidden = !lines.length;
  set_text(by_id('losses-title'), run.errors && !run.losses.length ? 'Errors' : run.errors ? 'Errors and losses' : 'Losses');
  sync(by_id('losses-list'), lines, (line) => line.id, () => el('li', {}, el('strong', {}), el('span', {}), el('code', {})), (element, line) => {
    set_text(element.children[0], exact(line.count));
    set_text(element.children[1], line.what);
    set_text(element.children[2], line.where);
  });
}

function draw_flame() {
  by_id('flame').hidden = !run.flame && !flame.root;
  if (run.flame)
    flame.draw(run.flame);
}

function draw_output() {
  const pane = by_id('output-text'), follows = pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 8;
  set_text(by_id('output-count'), run.output.to ? `${exact(run.output.to)} bytes` : 'nothing yet');
  if (!run.output.changed)
    return;
  run.output.changed = false;
  pane.textContent = run.output.parts.join('');
  if (follows)
    pane.scrollTop = pane.scrollHeight;
}

function draw() {
  draw_bar();
  draw_losses();
  draw_probes();
  draw_variables();
  draw_flame();
  draw_output();
}

function draw_charts() {
  for (const card of aggregate_cards.values())
    card.draw();
  for (const card of array_cards.values())
    card.draw_chart();
  flame.draw();
}

// ---- begin ----

function on_key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))
    return;
  if (event.key === 'p')
    by_id('pause').click();
  else if (event.key === 'c')
    by_id('clear').click();
  else if (event.key === '/' && document.querySelector('.filter')) {
    document.querySelector('.filter').focus();
    event.preventDefault();
  }
}

function listen() {
  const source = new EventSource('events');
  source.onmessage = (message) => {
    if (take_event(message.data))
      draw();
    if (run.state === 'ended')
      source.close();
  };
  source.onerror = () => {
    if (run.state !== 'ended')
      set_state('cut off');
  };
}

by_id('pause').addEventListener('click', () => ask(run.state === 'paused' ? 'continue' : 'pause'));
by_id('clear').addEventListener('click', () => ask('clear'));
by_id('stop').addEventListener('click', () => {
  want_stop(true);
  by_id('stop-no').focus();
});
by_id('stop-no').addEventListener('click', () => {
  want_stop(false);
  by_id('stop').focus();
});
by_id('stop-yes').addEventListener('click', () => ask('stop'));
by_id('probes-csv').addEventListener('click', () => save_csv(`${file_name()}-probes`, probes_csv()));
by_id('scalars-csv').addEventListener('click', () => save_csv(`${file_name()}-variables`, scalars_csv()));
by_id('output-save').addEventListener('click', () => save(`${file_name()}.txt`, 'text/plain;charset=utf-8', run.output.parts.join('')));
by_id('flame-search').addEventListener('input', (event) => flame.mark(event.target.value));
by_id('flame-reset').addEventListener('click', () => flame.zoom_to([]));
by_id('flame-invert').addEventListener('click', () => flame.invert());
by_id('flame-svg').addEventListener('click', () => save_svg(`${file_name()}-stacks`, flame.picture));
document.addEventListener('keydown', on_key);
let width_drawn = 0;
new ResizeObserver(() => {
  if (width_drawn !== document.body.clientWidth)
    requestAnimationFrame(draw_charts);
  width_drawn = document.body.clientWidth;
}).observe(document.body);
draw_probe_head();
listen();
