/** Undefined for what is no JSON: anybody may edit an annotation. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
