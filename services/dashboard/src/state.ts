// What the page knows and shows: runs, the chosen ones, their rows, and whether the gateway answers.

import { ApiError, api } from './api';
import { Live } from './live';
import { RunData } from './run_data';
import { read_services_answer } from './services_answer';
import type { XAxis } from './series';
import type { MetricsAnswer, RunSummary } from './types';

export type Tab = 'learning' | 'services' | 'episodes' | 'evaluation';
export const kTabs: [Tab, string][] = [
  ['learning', 'Learning'],
  ['services', 'Services'],
  ['episodes', 'Episodes'],
  ['evaluation', 'Evaluation'],
];

export type Connection = { state: 'connecting' } | { state: 'live' } | { state: 'gone'; since_ms: number; reason: string } | { state: 'token'; reason: string };

const kColors = 8;
const kMaxChosen = 8;
const kRunsEveryMs = 3000;

export class State {
  runs: RunSummary[] | null = null;
  chosen: string[] = [];
  focus = ''; // the run that Services and Episodes show
  tab: Tab = 'learning';
  axis: XAxis = 'step';
  average_seeds = true;
  connection: Connection = { state: 'connecting' };
  own_run = '';
  version = '';

  private readonly data = new Map<string, RunData>();
  private readonly colors = new Map<string, number>();
  private readonly live: Live;
  private frame = 0;
  private pressed = false; // a pointer is down
  private waiting = false; // a redraw waits for its release

  constructor(private readonly changed: () => void) {
    this.read_address();
    this.live = new Live({
      on_event: (name, data) => void this.take(name, data),
      on_connect: () => this.connected(),
      on_lost: (error) => this.lost(error),
    });
    addEventListener('pointerdown', () => this.press(true), true);
    // The click comes before the timeout.
    for (const end of ['pointerup', 'pointercancel', 'contextmenu']) addEventListener(end, () => setTimeout(() => this.press(false)), true);
    addEventListener('hashchange', () => {
      this.read_address();
      this.follow();
    });
  }

  start(): void {
    setInterval(() => {
      if (!document.hidden && this.connection.state === 'live') void this.quietly(this.load_runs());
      this.notify(); // "3 s ago" moves on by itself
    }, kRunsEveryMs);
    void this.begin();
  }

  async begin(): Promise<void> {
    await this.quietly(this.load_runs());
    this.live.show(this.chosen);
    this.notify();
  }

  run(name: string): RunData {
    let found = this.data.get(name);
    if (!found) this.data.set(name, (found = new RunData(name)));
    return found;
  }

  summary(name: string): RunSummary | undefined {
    return this.runs?.find((run) => run.name === name);
  }

  color(run: string): string {
    return `var(--s${this.colors.get(run) ?? 0})`;
  }

  toggle(run: string): void {
    if (this.chosen.includes(run)) this.chosen = this.chosen.filter((name) => name !== run);
    else this.chosen = [...this.chosen, run].slice(-kMaxChosen);
    if (!this.chosen.includes(this.focus)) this.focus = this.chosen[0] ?? '';
    this.follow();
  }

  only(run: string): void {
    this.chosen = [run];
    this.focus = run;
    this.follow();
  }

  set_focus(run: string): void {
    this.focus = run;
    this.write_address();
    this.notify();
  }

  set_tab(tab: Tab): void {
    this.tab = tab;
    this.write_address();
    this.notify();
  }

  set_axis(axis: XAxis): void {
    this.axis = axis;
    this.notify();
  }

  set_average(on: boolean): void {
    this.average_seeds = on;
    this.notify();
  }

  // One redraw for all that changed within a frame. None while a button is pressed: what is replaced between press and release
  // loses its click.
  notify(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.pressed) this.waiting = true;
      else this.changed();
    });
  }

  private press(pressed: boolean): void {
    this.pressed = pressed;
    if (pressed || !this.waiting) return;
    this.waiting = false;
    this.notify();
  }

  private follow(): void {
    this.give_colors();
    this.write_address();
    this.live.show(this.chosen);
    this.notify();
  }

  private give_colors(): void {
    for (const run of [...this.colors.keys()]) if (!this.chosen.includes(run)) this.colors.delete(run);
    for (const run of this.chosen) {
      if (this.colors.has(run)) continue;
      const taken = new Set(this.colors.values());
      let slot = 0;
      while (taken.has(slot) && slot < kColors - 1) ++slot;
      this.colors.set(run, slot);
    }
  }

  private read_address(): void {
    const [tab, query] = location.hash.replace(/^#\/?/, '').split('?');
    if (kTabs.some(([name]) => name === tab)) this.tab = tab as Tab;
    const wanted = new URLSearchParams(query ?? '');
    const runs = wanted.get('runs')?.split(',').filter(Boolean);
    if (runs) this.chosen = runs.slice(0, kMaxChosen);
    this.focus = wanted.get('focus') ?? (this.chosen.includes(this.focus) ? this.focus : (this.chosen[0] ?? ''));
  }

  private write_address(): void {
    const query = new URLSearchParams({ runs: this.chosen.join(',') });
    if (this.focus !== this.chosen[0]) query.set('focus', this.focus);
    history.replaceState(null, '', `#/${this.tab}?${query.toString().replaceAll('%2C', ',')}`);
  }

  private async load_runs(): Promise<void> {
    if (!this.version) {
      const about = await api.version();
      this.version = about.version;
      this.own_run = about.run;
    }
    this.runs = await api.runs();
    const known = new Set(this.runs.map((run) => run.name));
    const kept = this.chosen.filter((run) => known.has(run));
    const first = known.has(this.own_run) ? this.own_run : this.runs[0]?.name;
    const chosen = kept.length > 0 || !first ? kept : [first];
    if (chosen.join() !== this.chosen.join()) {
      this.chosen = chosen;
      if (!chosen.includes(this.focus)) this.focus = chosen[0] ?? '';
      this.write_address();
      if (this.connection.state === 'live') this.live.show(this.chosen);
    }
    this.give_colors();
    this.notify();
  }

  private async load_run(name: string): Promise<void> {
    const run = this.run(name);
    const about = await api.run(name);
    run.config = about.config;
    run.hash = about.hash;
    run.code_version = about.code_version;
    await Promise.all(about.metrics.map((service) => run.series(service).catch_up().then(() => this.notify())));
    run.loaded = true;
    this.notify();
  }

  private connected(): void {
    this.connection = { state: 'live' };
    void this.quietly(this.load_runs());
    for (const run of this.chosen) void this.quietly(this.load_run(run));
    this.notify();
  }

  private lost(error: Error): void {
    if (error instanceof ApiError && error.status === 401) this.connection = { state: 'token', reason: error.message };
    else if (error instanceof ApiError && error.status === 404) void this.quietly(this.load_runs()); // a run folder was removed
    else if (this.connection.state !== 'gone')
      this.connection = { state: 'gone', since_ms: Date.now(), reason: error instanceof ApiError ? error.message : '' };
    this.notify();
  }

  private async take(name: string, data: unknown): Promise<void> {
    if (name === 'services') {
      const answer = read_services_answer(data);
      this.run(answer.run).services = answer;
      this.notify();
    } else if (name === 'metrics') {
      const part = data as MetricsAnswer & { run: string };
      const series = this.run(part.run).series(part.service);
      await this.quietly(series.take(part));
      this.notify();
    } else if (name === 'runs') {
      await this.quietly(this.load_runs());
    } else if (name === 'overflow') {
      this.connected();
    }
  }

  // A request that fails shows as a lost connection, which the event stream then repairs.
  private async quietly(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const failure = error instanceof Error ? error : new Error(String(error));
      if (failure instanceof ApiError && failure.status === 404) return;
      if (this.connection.state !== 'live' || failure instanceof ApiError) this.lost(failure);
    }
  }
}
