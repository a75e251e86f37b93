// Whose resource a URI is, and which templates it fits. Pure.
import type { JsonObject } from '../proof/json-object.js';

/** Literal parts of a template between its expressions; at least two. */
const literals = (template: string): readonly string[] => template.split(/\{[^{}]*\}/);

/** Does a URI fit a template? Any text fits an expression: who knows better is asked. Linear, whatever the template says. */
export const fits = (template: string, uri: string): boolean => {
  const parts = literals(template);
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (parts.length === 1) return uri === template;
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = uri.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return from <= uri.length - last.length;
};

export interface Holder {
  readonly server: string;
  readonly resources: readonly JsonObject[];
  readonly resourceTemplates: readonly JsonObject[];
  /** It has resources at all. */
  readonly hasResources: boolean;
}

/**
 * By the lists, then by the templates, then by a link seen in a result, then the first that has any. A link comes behind what
 * servers say that they have: else any server could take a resource over by mentioning it.
 */
export const resourceOwner = (
  uri: string,
  holders: readonly Holder[],
  seen: (uri: string) => string | undefined,
): string | undefined => {
  const linked = seen(uri);
  const found =
    holders.find(({ resources }) => resources.some((resource) => resource.uri === uri)) ??
    holders.find(({ resourceTemplates }) =>
      resourceTemplates.some(({ uriTemplate }) => typeof uriTemplate === 'string' && fits(uriTemplate, uri)),
    ) ??
    holders.find(({ server }) => server === linked) ??
    holders.find(({ hasResources }) => hasResources);
  return found?.server;
};

/** URIs that a result of a tool links to. */
export const linksIn = (result: JsonObject): readonly string[] =>
  (Array.isArray(result.content) ? result.content : []).flatMap((block: unknown) => {
    const { type, uri, resource } = (block ?? {}) as { type?: unknown; uri?: unknown; resource?: { uri?: unknown } };
    const found = type === 'resource_link' ? uri : type === 'resource' ? resource?.uri : undefined;
    return typeof found === 'string' ? [found] : [];
  });
