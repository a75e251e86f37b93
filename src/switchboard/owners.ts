// Finds the server that a resource URI belongs to, and whether a URI fits a template. Pure.
import type { JsonObject } from '../proof/json-object.js';

/** The literal parts of a template around its expressions; at least two if it has one. */
const literals = (template: string): readonly string[] => template.split(/\{[^{}]*\}/);

/** Whether a URI fits a template. Any text fits an expression; the server decides in the end. Linear time for any template. */
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
  /** The server declares resources. */
  readonly hasResources: boolean;
}

/**
 * Searches the lists, then the templates, then links seen in results; else the first server with resources. Links come after
 * lists and templates, because otherwise a server could take over a resource by linking to it.
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

/** Tells of the resources that a result links to, if it links to any. */
export const tellLinks = (
  seen: (server: string, uris: readonly string[]) => void,
  server: string,
  result: JsonObject,
): void => {
  const uris = linksIn(result);
  if (uris.length > 0) seen(server, uris);
};
