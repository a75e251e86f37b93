// For programs without a model, which a driver of ours runs call by call: it tells the stub what a user saw, and gets the next calls.

export const plain = {
  marksErrors: true,
  takes: (path) => path === '/plain',
  read: (body) => ({ shown: '', ...body, isStream: false }),
  write: ({ calls = [] }) => ({ json: { calls: calls.map(({ tool, args }) => ({ name: tool.name, args })) } }),
};
