// The command `colibri nodes`: lists the machines that write a store, and accepts the key of one of them on this machine.
import type { Command } from 'commander';
import { bindHeads } from '../../ledger/binding.js';
import { acceptedKeysIn, acceptKey, keepOtherHeads } from '../../ledger/team/other-logs.js';
import { parseVkey } from '../../ledger/tree.js';
import { logIdIn } from '../../proof/checkpoint.js';
import { isVkey } from '../../proof/verifier.js';
import { readingStore } from '../access.js';
import { findStore, type PlaceOptions } from '../place.js';
import { processesOf } from '../processes.js';
import { logInfo } from '../records/record-repository.js';
import { running, storeCommand } from '../run.js';
import { plain, sayAnswer } from '../screen/print.js';
import { wrong } from '../target.js';
import { nodeLines, nodesOf } from './list.js';

const AFTER = `
Every machine writes a log of its own with a key of its own. \`colibri verify\`
here can check every signature, but it cannot know whether a log of another
machine went back, until a person has compared its key and accepted it here:
then the newest signed head of that log is kept on this machine too.

  colibri nodes                    the machines, their logs, when they wrote
  colibri checkpoint --json        on the other machine: its key (vkey)
  colibri nodes accept <vkey>      on this machine: accepts that key

Exit codes: 0; 1 not accepted, or the store cannot be read.`;

const list = async (options: PlaceOptions): Promise<number> => {
  const at = findStore(options);
  const nodes = await readingStore(at, async (store) => {
    const { alive } = await processesOf(store);
    return store.read((tx) => nodesOf(tx, at, alive));
  });
  sayAnswer(options.json, { nodes }, () => nodes.flatMap(nodeLines).map(plain));
  return 0;
};

const accept = async (text: string, _: unknown, { parent }: Command): Promise<number> => {
  const options: PlaceOptions = parent?.opts() ?? {};
  const verifier = isVkey(text) ? parseVkey(text) : undefined;
  const log = verifier && logIdIn(verifier.name);
  if (verifier === undefined || log === undefined)
    throw wrong(
      'That is not the key of a log.',
      '`colibri checkpoint --json` on that machine, and `colibri nodes --json` here, show its key: colibri.dev/log/…',
    );
  const at = findStore(options);
  const folder = acceptedKeysIn(at.config.directories.state);
  const kept = await readingStore(at, async (store) => {
    const info = await store.read((tx) => logInfo(tx, log));
    if (info === undefined) throw wrong(`The store has no log ${log}.`, 'colibri nodes lists the logs.');
    if (info.public_key !== Buffer.from(verifier.publicKey).toString('hex'))
      throw wrong(
        `Log ${log} has another key in this store.`,
        'Ask the other machine for its key again; do not accept this store.',
      );
    acceptKey(folder, { log, verifier });
    const logs = await keepOtherHeads(store, at.heads, folder);
    await bindHeads(store, at.heads, at.site);
    return logs;
  });
  const size = at.heads.largest(log);
  sayAnswer(options.json, { accepted: log, known_head: size, kept }, () => [
    `Accepted the key of log ${log}. ${size === 0 ? 'It has no signed head yet.' : `Its newest known head: ${size} records.`}`,
  ]);
  return 0;
};

export const nodesCommand = (): Command => {
  const command = storeCommand(
    'nodes',
    'the machines that write this store, and whose keys are accepted here',
    AFTER,
    list,
  );
  command
    .command('accept')
    .argument('<vkey>', 'the key of a log, as `colibri checkpoint` on its machine shows it')
    .description('accept the key of another machine on this one')
    .action(running(accept));
  return command;
};
