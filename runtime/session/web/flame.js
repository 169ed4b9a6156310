// SPDX-License-Identifier: GPL-2.0-or-later
// ---- the flame graph ----

const FLAME_ROW = 19, LETTER = 6.7;

// The same name has the same colour always: amber for programs, blue for the kernel.
function flame_colour(name, depth) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++)
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  hash = (hash ^ (hash >>> 15)) >>> 0;
  if (!depth)
    return 'hsl(220,8%,80%)';
  return name.endsWith('_[k]') ? `hsl(${200 + hash % 22},${46 + (hash >>> 5) % 16}%,${68 + (hash >>> 10) % 10}%)`
                               : `hsl(${28 + hash % 18},${74 + (hash >>> 6) % 16}%,${66 + (hash >>> 11) % 9}%)`;
}

class FlameGraph {
  constructor(element) {
    this.element = element;
    this.frames = svg('g', {});
    this.picture = svg('svg', {}, this.frames);
    element.append(this.picture);
    this.zoom = []; // names from the root on
    this.chosen = null; // a path, for keys
    this.inverted = false;
    this.pattern = null;
    element.addEventListener('keydown', (event) => this.key(event));
    element.addEventListener('blur', () => this.choose(null));
  }
  find(path) {
    return path.reduce((node, name) => node && node.children.find((child) => child.name === name), this.root) || null;
  }
  draw(root) {
    const width = Math.floor(this.element.clientWidth);
    this.root = root || this.root;
    if (!this.root || !width)
      return;
    while (this.zoom.length && !this.find(this.zoom))
      this.zoom.pop();
    this.places = [];
    this.matched = 0;
    this.zoom.forEach((name, depth) => { // what it is called from is as wide as it can be
      const path = this.zoom.slice(0, depth);
      this.places.push({ node: this.find(path), path, depth, x: 0, width, above: true });
    });
    const zoomed = this.find(this.zoom), whole = Math.max(1, as_number(zoomed.value));
    this.deepest = this.zoom.length;
    this.place(zoomed, this.zoom, this.zoom.length, 0, width / whole, false);
    const height = (this.deepest + 1) * FLAME_ROW;
    fill_in(this.picture, { width, height, viewBox: `0 0 ${width} ${height}` }, []);
    sync(this.frames, this.places, (place) => place.id = JSON.stringify(place.path), (place) => this.make(place), (g, place) => this.update(g, place, height));
    by_id('flame-reset').hidden = !this.zoom.length;
    set_text(by_id('flame-count'), exact(this.root.value) + (this.pattern ? `, ${percent(this.matched / whole)} marked` : ''));
  }
  place(node, path, depth, x, unit, is_in_marked) {
    const width = as_number(node.value) * unit, is_marked = Boolean(this.pattern && depth > 0 && this.pattern.test(node.name));
    if (width < 0.8)
      return;
    if (is_marked && !is_in_marked)
      this.matched += as_number(node.value);
    this.deepest = Math.max(this.deepest, depth);
    this.places.push({ node, path, depth, x, width, is_marked });
    for (const child of node.children) {
      this.place(child, [...path, child.name], depth + 1, x, unit, is_in_marked || is_marked);
      x += as_number(child.value) * unit;
    }
  }
  make(place) {
    const rect = svg('rect', { height: FLAME_ROW - 1, rx: 2, fill: flame_colour(place.node.name, place.depth) });
    const g = svg('g', { class: 'frame' }, rect, svg('text', {})), path = place.path;
    g.addEventListener('click', () => this.zoom_to(path));
    g.addEventListener('pointerenter', () => this.tell(path));
    return g;
  }
  update(g, place, height) {
    const [rect, text] = g.children, room = Math.floor((place.width - 9) / LETTER), name = place.node.name;
    const y = this.inverted ? place.depth * FLAME_ROW : height - (place.depth + 1) * FLAME_ROW;
    g.setAttribute('class', `frame${place.above ? ' above' : ''}${place.is_marked ? ' marked' : ''}${this.chosen === place.id ? ' chosen' : ''}`);
    for (const [key, value] of [['x', place.x.toFixed(1)], ['y', y], ['width', Math.max(0.5, place.width - 0.6).toFixed(1)]])
      rect.setAttribute(key, value);
    text.setAttribute('x', (place.x + 5).toFixed(1));
    text.setAttribute('y', y + 13);
    set_text(text, name.length <= room ? name : room < 4 ? '' : name.slice(0, room - 1) + '\u2026');
  }
  tell(path) {
    const node = this.find(path);
    if (node)
      set_text(by_id('flame-details'), `${node.name}: ${exact(node.value)}, ${percent(as_number(node.value) / Math.max(1, as_number(this.root.value)))}`);
  }
  zoom_to(path) {
    this.zoom = path;
    this.draw();
    this.tell(path);
  }
  choose(path) {
    this.chosen = path && JSON.stringify(path);
    this.draw();
    if (path)
      this.tell(path);
  }
  beside(path, step) {
    const parent = path.length ? this.find(path.slice(0, -1)) : null, at = parent ? parent.children.indexOf(this.find(path)) + step : -1;
    return parent && parent.children[at] ? [...path.slice(0, -1), parent.children[at].name] : path;
  }
  largest(path) {
    const children = this.find(path).children;
    return children.length ? [...path, children.reduce((a, b) => as_number(b.value) > as_number(a.value) ? b : a).name] : path;
  }
  // Up and down as they are drawn.
  key(event) {
    const path = this.chosen && this.find(JSON.parse(this.chosen)) ? JSON.parse(this.chosen) : this.zoom;
    const inwards = this.inverted ? 'ArrowDown' : 'ArrowUp', outwards = this.inverted ? 'ArrowUp' : 'ArrowDown';
    switch (this.root ? event.key : '') {
    case inwards: this.choose(this.largest(path)); break;
    case outwards: this.choose(path.slice(0, -1)); break;
    case 'ArrowLeft': this.choose(this.beside(path, -1)); break;
    case 'ArrowRight': this.choose(this.beside(path, 1)); break;
    case 'Enter': this.zoom_to(path); break;
    case 'Escape': this.zoom_to([]); break;
    default: return;
    }
    event.preventDefault();
  }
  mark(text) {
    const input = by_id('flame-search');
    try {
      this.pattern = text ? new RegExp(text) : null;
      input.setCustomValidity('');
    } catch (e) {
      this.pattern = null;
      input.setCustomValidity('This is no regular expression');
    }
    this.draw();
  }
  invert() {
    this.inverted = !this.inverted;
    by_id('flame-invert').setAttribute('aria-pressed', this.inverted);
    this.draw();
  }
}
