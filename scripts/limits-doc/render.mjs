// The document as text.

const figure = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');

/** The largest unit that gives a whole number. */
const inUnits = (value, units) => {
  const [name, size] = units.find(([, one]) => value >= one && value % one === 0) ?? units.at(-1);
  return `${figure(value / size)} ${name}`;
};

const BYTES = [
  ['GiB', 1024 ** 3],
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
  ['GB', 1e9],
  ['MB', 1e6],
  ['bytes', 1],
];
const TIMES = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** The unit is the end of the name; what has none is counted. */
const UNITS = [
  [/Bytes$/, (value) => inUnits(value, BYTES)],
  [/Ms$/, (value) => inUnits(value, TIMES)],
  [/Minutes$/, (value) => `${figure(value)} min`],
  [/Mb$/, (value) => `${figure(value)} MiB`],
  [/Chars$/, (value) => `${figure(value)} characters`],
  [/Share$/, (value) => `${value * 100} %`],
];

export const readable = (name, value) => (UNITS.find(([end]) => end.test(name))?.[1] ?? figure)(value);

const cell = (text) => text.replaceAll('|', '\\|');

const roomText = ({ file, room, about, object, entries }) => `## ${room.replace(/^src\//, '')}

${about} \`${object}\` in \`${file}\`.

| name | value | what it bounds |
|---|---|---|
${entries.map(({ name, value, meaning }) => `| \`${name}\` | ${readable(name, value)} | ${cell(meaning)} |`).join('\n')}
`;

export const renderLimits = (rooms) => `# Limits

<!-- Written by scripts/document-limits.mjs from the limits.ts files under src/: change those, then \`npm run docs\`.
test/limits-doc.test.ts keeps it so. -->

Every number that bounds something: sizes, counts, patience, how much is shown. Each room of the program has its own; there is
no switch for them, except where a setting is named. What settings may be set to stands in
[configuration.md](configuration.md), for servers in [switchboard.md](switchboard.md).

${rooms.map(roomText).join('\n')}`;
