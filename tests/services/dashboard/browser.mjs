// Headless Chromium, and the sample gateway that it looks at.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const kChromium = process.env.OA_CHROMIUM ?? '/usr/bin/chromium';
const kFlags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];

export async function open_browser(packages) {
  if (!existsSync(kChromium)) throw new Error(`${kChromium} is missing: install the Debian package chromium (docker/install.sh installs everything)`);
  const { chromium } = createRequire(join(packages, 'package.json'))('playwright-core');
  return chromium.launch({ executablePath: kChromium, headless: true, args: kFlags });
}

export async function start_gateway(program) {
  const folder = mkdtempSync(join(tmpdir(), 'oneagent-dashboard-'));
  const child = spawn(program, [folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the sample gateway ended');
    return value;
  };
  const { url } = JSON.parse(await next());
  return {
    url,
    async tell(line) {
      child.stdin.write(line + '\n');
      const answer = await next();
      if (answer !== 'ok') throw new Error(`the sample gateway answered ${answer}`);
    },
    async end() {
      child.stdin.end();
      await new Promise((resolve) => child.once('exit', resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
