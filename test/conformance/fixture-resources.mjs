// The resources that the suite asks for: text, bytes, a template, and one that can be watched.
import { ResourceTemplate } from '@modelcontextprotocol/server';
import { PNG } from './fixture-content.mjs';

const readable = (mimeType, content) => (uri) => ({ contents: [{ uri: uri.href, mimeType, ...content }] });

export const addResources = (server) => {
  const add = (name, uri, mimeType, content) =>
    server.registerResource(name, uri, { description: `Conformance: ${name}`, mimeType }, readable(mimeType, content));
  add('static-text', 'test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' });
  add('static-binary', 'test://static-binary', 'image/png', { blob: PNG });
  add('watched-resource', 'test://watched-resource', 'text/plain', { text: 'Watched resource content' });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Conformance: a template', mimeType: 'application/json' },
    (uri, { id }) =>
      readable('application/json', { text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) })(
        uri,
      ),
  );
  // The old era's way; in the new one the SDK's entry keeps the subscriptions.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
};
