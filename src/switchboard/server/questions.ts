// What a server asks of the person or the model behind the client, on its way there. A question looks as if it came from the
// client itself, so it says who asks; it is recorded; and nobody is asked more than a few things at a time.
import type { JsonObject } from '../../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

/** A question that was put to the client. What it says is not recorded. */
export interface Question {
  readonly server: string;
  readonly method: string;
  /** The call during which it was asked; null where several were under way. */
  readonly call: string | null;
}

export interface QuestionDeps {
  readonly server: string;
  readonly onAsked: (question: Question) => void;
}

/** Which text of a question the client shows. `roots/list` is answered by the client without a word to anybody. */
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

  /** Is there room for so many more? */
  mayAsk(more: number): boolean {
    return this.#open + more <= SWITCHBOARD_LIMITS.openQuestions;
  }

  /** The question as it goes to the client, recorded. */
  put(method: string, params: JsonObject, call: string | null): JsonObject {
    const key = SHOWN[method];
    if (key === undefined) return params;
    const { server, onAsked } = this.#deps;
    onAsked({ server, method, call });
    const text = params[key];
    const said = typeof text === 'string' ? `\n\n${text}` : '';
    return { ...params, [key]: `The MCP server "${server}" asks:${said}` };
  }

  /** Counts it for as long as it is open. */
  async during<T>(answer: Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await answer;
    } finally {
      this.#open -= 1;
    }
  }
}
