// The ring as a picture: services at fixed places by role, faint arrows for what flows, strong ones for who waits for whom.

import { h, svg } from '../dom';
import { duration } from '../format';
import type { ServiceRow, ServicesAnswer, Wait } from '../types';
import { shown_state } from './services';

const kWidth = 760;
const kNode = { width: 136, height: 46 };
const kWaitMs = 200;

interface Place {
  x: number;
  y: number;
}

const role_of = (service: string) => service.replace(/[-/].*$/, '');

// Centres. Actors stand in a column on the left; what has no place of its own goes into a row at the bottom.
function places(services: ServiceRow[]): { places: Map<string, Place>; height: number } {
  const out = new Map<string, Place>();
  const actors = services.filter((row) => role_of(row.service) === 'actor');
  const column = Math.max(250, actors.length * (kNode.height + 14) + 20);
  const middle = column / 2;
  actors.forEach((row, index) => out.set(row.service, { x: 90, y: middle + (index - (actors.length - 1) / 2) * (kNode.height + 14) }));
  const fixed: Record<string, Place> = { replay: { x: 330, y: middle - 78 }, learner: { x: 600, y: middle - 78 }, evaluator: { x: 600, y: middle + 78 }, gateway: { x: 330, y: middle + 78 } };
  let spare = 0;
  for (const row of services) {
    if (out.has(row.service)) continue;
    const place = fixed[row.service];
    out.set(row.service, place ?? { x: 90 + (spare++ % 4) * 180, y: column + 30 });
  }
  return { places: out, height: spare > 0 ? column + 64 : column };
}

// Where the line from one centre to another leaves the node's box.
function edge_point(from: Place, to: Place): Place {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const shrink = Math.min(dx === 0 ? Infinity : (kNode.width / 2 + 5) / Math.abs(dx), dy === 0 ? Infinity : (kNode.height / 2 + 5) / Math.abs(dy));
  return { x: from.x + dx * Math.min(1, shrink), y: from.y + dy * Math.min(1, shrink) };
}

function arrow(from: Place, to: Place, bend: number, attributes: Record<string, string>): { path: SVGElement; middle: Place } {
  const a = edge_point(from, to);
  const b = edge_point(to, from);
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const control = { x: (a.x + b.x) / 2 - ((b.y - a.y) / length) * bend, y: (a.y + b.y) / 2 + ((b.x - a.x) / length) * bend };
  const path = svg('path', { d: `M${a.x} ${a.y}Q${control.x} ${control.y} ${b.x} ${b.y}`, fill: 'none', ...attributes });
  return { path, middle: { x: (a.x + 2 * control.x + b.x) / 4, y: (a.y + 2 * control.y + b.y) / 4 } };
}

function flows(services: ServiceRow[]): [string, string][] {
  const names = services.map((row) => row.service);
  const actors = names.filter((name) => role_of(name) === 'actor');
  const pairs: [string, string][] = [...actors.map((actor): [string, string] => [actor, 'replay']), ['replay', 'learner'], ['learner', 'evaluator'], ...actors.map((actor): [string, string] => ['learner', actor])];
  return pairs.filter(([from, to]) => names.includes(from) && names.includes(to));
}

// A holder may be a part ("replay/rollout") or a plural role ("actors").
function holders(holder: string, places_by_name: Map<string, Place>): string[] {
  const service = holder.replace(/\/.*$/, '');
  if (places_by_name.has(service)) return [service];
  const role = service.replace(/s$/, '');
  return [...places_by_name.keys()].filter((name) => role_of(name) === role);
}

function marker(name: string): SVGElement {
  return svg('marker', { id: name, class: name, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' }, svg('path', { d: 'M0 0L10 5L0 10z' }));
}

function node(row: ServiceRow, at: Place, root: boolean): SVGElement {
  const state = shown_state(row);
  return svg('g', { class: root ? 'node root' : 'node', 'data-node': row.service, 'data-state': state, transform: `translate(${at.x - kNode.width / 2} ${at.y - kNode.height / 2})` },
    svg('rect', { width: kNode.width, height: kNode.height, rx: 10 }),
    svg('circle', { cx: 18, cy: kNode.height / 2, r: 5 }),
    svg('text', { x: 32, y: 20, class: 'name' }, row.service),
    svg('text', { x: 32, y: 35, class: 'about' }, row.versions.policy === undefined ? state : `${state} · v${row.versions.evaluated ?? row.versions.policy}`));
}

function label(wait: Wait, at: Place): SVGElement {
  const text = duration(wait.waited_ms);
  const width = text.length * 7 + 14;
  return svg('g', { class: 'wait-label', transform: `translate(${at.x} ${at.y})` }, svg('title', {}, `${wait.waiter} waits for ${wait.holder}: ${wait.reason}`), svg('rect', { x: -width / 2, y: -11, width, height: 22, rx: 11 }), svg('text', { 'text-anchor': 'middle', y: 4 }, text));
}

export function wait_graph(answer: ServicesAnswer): HTMLElement {
  const { places: at, height } = places(answer.services);
  const root = svg('svg', { viewBox: `0 0 ${kWidth} ${height}`, role: 'img', 'aria-label': 'Who waits for whom' }, svg('defs', {}, marker('flow-head'), marker('wait-head')));
  for (const [from, to] of flows(answer.services)) root.append(arrow(at.get(from)!, at.get(to)!, 18, { class: 'flow', 'marker-end': 'url(#flow-head)' }).path);
  const labels: SVGElement[] = [];
  for (const row of answer.services)
    for (const wait of row.waits.filter((entry) => entry.waited_ms >= kWaitMs))
      for (const holder of holders(wait.holder, at)) {
        if (holder === row.service) continue;
        const drawn = arrow(at.get(row.service)!, at.get(holder)!, 34, { class: 'wait', 'data-wait': `${row.service}>${holder}`, 'marker-end': 'url(#wait-head)' });
        root.append(drawn.path);
        labels.push(label(wait, drawn.middle));
      }
  const last = answer.chain.at(-1)?.replace(/\/.*$/, '');
  for (const row of answer.services) root.append(node(row, at.get(row.service)!, answer.waits_for !== '' && row.service === last));
  root.append(...labels);
  const legend = h('ul', { class: 'legend' }, h('li', {}, h('i', { class: 'swatch thin' }), 'data and weights flow'), h('li', {}, h('i', { class: 'swatch alarm' }), 'waits for, and for how long'));
  return h('div', { class: 'graph' }, legend, root as unknown as Node);
}
