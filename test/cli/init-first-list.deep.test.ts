// The first list after `colibri init --import`, and after it was undone.
import { firstListAfterImport, firstListAfterUndo } from './init-first-list.shared.js';

firstListAfterImport();
firstListAfterUndo();
