// The command `colibri report`: one task for a reviewer, as a page or as Markdown.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { modelOf } from '../../page/model/model.js';
import { type PageOptions, pageDataOf, writeNew, writePageFile } from '../page/page.js';
import { findStore, type PlaceOptions } from '../place.js';
import { storeCommand } from '../run.js';
import { sayExactly, sayJson, sayWhole } from '../screen/print.js';
import { wrong } from '../target.js';
import { taskMarkdown } from './markdown.js';

const AFTER = `
What was asked, what was decided and why, what was done, what it proves and how
to check it. The page checks itself in any browser; the Markdown says with which
commands to check it.

  colibri report T-0042 --out t42.html     the page of one task
  colibri report T-0042 --md               Markdown on stdout
  colibri report T-0042 --md --out t42.md

Exit codes: 0 written, 1 failed.`;

interface ReportOptions extends PlaceOptions, Pick<PageOptions, 'out' | 'force' | 'payloads'> {
  readonly md?: true;
}

const markdownOf = async (task: string, options: ReportOptions): Promise<string> => {
  const { data, verdict } = await pageDataOf(findStore(options), { ...options, task });
  const model = modelOf(data);
  const found = model.tasks.find(({ id }) => id === task);
  if (found === undefined)
    throw wrong(`No record about ${task} was found.`, '`colibri verify --task` says what is wrong.');
  return taskMarkdown({ task: found, model, verdict, madeAt: data.made_at });
};

const report = async (text: string, options: ReportOptions): Promise<number> => {
  const n = taskNumber(text);
  if (n === undefined) throw wrong(`${JSON.stringify(text)} is not a task.`, 'Tasks are named like T-0042.');
  const task = taskId(n);
  if (!options.md) return writePageFile({ ...options, task });
  const out = options.out === undefined ? undefined : resolve(options.out);
  const markdown = await markdownOf(task, options);
  if (out !== undefined) writeNew(out, markdown, options.force === true);
  if (options.json) sayJson({ task, ...(out !== undefined && { out }), markdown });
  else if (out === undefined) sayWhole(markdown);
  else sayExactly(out);
  return 0;
};

export const reportCommand = (): Command =>
  storeCommand('report', 'one task for a reviewer: its page, or Markdown', AFTER, report)
    .argument('<task>', 'the task, like T-0042')
    .option('--md', 'Markdown instead of a page')
    .option('--out <file>', 'where to write it; stdout if left out')
    .option('--force', 'write over a file that is there')
    .option('--no-payloads', 'leave arguments, errors and thoughts out; their digests stay');
