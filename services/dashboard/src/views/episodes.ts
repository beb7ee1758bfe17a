// Recorded episodes of one run: the path walked, drawn on its map beside the shortest one, and stepped through.

import { ApiError, api } from '../api';
import { h, replace } from '../dom';
import { ago, number } from '../format';
import type { State } from '../state';
import type { Recording, RecordingEntry } from '../types';
import { focus_picker } from './focus';
import { GridMap } from './grid_map';
import type { View } from './view';

const kLookAgainMs = 4000;
const kPlayMs = 60;
const kListed = 200;

export class EpisodesView implements View {
  readonly element = h('div', { class: 'view' });
  private readonly picker = h('div', { class: 'controls' });
  private readonly empty = h('div', { class: 'card empty', hidden: true });
  private readonly list = h('ul', { class: 'episodes' });
  private readonly facts = h('dl', { class: 'facts' });
  private readonly map = new GridMap();
  private readonly stage = h('div', { class: 'stage' });
  private readonly slider = h('input', { type: 'range', min: 0, 'aria-label': 'Step', oninput: () => this.show_step(Number(this.slider.value)) });
  private readonly step = h('output', {});
  private readonly play = h('button', { class: 'play', 'aria-label': 'Play', onclick: () => this.toggle_play() }, '▶');
  private readonly body: HTMLElement;

  private run = '';
  private asked_ms = 0;
  private entries: RecordingEntry[] | null = null;
  private chosen = '';
  private latest = true; // follows the newest recording until a person chooses one
  private recording: Recording | null = null;
  private timer = 0;

  constructor(private readonly state: State) {
    const zoom = h('div', { class: 'zoom' },
      h('button', { 'aria-label': 'Closer', onclick: () => this.map.zoom_by(1 / 1.4) }, '+'),
      h('button', { 'aria-label': 'Farther', onclick: () => this.map.zoom_by(1.4) }, '−'),
      h('button', { onclick: () => this.map.fit() }, 'Fit'));
    const legend = h('ul', { class: 'legend' },
      h('li', {}, h('i', { class: 'swatch walked' }), 'path walked'), h('li', {}, h('i', { class: 'swatch optimal' }), 'shortest path'),
      h('li', {}, h('i', { class: 'swatch start' }), 'start'), h('li', {}, h('i', { class: 'swatch goal' }), 'goal'));
    this.stage.append(this.map.element, zoom);
    const player = h('div', { class: 'player' }, this.play, this.slider, this.step);
    this.body = h('div', { class: 'theatre' },
      h('div', { class: 'card' }, h('h3', {}, 'Recorded episodes'), this.list),
      h('div', { class: 'card' }, legend, this.stage, player),
      h('div', { class: 'card' }, h('h3', {}, 'This episode'), this.facts));
    replace(this.element, this.picker, this.empty, this.body);
  }

  update(state: State): void {
    replace(this.picker, focus_picker(state));
    if (state.focus !== this.run) this.forget(state.focus);
    if (this.run && Date.now() - this.asked_ms > kLookAgainMs) void this.look(this.run);
    const nothing = !this.run || this.entries === null || this.entries.length === 0;
    this.empty.hidden = !nothing;
    this.body.hidden = nothing;
    if (nothing) replace(this.empty, h('p', {}, this.why_empty()));
  }

  private why_empty(): string {
    if (!this.run) return 'Choose a run to see its recorded episodes.';
    if (this.entries === null) return 'Asking the gateway for recordings…';
    return 'No episode is recorded yet. The evaluator records episodes when it plays a published version; they appear here by themselves. Environments without a picture record none.';
  }

  private forget(run: string): void {
    this.run = run;
    this.entries = null;
    this.recording = null;
    this.chosen = '';
    this.latest = true;
    this.asked_ms = 0;
    this.stop();
  }

  private async look(run: string): Promise<void> {
    this.asked_ms = Date.now();
    let entries: RecordingEntry[];
    try {
      entries = await api.recordings(run);
    } catch {
      return; // the event stream says that the gateway is gone; the next look tries again
    }
    if (run !== this.run) return;
    const changed = entries.map((entry) => entry.name + entry.time_ms).join() !== this.entries?.map((entry) => entry.name + entry.time_ms).join();
    this.entries = entries;
    const newest = entries[0]?.name ?? '';
    if (changed) this.show_list();
    if (this.latest && newest && newest !== this.chosen) await this.open(newest);
    if (changed) this.state.notify();
  }

  private show_list(): void {
    const rows = (this.entries ?? []).slice(0, kListed).map((entry) =>
      h('li', {}, h('button', { 'data-recording': entry.name, class: entry.name === this.chosen ? 'on' : '', onclick: () => this.choose(entry.name) },
        entry.version >= 0 ? `Version ${entry.version}` : entry.name, h('small', {}, entry.index >= 0 ? `episode ${entry.index + 1}` : '', ' · ', ago(entry.time_ms)))));
    replace(this.list, ...rows);
  }

  private choose(name: string): void {
    this.latest = name === this.entries?.[0]?.name;
    void this.open(name);
  }

  private async open(name: string): Promise<void> {
    this.chosen = name;
    for (const button of this.list.querySelectorAll('button')) button.classList.toggle('on', button.dataset.recording === name);
    this.stop();
    try {
      const recording = await api.recording(this.run, name);
      if (name !== this.chosen) return;
      this.recording = recording;
      this.show();
    } catch (error) {
      const sentence = error instanceof ApiError ? error.message : 'The gateway did not answer.';
      replace(this.facts, h('dt', {}, 'Not shown'), h('dd', {}, sentence));
    }
  }

  private show(): void {
    const recording = this.recording;
    if (!recording || !recording.map || !Array.isArray(recording.path)) {
      replace(this.facts, h('dt', {}, 'Not shown'), h('dd', {}, `A recording of ${recording?.env ?? 'an unknown environment'} has no map to draw.`));
      return;
    }
    this.map.show(recording);
    this.slider.max = String(Math.max(0, recording.path.length - 1));
    this.slider.value = this.slider.max;
    this.show_step(recording.path.length - 1);
    const longer = recording.optimal_cost > 0 ? recording.cost / recording.optimal_cost : NaN;
    const fact = (name: string, value: string) => [h('dt', {}, name), h('dd', {}, value)];
    replace(this.facts,
      h('dt', {}, 'Outcome'), h('dd', {}, h('span', { class: 'state', 'data-state': recording.success ? 'running' : 'failed' }, recording.success ? 'Goal reached' : 'Not reached')),
      ...fact('Map', `${recording.map.name} (${recording.map.width} × ${recording.map.height})`),
      ...fact('Cost walked', number(recording.cost, 4)), ...fact('Shortest', number(recording.optimal_cost, 4)),
      ...fact('Ratio', recording.success ? `${number(longer)} × the shortest` : '–'), ...fact('Steps', String(Math.max(0, recording.path.length - 1))),
      ...fact('From, to', `(${recording.start.join(', ')}) → (${recording.goal.join(', ')})`));
  }

  private show_step(step: number): void {
    this.map.show_step(step);
    this.step.textContent = `${step} / ${this.slider.max}`;
  }

  private toggle_play(): void {
    if (this.timer) return this.stop();
    if (this.slider.value === this.slider.max) this.slider.value = '0';
    this.play.textContent = '❚❚';
    this.timer = window.setInterval(() => {
      this.slider.value = String(Number(this.slider.value) + 1);
      this.show_step(Number(this.slider.value));
      if (this.slider.value === this.slider.max) this.stop();
    }, kPlayMs);
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = 0;
    this.play.textContent = '▶';
  }
}
