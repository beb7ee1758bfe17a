// The dashboard in headless Chromium against a real gateway: what a person reads, what the charts draw, what happens when the
// gateway goes away. usage: node dashboard_test.mjs SAMPLE_GATEWAY PACKAGES SCREENSHOTS
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { open_browser, start_gateway } from './browser.mjs';

const [program, packages, screenshots] = process.argv.slice(2);
mkdirSync(screenshots, { recursive: true });
const browser = await open_browser(packages);
const gateway = await start_gateway(program);
const errors = [];

async function new_page(options) {
  const page = await (await browser.newContext(options)).newPage();
  page.on('pageerror', (error) => errors.push(error.stack));
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(gateway.url).origin)) errors.push(`asked another host: ${request.url()}`);
  });
  return page;
}

const text = (page, selector) => page.locator(selector).first().innerText();
const shot = (page, name, full = false) => page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: full });
const until = (page, predicate, argument) => page.waitForFunction(predicate, argument, { timeout: 60000 });
const visible = (page, selector) => page.locator(selector).first().waitFor({ timeout: 60000 });

// Corners of a path "M1 2L3 4..." as pairs.
async function corners(page, selector) {
  const d = await page.locator(selector).first().getAttribute('d');
  return [...d.matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)].map((match) => [Number(match[1]), Number(match[2])]);
}

const tests = {
  async 'shows the run of its gateway with its last figures'(page) {
    await visible(page, '[data-chart=spl] path.line');
    await until(page, () => document.querySelector('.pill').textContent === 'Live');
    assert.equal(await text(page, '[data-figure=Steps] b'), '400k');
    assert.match(await text(page, '[data-figure=SPL] b'), /^0\.9/);
    assert.equal(await page.locator('nav.runs li').count(), 5);
  },

  async 'draws the learning curve inside its chart, rising, with a band around it'(page) {
    const line = await corners(page, '[data-chart=eval_return] path.line');
    const band = await corners(page, '[data-chart=eval_return] path.band');
    const box = await page.locator('[data-chart=eval_return] .plot svg').boundingBox();
    assert.equal(line.length, 40, 'one corner for each evaluation');
    for (const [x, y] of [...line, ...band]) assert.ok(x >= 0 && x <= box.width && y >= 0 && y <= box.height, `${x},${y} is outside of the chart`);
    for (let i = 1; i < line.length; ++i) assert.ok(line[i][0] > line[i - 1][0], 'the curve goes from left to right');
    assert.ok(line[0][1] - line.at(-1)[1] > box.height / 2, 'the return rises by more than half of the chart');
    const [upper, lower] = [band.slice(0, 40), band.slice(40).reverse()];
    line.forEach(([, y], i) => assert.ok(upper[i][1] < y && y < lower[i][1], 'the curve lies within its band'));
  },

  async 'draws each baseline as a line at its value'(page) {
    const [greedy, planner] = await page.locator('[data-chart=spl] line.reference').evaluateAll((lines) => lines.map((line) => Number(line.getAttribute('y1'))));
    assert.ok(planner < greedy, 'the better baseline is higher up');
    const line = await corners(page, '[data-chart=spl] path.line');
    assert.ok(line.at(-1)[1] < planner, 'the policy ends above both');
    assert.match(await text(page, '[data-chart=spl] .legend'), /Greedy\s*0\.83\s*Window planner\s*0\.88/);
  },

  async 'names the values under the pointer, also while new rows arrive'(page) {
    await page.hover('[data-chart=spl] .plot svg', { position: { x: 300, y: 80 } });
    await visible(page, '[data-chart=spl] .tip');
    await gateway.tell('append');
    await until(page, () => document.querySelector('[data-figure=Steps] b').textContent === '410k');
    assert.match(await text(page, '[data-chart=spl] .tip'), /environment steps .*k/);
    await page.mouse.move(5, 400);
  },

  async 'shows a new evaluation without a reload'(page) {
    await until(page, () => document.querySelector('[data-chart=eval_return] path.line').getAttribute('d').match(/[ML]/g).length === 41);
    await shot(page, 'learning', true);
  },

  async 'averages seeds into one curve with a band from the lowest to the highest'(page) {
    for (const run of ['grid-b', 'grid-c']) await page.click(`[data-run=${run}] .check`);
    await until(page, () => document.querySelector('[data-chart=spl] .legend')?.textContent.includes('mean of 3 seeds'));
    await until(page, () => document.querySelectorAll('[data-chart=spl] path.line').length === 1);
    assert.match(await text(page, '[data-chart=spl] .note'), /lowest to highest seed/);
    await page.click('.switch input');
    await until(page, () => document.querySelectorAll('[data-chart=spl] path.line').length === 3);
    await until(page, () => document.querySelectorAll('.overview tbody tr').length === 3);
    await page.click('.switch input');
    await page.click('[data-run=cartpole-1] .check');
    await visible(page, '[data-chart="eval_return.cartpole"] path.line');
    await shot(page, 'several_runs', true);
  },

  async 'says why a chart is empty and what will appear'(page) {
    await page.click('[data-run=fresh] button.run');
    await until(page, () => document.querySelector('[data-chart=eval_return] .empty')?.textContent.includes('first score appears here'));
    await page.click('[data-tab=evaluation]');
    await until(page, () => document.querySelector('.view .empty')?.textContent.includes('No evaluation yet'));
    await page.click('[data-tab=episodes]');
    await until(page, () => document.querySelector('.view .empty')?.textContent.includes('No episode is recorded yet'));
    await page.click('[data-tab=services]');
    await until(page, () => document.querySelector('.view .empty')?.textContent.includes('No service of fresh is registered'));
    await shot(page, 'empty');
    await page.click('[data-run=grid-a] button.run');
  },

  async 'lists every service and says who waits for whom, in words and as a picture'(page) {
    await visible(page, 'tr[data-service=learner]');
    assert.deepEqual(await page.locator('tbody tr[data-service]').evaluateAll((rows) => rows.map((row) => row.dataset.service)),
      ['actor-0', 'actor-1', 'evaluator', 'gateway', 'learner', 'replay']);
    assert.match(await text(page, 'tr[data-service=actor-1]'), /Running\s+399\s+1 version/);
    await until(page, () => document.querySelector('.verdict h3').textContent === 'Nothing holds the run up');
    await gateway.tell('wait');
    await until(page, () => document.querySelector('.verdict h3').textContent.startsWith('The run waits for'));
    await until(page, () => document.querySelector('tr[data-service=learner]').textContent.includes('replay/rollout: needs 16 items, has 3'));
    await visible(page, 'path.wait[data-wait="learner>replay"]');
    await shot(page, 'services', true);
    await gateway.tell('flow');
    await until(page, () => document.querySelectorAll('path.wait').length === 0);
  },

  async 'draws a recorded path on its map beside the shortest one, and steps through it'(page) {
    await page.click('[data-tab=episodes]');
    await visible(page, '.map .walked');
    const cells = (selector) => page.locator(selector).evaluate((line) => line.getAttribute('points').split(' ').map((pair) => pair.split(',').map(Number)));
    const walked = await cells('.map .walked:not(.ahead)');
    const optimal = await cells('.map .optimal');
    assert.deepEqual(walked[0], optimal[0], 'both begin at the start');
    assert.deepEqual(walked.at(-1), optimal.at(-1), 'both end at the goal');
    assert.ok(walked.length > optimal.length);
    const on_wall = await page.evaluate((points) => {
      const blocked = document.querySelector('.map .blocked');
      return points.filter(([x, y]) => blocked.isPointInFill(new DOMPoint(x, y))).length;
    }, [...walked, ...optimal]);
    assert.equal(on_wall, 0, 'no path crosses a blocked cell');
    assert.match(await text(page, '.facts'), /Goal reached/);
    await shot(page, 'episodes');
    await page.locator('input[type=range]').fill('5');
    await until(page, () => document.querySelector('.map .walked:not(.ahead)').getAttribute('points').split(' ').length === 6);
    const before = await page.locator('.map').getAttribute('viewBox');
    await page.click('.zoom button >> nth=0');
    await until(page, (box) => document.querySelector('.map').getAttribute('viewBox') !== box, before);
    await page.click('.zoom button >> nth=2');
    await until(page, (box) => document.querySelector('.map').getAttribute('viewBox') === box, before);
    await page.click('[data-recording="380-1"]');
    await until(page, () => document.querySelector('.episodes .on')?.dataset.recording === '380-1');
  },

  async 'sets the policies beside the baselines'(page) {
    await page.click('[data-tab=evaluation]');
    await visible(page, 'table.evaluation');
    const table = await text(page, 'table.evaluation');
    for (const wanted of [/Greedy/, /Window planner/, /0\.83/, /0\.88/, /grid-a/]) assert.match(table, wanted);
    assert.match(await text(page, 'table.evaluation td.top'), /\d/);
    await shot(page, 'evaluation');
  },

  async 'says that the gateway is gone, keeps the figures, and recovers by itself'(page) {
    await page.click('[data-tab=learning]');
    await gateway.tell('stop');
    await until(page, () => document.querySelector('.banner').textContent.includes('has not answered'));
    await until(page, () => document.querySelector('.pill').textContent === 'Gateway gone');
    assert.equal(await text(page, '[data-figure=Steps] b'), '410k');
    await shot(page, 'gone');
    await gateway.tell('append');
    await gateway.tell('start');
    await until(page, () => document.querySelector('.pill').textContent === 'Live' && document.querySelector('[data-figure=Steps] b').textContent === '420k');
    await page.locator('.banner').waitFor({ state: 'hidden' });
  },

  async 'is readable in the dark and keeps its place in the address'(page) {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.goto(`${gateway.url}#/services?runs=grid-b,grid-a&focus=grid-a`);
    await page.reload();
    await visible(page, 'tr[data-service=learner]');
    assert.equal(await text(page, '.segmented .on'), 'grid-a');
    const [page_color, text_color] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
    assert.equal(page_color, 'rgb(15, 18, 23)');
    assert.equal(text_color, 'rgb(233, 236, 241)');
    await shot(page, 'dark');
  },

  async 'fits a phone in all views'() {
    const phone = await new_page({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 });
    for (const [tab, wanted] of [['learning', '[data-chart="loss.value"] path.line'], ['services', 'tr[data-service=learner]'], ['episodes', '.map .walked'], ['evaluation', 'table.evaluation']]) {
      await phone.goto(`${gateway.url}#/${tab}`);
      await phone.reload();
      await visible(phone, wanted);
      assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth), 390, `${tab} is wider than the phone`);
      await shot(phone, `phone_${tab}`, true);
    }
    await phone.context().close();
  },
};

let failed = 0;
try {
  const page = await new_page({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  await page.goto(gateway.url);
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(page);
      assert.deepEqual(errors, []);
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      errors.length = 0;
      await shot(page, `failed_${failed}`);
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
  await gateway.end();
}
console.log(failed ? `${failed} of ${Object.keys(tests).length} failed` : `all ${Object.keys(tests).length} passed; screenshots in ${screenshots}`);
process.exit(failed ? 1 : 0);
