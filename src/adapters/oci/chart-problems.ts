import { KubepkgError } from '../../api/errors.ts';

export function chartInvalid(subject: string, problem: string): KubepkgError {
  return new KubepkgError('ChartInvalid', `${subject}: ${problem}`, { hint: 'check the chart with helm lint' });
}
