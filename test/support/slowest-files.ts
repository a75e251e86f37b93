// A vitest reporter that prints the ten slowest test files, before the totals.
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

const secondsOf = (file: TestModule): number => {
  const { collectDuration, duration } = file.diagnostic();
  return (collectDuration + duration) / 1_000;
};

export const slowestFiles: Reporter = {
  onTestRunEnd: (files) => {
    const slowest = files.toSorted((a, b) => secondsOf(b) - secondsOf(a)).slice(0, SHOWN);
    const lines = slowest.map((file) => `${secondsOf(file).toFixed(1).padStart(7)} s  ${file.relativeModuleId}\n`);
    process.stdout.write(`\n The slowest files:\n${lines.join('')}`);
  },
};
