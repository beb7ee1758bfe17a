// The page: header, run picker, figures, and one of four views. Everything is redrawn from the state, at most once a frame.

import { take_token_from_address } from './api';
import { h, replace } from './dom';
import { kTabs, State } from './state';
import type { Tab } from './state';
import { EpisodesView } from './views/episodes';
import { EvaluationView } from './views/evaluation';
import { BannerView, HeaderView } from './views/header';
import { LearningView } from './views/learning';
import { OverviewView } from './views/overview';
import { RunsView } from './views/runs';
import { ServicesView } from './views/services';
import type { View } from './views/view';

take_token_from_address();

const state = new State(() => update());
const header = new HeaderView();
const banner = new BannerView();
const runs = new RunsView(state);
const overview = new OverviewView();
const views: Record<Tab, View> = { learning: new LearningView(), services: new ServicesView(), episodes: new EpisodesView(state), evaluation: new EvaluationView() };

const tabs = new Map(kTabs.map(([name, title]) => [name, h('button', { role: 'tab', 'data-tab': name, onclick: () => state.set_tab(name) }, title)]));
const stage = h('div', {});
const main = h('main', {}, banner.element, overview.element, h('div', { class: 'tabs', role: 'tablist' }, ...tabs.values()), stage);
replace(document.querySelector('#app')!, header.element, h('div', { class: 'page' }, runs.element, main));

function update(): void {
  for (const view of [header, banner, runs, overview]) view.update(state);
  for (const [name, button] of tabs) button.setAttribute('aria-selected', String(name === state.tab));
  const view = views[state.tab];
  if (stage.firstChild !== view.element) replace(stage, view.element);
  view.update(state);
  main.classList.toggle('stale', state.connection.state === 'gone');
}

update();
state.start();
