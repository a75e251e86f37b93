// Base64 with exactly one way to write a value: what decodes but would be written otherwise is refused.
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};
