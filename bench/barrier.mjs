// Where several wait for each other, so that all are measured at the same time.

/** Opens once all have arrived. @param {number} count */
export const barrier = (count) => {
  let missing = count;
  /** @type {() => void} */
  let open = () => {};
  const opened = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    open = resolve;
  });
  return {
    /** Resolves when it opens, without arriving. */
    opened,
    arrive: () => {
      missing -= 1;
      if (missing === 0) open();
      return opened;
    },
    /** One that failed must not leave the others waiting. */
    give: () => open(),
  };
};
