// Formats sizes in bytes for people.
const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A size such as `812 bytes` or `4.2 MB`, in decimal units, as disks are sold. */
export const bytesText = (bytes: number): string => {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
};
