// Which of the chosen runs a view shows, when it shows one at a time.

import { h } from '../dom';
import type { State } from '../state';

export function focus_picker(state: State): HTMLElement | null {
  if (state.chosen.length < 2) return null;
  const buttons = state.chosen.map((run) =>
    h('button', { class: state.focus === run ? 'on' : '', 'aria-pressed': String(state.focus === run), onclick: () => state.set_focus(run) },
      h('i', { class: 'swatch', style: `background:${state.color(run)}` }), run));
  return h('div', { class: 'segmented wrap', role: 'group', 'aria-label': 'Run' }, ...buttons);
}
