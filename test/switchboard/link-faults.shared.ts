// What link-faults.test.ts and link-faults.deep.test.ts share: a connection to a server of test/servers/.
import { type LinkPlace, linkPlace } from '../support/dial.js';

export const open = async (name: string, place: LinkPlace = linkPlace()) => ({
  place,
  link: await place.link(place.fake(name)),
});
