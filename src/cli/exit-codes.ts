import type { ErrorCode } from '../api/errors.ts';

/** Stable: scripts rely on them. Documented in docs/reference/commands.md. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notReady: 3,
  cluster: 4,
  configuration: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_ERROR: Partial<Record<ErrorCode, ExitCode>> = {
  InvalidInput: EXIT.usage,
  NotFound: EXIT.usage,
  ReferenceInvalid: EXIT.usage,
  CredentialsInvalid: EXIT.usage,
  TreeInvalid: EXIT.usage,
  ArchiveTooLarge: EXIT.usage,
  ArchiveUnsafe: EXIT.usage,
  ChartInvalid: EXIT.usage,
  Unsupported: EXIT.usage,
  DeadlineExceeded: EXIT.notReady,
  KubeconfigInvalid: EXIT.cluster,
  ApiUnreachable: EXIT.cluster,
  ApiTimeout: EXIT.cluster,
  ApiThrottled: EXIT.cluster,
  ApiServerError: EXIT.cluster,
  ApiForbidden: EXIT.cluster,
  ApiUnauthorized: EXIT.cluster,
  KindNotServed: EXIT.cluster,
  WebhookNotAnswering: EXIT.cluster,
  InvalidConfiguration: EXIT.configuration,
  ApiInvalid: EXIT.configuration,
};

export function exitCodeOf(code: ErrorCode): ExitCode {
  return BY_ERROR[code] ?? EXIT.failed;
}
