// Requests to the gateway that served this page. A refusal becomes an ApiError with the gateway's own sentence.

import type { MetricsAnswer, Recording, RecordingEntry, RunSummary } from './types';

export class ApiError extends Error {
  constructor(readonly status: number, sentence: string) {
    super(sentence);
  }
}

const kTokenKey = 'oneagent-token';
const kTimeoutMs = 8000;

// A link ends in #token=... once; it is kept for this browser and taken out of the address bar.
export function take_token_from_address(): void {
  const found = /[#&]token=([^&]+)/.exec(location.hash);
  if (!found) return;
  set_token(decodeURIComponent(found[1]!));
  history.replaceState(null, '', location.pathname + location.search);
}

export function set_token(token: string): void {
  localStorage.setItem(kTokenKey, token);
}

export function headers(): HeadersInit {
  const token = localStorage.getItem(kTokenKey);
  return token ? { Authorization: `Bearer ${token}` } : {};
}

export async function refusal(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => null);
  const sentence = body !== null && typeof body === 'object' && 'error' in body ? String(body.error) : response.statusText;
  return new ApiError(response.status, sentence);
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(path, { headers: headers(), signal: AbortSignal.timeout(kTimeoutMs) });
  if (!response.ok) throw await refusal(response);
  return (await response.json()) as T;
}

const run_path = (run: string) => `api/runs/${encodeURIComponent(run)}`;

export const api = {
  version: () => get<{ version: string; run: string; token_needed: boolean }>('api/version'),
  runs: async () => (await get<{ runs: RunSummary[] }>('api/runs')).runs,
  run: (run: string) => get<{ config: unknown; hash: string | null; code_version: string | null; metrics: string[] }>(run_path(run)),
  services: (run: string) => get<unknown>(`${run_path(run)}/services`),
  metrics: (run: string, service: string, after: number) =>
    get<MetricsAnswer>(`${run_path(run)}/metrics/${encodeURIComponent(service)}?after=${after}`),
  recordings: async (run: string) => (await get<{ recordings: RecordingEntry[] }>(`${run_path(run)}/recordings`)).recordings,
  recording: (run: string, name: string) => get<Recording>(`${run_path(run)}/recordings/${encodeURIComponent(name)}`),
};
