// The last and the best evaluation of each chosen run beside the baselines that were played on the same episodes.

import { baselines_of, last_with_baselines } from '../baselines';
import { h, replace } from '../dom';
import { number, percent, words } from '../format';
import { value_at } from '../series';
import type { State } from '../state';
import type { Row } from '../types';
import type { View } from './view';

// Shown first, in this order; other numbers follow by name.
const kFirst = ['eval_return', 'success', 'spl'];
const kNotScores = new Set(['t', 'step', 'version', 'ci_low', 'ci_high', 'iqm', 'episodes', 'seconds', 'optimal', 'query']);
const kTitles: Record<string, string> = { eval_return: 'Return', success: 'Success', spl: 'SPL' };
const kShares = new Set(['success']);

interface Entry {
  name: string;
  kind: string;
  task: string; // environment and map: only within one are scores comparable
  color?: string;
  version: string;
  episodes: string;
  scores: Record<string, number>;
  interval: string;
}

function scores_of(row: Row): Record<string, number> {
  const out: Record<string, number> = {};
  for (const name of Object.keys(row)) {
    const value = value_at(row, name);
    if (value !== undefined && !kNotScores.has(name)) out[name] = value;
  }
  return out;
}

const count_of = (row: Row) => (typeof row.episodes === 'number' ? String(row.episodes) : Array.isArray(row.returns) ? String(row.returns.length) : '–');

function entry_of(row: Row, name: string, kind: string, color: string, task: string): Entry {
  const low = value_at(row, 'ci_low');
  const high = value_at(row, 'ci_high');
  const interval = low !== undefined && high !== undefined ? `${number(low)} … ${number(high)}` : '';
  return { name, kind, task, color, version: String(row.version ?? '–'), episodes: count_of(row), scores: scores_of(row), interval };
}

// By SPL where there is one, else by return: the higher the better.
function best(rows: Row[]): Row | undefined {
  const key = rows.some((row) => value_at(row, 'spl') !== undefined) ? 'spl' : 'eval_return';
  return rows.reduce<Row | undefined>((found, row) => ((value_at(row, key) ?? -Infinity) > (found ? (value_at(found, key) ?? -Infinity) : -Infinity) ? row : found), undefined);
}

function entries(state: State): Entry[] {
  const policies: Entry[] = [];
  const baselines = new Map<string, Entry>();
  for (const run of state.chosen) {
    const rows = state.run(run).rows('evaluator');
    const task = [state.summary(run)?.env, state.summary(run)?.map].filter(Boolean).join(' · ');
    const last = rows.findLast((row) => value_at(row, 'eval_return') !== undefined);
    if (!last) continue;
    policies.push(entry_of(last, run, 'newest policy', state.color(run), task));
    const top = best(rows);
    if (top && top !== last) policies.push(entry_of(top, run, 'best policy', state.color(run), task));
    const row = last_with_baselines(rows);
    for (const { name, scores } of baselines_of(row)) {
      const shown = Object.fromEntries(Object.entries(scores).filter(([key]) => !kNotScores.has(key)));
      baselines.set(`${name} ${task}`, { name: words(name), kind: `baseline${state.chosen.length > 1 && task ? `, ${task}` : ''}`, task, version: '–', episodes: scores.episodes === undefined ? '–' : String(scores.episodes), scores: shown, interval: '' });
    }
  }
  return [...policies, ...baselines.values()];
}

export class EvaluationView implements View {
  readonly element = h('div', { class: 'view' });

  update(state: State): void {
    const all = entries(state);
    if (all.length === 0) {
      const text = state.chosen.length === 0 ? 'Choose a run to see its evaluations.' : 'No evaluation yet. The evaluator plays the same fixed episodes for every published version, and the baselines once; the table appears with its first score.';
      replace(this.element, h('div', { class: 'card empty' }, h('p', {}, text)));
      return;
    }
    const found = new Set(all.flatMap((entry) => Object.keys(entry.scores)));
    const columns = [...kFirst.filter((name) => found.has(name)), ...[...found].filter((name) => !kFirst.includes(name)).sort()];
    const head = h('tr', {}, h('th', {}, 'Policy'), h('th', { class: 'right' }, 'Version'), ...columns.map((name) => h('th', { class: 'right' }, kTitles[name] ?? words(name))), h('th', { class: 'right' }, 'Episodes'));
    const table = h('table', { class: 'evaluation' }, h('thead', {}, head), h('tbody', {}, ...all.map((entry) => this.row(entry, columns, all))));
    replace(this.element, h('div', { class: 'card scroll' }, h('h3', {}, 'Policies beside baselines'), table, h('p', { class: 'hint' }, 'Fixed-seed episodes, the same for all. Small figures: 95% interval of the mean. Bold: the best on the same task.')));
  }

  private row(entry: Entry, columns: string[], all: Entry[]): HTMLElement {
    const rivals = all.filter((other) => other.task === entry.task);
    const cell = (name: string) => {
      const value = entry.scores[name];
      const top = kFirst.includes(name) && value !== undefined && value >= Math.max(...rivals.map((other) => other.scores[name] ?? -Infinity));
      const text = kShares.has(name) ? percent(value) : number(value);
      return h('td', { class: top ? 'right top' : 'right' }, text, name === 'eval_return' && entry.interval ? h('small', {}, entry.interval) : null);
    };
    return h('tr', { class: entry.color ? '' : 'baseline' },
      h('th', {}, h('i', { class: entry.color ? 'swatch' : 'swatch dashed', style: entry.color ? `background:${entry.color}` : '' }), entry.name, h('small', {}, entry.kind)),
      h('td', { class: 'right' }, entry.version), ...columns.map(cell), h('td', { class: 'right' }, entry.episodes));
  }
}
