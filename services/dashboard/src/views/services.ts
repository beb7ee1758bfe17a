// Every service of one run: its state, how far it is behind, whom it waits for. And the picture of it.

import { h, replace } from '../dom';
import { duration, number, words } from '../format';
import type { State } from '../state';
import type { ServiceRow, ServicesAnswer } from '../types';
import { focus_picker } from './focus';
import type { View } from './view';
import { wait_graph } from './wait_graph';

const kWorthSayingMs = 200;

export function shown_state(row: ServiceRow): string {
  return row.alive || row.state === 'done' || row.state === 'failed' ? row.state : 'lost';
}

function policy_lag(row: ServiceRow, all: ServiceRow[]): number | undefined {
  const newest = Math.max(...all.map((other) => other.versions.policy ?? -1));
  const mine = row.versions.evaluated ?? row.versions.policy;
  return mine === undefined ? undefined : newest - mine;
}

export class ServicesView implements View {
  readonly element = h('div', { class: 'view' });
  private readonly picker = h('div', { class: 'controls' });
  private readonly verdict = h('div', { class: 'card verdict' });
  private readonly picture = h('div', { class: 'card picture' });
  private readonly table = h('div', { class: 'card scroll' });

  constructor() {
    replace(this.element, this.picker, this.verdict, this.picture, this.table);
  }

  update(state: State): void {
    replace(this.picker, focus_picker(state));
    const answer = state.run(state.focus).services;
    const empty = !answer || answer.services.length === 0;
    this.picture.hidden = this.table.hidden = empty;
    if (empty) {
      this.verdict.dataset.state = 'none';
      replace(this.verdict, h('div', { class: 'empty' }, h('p', {}, this.why_empty(state, answer))));
      return;
    }
    this.show_verdict(answer);
    replace(this.picture, h('h3', {}, 'Who waits for whom'), wait_graph(answer));
    replace(this.table, this.rows(answer));
  }

  private why_empty(state: State, answer: ServicesAnswer | null): string {
    if (!state.focus) return 'Choose a run to see its services.';
    if (!answer) return 'Asking the gateway for the services…';
    const note = answer.note ? ` (The gateway says: ${answer.note}.)` : '';
    return `No service of ${state.focus} is registered: the run has ended, or has not started yet. Services appear here half a second after they start.${note}`;
  }

  private show_verdict(answer: ServicesAnswer): void {
    const grave = answer.findings.length > 0;
    this.verdict.dataset.state = answer.waits_for ? 'stalled' : grave ? 'warning' : 'fine';
    const head = answer.waits_for ? `The run waits for ${answer.waits_for}` : grave ? 'Running, with remarks' : this.has_ended(answer) ? 'The run has ended' : 'Nothing holds the run up';
    const chain = answer.chain.length > 1 ? h('p', { class: 'chain' }, answer.chain.join(' → ')) : null;
    const findings = answer.findings.map((finding) => h('li', {}, finding.text));
    replace(this.verdict, h('h3', {}, head), chain, findings.length > 0 ? h('ul', {}, ...findings) : null, answer.note ? h('p', { class: 'hint' }, answer.note) : null);
  }

  private has_ended(answer: ServicesAnswer): boolean {
    const ring = answer.services.filter((row) => row.service !== 'gateway');
    return ring.length > 0 && ring.every((row) => row.state === 'done');
  }

  private rows(answer: ServicesAnswer): HTMLElement {
    const names = ['Service', 'State', 'Policy version', 'Behind', 'Steps/s', 'Last heard', 'Waits for'];
    const head = h('tr', {}, ...names.map((name, index) => h('th', { class: index >= 2 && index <= 5 ? 'right' : '' }, name)));
    return h('table', { class: 'services' }, h('thead', {}, head), h('tbody', {}, ...answer.services.map((row) => this.row(row, answer.services))));
  }

  private row(row: ServiceRow, all: ServiceRow[]): HTMLElement {
    const state = shown_state(row);
    const behind = policy_lag(row, all);
    const version = row.versions.evaluated ?? row.versions.policy;
    const address = row.address ? h('small', {}, row.address) : null;
    return h('tr', { 'data-service': row.service },
      h('th', {}, row.service, address),
      h('td', {}, h('span', { class: 'state', 'data-state': state }, words(state))),
      h('td', { class: 'right' }, version ?? '–'),
      h('td', { class: 'right' }, behind === undefined ? '–' : behind === 0 ? 'up to date' : `${behind} version${behind === 1 ? '' : 's'}`),
      h('td', { class: 'right' }, number(row.metrics.steps_per_s)),
      h('td', { class: 'right' }, row.silent_ms < 1000 ? 'just now' : `${duration(row.silent_ms)} ago`),
      h('td', {}, ...this.waits(row)));
  }

  private waits(row: ServiceRow): (HTMLElement | string)[] {
    const waits = row.waits.filter((wait) => wait.waited_ms >= kWorthSayingMs).map((wait) =>
      h('div', {}, h('b', {}, wait.holder), `: ${wait.reason} `, h('small', {}, `for ${duration(wait.waited_ms)}`)));
    const problems = row.problems.map((problem) => h('div', { class: 'problem' }, problem));
    const error = row.last_error ? [h('div', { class: 'problem' }, row.last_error)] : [];
    const all = [...waits, ...problems, ...error];
    return all.length > 0 ? all : [h('span', { class: 'hint' }, 'nobody')];
  }
}
