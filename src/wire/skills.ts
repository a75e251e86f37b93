// Serves the MCP skills extension (SEP-2640) and `skill://` resources on the SDK's low-level server, in both protocols. The SDK's own
// extension needs its high-level server and hashes every file before it answers (docs/adr/0037). These requests only read and are
// not calls, so they are not recorded.
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { CORE_LIMITS } from '../core/limits.js';
import { mimeTypeOf, skillContent, skillPage, skillPlaceOf, uriOf } from './skill-uris.js';

// Copies of the SDK's constants, because loading its module would take 5 ms at the start. A test compares them.
export const SKILLS_EXTENSION_ID = 'io.modelcontextprotocol/skills';
export const SKILLS_LIST_METHOD = 'skills/list';
export const SKILLS_GET_METHOD = 'skills/get';

/** The digest of a whole skill, in `_meta` of its entry. */
const SKILL_DIGEST_KEY = 'dev.colibri/digest';

export interface HostedSkill {
  readonly name: string;
  readonly description: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  /** The digests of the skill and of its files; undefined until they are computed. */
  readonly digests: { readonly digest: string; readonly files: ReadonlyMap<string, string> } | undefined;
}

/** What this file needs from the catalogue of skills (the skills that were found on disk). */
export interface HostedSkills {
  /** All skills, sorted by name. */
  skills(): Promise<readonly HostedSkill[]>;
  skill(name: string): Promise<HostedSkill | undefined>;
  /** A file of a skill; undefined if there is no such file. */
  read(name: string, path: string): Promise<{ readonly bytes: Buffer } | { readonly tooLarge: string } | undefined>;
  onChange(listener: () => void): () => void;
}

export const SKILLS_CAPABILITIES: ServerCapabilities = {
  resources: { listChanged: true },
  extensions: { [SKILLS_EXTENSION_ID]: {} },
};

const listParams = z.looseObject({ cursor: z.string().optional() });
const getParams = z.looseObject({ uri: z.string() });

/** Members of an answer that tell a client of protocol 2026-07-28 not to cache it, because the folder of skills may change at any time. */
const cacheFields = ({ mcpReq }: ServerContext) =>
  mcpReq.envelope === undefined ? {} : { ttlMs: 0, cacheScope: 'private' as const };

const entryOf = ({ name, frontmatter, files, digests }: HostedSkill) => ({
  uri: uriOf(name, 'SKILL.md'),
  frontmatter,
  resources:
    digests === undefined
      ? ('dynamic' as const)
      : files.map(({ path, size }) => ({ uri: uriOf(name, path), digest: digests.files.get(path) ?? '', size })),
  ...(digests !== undefined && { _meta: { [SKILL_DIGEST_KEY]: digests.digest } }),
});

const resourceOf = ({ name, description, files }: HostedSkill) => ({
  uri: uriOf(name, 'SKILL.md'),
  name,
  description,
  mimeType: 'text/markdown',
  size: files.find(({ path }) => path === 'SKILL.md')?.size ?? 0,
});

const getSkill = async (skills: HostedSkills, uri: string) => {
  const place = skillPlaceOf(uri);
  const skill = place?.path === 'SKILL.md' ? await skills.skill(place.name) : undefined;
  if (skill === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is served at ${uri}`);
  return entryOf(skill);
};

export const isSkillUri = (uri: unknown): uri is string => typeof uri === 'string' && uri.startsWith('skill://');

export const skillResources = async (skills: HostedSkills) => (await skills.skills()).map(resourceOf);

export const SKILL_TEMPLATES = [
  { uriTemplate: 'skill://{skill}/{+path}', name: 'skill', description: 'A file of a skill' },
];

export const readSkillFile = async (skills: HostedSkills, uri: string) => {
  const place = skillPlaceOf(uri);
  const content = place && (await skills.read(place.name, place.path));
  if (place === undefined || content === undefined) throw new ResourceNotFoundError(uri);
  if ('tooLarge' in content) {
    const limit = `${CORE_LIMITS.skillReadBytes / 1024 ** 2} MiB`;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `${uri} is larger than ${limit}. Read ${content.tooLarge}`,
    );
  }
  return { contents: [{ uri, mimeType: mimeTypeOf(place.path), ...skillContent(content.bytes) }] };
};

/** Serves the skills on this SDK server and notifies the client when they change; the SDK knows whether the client subscribed. */
export const serveSkills = (
  server: Server,
  skills: HostedSkills,
  { withResources }: { withResources: boolean },
): void => {
  server.setRequestHandler(SKILLS_LIST_METHOD, { params: listParams }, async ({ cursor }, ctx) => {
    const { items, ...next } = skillPage(await skills.skills(), cursor, entryOf);
    return { skills: items, ...next, ...cacheFields(ctx) };
  });
  server.setRequestHandler(SKILLS_GET_METHOD, { params: getParams }, async ({ uri }, ctx) => ({
    skill: await getSkill(skills, uri),
    ...cacheFields(ctx),
  }));
  if (withResources) serveResources(server, skills);
  const forget = skills.onChange(() => {
    // A notification that cannot be sent is dropped: the client may be gone, or the handshake may not be finished.
    server.sendResourceListChanged().catch(() => {});
  });
  server.onclose = forget;
};

/**
 * Serves skills as resources. Used only if no other server can have resources: otherwise relayed.ts serves skills together with the other
 * servers' resources.
 */
const serveResources = (server: Server, skills: HostedSkills): void => {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { items, ...next } = skillPage(await skills.skills(), params?.cursor, resourceOf);
    return { resources: items, ...next };
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: SKILL_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => readSkillFile(skills, params.uri));
};
