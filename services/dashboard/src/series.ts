// From metric rows to what a chart draws: points, bands, averages over seeds.

import type { Row } from './types';

export interface Point {
  x: number;
  y: number;
  low?: number;
  high?: number;
}

export type XAxis = 'step' | 'time' | 'version';

const finite = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

// "loss.policy" looks inside an object.
export function value_at(row: Row, path: string): number | undefined {
  let value: unknown = row;
  for (const key of path.split('.')) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Row)[key];
  }
  return finite(value) ? value : undefined;
}

function x_of(row: Row, axis: XAxis, start_ms: number): number | undefined {
  if (axis === 'step') return finite(row.step) ? row.step : undefined;
  if (axis === 'version') return finite(row.version) ? row.version : undefined;
  return finite(row.t) ? (row.t - start_ms) / 1000 : undefined;
}

export interface Band {
  low: string;
  high: string;
}

// Sorted by x. A row without the value is left out.
export function points(rows: Row[], path: string, axis: XAxis, start_ms: number, band?: Band): Point[] {
  const out: Point[] = [];
  for (const row of rows) {
    const x = x_of(row, axis, start_ms);
    const y = value_at(row, path);
    if (x === undefined || y === undefined) continue;
    const low = band && value_at(row, band.low);
    const high = band && value_at(row, band.high);
    out.push(low !== undefined && high !== undefined ? { x, y, low, high } : { x, y });
  }
  return out.sort((a, b) => a.x - b.x);
}

// At most `count` points, each the mean of its stretch of x; with `spread`, the band is one standard deviation of the stretch.
export function binned(all: Point[], count: number, spread: boolean): Point[] {
  if (all.length <= count) return all;
  const first = all[0]!.x;
  const width = (all[all.length - 1]!.x - first) / count || 1;
  const bins: Point[][] = [];
  for (const point of all) {
    const index = Math.min(count - 1, Math.floor((point.x - first) / width));
    (bins[index] ??= []).push(point);
  }
  return bins.filter((bin) => bin !== undefined).map((bin) => summary(bin, spread));
}

function summary(bin: Point[], spread: boolean): Point {
  const mean = (pick: (point: Point) => number) => bin.reduce((sum, point) => sum + pick(point), 0) / bin.length;
  const y = mean((point) => point.y);
  const x = mean((point) => point.x);
  if (spread) {
    const deviation = Math.sqrt(mean((point) => (point.y - y) ** 2));
    return { x, y, low: y - deviation, high: y + deviation };
  }
  if (bin.every((point) => point.low !== undefined)) return { x, y, low: mean((point) => point.low!), high: mean((point) => point.high!) };
  return { x, y };
}

function interpolate(curve: Point[], x: number): number | undefined {
  if (curve.length === 0 || x < curve[0]!.x || x > curve[curve.length - 1]!.x) return undefined;
  let low = 0;
  let high = curve.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (curve[middle]!.x <= x) low = middle;
    else high = middle;
  }
  const a = curve[low]!;
  const b = curve[high]!;
  return b.x === a.x ? b.y : a.y + ((b.y - a.y) * (x - a.x)) / (b.x - a.x);
}

// The mean of several seeds with a band from the lowest to the highest one, over the stretch of x that all of them cover.
export function mean_over_seeds(curves: Point[][], count = 150): Point[] {
  const filled = curves.filter((curve) => curve.length > 0);
  if (filled.length === 0) return [];
  const from = Math.max(...filled.map((curve) => curve[0]!.x));
  const to = Math.min(...filled.map((curve) => curve[curve.length - 1]!.x));
  if (to < from) return [];
  const longest = Math.max(...filled.map((curve) => curve.length));
  const steps = Math.max(1, Math.min(count, longest - 1));
  const out: Point[] = [];
  for (let index = 0; index <= (to > from ? steps : 0); ++index) {
    const x = from + ((to - from) * index) / steps;
    const values = filled.map((curve) => interpolate(curve, x)).filter((value) => value !== undefined);
    const y = values.reduce((sum, value) => sum + value, 0) / values.length;
    out.push({ x, y, low: Math.min(...values), high: Math.max(...values) });
  }
  return out;
}
