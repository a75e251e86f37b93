// A rollback journal that tells SQLite to delete a file of somebody's choice (sqlite.org/fileformat2, section 3).
const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');
const SECTOR_BYTES = 512;
const PAGE_BYTES = 2048;

const header = (pages: number): Buffer => {
  const bytes = Buffer.alloc(SECTOR_BYTES);
  MAGIC.copy(bytes);
  for (const [at, value] of [0, 1, pages, SECTOR_BYTES, PAGE_BYTES].entries()) bytes.writeUInt32BE(value, 8 + 4 * at);
  return bytes;
};

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value >>> 0);
  return bytes;
};

/** Beside a database of so many pages; `names` is the file that playing it back would delete. */
export const journalNaming = (names: string, pages: number): Buffer => {
  const name = Buffer.from(names);
  const sum = name.reduce((total, byte) => total + byte, 0);
  const lockPage = uint32(0x40000000 / PAGE_BYTES + 1);
  return Buffer.concat([header(pages), lockPage, name, uint32(name.length), uint32(sum), MAGIC]);
};
