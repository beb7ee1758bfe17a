// Learning curves of the chosen runs, throughput and staleness, losses.

import { baselines_of, last_with_baselines } from '../baselines';
import { Chart } from '../chart';
import type { ChartSpec, Line, Reference } from '../chart';
import { h, replace } from '../dom';
import { number, percent, words } from '../format';
import { binned, mean_over_seeds, points } from '../series';
import type { Band, Point, XAxis } from '../series';
import type { State } from '../state';
import type { View } from './view';

const kPoints = 240;
const kSeedPoints = 150;
const kActorPoints = 80;
const kPalette = 8;

interface Curve {
  name: string; // of the chart
  title: string;
  services: (state: State, run: string) => string[];
  path: string;
  band?: Band;
  spread?: boolean; // band of noisy rows: one standard deviation
  by_service?: boolean; // one line for each service when one run is shown
  empty: string;
  format: (value: number) => string;
  floor?: number;
  ceiling?: number;
  optional?: boolean; // hidden while no run has it
  per_env?: boolean; // returns of different environments have no common scale
  env?: string; // only runs of this environment
}

const evaluator = () => ['evaluator'];
const learner = () => ['learner'];
const actors = (state: State, run: string) => state.run(run).actors();

const learner_or_actors = (state: State, run: string) => ['learner', ...actors(state, run)];

const kLearning: Curve[] = [
  {
    name: 'eval_return', title: 'Evaluation return', services: evaluator, per_env: true, path: 'eval_return', band: { low: 'ci_low', high: 'ci_high' }, format: number,
    empty: 'The evaluator plays fixed episodes for each published version. Its first score appears here after the first version.',
  },
  { name: 'success', title: 'Success rate', services: evaluator, path: 'success', format: percent, floor: 0, ceiling: 1, optional: true, empty: '' },
  { name: 'spl', title: 'SPL (path quality)', services: evaluator, path: 'spl', format: number, floor: 0, ceiling: 1, optional: true, empty: '' },
  {
    name: 'episode_return', title: 'Training return', services: learner_or_actors, per_env: true, path: 'episode_return', spread: true, format: number,
    empty: 'Returns of training episodes appear here when the first episodes have ended.',
  },
];

const kSpeed: Curve[] = [
  {
    name: 'steps_per_s', title: 'Steps per second', services: learner_or_actors, path: 'steps_per_s', by_service: true, format: number, floor: 0,
    empty: 'Throughput appears here with the first rows of the learner and the actors.',
  },
  {
    name: 'lag', title: 'Policy lag (versions behind)', services: learner_or_actors, path: 'lag', by_service: true, format: number, floor: 0, ceiling: 1,
    empty: 'How far the actors act behind the newest weights appears here with the first weights. Growing lag means that weights do not arrive.',
  },
];

const kTitles: Record<string, string> = { kl: 'KL divergence', lr: 'Learning rate', grad_norm: 'Gradient norm' };
const kAxes: [XAxis, string][] = [['step', 'Steps'], ['time', 'Time'], ['version', 'Version']];
const kAxisNames: Record<XAxis, string> = { step: 'environment steps', time: 'since the start', version: 'policy version' };

export class LearningView implements View {
  readonly element = h('div', { class: 'view' });
  private readonly controls = h('div', { class: 'controls' });
  private readonly learning = h('div', { class: 'grid' });
  private readonly speed = h('div', { class: 'grid' });
  private readonly losses = h('div', { class: 'grid small' });
  private readonly losses_title = h('h2', {}, 'Inside the learner');
  private readonly charts = new Map<string, Chart>();

  constructor() {
    replace(this.element, this.controls, this.learning, h('h2', {}, 'Throughput and staleness'), this.speed, this.losses_title, this.losses);
  }

  update(state: State): void {
    this.element.classList.toggle('nothing', state.chosen.length === 0);
    this.update_controls(state);
    this.show(state, this.learning, kLearning);
    this.show(state, this.speed, kSpeed);
    const losses = this.loss_curves(state);
    this.losses_title.hidden = losses.length === 0;
    this.show(state, this.losses, losses);
  }

  private update_controls(state: State): void {
    const axis = kAxes.map(([name, text]) =>
      h('button', { class: state.axis === name ? 'on' : '', 'aria-pressed': String(state.axis === name), onclick: () => state.set_axis(name) }, text));
    const seeds = groups(state, state.chosen).some((runs) => runs.length > 1);
    const average = h('label', { class: 'switch' },
      h('input', { type: 'checkbox', checked: state.average_seeds, onchange: () => state.set_average(!state.average_seeds) }), 'Average runs that differ only in their seed');
    replace(this.controls, h('div', { class: 'segmented', role: 'group', 'aria-label': 'Horizontal axis' }, ...axis), seeds ? average : null);
  }

  private show(state: State, grid: HTMLElement, curves: Curve[]): void {
    const wanted: HTMLElement[] = [];
    for (const curve of curves.flatMap((entry) => by_env(state, entry))) {
      const spec = this.spec(state, curve);
      if (curve.optional && spec.lines.every((line) => line.points.length === 0)) continue;
      let chart = this.charts.get(curve.name);
      if (!chart) this.charts.set(curve.name, (chart = new Chart(curve.name)));
      wanted.push(chart.element);
      chart.update(spec);
    }
    if (wanted.length !== grid.children.length || wanted.some((element, index) => grid.children[index] !== element)) replace(grid, ...wanted);
  }

  private spec(state: State, curve: Curve): ChartSpec {
    const { lines, note } = lines_of(state, curve);
    const time = state.axis === 'time';
    return {
      title: curve.title, note, lines, empty: curve.empty, x_name: kAxisNames[state.axis], format_y: curve.format, seconds: time,
      format_x: time ? (value) => short_time(value) : number, floor: curve.floor, ceiling: curve.ceiling, references: references(state, curve),
    };
  }

  private loss_curves(state: State): Curve[] {
    const names = new Set<string>();
    for (const run of state.chosen) {
      const loss = state.run(run).rows('learner').at(-1)?.loss;
      if (loss !== null && typeof loss === 'object') for (const [name, value] of Object.entries(loss)) if (typeof value === 'number') names.add(name);
    }
    return [...names].sort().map((name) => ({ name: `loss.${name}`, title: kTitles[name] ?? words(name), services: learner, path: `loss.${name}`, spread: true, format: number, optional: true, empty: '' }));
  }
}

function short_time(seconds: number): string {
  return seconds < 60 ? `${Math.round(seconds)} s` : seconds < 3600 ? `${+(seconds / 60).toFixed(1)} min` : `${+(seconds / 3600).toFixed(1)} h`;
}

const env_of = (state: State, run: string) => state.summary(run)?.env ?? '';

// A curve for each environment when the chosen runs are of several.
function by_env(state: State, curve: Curve): Curve[] {
  const envs = [...new Set(state.chosen.map((run) => env_of(state, run)))];
  if (!curve.per_env || envs.length < 2) return [curve];
  return envs.map((env) => ({ ...curve, env, name: `${curve.name}.${env}`, title: `${curve.title} · ${env || 'unknown'}` }));
}

function runs_of(state: State, curve: Curve): string[] {
  return curve.env === undefined ? state.chosen : state.chosen.filter((run) => env_of(state, run) === curve.env);
}

// Runs of one group together.
function groups(state: State, runs: string[]): string[][] {
  const by_group = new Map<string, string[]>();
  for (const run of runs) {
    const group = state.summary(run)?.group ?? run;
    by_group.set(group, [...(by_group.get(group) ?? []), run]);
  }
  return [...by_group.values()];
}

function curve_of(state: State, run: string, service: string, curve: Curve): Point[] {
  const rows = state.run(run).rows(service);
  const first = state.run(run).rows('learner')[0]?.t ?? rows[0]?.t;
  return points(rows, curve.path, state.axis, typeof first === 'number' ? first : 0, curve.band);
}

function lines_of(state: State, curve: Curve): { lines: Line[]; note: string } {
  const only = state.chosen.length === 1 ? state.chosen[0]! : null;
  if (curve.by_service && only) {
    const lines = curve.services(state, only).map((service, index): Line => ({ name: service, color: `var(--s${index % kPalette})`, points: binned(curve_of(state, only, service, curve), kPoints, false) }));
    return { lines: lines.filter((line) => line.points.length > 0), note: '' };
  }
  const lines: Line[] = [];
  let note = curve.band ? 'band: 95% interval over episodes' : curve.spread ? 'band: ± one standard deviation' : '';
  for (const runs of groups(state, runs_of(state, curve))) {
    const curves = runs.map((run) => first_curve(state, run, curve));
    const color = state.color(runs[0]!);
    if (state.average_seeds && runs.length > 1) {
      const seeds = curves.filter((points_of_run) => points_of_run.length > 0).length;
      lines.push({ name: `${runs[0]!} +${runs.length - 1}: mean of ${seeds} seeds`, color, points: mean_over_seeds(curves.map((points_of_run) => binned(points_of_run, kSeedPoints, false))) });
      note = 'band: lowest to highest seed';
    } else {
      runs.forEach((run, index) => lines.push({ name: run, color: state.color(run), points: binned(curves[index]!, curve.spread ? kPoints / 3 : kPoints, curve.spread ?? false) }));
    }
  }
  const has_band = lines.some((line) => line.points.some((point) => point.low !== undefined));
  return { lines, note: has_band ? note : '' };
}

// What the learner says, or else all actors together: each counts its own steps, so that the run is about as far as their number
// times that.
function first_curve(state: State, run: string, curve: Curve): Point[] {
  const [first, ...rest] = curve.services(state, run);
  const own = curve_of(state, run, first!, curve);
  if (own.length > 0 || rest.length === 0) return own;
  const scale = state.axis === 'step' ? rest.length : 1;
  const all = rest.flatMap((actor) => curve_of(state, run, actor, curve)).map((point) => ({ ...point, x: point.x * scale }));
  return binned(all.sort((a, b) => a.x - b.x), kActorPoints, curve.spread ?? false);
}

function references(state: State, curve: Curve): Reference[] {
  const found = new Map<string, Reference>();
  for (const run of runs_of(state, curve))
    for (const baseline of baselines_of(last_with_baselines(state.run(run).rows('evaluator')))) {
      const value = baseline.scores[curve.path];
      if (value !== undefined && curve.services === evaluator) found.set(baseline.name, { name: words(baseline.name), value });
    }
  return [...found.values()];
}
