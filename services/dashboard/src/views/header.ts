// The top bar: name, whether the gateway answers, theme. And the banner that explains a lost gateway.

import { set_token } from '../api';
import { h, replace } from '../dom';
import { duration } from '../format';
import type { Connection, State } from '../state';
import type { View } from './view';

const kThemes = ['auto', 'light', 'dark'] as const;
const kThemeKey = 'oneagent-theme';

function apply_theme(theme: string): void {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

const kStates: Record<Connection['state'], string> = { connecting: 'Connecting', live: 'Live', gone: 'Gateway gone', token: 'Token needed' };

export class HeaderView implements View {
  readonly element = h('header', { class: 'top' });
  private readonly pill = h('span', { class: 'pill', role: 'status' });
  private readonly version = h('span', { class: 'version' });
  private readonly theme = h('button', { class: 'quiet', title: 'Change between light, dark and the system setting', onclick: () => this.next_theme() });

  constructor() {
    const mark = h('span', { class: 'mark', 'aria-hidden': 'true' });
    replace(this.element, mark, h('h1', {}, 'OneAgent'), this.version, h('span', { class: 'space' }), this.pill, this.theme);
    this.show_theme(localStorage.getItem(kThemeKey) ?? 'auto');
  }

  update(state: State): void {
    this.pill.dataset.state = state.connection.state;
    this.pill.textContent = kStates[state.connection.state];
    this.version.textContent = state.version;
  }

  private next_theme(): void {
    const now = kThemes.indexOf((localStorage.getItem(kThemeKey) ?? 'auto') as (typeof kThemes)[number]);
    const theme = kThemes[(now + 1) % kThemes.length]!;
    localStorage.setItem(kThemeKey, theme);
    this.show_theme(theme);
  }

  private show_theme(theme: string): void {
    apply_theme(theme);
    this.theme.textContent = { auto: '◐ Auto', light: '☀ Light', dark: '☾ Dark' }[theme] ?? theme;
  }
}

export class BannerView implements View {
  readonly element = h('div', { class: 'banner', hidden: true, role: 'alert' });
  private shown = '';

  update(state: State): void {
    const connection = state.connection;
    this.element.hidden = connection.state !== 'gone' && connection.state !== 'token';
    const kind = connection.state;
    if (connection.state === 'gone') {
      const reason = connection.reason ? ` It said: ${connection.reason}.` : '';
      const text = `The gateway has not answered for ${duration(Date.now() - connection.since_ms)}.${reason} What you see is from before; the page tries again by itself.`;
      replace(this.element, h('p', {}, text), h('button', { onclick: () => void state.begin() }, 'Try now'));
    } else if (connection.state === 'token' && this.shown !== kind) {
      replace(this.element, this.token_form(state));
    }
    this.shown = kind;
  }

  private token_form(state: State): HTMLElement {
    const field = h('input', { type: 'password', placeholder: 'Token', 'aria-label': 'Token', autocomplete: 'off' });
    const enter = (event: Event) => {
      event.preventDefault();
      set_token(field.value.trim());
      void state.begin();
    };
    return h('form', { onsubmit: enter }, h('p', {}, 'This gateway asks for a token: it is [gateway] token of the experiment file.'), field, h('button', { type: 'submit' }, 'Open'));
  }
}
