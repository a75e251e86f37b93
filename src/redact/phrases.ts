// Finds secrets that only the words around them reveal, such as a command that takes a password without a name, or a file with a format of
// its own. Each pattern is a row of the table. `mark` is searched for first, so a text without it costs no more than that search; the
// secret is the last group and ends the match.
import type { Spans } from './tokens.js';

interface Phrase {
  readonly what: string;
  readonly mark: string;
  readonly find: RegExp;
}

/**
 * The patterns of secrets that only the words around them reveal. Every repetition in a pattern is bounded except the last, whose match is
 * not scanned again. A pattern that may begin with any letter begins at the start of a word.
 */
export const PHRASES: readonly Phrase[] = [
  {
    what: '.netrc',
    mark: 'machine',
    find: /\bmachine\s{1,16}[^\s,]{1,128}\s{1,16}login\s{1,16}[^\s,]{1,128}\s{1,16}password\s{1,16}(\S+)/g,
  },
  { what: '.pgpass', mark: ':5432:', find: /(?<![\w.*-])[\w.*-]{1,128}:5432:[^\s:]{1,64}:[^\s:]{1,64}:([^\s"'`]+)/g },
  { what: 'sshpass', mark: '-p', find: /\bsshpass (?:-v )?-p ?(?!\$)["']?([^\s"']+)/g },
  {
    what: 'mysql',
    mark: '-p',
    find: /\bmysql(?:dump|admin|import|show|check)?\b[^\n|;&]{0,128} -p(?!\$|ort|rot|rin|lug|ipe|ref)["']?([^\s"']+)/g,
  },
  { what: 'redis-cli', mark: '-a ', find: /\bredis-cli\b[^\n|;&]{0,128} -a ["']?(?!\$)([^\s"']+)/g },
  { what: 'curl', mark: '-u', find: /\bcurl\b[^\n|;&]{0,256} -u(?=[\w.@-]{1,64}:)([^\s"']+)/g },
  { what: 'zip', mark: '-P', find: /\b(?:un|7)?zip\b[^\n|;&]{0,128} -P ?(?!\$)["']?([^\s"']+)/g },
  { what: 'SQL', mark: "D '", find: /\bPASSWORD '([^'\n]+)/g },
  { what: 'SQL', mark: 'IDENTIFIED', find: /\bIDENTIFIED (?:WITH \S{1,64} )?BY (?:PASSWORD )?["']([^"'\n]+)/g },
  { what: 'Go database', mark: '@tcp(', find: /(?<![\w.-])[\w.-]{1,64}:([^\s"'`@]{1,128})(?=@tcp\()/g },
  {
    what: 'form',
    mark: '; name="',
    find: /form-data; name="[\w.[\]-]{0,64}(?:password|passwd|secret|token|api_?key)\]?"\r?\n\r?\n([^\r\n]+)/gi,
  },
  { what: 'PuTTY', mark: 'Private-Lines', find: /\bPrivate-Lines: \d{1,4}\r?\n((?:[\w+/=]{1,128}\r?\n?)+)/g },
  { what: 'password hash', mark: '$', find: /(\$(?:argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,16})\$[\w$=,+/.-]{20,})/g },
  { what: 'SSH2', mark: 'SSH2 ENC', find: /---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----([^-]+)/g },
  {
    what: 'key file in an address',
    mark: 'PRIVATE',
    find: /-----BEGIN(?:%20|\+)(?:[A-Z0-9]{1,16}(?:%20|\+)){0,3}PRIVATE(?:%20|\+)KEY-----([\w%+/=.]+)/g,
  },
];

export const findPhrases = (text: string, spans: Spans): void => {
  for (const { mark, find } of PHRASES) {
    if (!text.includes(mark)) continue;
    for (const found of text.matchAll(find)) {
      const to = found.index + found[0].length;
      spans.push(to - (found[1] ?? '').length, to);
    }
  }
};
