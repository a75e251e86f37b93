import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../proof/canonical-json.js';
import { fits, PromptsAndResources } from './prompts-and-resources.js';
import type { RelayedServer } from './request.js';

describe('fits', () => {
  it.each([
    ['test://static', 'test://static', true],
    ['test://static', 'test://other', false],
    ['test://items/{id}', 'test://items/7', true],
    ['test://items/{id}', 'test://items', false],
    ['file:///{+path}', 'file:///a/b/c', true],
    ['a://{x}/b/{y}', 'a://1/b/2', true],
    ['a://{x}/b/{y}', 'a://1/c/2', false],
    ['a://{x}z', 'a://z', true],
    ['ab{x}ba', 'aba', false],
  ])('%s and %s: %s', (template, uri, is) => {
    expect(fits(template, uri)).toBe(is);
  });

  it('fits what a template is filled with', () => {
    const part = fc.string({ maxLength: 8 }).map((text) => text.replace(/[{}]/g, ''));
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 6 }),
        fc.array(part, { minLength: 5, maxLength: 5 }),
        (parts, fill) => {
          const uri = parts.reduce((text, next, index) => text + (fill[index - 1] ?? '') + next);
          expect(fits(parts.join('{x}'), uri)).toBe(true);
        },
      ),
    );
  });
});

interface Offer {
  readonly resources?: readonly JsonObject[];
  readonly resourceTemplates?: readonly JsonObject[];
  readonly hasResources?: boolean;
}

const serverOf = (name: string, { resources = [], resourceTemplates = [], hasResources = true }: Offer = {}) => {
  const backend = { link: { capabilities: hasResources ? { resources: {} } : {} } };
  return { config: { name }, backend, directory: { entries: { resources, resourceTemplates } } } as never;
};

describe('ownerOf', () => {
  const servers: readonly RelayedServer[] = [
    serverOf('first', { hasResources: false }),
    serverOf('second'),
    serverOf('third', { resourceTemplates: [{ uriTemplate: 'x://{y}' }] }),
    serverOf('fourth', { resources: [{ uri: 'x://listed' }] }),
  ];

  it('asks the lists, then the templates, then a link, then the first with resources', () => {
    const owner = (uri: string, linked?: string) => {
      const offered = new PromptsAndResources(
        () => servers,
        () => 0,
      );
      if (linked !== undefined) offered.seen(linked, [uri]);
      return offered.ownerOf(uri)?.config.name;
    };
    expect(owner('x://listed', 'first')).toBe('fourth');
    expect(owner('x://other', 'first')).toBe('third');
    expect(owner('y://any', 'first')).toBe('first');
    expect(owner('x://listed')).toBe('fourth');
    expect(owner('x://other')).toBe('third');
    expect(owner('y://any')).toBe('second');
    expect(owner('y://any', 'gone')).toBe('second');
    expect(
      new PromptsAndResources(
        () => [],
        () => 0,
      ).ownerOf('y://any'),
    ).toBeUndefined();
  });
});
