// The rows of one run as they arrive: history by cursor, then live rows; a gap is fetched.

import { api } from './api';
import { value_at } from './series';
import type { MetricsAnswer, Row, ServicesAnswer } from './types';

const kMaxRows = 20000; // per metric file; older rows are thinned beyond it

export class MetricSeries {
  rows: Row[] = [];
  next = 0;
  malformed = 0;
  private busy = false;
  private again = false; // asked to catch up while busy: what came meanwhile must not be missed

  constructor(readonly run: string, readonly service: string) {}

  // Live rows; those that do not continue ours (a gap, or a file that began anew) are fetched instead. True when rows were added.
  async take(part: Pick<MetricsAnswer, 'after' | 'next' | 'rows'>): Promise<boolean> {
    if (part.after !== this.next || this.busy) return this.catch_up();
    this.rows.push(...part.rows);
    this.next = part.next;
    if (this.rows.length > kMaxRows) this.thin();
    return part.rows.length > 0;
  }

  // Fetches all that is there after the cursor.
  async catch_up(): Promise<boolean> {
    if (this.busy) {
      this.again = true;
      return false;
    }
    this.busy = true;
    try {
      let changed = false;
      for (;;) {
        this.again = false;
        const part = await api.metrics(this.run, this.service, this.next);
        if (part.after < this.next) this.rows = []; // the file began anew
        this.rows.push(...part.rows);
        this.next = part.next;
        this.malformed += part.malformed;
        changed ||= part.rows.length > 0;
        if (this.rows.length > kMaxRows) this.thin();
        if (!part.more && !this.again) return changed;
      }
    } finally {
      this.busy = false;
    }
  }

  private thin(): void {
    const half = this.rows.length >> 1;
    this.rows = this.rows.filter((_, index) => index >= half || index % 2 === 0);
  }
}

export class RunData {
  readonly metrics = new Map<string, MetricSeries>();
  services: ServicesAnswer | null = null;
  config: unknown = null;
  hash: string | null = null;
  code_version: string | null = null;
  loaded = false;

  constructor(readonly name: string) {}

  series(service: string): MetricSeries {
    let found = this.metrics.get(service);
    if (!found) this.metrics.set(service, (found = new MetricSeries(this.name, service)));
    return found;
  }

  rows(service: string): Row[] {
    return this.metrics.get(service)?.rows ?? [];
  }

  // The newest value of a figure, from the last row that has it.
  latest(service: string, path: string): number | undefined {
    const rows = this.rows(service);
    for (let index = rows.length - 1; index >= 0; --index) {
      const value = value_at(rows[index]!, path);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  actors(): string[] {
    return [...this.metrics.keys()].filter((name) => name.startsWith('actor')).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  }
}
