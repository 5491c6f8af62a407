import { customResourceDefinitions } from '../../api/crd.ts';
import { KubepkgError } from '../../api/errors.ts';
import { writeYaml } from '../../lib/yaml.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { type DataFormat, formatList } from '../output-format.ts';

export interface CrdsFlags {
  readonly output: DataFormat;
  readonly apiGroup: string;
}

const GROUP = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Prints the CustomResourceDefinitions, ready for kubectl apply. */
export function runCrds(host: CliHost, { output, apiGroup }: CrdsFlags): ExitCode {
  if (!GROUP.test(apiGroup) || apiGroup.length > 200) {
    throw new KubepkgError('InvalidInput', `${JSON.stringify(apiGroup)} is not an API group`, {
      hint: 'write a domain name in lower case, such as packages.example.org',
    });
  }
  const crds = customResourceDefinitions(apiGroup);
  host.stdout.write(
    output === 'json' ? formatList(crds, 'json') : crds.map((crd) => `---\n${writeYaml(crd)}`).join(''),
  );
  return EXIT.ok;
}
