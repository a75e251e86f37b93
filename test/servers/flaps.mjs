// Serves for a moment after its list was read, then exits.
import { isSick, serve, text, tool } from './lines.mjs';

const leave = () => {
  if (isSick()) process.exit(1);
};
serve({
  tools: () => {
    setInterval(leave, Number(process.env.FLAP_MS ?? 300));
    return [tool('echo')];
  },
  call: () => text('quick'),
});
