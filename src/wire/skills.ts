// The MCP skills extension (SEP-2640) and `skill://` resources on the low-level server, in both eras. The SDK's own
// extension needs its high-level server and hashes every file before it answers (docs/adr/0037). Reading only: nothing
// here is a call, so nothing here is recorded.
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

// The SDK's own constants; its module would cost the start 5 ms. A test holds these to them.
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
  /** Undefined until they are made. */
  readonly digests: { readonly digest: string; readonly files: ReadonlyMap<string, string> } | undefined;
}

/** What a door needs of the catalogue. */
export interface HostedSkills {
  /** Sorted by name. */
  skills(): Promise<readonly HostedSkill[]>;
  skill(name: string): Promise<HostedSkill | undefined>;
  /** A file of a skill, undefined where there is none. */
  read(name: string, path: string): Promise<{ readonly bytes: Buffer } | { readonly tooLarge: string } | undefined>;
  onChange(listener: () => void): () => void;
}

export const SKILLS_CAPABILITIES: ServerCapabilities = {
  resources: { listChanged: true },
  extensions: { [SKILLS_EXTENSION_ID]: {} },
};

const listParams = z.looseObject({ cursor: z.string().optional() });
const getParams = z.looseObject({ uri: z.string() });

/** The new era wants to know how long an answer holds: no longer than the folder does. */
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

/** Serves the skills at this door, and tells its host when they change; the SDK knows who listens. */
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
    // The host may be gone, or the handshake not through: then there is nobody to tell.
    server.sendResourceListChanged().catch(() => {});
  });
  server.onclose = forget;
};

/** Where nobody else has any. */
const serveResources = (server: Server, skills: HostedSkills): void => {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { items, ...next } = skillPage(await skills.skills(), params?.cursor, resourceOf);
    return { resources: items, ...next };
  });
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: SKILL_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params }) => readSkillFile(skills, params.uri));
};
