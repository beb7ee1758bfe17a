// Writes dist/sources.sha256: one line "<sha256>  <path>" for each source of the build, in path order. A test compares it with
// the sources, so that a checked-in build that is out of date is found on a machine without npm, too.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const files = ['index.html', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.js'];
for (const folder of ['public', 'src'])
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    if (entry.isFile()) files.push(relative(root, join(entry.parentPath, entry.name)));
files.sort();
const lines = files.map((file) => createHash('sha256').update(readFileSync(join(root, file))).digest('hex') + '  ' + file);
writeFileSync(join(process.argv[2] ?? join(root, 'dist'), 'sources.sha256'), lines.join('\n') + '\n');
