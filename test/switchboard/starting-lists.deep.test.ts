// Prompts and resources of a server that is starting, for clients of older protocols.
import { startingLists } from './starting-lists.shared.js';

startingLists('legacy');
