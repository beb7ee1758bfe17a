// Round axis positions: steps of 1, 2 or 5 times a power of ten (60-based ones for seconds).

export function tick_step(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const scaled = rough / power;
  return (scaled <= 1 ? 1 : scaled <= 2 ? 2 : scaled <= 5 ? 5 : 10) * power;
}

const kSecondSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

function second_step(span: number, count: number): number {
  const rough = span / Math.max(1, count);
  return kSecondSteps.find((step) => step >= rough) ?? tick_step(span, count);
}

export function ticks(low: number, high: number, count: number, seconds = false): number[] {
  if (!(high > low)) return [low];
  const step = seconds ? second_step(high - low, count) : tick_step(high - low, count);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}
