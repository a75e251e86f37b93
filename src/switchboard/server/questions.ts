// Passes questions of a server to the person or model behind the client. A question would look as if the client itself asked, so
// the server's name is put before it. Each question is recorded, and only a few may be open at a time.
import type { JsonObject } from '../../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

/** A question that was passed to the client, as it is recorded: without its text. */
export interface Question {
  readonly server: string;
  readonly method: string;
  /** The call during which it was asked; null if several were in flight. */
  readonly call: string | null;
}

export interface QuestionDeps {
  readonly server: string;
  readonly onAsked: (question: Question) => void;
}

/** Which member of a question the client shows. `roots/list` is missing: clients answer it without asking anybody. */
const SHOWN: Readonly<Record<string, 'message' | 'systemPrompt'>> = {
  'elicitation/create': 'message',
  'sampling/createMessage': 'systemPrompt',
};

export class Questions {
  readonly #deps: QuestionDeps;
  #open = 0;

  constructor(deps: QuestionDeps) {
    this.#deps = deps;
  }

  /** Whether so many more questions may be open. */
  mayAsk(more: number): boolean {
    return this.#open + more <= SWITCHBOARD_LIMITS.openQuestions;
  }

  /** Records the question and returns it as it goes to the client. */
  put(method: string, params: JsonObject, call: string | null): JsonObject {
    const key = SHOWN[method];
    if (key === undefined) return params;
    const { server, onAsked } = this.#deps;
    onAsked({ server, method, call });
    const text = params[key];
    const said = typeof text === 'string' ? `\n\n${text}` : '';
    return { ...params, [key]: `The MCP server "${server}" asks:${said}` };
  }

  /** Counts the question as open until it is answered. */
  async during<T>(answer: Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await answer;
    } finally {
      this.#open -= 1;
    }
  }
}
