// SPDX-License-Identifier: GPL-2.0-or-later
// ---- what is known of the run ----

const HISTORY = 300; // moments that are remembered
const REMEMBERED = 64; // elements of an array whose histograms are
const WHOLE_NS = 0.8e9; // moments that are closer than this count as one

const run = {
  state: 'waiting', name: 'spile', began_ns: 0, ns: 0, sampled_ns: 0, cpus: 1, errors: 0, elements: 0,
  probes: new Map(), scalars: new Map(), arrays: new Map(), losses: [], flame: null, output: { to: 0, parts: [], size: 0, missing: 0 },
};

function push(list, value) {
  list.push(value);
  if (list.length > HISTORY)
    list.shift();
}

// ---- histograms ----

const histogram_of = (value) => value && (value.histogram || value.linear_histogram) || null;
const is_linear = (value) => !value.histogram;

// Counts by bucket, and how they grew from one moment to the next. A bucket is named by its lower bound.
class Distribution {
  constructor() {
    this.buckets = new Map();
    this.before = new Map();
    this.columns = []; // { ns, counts: Map }
    this.linear = false;
  }
  take(value, ns, is_whole) {
    this.linear = is_linear(value);
    this.buckets = new Map(histogram_of(value).map((b) => [as_number(b.low), { low: b.low, high: b.high, count: as_number(b.count) }]));
    if (is_whole)
      this.sample(ns);
  }
  sample(ns) {
    const counts = new Map();
    let fell = false;
    for (const [low, count] of this.before)
      fell = fell || !this.buckets.has(low) || this.buckets.get(low).count < count;
    for (const [low, bucket] of this.buckets) {
      const grew = bucket.count - (fell ? 0 : this.before.get(low) || 0); // what was cleared begins anew
      if (grew > 0)
        counts.set(low, grew);
    }
    this.before = new Map([...this.buckets].map(([low, bucket]) => [low, bucket.count]));
    push(this.columns, { ns, counts });
  }
  // All buckets between the first and the last that have counted something, also before they were cleared; those that have not, too.
  rows() {
    const known = new Map(this.shown || []);
    for (const [low, bucket] of this.buckets)
      known.set(low, { low: bucket.low, high: bucket.high });
    this.shown = known;
    const lows = [...known.keys()].sort((a, b) => a - b), rows = [];
    lows.forEach((low, i) => {
      rows.push(known.get(low));
      if (i + 1 === lows.length || !Number.isSafeInteger(low) || !Number.isSafeInteger(lows[i + 1]))
        return;
      let high = as_number(known.get(low).high);
      const width = high - low + 1;
      for (let next = high + 1; next < lows[i + 1] && rows.length < 400; next = high + 1) {
        high = this.linear ? next + width - 1 : next > 0 ? 2 * next - 1 : next === 0 ? 0 : -(Math.floor(-next / 2) + 1);
        rows.push({ low: next, high: Math.min(high, lows[i + 1] - 1) });
      }
    });
    return rows;
  }
}

function add_histograms(values) {
  const sum = new Map();
  for (const value of values)
    for (const bucket of histogram_of(value)) {
      const has = sum.get(as_number(bucket.low));
      sum.set(as_number(bucket.low), { low: bucket.low, high: bucket.high, count: as_number(bucket.count) + (has ? has.count : 0) });
    }
  return [...sum.values()];
}

// ---- one moment ----

function take_probe(line, seconds) {
  const probe = run.probes.get(line.number) || { rates: [], rate: 0, share: 0, hits: 0, ns: 0, before: { hits: 0, ns: 0 } };
  Object.assign(probe, { number: line.number, point: line.probe, points: line.points, hits: as_number(line.hits), ns: as_number(line.ns),
                         state: line.state });
  if (seconds) {
    probe.rate = (probe.hits - probe.before.hits) / seconds;
    probe.share = (probe.ns - probe.before.ns) / 1e9 / seconds / run.cpus;
    push(probe.rates, probe.rate);
  }
  if (seconds || !run.probes.has(line.number))
    probe.before = { hits: probe.hits, ns: probe.ns };
  run.probes.set(line.number, probe);
}

function take_scalar(line, is_whole) {
  const scalar = run.scalars.get(line.name) || { name: line.name, values: [] };
  scalar.value = line.value;
  scalar.hex = line.hex;
  if (is_whole && is_number(line.value))
    push(scalar.values, as_number(line.value));
  if (histogram_of(line.value)) {
    scalar.distribution = scalar.distribution || new Distribution();
    scalar.distribution.take(line.value, run.ns, is_whole);
  }
  run.scalars.set(line.name, scalar);
}

const key_text = (key) => JSON.stringify(key);

function take_array(line, is_whole) {
  const array = run.arrays.get(line.name) || { name: line.name, distributions: new Map() };
  const with_histogram = line.elements.filter((element) => histogram_of(element.value));
  Object.assign(array, { keys: line.keys, hex: line.hex, elements: line.elements, more: line.more });
  for (const element of line.elements)
    element.id = key_text(element.key);
  if (with_histogram.length) {
    const sum = add_histograms(with_histogram.map((element) => element.value));
    const linear = is_linear(with_histogram[0].value);
    const all = { id: null, value: linear ? { linear_histogram: sum } : { histogram: sum } };
    for (const element of [all, ...with_histogram.slice(0, REMEMBERED)]) {
      if (!array.distributions.has(element.id))
        array.distributions.set(element.id, new Distribution());
      array.distributions.get(element.id).take(element.value, run.ns, is_whole);
    }
    for (const [id, distribution] of array.distributions) // those that are not among the first any more
      if (is_whole && distribution.columns.length && distribution.columns[distribution.columns.length - 1].ns < run.ns - 60e9)
        array.distributions.delete(id);
  }
  run.arrays.set(line.name, array);
}

const MOST_OUTPUT = 1 << 20; // characters
function take_output(line) {
  const output = run.output, from = as_number(line.from);
  if (from > output.to)
    output.parts.push(`[ ${exact(from - output.to)} bytes are left out ]\n`);
  output.to = as_number(line.to);
  output.parts.push(line.text);
  output.size += line.text.length;
  while (output.size > MOST_OUTPUT && output.parts.length > 1)
    output.size -= output.parts.shift().length;
  output.changed = true;
}

// The lines of one event. Those that were seen already come again when the browser has lost the connection for a while.
function take_event(text) {
  const lines = text.split('\n').filter((line) => line).map(read_line), head = lines[0];
  const ns = as_number(head.ns);
  if (ns <= run.ns)
    return false;
  const is_whole = ns - run.sampled_ns >= WHOLE_NS, seconds = run.sampled_ns && is_whole ? (ns - run.sampled_ns) / 1e9 : 0;
  Object.assign(run, { state: head.state, name: head.name || 'spile', ns, cpus: head.cpus, errors: as_number(head.errors), elements: head.elements,
                       began_ns: as_number(head.began), losses: [] });
  if (is_whole)
    run.sampled_ns = ns;
  const flame = lines.find((line) => line.type === 'flame');
  if (flame || head.state !== 'ended')
    run.flame = flame ? flame.root : null;
  for (const line of lines)
    switch (line.type) {
    case 'probe': take_probe(line, seconds); break;
    case 'global': take_scalar(line, is_whole); break;
    case 'array': take_array(line, is_whole); break;
    case 'loss': run.losses.push(line); break;
    case 'output': take_output(line); break;
    }
  return true;
}
