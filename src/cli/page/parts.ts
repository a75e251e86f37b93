// The built script and style of the page.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundledFile } from '../../core/installed.js';
import type { PageParts } from '../../page/html.js';

const read = (name: string): string => readFileSync(fileURLToPath(bundledFile(`page/${name}`)), 'utf8');

export const pageParts = (): PageParts => ({ script: read('page.js'), style: read('page.css') });
