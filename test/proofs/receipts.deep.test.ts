// Receipts of a client of older protocols.
import { answersOfRecords } from './receipts.shared.js';

answersOfRecords('legacy');
