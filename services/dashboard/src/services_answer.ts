// Reads the status of core/service into what the views show; a field that is missing reads as empty.

import type { Finding, ServiceRow, ServicesAnswer, Wait } from './types';

const kOver = new Set(['done', 'failed']);

type Loose = Record<string, unknown>;

const object = (value: unknown): Loose => (value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Loose) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const amount = (value: unknown): number => (typeof value === 'number' ? value : 0);

function numbers(value: unknown): Record<string, number> {
  const out: Record<string, number> = {};
  for (const [key, entry] of Object.entries(object(value))) {
    const now = typeof entry === 'number' ? entry : object(entry).now;
    if (typeof now === 'number') out[key] = now;
  }
  return out;
}

function wait(value: unknown): Wait {
  const row = object(value);
  return { waiter: text(row.waiter), holder: text(row.holder), reason: text(row.reason), waited_ms: amount(row.waited_ms) };
}

function service(value: unknown): ServiceRow {
  const row = object(value);
  const beat = 'beat' in row ? object(row.beat) : row;
  const over = kOver.has(text(beat.state)); // what it waited for last is of no interest any more
  return {
    service: text(beat.service) || text(beat.name),
    state: text(row.shown_state) || text(beat.state),
    alive: row.lease !== false && row.alive !== false,
    silent_ms: amount(row.silent_ms),
    address: text(beat.address),
    host: text(beat.host),
    versions: numbers(beat.versions),
    metrics: numbers(beat.metrics),
    waits: over ? [] : list(beat.waits).map(wait),
    problems: list(beat.problems).map((problem) => text(object(problem).text)),
    last_error: text(beat.last_error),
  };
}

function finding(value: unknown): Finding {
  const row = object(value);
  return { kind: text(row.kind), service: text(row.service), text: text(row.text), for_ms: amount(row.for_ms) };
}

export function read_services_answer(value: unknown): ServicesAnswer {
  const answer = object(value);
  return {
    run: text(answer.run),
    services: list(answer.services).map(service),
    findings: list(answer.findings).map(finding),
    chain: list(answer.chain).map(text),
    waits_for: text(answer.waits_for),
    note: text(answer.note),
    time_ms: amount(answer.time_ms),
  };
}
