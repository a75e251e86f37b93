// A client of protocol 2026-07-28 by hand, for what no well-behaved client sends: other bytes, and `requestState`s that it makes up or keeps.
import { MAIN, type Message, modernMeta, type Peer, type Place, type SpawnChoice, serve } from '../support/serve.js';
import { STAND_IN } from './places.js';

const FORM = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };

export interface RawClient {
  readonly peer: Peer;
  /** One `tools/call`; `more` goes into its params. Gives the whole message back. */
  call(name: string, args: Message, more?: Message): Promise<Message>;
  /** The same with the arguments as this text, byte by byte. */
  callText(name: string, args: string): Promise<Message>;
  list(): Promise<Message[]>;
}

/** `asks`: whether the client can show a form. The process that started Colibri is not the test's own. */
export const rawModern = async (
  place: Place,
  { asks = false, ...choice }: SpawnChoice & { readonly asks?: boolean } = {},
): Promise<RawClient> => {
  const peer = serve(place, { ...choice, detached: true, args: [STAND_IN, MAIN, 'serve'] });
  const _meta = { ...modernMeta('raw'), ...(asks && FORM) };
  await peer.request('server/discover', { _meta });
  await peer.phase2();
  let texts = 0;
  return {
    peer,
    call: (name, args, more = {}) => peer.request('tools/call', { name, arguments: args, _meta, ...more }),
    callText: (name, args) => {
      texts += 1;
      const id = `text-${texts}`;
      const answer = peer.answer(id);
      const params = JSON.stringify({ name, _meta }).slice(0, -1);
      peer.send(`{"jsonrpc":"2.0","id":"${id}","method":"tools/call","params":${params},"arguments":${args}}}`);
      return answer;
    },
    list: async () => (await peer.request('tools/list', { _meta })).result.tools,
  };
};

/** Waits until the server's tool is listed. */
export const untilRawListed = async ({ list }: RawClient, name: string): Promise<Message> => {
  for (let tries = 0; tries < 200; tries++) {
    const found = (await list()).find((tool) => tool.name === name);
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${name} was not listed`);
};
