// A part of the page: an element of its own, brought up to date from the state.

import type { State } from '../state';

export interface View {
  readonly element: HTMLElement;
  update(state: State): void;
}
