// The first list after `colibri init --import` was undone.
import { firstListAfterUndo } from './init-first-list.shared.js';

firstListAfterUndo();
