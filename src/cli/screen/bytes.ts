// Formats sizes in bytes for people.
const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** `812 bytes`, `4.2 MB`: decimal units, as disks are sold. */
export const bytesText = (bytes: number): string => {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
};
