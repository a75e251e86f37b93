// Hosts that know the MCP skills extension, of both eras, and one of the old SDK that sends its requests by hand.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioClientTransportV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, vi } from 'vitest';
import * as z from 'zod';
import {
  type ClientKind,
  type Environment,
  freshPlace,
  gone,
  MAIN,
  type Message,
  MODERN,
  type Place,
} from '../support/serve.js';

export interface Host {
  readonly kind: ClientKind;
  /** The SDK's own reader of skills, where there is one. */
  readonly skills: SkillsClient | undefined;
  capabilities(): Message | undefined;
  request(method: string, params?: Message): Promise<Message>;
  callTool(name: string, args?: Message): Promise<Message>;
  /** Runs `tell` whenever the server says that its resources changed. */
  listen(tell: () => void): Promise<void>;
}

const anyResult = z.looseObject({});

const parameters = (place: Place, env: Environment) => ({
  command: process.execPath,
  args: [MAIN, 'serve'],
  env: { ...place.env, ...env },
  cwd: place.dir,
  stderr: 'ignore' as const,
});

const connectV2 = async (place: Place, kind: ClientKind, env: Environment): Promise<Host> => {
  const mode = kind === 'v2 modern' ? { pin: MODERN } : 'legacy';
  const client = new Client({ name: kind, version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport(parameters(place, env));
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  place.onEnd(async () => {
    await client.close();
    await gone(pid);
  });
  return {
    kind,
    skills: new SkillsClient(client),
    capabilities: () => client.getServerCapabilities(),
    request: (method, params) => client.request({ method, ...(params && { params }) }, anyResult),
    callTool: (name, args) => client.callTool({ name, ...(args && { arguments: args }) }),
    listen: async (tell) => {
      client.setNotificationHandler('notifications/resources/list_changed', tell);
      if (kind === 'v2 modern') await client.listen({ resourcesListChanged: true });
    },
  };
};

const connectV1 = async (place: Place, env: Environment): Promise<Host> => {
  const client = new ClientV1({ name: 'v1', version: '1' });
  const transport = new StdioClientTransportV1(parameters(place, env));
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  const pid = transport.pid ?? 0;
  place.onEnd(async () => {
    await client.close();
    await gone(pid);
  });
  const listChanged = z.looseObject({ method: z.literal('notifications/resources/list_changed') });
  return {
    kind: 'v1',
    skills: undefined,
    capabilities: () => client.getServerCapabilities(),
    request: (method, params) => client.request({ method, ...(params && { params }) } as never, anyResult),
    callTool: (name, args) => client.callTool({ name, ...(args && { arguments: args }) }),
    listen: async (tell) => client.setNotificationHandler(listChanged as never, tell),
  };
};

export const connectHost = (place: Place, kind: ClientKind, env: Environment = {}): Promise<Host> =>
  kind === 'v1' ? connectV1(place, env) : connectV2(place, kind, env);

export const SHIPPED = ['colibri-switchboard', 'colibri-tasks', 'colibri-trail'];

/** A place whose folder is a project. */
export const freshProject = (): Place => {
  const place = freshPlace();
  fs.mkdirSync(join(place.dir, '.git'));
  return place;
};

export const dataOf = (result: Message): Message => {
  expect(result.structuredContent).toMatchObject({ ok: true });
  return result.structuredContent.data;
};

export const listAll = async (host: Host, args: Message = {}): Promise<Message> =>
  dataOf(await host.callTool('skill_list', args));

/** The list once every digest is made. */
export const digested = (host: Host): Promise<Message> =>
  vi.waitFor(async () => {
    const list = await listAll(host);
    expect(list.skills.every(({ digest }: Message) => digest !== null)).toBe(true);
    return list;
  }, 10_000);
