import type { Overload } from '../overload.ts';
import { CIDR_FUNCTIONS, IP_FUNCTIONS } from './addresses.ts';
import { FIND_FUNCTIONS } from './find.ts';
import { FORMAT_FUNCTIONS } from './formats.ts';
import { LIST_FUNCTIONS } from './lists.ts';
import { QUANTITY_FUNCTIONS } from './quantity.ts';
import { SEMVER_FUNCTIONS } from './semver.ts';
import { URL_FUNCTIONS } from './url.ts';

/** What Kubernetes adds to CEL's own functions, and the extension Lists that it has taken in. */
export const KUBERNETES_FUNCTIONS: readonly Overload[] = [
  ...QUANTITY_FUNCTIONS,
  ...URL_FUNCTIONS,
  ...IP_FUNCTIONS,
  ...CIDR_FUNCTIONS,
  ...FIND_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...FORMAT_FUNCTIONS,
  ...SEMVER_FUNCTIONS,
];
