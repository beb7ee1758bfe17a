// Numbers, durations and names for people.

export function number(value: unknown, digits = 3): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1e9) return trimmed(value / 1e9, digits) + 'G';
  if (size >= 1e6) return trimmed(value / 1e6, digits) + 'M';
  if (size >= 1e4) return trimmed(value / 1e3, digits) + 'k';
  if (size !== 0 && size < 1e-3) return value.toExponential(1).replace('.0e', 'e');
  return trimmed(value, size >= 100 ? Math.max(digits, 4) : digits);
}

function trimmed(value: number, digits: number): string {
  const text = value.toPrecision(digits);
  return text.includes('e') ? String(Math.round(value)) : text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

export function percent(value: unknown): string {
  if (typeof value !== 'number' || !Number.isFinite(value)) return '–';
  return trimmed(value * 100, 3) + '%';
}

export function duration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
}

export function ago(time_ms: number): string {
  return time_ms > 0 ? `${duration(Date.now() - time_ms)} ago` : '–';
}

export function words(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
