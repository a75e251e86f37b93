// Prompts and resources of a server that is starting, for clients of the newer protocol.
import { startingLists } from './starting-lists.shared.js';

startingLists('modern');
