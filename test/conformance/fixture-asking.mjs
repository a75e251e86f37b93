// Calls that ask for input in the ways the new era can: each kind, several at once, several rounds, with a state that
// must not be tampered with, and only what the client said it can answer.
import { randomUUID } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server';
import { NO_ARGUMENTS, text } from './fixture-content.mjs';

const ask = (message, property, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [property]: { type } }, required: [property] },
  });
const sample = (prompt) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 });

const askName = () => ask('What is your name?', 'name');
const threeQuestions = () => ({
  user_name: askName(),
  greeting: sample('Generate a greeting'),
  client_roots: inputRequired.listRoots(),
});
const askConfirmation = () => ask('Please confirm', 'ok', 'boolean');

const done = (words) => ({ content: [text(words)] });
const accepted = ({ mcpReq }, key) => acceptedContent(mcpReq.inputResponses, key);

const greet = (_args, ctx) => {
  const user = accepted(ctx, 'user_name');
  if (typeof user?.name === 'string') return done(`Hello, ${user.name}!`);
  return inputRequired({ inputRequests: { user_name: askName() } });
};

const sampleCapital = (_args, { mcpReq }) => {
  const answer = inputResponse(mcpReq.inputResponses, 'capital_question');
  if (answer.kind === 'sampling') return done(answer.result.content.text);
  return inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?') } });
};

const listRoots = (_args, { mcpReq }) => {
  const answer = inputResponse(mcpReq.inputResponses, 'client_roots');
  if (answer.kind === 'roots') return done(answer.roots.map(({ uri }) => uri).join(' '));
  return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
};

/** What the client declared, wherever its era says so. */
const declaredBy = (server, { mcpReq }) =>
  mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {};

const askWhatIsDeclared = (server) => (_args, ctx) => {
  if (ctx.mcpReq.inputResponses !== undefined) return done('answered');
  const { elicitation, sampling, roots } = declaredBy(server, ctx);
  return inputRequired({
    inputRequests: {
      ...(elicitation && { user_name: askName() }),
      ...(sampling && { greeting: sample('Generate a greeting') }),
      ...(roots && { client_roots: inputRequired.listRoots() }),
    },
  });
};

/** Tools whose rounds are tied together by a state. */
const withState = (states) => {
  const mint = (round) => states.mint({ round, nonce: randomUUID() });
  const confirm = async (_args, ctx) => {
    const state = ctx.mcpReq.requestState();
    if (state !== undefined && accepted(ctx, 'confirm') !== undefined) return done('state-ok');
    return inputRequired({ inputRequests: { confirm: askConfirmation() }, requestState: await mint(1) });
  };
  /** All at once in the new era, one after the other in the old one. `round`: how many were asked. */
  const several = async (_args, { mcpReq }) => {
    const questions = Object.entries(threeQuestions());
    const atOnce = mcpReq.envelope === undefined ? 1 : questions.length;
    const asked = mcpReq.requestState()?.round ?? 0;
    const open = questions.slice(asked - atOnce, asked);
    const isAnswered = open.every(([key]) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing');
    if (isAnswered && asked === questions.length) return done('All three answered');
    const next = isAnswered ? asked + atOnce : asked;
    const inputRequests = Object.fromEntries(questions.slice(next - atOnce, next));
    return inputRequired({ inputRequests, requestState: await mint(next) });
  };
  const rounds = async (_args, ctx) => {
    const round = ctx.mcpReq.requestState()?.round;
    if (round === 2 && accepted(ctx, 'step2') !== undefined) return done('Both rounds answered');
    if (round === 1 && accepted(ctx, 'step1') !== undefined) {
      const step2 = ask('Step 2: What is your favorite color?', 'color');
      return inputRequired({ inputRequests: { step2 }, requestState: await mint(2) });
    }
    const step1 = ask('Step 1: What is your name?', 'name');
    return inputRequired({ inputRequests: { step1 }, requestState: await mint(1) });
  };
  return { confirm, several, rounds };
};

export const addAskingTools = (server, states) => {
  const { confirm, several, rounds } = withState(states);
  const tools = {
    test_input_required_result_elicitation: greet,
    test_streaming_elicitation: greet,
    test_input_required_result_sampling: sampleCapital,
    // The SDK refuses it for clients that did not declare sampling: that is what the suite looks for.
    test_missing_capability: sampleCapital,
    test_input_required_result_list_roots: listRoots,
    test_input_required_result_capabilities: askWhatIsDeclared(server),
    test_input_required_result_request_state: confirm,
    test_input_required_result_tampered_state: confirm,
    test_input_required_result_multiple_inputs: several,
    test_input_required_result_multi_round: rounds,
  };
  for (const [name, run] of Object.entries(tools))
    server.registerTool(name, { description: `Conformance: ${name}`, inputSchema: NO_ARGUMENTS }, run);
};

export const addAskingPrompt = (server) =>
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks before it answers' }, (ctx) => {
    const answer = accepted(ctx, 'user_context');
    if (answer === undefined)
      return inputRequired({ inputRequests: { user_context: ask('What context should the prompt use?', 'context') } });
    return { messages: [{ role: 'user', content: text(`Context: ${answer.context}`) }] };
  });
