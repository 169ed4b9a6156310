// SPDX-License-Identifier: GPL-2.0-or-later
'use strict';
// ---- numbers and texts ----

// Numbers that are exact here, and larger ones, which would be rounded: { big: "18446744073709551615" }.
const read_line = (line) => JSON.parse(line.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g,
  (found) => found[0] === '"' || Number.isSafeInteger(+found) ? found : `{"big":"${found}"}`));
const is_big = (value) => value !== null && typeof value === 'object' && 'big' in value;
const is_number = (value) => typeof value === 'number' || is_big(value);
const as_number = (value) => typeof value === 'number' ? value : is_big(value) ? Number(value.big) : 0;

const grouped = new Intl.NumberFormat('en-US');
const digits_of = (value) => is_big(value) ? value.big : String(value);
function exact(value, in_hex) {
  if (in_hex)
    return '0x' + BigInt.asUintN(64, BigInt(digits_of(value))).toString(16);
  return grouped.format(is_big(value) ? BigInt(value.big) : value);
}

const rounded = (n) => n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2);
// 12.3k
function short(n) {
  const sign = n < 0 ? '\u2212' : '', units = ['', 'k', 'M', 'G', 'T', 'P', 'E'];
  let unit = 0;
  n = Math.abs(n);
  while (n >= 999.5 && unit < units.length - 1) {
    n /= 1000;
    unit++;
  }
  return sign + (unit ? rounded(n) + units[unit] : Number.isInteger(n) ? String(n) : rounded(n));
}
// Powers of two as people say them: 64K.
function short_bound(value) {
  const n = as_number(value), units = ['', 'K', 'M', 'G', 'T', 'P', 'E'];
  let unit = 0, of = n;
  while (of !== 0 && of % 1024 === 0 && unit < units.length - 1) {
    of /= 1024;
    unit++;
  }
  return Math.abs(of) < 10000 ? of + units[unit] : short(n);
}
const nanoseconds = (n) => n < 1000 ? `${n.toFixed(0)} ns` : n < 1e6 ? `${rounded(n / 1e3)} µs` : n < 1e9 ? `${rounded(n / 1e6)} ms` : `${rounded(n / 1e9)} s`;
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 2 : 1)} %`;
function clock(seconds) {
  const two = (n) => String(n).padStart(2, '0'), s = Math.floor(seconds);
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

// ---- elements ----

// No text becomes HTML: there is nothing here that could parse it.
function fill_in(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {}))
    if (name.startsWith('on'))
      element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? '' : value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
const el = (name, attributes, ...children) => fill_in(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) => fill_in(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);
const by_id = (id) => document.getElementById(id);
function set_text(element, text) {
  if (element.textContent !== text)
    element.textContent = text;
}

// Makes the children of a parent those of a list, in its order; the element of an item stays the same as long as it is there.
function sync(parent, items, key_of, make, update) {
  const had = parent.kept || new Map(), kept = new Map();
  let at = parent.firstChild;
  for (const item of items) {
    const key = key_of(item), child = had.get(key) || make(item);
    kept.set(key, child);
    update(child, item);
    if (child === at)
      at = at.nextSibling;
    else
      parent.insertBefore(child, at);
  }
  for (const [key, child] of had)
    if (!kept.has(key))
      child.remove();
  parent.kept = kept;
}

// ---- files ----

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
// RFC 4180. A text that a spreadsheet would take for a formula begins with an apostrophe.
function csv_field(value) {
  if (is_number(value))
    return digits_of(value);
  const text = /^[=+\-@\t\r]/.test(value) ? "'" + value : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
const csv_of = (rows) => rows.map((row) => row.map(csv_field).join(',') + '\r\n').join('');
const save_csv = (name, rows) => save(`${name}.csv`, 'text/csv;charset=utf-8', csv_of(rows));

const kept_styles = ['fill', 'stroke', 'stroke-width', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'opacity'];
// The picture as a file of its own, with the colours that it has now.
function svg_of(picture) {
  const copy = picture.cloneNode(true), from = [picture, ...picture.querySelectorAll('*')], to = [copy, ...copy.querySelectorAll('*')];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    for (const name of kept_styles)
      to[i].setAttribute(name, style.getPropertyValue(name));
    to[i].removeAttribute('class');
    to[i].removeAttribute('tabindex');
  });
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.insertBefore(svg('rect', { width: '100%', height: '100%', fill: getComputedStyle(by_id('probes')).backgroundColor }), copy.firstChild);
  return '<?xml version="1.0" encoding="UTF-8"?>\n' + new XMLSerializer().serializeToString(copy) + '\n';
}
const save_svg = (name, picture) => save(`${name}.svg`, 'image/svg+xml', svg_of(picture));
