// The completion scripts of the shells, from the words that can be completed. The words are Colibri's own: none comes from outside.
import type { CommandWords } from './words.js';

/** Where the cursor may be: after these commands, the words that may follow. */
type Row = readonly [path: string, words: string];

const rowsOf = (commands: readonly CommandWords[]): Row[] => [
  [
    '',
    commands
      .map(({ name }) => name)
      .concat('help', '--help', '--version')
      .join(' '),
  ],
  ['help', commands.map(({ name }) => name).join(' ')],
  ...commands.flatMap(({ name, subs, options }): Row[] => [
    [name, [...subs.map((sub) => sub.name), ...options.map(({ flag }) => flag)].join(' ')],
    ...subs.flatMap((sub): Row[] => [
      [
        `${name} ${sub.name}`,
        [...sub.subs.map((third) => third.name), ...sub.options.map(({ flag }) => flag)].join(' '),
      ],
      ...sub.subs.map(
        (third): Row => [`${name} ${sub.name} ${third.name}`, third.options.map(({ flag }) => flag).join(' ')],
      ),
    ]),
    ...(subs.length > 0 ? ([[`help ${name}`, subs.map((sub) => sub.name).join(' ')]] as const) : []),
  ]),
];

/** The lines of a `case` over the commands that were typed, in the syntax that bash and zsh share. */
const caseLines = (commands: readonly CommandWords[]): string =>
  rowsOf(commands)
    .map(([path, words]) => `    '${path}') words='${words}' ;;`)
    .join('\n');

const bash = (commands: readonly CommandWords[]): string => `# colibri completion bash
_colibri() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" typed='' words='' word i
  for ((i = 1; i < COMP_CWORD && i < 4; i++)); do
    word="\${COMP_WORDS[i]}"
    [[ "$word" == -* ]] && break
    typed="\${typed:+$typed }$word"
  done
  while :; do
    case "$typed" in
${caseLines(commands)}
    esac
    [[ -n "$words" || "$typed" != *' '* ]] && break
    typed="\${typed% *}"
  done
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _colibri colibri`;

const zsh = (commands: readonly CommandWords[]): string => `#compdef colibri
# colibri completion zsh
_colibri() {
  local typed='' words_='' word i
  for ((i = 2; i < CURRENT && i < 5; i++)); do
    word="\${words[i]}"
    [[ "$word" == -* ]] && break
    typed="\${typed:+$typed }$word"
  done
  while :; do
    case "$typed" in
${caseLines(commands).replaceAll("words='", "words_='")}
    esac
    [[ -n "$words_" || "$typed" != *' '* ]] && break
    typed="\${typed% *}"
  done
  compadd -- \${=words_}
  [[ "\${words[CURRENT]}" == -* ]] || _files
}
if [[ "\${funcstack[1]}" = _colibri ]]; then _colibri "$@"; else compdef _colibri colibri; fi`;

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const fish = (commands: readonly CommandWords[]): string =>
  [
    '# colibri completion fish',
    ...commands.flatMap(({ name, about, subs, options }) => [
      `complete -c colibri -f -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
      ...subs.map(
        (sub) =>
          `complete -c colibri -f -n '__fish_seen_subcommand_from ${name}; and not __fish_seen_subcommand_from ${subs.map((one) => one.name).join(' ')}' -a ${sub.name} -d ${quoted(sub.about)}`,
      ),
      ...subs.flatMap((sub) =>
        sub.subs.map(
          (third) =>
            `complete -c colibri -f -n '__fish_seen_subcommand_from ${name}; and __fish_seen_subcommand_from ${sub.name}; and not __fish_seen_subcommand_from ${sub.subs.map((one) => one.name).join(' ')}' -a ${third.name} -d ${quoted(third.about)}`,
        ),
      ),
      ...[...options, ...subs.flatMap((sub) => [...sub.options, ...sub.subs.flatMap((third) => third.options)])]
        .filter(({ flag }, i, all) => flag.startsWith('--') && all.findIndex((one) => one.flag === flag) === i)
        .map(
          ({ flag, about: what }) =>
            `complete -c colibri -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d ${quoted(what)}`,
        ),
    ]),
  ].join('\n');

export const SCRIPTS: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = { bash, zsh, fish };
