// What kill.test.ts and kill.deep.test.ts share: calls in flight, and what became of them.
import { type Ledger, type Receipt, receiptOf } from '../support/ledger-check.js';
import type { Message, Peer, Place } from '../support/serve.js';

const ping = (id: string): string =>
  `{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":{"name":"server_ping","arguments":{"id":"${id}"}}}`;

export const receiptsOf = (messages: readonly Message[]): Receipt[] =>
  messages.map(receiptOf).filter((receipt) => receipt !== undefined);

export const outcomesOf = (ledger: Ledger, peer: Peer): (string | undefined)[] => {
  const { instance } = ledger.bootOf(peer.pid);
  return ledger.pairs.filter(({ enter }) => enter.body.instance === instance).map(({ exit }) => exit?.body.outcome);
};

export const started = async (place: Place, start: (place: Place) => Peer): Promise<Peer> => {
  const peer = start(place);
  await peer.initialize();
  await peer.phase2();
  return peer;
};

/** Keeps `width` pings in flight until the process is gone. */
export const keepBusy = (peer: Peer, width: number): void => {
  let sent = 0;
  const more = async (): Promise<void> => {
    while (peer.isRunning) {
      const id = `p${sent++}`;
      const answer = peer.answer(id, 20_000);
      peer.send(ping(id));
      await answer;
    }
  };
  for (let n = 0; n < width; n++) more().catch(() => {});
};
