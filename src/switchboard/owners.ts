// Finds the server that a resource URI belongs to, and checks whether a URI fits a URI template. Pure.
import type { JsonObject } from '../proof/json-object.js';

/** The literal parts of a URI template around its expressions; at least two if it has an expression. */
const literals = (template: string): readonly string[] => template.split(/\{[^{}]*\}/);

/** Whether a URI fits a URI template. Any text fits an expression; the server decides in the end. Takes linear time for any template. */
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
  /** True if the server declares the capability `resources`. */
  readonly hasResources: boolean;
}

/**
 * The server that a resource URI belongs to: one that lists it, has a template for it, or linked to it in a result; else the first with
 * resources. Links come last, because otherwise a server could take over a resource by linking to it.
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

/** The URIs of resources that a tool's result links to or contains. */
export const linksIn = (result: JsonObject): readonly string[] =>
  (Array.isArray(result.content) ? result.content : []).flatMap((block: unknown) => {
    const { type, uri, resource } = (block ?? {}) as { type?: unknown; uri?: unknown; resource?: { uri?: unknown } };
    const found = type === 'resource_link' ? uri : type === 'resource' ? resource?.uri : undefined;
    return typeof found === 'string' ? [found] : [];
  });

/** Calls `seen` with the URIs of resources that a tool's result links to, if there are any. */
export const tellLinks = (
  seen: (server: string, uris: readonly string[]) => void,
  server: string,
  result: JsonObject,
): void => {
  const uris = linksIn(result);
  if (uris.length > 0) seen(server, uris);
};
