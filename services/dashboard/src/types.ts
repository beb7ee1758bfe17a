// What the gateway answers; see /api/openapi.json.

export interface RunSummary {
  name: string;
  env: string | null;
  map: string | null;
  algorithm: string | null;
  seed: number | null;
  group: string;
  hash: string | null;
  code_version: string | null;
  started_ms: number;
  updated_ms: number;
  step?: number;
  version?: number;
  steps_per_s?: number;
  episode_return?: number | null;
  lag?: number;
  eval_return?: number | null;
  ci_low?: number | null;
  ci_high?: number | null;
  success?: number | null;
  spl?: number | null;
}

export type Row = Record<string, unknown>;

export interface MetricsAnswer {
  service: string;
  after: number;
  next: number;
  more: boolean;
  malformed: number;
  rows: Row[];
}

export interface Wait {
  waiter: string;
  holder: string;
  reason: string;
  waited_ms: number;
}

export interface ServiceRow {
  service: string;
  state: string;
  alive: boolean;
  silent_ms: number;
  address: string;
  host: string;
  versions: Record<string, number>;
  metrics: Record<string, number>;
  waits: Wait[];
  problems: string[];
  last_error: string;
}

export interface Finding {
  kind: string;
  service: string;
  text: string;
  for_ms: number;
}

export interface ServicesAnswer {
  run: string;
  services: ServiceRow[];
  findings: Finding[];
  chain: string[];
  waits_for: string;
  note: string;
  time_ms: number;
}

export interface RecordingEntry {
  name: string;
  version: number;
  index: number;
  bytes: number;
  time_ms: number;
}

export type Cell = [number, number];

export interface Recording {
  env: string;
  map: { name: string; width: number; height: number; rows: string[] };
  start: Cell;
  goal: Cell;
  path: Cell[];
  optimal: Cell[];
  cost: number;
  optimal_cost: number;
  success: boolean;
}
