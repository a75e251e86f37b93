// The skills we ship, followed to the letter.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { casesHere, describe as fastDescribe } from '../support/by-gate.js';
import { CLIENT_KINDS, connect, freshPlace, MAIN, type Message } from '../support/serve.js';
import { Agent, readyCalls } from './agent.js';

const SKILLS = new URL('../../skills/', import.meta.url).pathname;

describe.each(casesHere(CLIENT_KINDS))('an agent that does what it is told, %s', (kind) => {
  it('brings a task to DONE, with a sealed session that anybody can check', async () => {
    const place = freshPlace();
    const client = await connect(place, kind);
    const agent = new Agent(client);
    const known = (await client.listTools()).tools.map(({ name }) => name);
    expect(known).toContain('skill_list');

    const { skills } = await agent.make({ tool: 'skill_list', arguments: { search: 'colibri' } });
    const sectionsOf = (name: string) => readyCalls(skills.find((skill: Message) => skill.name === name).source);
    const [tasks, trail] = [sectionsOf('colibri-tasks'), sectionsOf('colibri-trail')];

    await agent.follow(tasks.get('1'));
    const moves = tasks.get('2') ?? [];
    await agent.follow(moves.slice(0, -1));
    await agent.follow(trail.get('1'));
    const [done] = await agent.follow(moves.slice(-1));
    expect(done).toMatchObject({ status: 'DONE', attempt: 1 });

    await agent.follow(trail.get('3'));
    // Colibri seals the session with the task and signs it right after.
    const root = await vi.waitFor(async () => {
      const [proven] = await agent.follow(trail.get('4'));
      expect(proven?.proof_path).toEqual(expect.any(String));
      return proven as Message;
    }, 10_000);
    expect(root.record_count).toBe(7);
    const [verdict] = await agent.follow(trail.get('5'));
    expect(verdict).toMatchObject({ valid: true, broken_count: 0 });

    await agent.follow(trail.get('2'));
    expect(agent.calls).toEqual(expect.arrayContaining(['task_update DONE', 'merkle_finalize', 'audit_verify_chain']));
    await client.close();

    const said = execFileSync(process.execPath, [MAIN, 'verify', root.proof_path], { cwd: place.dir, env: place.env });
    expect(said.toString()).toMatch(/^OK {2}proof/);
  });
});

fastDescribe.each(fs.readdirSync(SKILLS))('%s', (name) => {
  const source = join(SKILLS, name, 'SKILL.md');
  const calls = [...readyCalls(source).values()].flat();

  it('is short', () => {
    expect(fs.readFileSync(source, 'utf8').split('\n').length).toBeLessThanOrEqual(150);
  });

  it('has ready calls that name tools and arguments that exist', async () => {
    const client = await connect(freshPlace(), 'v2 legacy');
    const { tools } = await client.listTools();
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      const tool = tools.find((known) => known.name === call.tool) as Message | undefined;
      expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(Object.keys(call.arguments)),
      );
    }
  });

  it('speaks of no tool and no code that does not exist', async () => {
    const { ERRORS } = await import('../../src/errors.js');
    const client = await connect(freshPlace(), 'v2 legacy');
    const tools = (await client.listTools()).tools.map((tool) => tool.name);
    const text = fs.readFileSync(source, 'utf8');
    const named = [...text.matchAll(/\b(?:task|thought|audit|merkle|skill|server|router)_[a-z_]+\b/g)].map(
      ([word]) => word,
    );
    const arguments_ = ['task_id', 'thought_id', 'session_id'];
    expect(named.filter((word) => !tools.includes(word) && !arguments_.includes(word))).toEqual([]);
    // The switchboard's codes come with the switchboard.
    const codes = [...text.matchAll(/\b(?:ERR|STORE|SESSION|INVALID)_[A-Z_]+\b/g)].map(([word]) => word);
    expect(codes.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });
});
