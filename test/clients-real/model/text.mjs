// What the dialects of the model's API share: the text in a nested value, and the form of a stream of events.

/** All text in a message's content, however it is nested. */
export const asText = (value) => {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(asText).join('\n');
  if (typeof value !== 'object' || value === null) return '';
  return Object.entries(value)
    .filter(([key]) => !['type', 'id', 'role', 'cache_control'].includes(key))
    .map(([, member]) => asText(member))
    .join('\n');
};

/** The body of an answer that streams. `named`: with the line `event:` that some APIs have. `last`: a line at the end that is not JSON. */
export const events = (list, { named = false, last } = {}) => {
  const lines = list.map((one) => `${named ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`);
  return { stream: [...lines, ...(last === undefined ? [] : [`data: ${last}\n\n`])] };
};
