// Behaves, in the new era only.
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { contractServer } from './contract-tools.mjs';

serveStdio(() => contractServer(), { legacy: 'reject' });
