// A line chart in SVG: bands, reference lines, a legend, and the values under the pointer.

import { h, replace, svg } from './dom';
import type { Point } from './series';
import { ticks } from './ticks';

export interface Line {
  name: string;
  color: string;
  points: Point[];
}

export interface Reference {
  name: string;
  value: number;
}

export interface ChartSpec {
  title: string;
  note?: string; // what the band means
  lines: Line[];
  references?: Reference[];
  empty: string; // what will appear here, and why not yet
  x_name: string;
  format_x: (value: number) => string;
  format_y: (value: number) => string;
  seconds?: boolean;
  floor?: number; // the y axis starts here
  ceiling?: number;
}

const kHeight = 232;
const kMargin = { top: 10, right: 14, bottom: 34, left: 52 };

interface Scale {
  low: number;
  high: number;
  to: (value: number) => number;
}

function scale(low: number, high: number, from: number, to: number): Scale {
  return { low, high, to: (value) => from + ((value - low) / (high - low)) * (to - from) };
}

function y_range(spec: ChartSpec): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (const line of spec.lines)
    for (const point of line.points) {
      low = Math.min(low, point.low ?? point.y);
      high = Math.max(high, point.high ?? point.y);
    }
  for (const reference of spec.references ?? []) {
    low = Math.min(low, reference.value);
    high = Math.max(high, reference.value);
  }
  const pad = (high - low || Math.abs(high) || 1) * 0.08;
  low = spec.floor !== undefined ? Math.min(spec.floor, low) : low - pad;
  high = spec.ceiling !== undefined ? Math.max(spec.ceiling, high) : high + pad;
  return [low, high > low ? high : low + 1];
}

function x_range(spec: ChartSpec): [number, number] {
  const xs = spec.lines.flatMap((line) => (line.points.length ? [line.points[0]!.x, line.points[line.points.length - 1]!.x] : []));
  const low = Math.min(...xs);
  const high = Math.max(...xs);
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

const path_of = (pairs: [number, number][]) => pairs.map(([x, y], index) => `${index ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

export class Chart {
  readonly element = h('section', { class: 'card chart' });
  private spec: ChartSpec | null = null;
  private width = 0;
  private drawn = ''; // what the picture shows, to leave it alone while nothing changes
  private pointer_x: number | null = null; // of the screen; the values stay shown while new rows arrive

  constructor(name: string) {
    this.element.dataset.chart = name;
    new ResizeObserver(() => {
      if (this.element.clientWidth !== this.width) this.draw();
    }).observe(this.element);
  }

  update(spec: ChartSpec): void {
    this.spec = spec;
    this.draw();
  }

  private draw(): void {
    const spec = this.spec;
    this.width = this.element.clientWidth;
    if (!spec || this.width === 0) return;
    const wanted = JSON.stringify([this.width, spec]);
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    const filled = spec.lines.filter((line) => line.points.length > 0);
    const head = h('header', {}, h('h3', {}, spec.title), spec.note && filled.length > 0 ? h('span', { class: 'note' }, spec.note) : null);
    if (filled.length === 0) {
      replace(this.element, head, h('div', { class: 'empty', style: `height:${kHeight}px` }, h('p', {}, spec.empty)));
      return;
    }
    replace(this.element, head, this.legend(spec, filled), this.plot({ ...spec, lines: filled }));
  }

  private legend(spec: ChartSpec, lines: Line[]): HTMLElement | null {
    const references = spec.references ?? [];
    if (lines.length < 2 && references.length === 0) return null;
    const entries = lines.map((line) =>
      h('li', {}, h('i', { class: 'swatch', style: `background:${line.color}` }), line.name, h('b', {}, spec.format_y(line.points[line.points.length - 1]!.y))),
    );
    const dashed = references.map((reference) => h('li', {}, h('i', { class: 'swatch dashed' }), reference.name, h('b', {}, spec.format_y(reference.value))));
    return h('ul', { class: 'legend' }, ...entries, ...dashed);
  }

  private plot(spec: ChartSpec): HTMLElement {
    const inner = this.element.querySelector('header')?.clientWidth || this.width - 32;
    const x = scale(...x_range(spec), kMargin.left, inner - kMargin.right);
    const y = scale(...y_range(spec), kHeight - kMargin.bottom, kMargin.top);
    const root = svg('svg', { width: inner, height: kHeight, viewBox: `0 0 ${inner} ${kHeight}`, role: 'img', 'aria-label': spec.title });
    root.append(...this.axes(spec, x, y, inner));
    for (const reference of spec.references ?? []) {
      const at = y.to(reference.value).toFixed(1);
      root.append(svg('line', { class: 'reference', x1: kMargin.left, x2: inner - kMargin.right, y1: at, y2: at }));
    }
    for (const line of spec.lines) root.append(...this.line(line, x, y));
    const tip = h('div', { class: 'tip', hidden: true });
    const cursor = svg('g', { class: 'cursor', visibility: 'hidden' });
    root.append(cursor);
    const show = () => this.point_at(spec, x, y, inner, root, cursor, tip);
    root.addEventListener('pointermove', (event) => {
      this.pointer_x = event.clientX;
      show();
    });
    root.addEventListener('pointerleave', () => {
      this.pointer_x = null;
      show();
    });
    if (this.pointer_x !== null) queueMicrotask(show);
    return h('div', { class: 'plot' }, root as unknown as Node, tip);
  }

  private axes(spec: ChartSpec, x: Scale, y: Scale, inner: number): SVGElement[] {
    const out: SVGElement[] = [];
    for (const value of ticks(y.low, y.high, 5)) {
      const at = y.to(value).toFixed(1);
      out.push(svg('line', { class: 'grid', x1: kMargin.left, x2: inner - kMargin.right, y1: at, y2: at }));
      out.push(svg('text', { class: 'tick', x: kMargin.left - 8, y: at, 'text-anchor': 'end', 'dominant-baseline': 'middle' }, spec.format_y(value)));
    }
    for (const value of ticks(x.low, x.high, Math.max(2, Math.floor(inner / 110)), spec.seconds)) {
      const at = x.to(value);
      const anchor = at > inner - 36 ? 'end' : 'middle';
      out.push(svg('text', { class: 'tick', x: at.toFixed(1), y: kHeight - kMargin.bottom + 16, 'text-anchor': anchor }, spec.format_x(value)));
    }
    out.push(svg('text', { class: 'axis', x: (kMargin.left + inner - kMargin.right) / 2, y: kHeight - 3, 'text-anchor': 'middle' }, spec.x_name));
    return out;
  }

  private line(line: Line, x: Scale, y: Scale): SVGElement[] {
    const out: SVGElement[] = [];
    const banded = line.points.filter((point) => point.low !== undefined);
    if (banded.length > 1) {
      const upper = banded.map((point): [number, number] => [x.to(point.x), y.to(point.high!)]);
      const lower = banded.map((point): [number, number] => [x.to(point.x), y.to(point.low!)]).reverse();
      out.push(svg('path', { class: 'band', d: path_of([...upper, ...lower]) + 'Z', style: `fill:${line.color}` }));
    }
    const line_points = line.points.map((point): [number, number] => [x.to(point.x), y.to(point.y)]);
    out.push(svg('path', { class: 'line', 'data-line': line.name, d: path_of(line_points), style: `stroke:${line.color}` }));
    const [end_x, end_y] = line_points[line_points.length - 1]!;
    out.push(svg('circle', { class: 'end', cx: end_x.toFixed(1), cy: end_y.toFixed(1), r: 3.5, style: `fill:${line.color}` }));
    return out;
  }

  private point_at(spec: ChartSpec, x: Scale, y: Scale, inner: number, root: SVGSVGElement, cursor: SVGGElement, tip: HTMLElement): void {
    tip.hidden = this.pointer_x === null;
    cursor.setAttribute('visibility', tip.hidden ? 'hidden' : 'visible');
    if (this.pointer_x === null) return;
    const at = this.pointer_x - root.getBoundingClientRect().left;
    const value = x.low + ((at - kMargin.left) / (inner - kMargin.left - kMargin.right)) * (x.high - x.low);
    const near = spec.lines.map((line) => ({ line, point: nearest(line.points, value) }));
    const anchor = near.reduce((best, entry) => (Math.abs(entry.point.x - value) < Math.abs(best.point.x - value) ? entry : best)).point.x;
    const marks: SVGElement[] = near.map(({ line, point }) => svg('circle', { cx: x.to(point.x), cy: y.to(point.y), r: 4.5, style: `fill:${line.color}` }));
    replace(cursor, svg('line', { x1: x.to(anchor), x2: x.to(anchor), y1: kMargin.top, y2: kHeight - kMargin.bottom }), ...marks);
    replace(
      tip,
      h('div', { class: 'tip-x' }, `${spec.x_name} ${spec.format_x(anchor)}`),
      ...near.map(({ line, point }) => h('div', {}, h('i', { class: 'swatch', style: `background:${line.color}` }), line.name, h('b', {}, spec.format_y(point.y)), range_text(point, spec))),
    );
    const left = x.to(anchor);
    tip.style.left = left > inner / 2 ? '' : `${left + 14}px`;
    tip.style.right = left > inner / 2 ? `${inner - left + 14}px` : '';
  }
}

function range_text(point: Point, spec: ChartSpec): HTMLElement | null {
  return point.low === undefined || point.high === undefined ? null : h('small', {}, `${spec.format_y(point.low)} … ${spec.format_y(point.high)}`);
}

function nearest(all: Point[], x: number): Point {
  return all.reduce((best, point) => (Math.abs(point.x - x) < Math.abs(best.x - x) ? point : best));
}
