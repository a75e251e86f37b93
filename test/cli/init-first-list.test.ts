// The first list after `colibri init --import`.
import { firstListAfterImport } from './init-first-list.shared.js';

firstListAfterImport();
