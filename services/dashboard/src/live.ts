// The gateway's event stream, read with fetch so that the token travels in a header. Reconnects by itself with back-off; a tab
// in the background lets go of its stream, because a browser opens only six connections to one host.

import { ApiError, headers, refusal } from './api';

export interface LiveEvents {
  on_event(name: string, data: unknown): void;
  on_connect(): void;
  on_lost(error: Error): void;
}

const kFirstWaitMs = 500;
const kLongestWaitMs = 4000;
const kSilenceMs = 12000; // the gateway says something every five seconds

export class Live {
  private runs: string[] = [];
  private abort: AbortController | null = null;
  private timer = 0;
  private wait_ms = kFirstWaitMs;

  constructor(private readonly events: LiveEvents) {
    document.addEventListener('visibilitychange', () => (document.hidden ? this.stop() : this.restart()));
    addEventListener('online', () => this.restart());
  }

  show(runs: string[]): void {
    this.runs = runs;
    this.restart();
  }

  restart(): void {
    this.stop();
    if (!document.hidden) void this.connect();
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.abort?.abort();
    this.abort = null;
  }

  private async connect(): Promise<void> {
    const abort = new AbortController();
    this.abort = abort;
    try {
      const response = await fetch(`api/events?runs=${encodeURIComponent(this.runs.join(','))}`, { headers: headers(), signal: abort.signal });
      if (!response.ok || !response.body) throw await refusal(response);
      this.wait_ms = kFirstWaitMs;
      this.events.on_connect();
      await this.read(response.body, abort);
      throw new Error('the gateway closed the connection');
    } catch (error) {
      if (this.abort !== abort) return; // replaced by a newer connection
      this.events.on_lost(error instanceof Error ? error : new Error(String(error)));
      if (error instanceof ApiError && error.status === 401) return;
      this.timer = window.setTimeout(() => this.restart(), this.wait_ms);
      this.wait_ms = Math.min(this.wait_ms * 2, kLongestWaitMs);
    }
  }

  private async read(body: ReadableStream<Uint8Array>, abort: AbortController): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    let silence = 0;
    const watch = () => {
      clearTimeout(silence);
      silence = window.setTimeout(() => void reader.cancel(), kSilenceMs);
    };
    try {
      for (;;) {
        watch();
        const { done, value } = await reader.read();
        if (done || abort.signal.aborted) return;
        const parts = (text + decoder.decode(value, { stream: true })).split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) this.take(part);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  private take(part: string): void {
    let name = 'message';
    let data = '';
    for (const line of part.split('\n')) {
      if (line.startsWith('event: ')) name = line.slice(7);
      if (line.startsWith('data: ')) data += line.slice(6);
    }
    if (data) this.events.on_event(name, JSON.parse(data));
  }
}
