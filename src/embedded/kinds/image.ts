/** `Always` for images by the tag latest or without one, as the API server defaults it. */
export function pullPolicyOf(image: unknown): 'Always' | 'IfNotPresent' {
  const tag = typeof image === 'string' ? tagOf(image) : undefined;
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

const DIGEST = /@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/;
const NAME =
  /^(?:[A-Za-z0-9.-]+(?::[0-9]+)?\/)?[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*$/;
const TAG = /:([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$/;

/** Undefined for what is no reference, or one by a digest alone. */
function tagOf(image: string): string | undefined {
  const withoutDigest = image.replace(DIGEST, '');
  const tag = TAG.exec(withoutDigest)?.[1];
  const name = tag === undefined ? withoutDigest : withoutDigest.slice(0, -tag.length - 1);
  if (!NAME.test(name)) return undefined;
  return tag ?? (withoutDigest === image ? 'latest' : undefined);
}
