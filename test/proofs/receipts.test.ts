// Receipts of a client of the newer protocol, and of an answer that has no digest.
import { answersOfRecords, answerWithoutDigest } from './receipts.shared.js';

answersOfRecords('modern');
answerWithoutDigest();
