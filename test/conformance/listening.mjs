// A client of the new era at Colibri's own connection that listens to every change, and tells the HTTP side of them: there
// the doors are gone before anything changes.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';

const _meta = {
  [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
  [CLIENT_INFO_META_KEY]: { name: 'conformance-listener', version: '1.0.0' },
  [CLIENT_CAPABILITIES_META_KEY]: { elicitation: {}, sampling: {}, roots: {} },
};
const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

/** Resolves when Colibri has said that it will tell. */
export const listenForChanges = async (transport, notify) => {
  const heard = {
    'notifications/tools/list_changed': () => notify.toolsChanged(),
    'notifications/prompts/list_changed': () => notify.promptsChanged(),
    'notifications/resources/list_changed': () => notify.resourcesChanged(),
  };
  const acknowledged = new Promise((resolve, reject) => {
    transport.onmessage = ({ id, method, error }) => {
      if (id !== undefined && error !== undefined) reject(new Error(error.message));
      if (method === 'notifications/subscriptions/acknowledged') resolve();
      heard[method]?.();
    };
  });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } });
  await transport.send({ jsonrpc: '2.0', id: 2, method: 'subscriptions/listen', params: { _meta, notifications } });
  await acknowledged;
};
