// Scripted baselines and exact references of an evaluation row: {"greedy": {"eval_return": ..., "spl": ...}, ...}.

import type { Row } from './types';

export interface Baseline {
  name: string;
  scores: Record<string, number>;
}

export function baselines_of(row: Row | undefined): Baseline[] {
  const all = row?.baselines;
  if (all === null || typeof all !== 'object' || Array.isArray(all)) return [];
  return Object.entries(all as Row).map(([name, value]) => ({ name, scores: scores_of(value, row!) }));
}

function scores_of(value: unknown, row: Row): Record<string, number> {
  if (typeof value === 'number') return { [typeof row.spl === 'number' ? 'spl' : 'eval_return']: value };
  const out: Record<string, number> = {};
  if (value !== null && typeof value === 'object')
    for (const [key, entry] of Object.entries(value)) if (typeof entry === 'number') out[key] = entry;
  return out;
}

export function last_with_baselines(rows: Row[]): Row | undefined {
  return rows.findLast((row) => baselines_of(row).length > 0);
}
