// Receipts of clients of both protocols, and of an answer that has no digest.
import { answersOfRecords, answerWithoutDigest } from './receipts.shared.js';

answersOfRecords('legacy');
answersOfRecords('modern');
answerWithoutDigest();
