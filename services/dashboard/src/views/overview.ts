// One row for each chosen run: the last figures, side by side.

import { h, replace } from '../dom';
import { ago, number, percent } from '../format';
import type { State } from '../state';
import type { RunSummary } from '../types';
import type { View } from './view';

interface Figure {
  name: string;
  meaning: string;
  text: (state: State, run: RunSummary) => string;
  detail?: (state: State, run: RunSummary) => string;
}

const last = (state: State, run: string, service: string, path: string) => state.run(run).latest(service, path);

// The actor that is farthest behind.
function lag(state: State, run: RunSummary): number | undefined {
  const lags = state.run(run.name).actors().map((actor) => last(state, run.name, actor, 'lag')).filter((value) => value !== undefined);
  return lags.length > 0 ? Math.max(...lags) : (last(state, run.name, 'learner', 'lag') ?? run.lag);
}

function rate(state: State, run: RunSummary): number | undefined {
  return last(state, run.name, 'learner', 'steps_per_s') ?? run.steps_per_s;
}

const kFigures: Figure[] = [
  { name: 'Steps', meaning: 'Environment steps so far', text: (state, run) => number(last(state, run.name, 'learner', 'step') ?? run.step) },
  { name: 'Steps/s', meaning: 'Environment steps a second', text: (state, run) => number(rate(state, run)) },
  {
    name: 'Return',
    meaning: 'Mean return of the last evaluation, 95% interval below',
    text: (state, run) => number(last(state, run.name, 'evaluator', 'eval_return') ?? run.eval_return),
    detail: (state, run) => {
      const low = last(state, run.name, 'evaluator', 'ci_low') ?? run.ci_low;
      const high = last(state, run.name, 'evaluator', 'ci_high') ?? run.ci_high;
      return typeof low === 'number' && typeof high === 'number' ? `${number(low)} … ${number(high)}` : '';
    },
  },
  { name: 'Success', meaning: 'Share of evaluation episodes that reached the goal', text: (state, run) => percent(last(state, run.name, 'evaluator', 'success') ?? run.success) },
  { name: 'SPL', meaning: 'Success weighted by path length: mean(success × optimal ÷ max(cost, optimal))', text: (state, run) => number(last(state, run.name, 'evaluator', 'spl') ?? run.spl) },
  { name: 'Version', meaning: 'Version of the newest published weights', text: (state, run) => String(last(state, run.name, 'learner', 'version') ?? run.version ?? '–') },
  { name: 'Lag', meaning: 'How many versions behind the slowest actor acts', text: (state, run) => number(lag(state, run)) },
  { name: 'Heard', meaning: 'When the run last wrote a figure', text: (state, run) => ago(Math.max(run.updated_ms, last(state, run.name, 'learner', 't') ?? 0)) },
];

export class OverviewView implements View {
  readonly element = h('section', { class: 'overview' });

  update(state: State): void {
    const runs = state.chosen.map((name) => state.summary(name)).filter((run) => run !== undefined);
    if (runs.length === 0) {
      const text = state.runs === null ? '' : state.runs.length === 0 ? 'No run yet. Start one with `oneagent train`; its figures appear here within a second.' : 'Choose a run on the left to see it.';
      replace(this.element, text ? h('div', { class: 'card empty' }, h('p', {}, text)) : null);
      return;
    }
    const shown = kFigures.filter((figure) => !['Success', 'SPL'].includes(figure.name) || runs.some((run) => figure.text(state, run) !== '–'));
    replace(this.element, runs.length === 1 ? this.tiles(state, runs[0]!, shown) : this.table(state, runs, shown));
  }

  private tiles(state: State, run: RunSummary, figures: Figure[]): HTMLElement {
    const tile = (figure: Figure) =>
      h('div', { class: 'tile', title: figure.meaning, 'data-figure': figure.name }, h('span', {}, figure.name), h('b', {}, figure.text(state, run)), h('small', {}, figure.detail?.(state, run)));
    return h('div', { class: 'tiles' }, ...figures.map(tile));
  }

  private table(state: State, runs: RunSummary[], figures: Figure[]): HTMLElement {
    const head = h('tr', {}, h('th', {}, 'Run'), ...figures.map((figure) => h('th', { title: figure.meaning, class: 'right' }, figure.name)));
    const rows = runs.map((run) =>
      h(
        'tr',
        { 'data-run': run.name },
        h('th', {}, h('i', { class: 'swatch', style: `background:${state.color(run.name)}` }), run.name),
        ...figures.map((figure) => h('td', { class: 'right' }, figure.text(state, run), figure.detail ? h('small', {}, figure.detail(state, run)) : null)),
      ),
    );
    return h('div', { class: 'card scroll' }, h('table', {}, h('thead', {}, head), h('tbody', {}, ...rows)));
  }
}
