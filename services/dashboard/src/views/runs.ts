// The run picker: every run of the folder; several can be chosen and are then shown side by side.

import { h, replace } from '../dom';
import { number } from '../format';
import type { State } from '../state';
import type { RunSummary } from '../types';
import type { View } from './view';

const kLiveMs = 10000;
const kFilterFrom = 8;

const is_live = (run: RunSummary) => Date.now() - run.updated_ms < kLiveMs;

function about(run: RunSummary): string {
  const parts = [run.algorithm, run.env, run.map, run.seed === null ? null : `seed ${run.seed}`];
  return parts.filter(Boolean).join(' · ') || 'no configuration yet';
}

export class RunsView implements View {
  readonly element = h('nav', { class: 'runs', 'aria-label': 'Runs' });
  private readonly filter = h('input', { type: 'search', placeholder: 'Filter runs', 'aria-label': 'Filter runs', hidden: true });
  private readonly list = h('ul', {});
  private readonly title = h('h2', {}, 'Runs');

  constructor(state: State) {
    this.filter.addEventListener('input', () => state.notify());
    replace(this.element, this.title, this.filter, this.list);
  }

  update(state: State): void {
    const runs = state.runs ?? [];
    this.filter.hidden = runs.length < kFilterFrom;
    const wanted = this.filter.hidden ? '' : this.filter.value.toLowerCase();
    const shown = runs.filter((run) => `${run.name} ${about(run)}`.toLowerCase().includes(wanted));
    this.title.textContent = runs.length > 1 ? `Runs (${state.chosen.length} of ${runs.length} shown)` : 'Runs';
    if (shown.length === 0) {
      const text = state.runs === null ? 'Asking the gateway…' : runs.length > 0 ? 'No run matches.' : 'No run yet. `oneagent train` makes one; it appears here by itself.';
      replace(this.list, h('li', { class: 'hint' }, text));
      return;
    }
    replace(this.list, ...shown.map((run) => this.row(state, run)));
  }

  private row(state: State, run: RunSummary): HTMLElement {
    const chosen = state.chosen.includes(run.name);
    const color = chosen ? `--color:${state.color(run.name)}` : '';
    const box = h('button', { class: 'check', role: 'checkbox', 'aria-checked': String(chosen), 'aria-label': `Show ${run.name}`, style: color, onclick: () => state.toggle(run.name) });
    const value = typeof run.eval_return === 'number' ? number(run.eval_return) : '';
    const open = h(
      'button',
      { class: 'run', title: `${about(run)}: show only this run`, onclick: () => state.only(run.name) },
      h('span', { class: 'name' }, run.name, is_live(run) ? h('i', { class: 'dot', title: 'Training now' }) : null),
      h('span', { class: 'about' }, about(run)),
      value ? h('span', { class: 'value', title: 'Evaluation return' }, value) : null,
    );
    return h('li', { class: chosen ? 'chosen' : '', 'data-run': run.name }, box, open);
  }
}
