/**
 * How an error is treated: `transient` is retried inside the component's deadline, `terminal` fails the
 * component at once, `configuration` stops before a revision is created and waits for an edit, `bug` is ours.
 */
export type ErrorClass = 'transient' | 'terminal' | 'configuration' | 'bug';

interface ErrorKind {
  readonly class: ErrorClass;
  readonly meaning: string;
}

export const ERROR_CODES = {
  ApiUnreachable: { class: 'transient', meaning: 'the API server cannot be reached' },
  ApiTimeout: { class: 'transient', meaning: 'the API server did not answer in time' },
  ApiThrottled: { class: 'transient', meaning: 'the API server asked to slow down' },
  ApiServerError: { class: 'transient', meaning: 'the API server answered with an internal error' },
  ApiConflict: { class: 'transient', meaning: 'the object was changed by someone else in between' },
  ApiAlreadyExists: { class: 'terminal', meaning: 'an object of that name exists already' },
  ApiNotFound: { class: 'transient', meaning: 'the object, or a namespace it needs, does not exist' },
  ApiForbidden: { class: 'terminal', meaning: 'a permission is missing' },
  ApiUnauthorized: { class: 'transient', meaning: 'the credentials were not accepted' },
  ApiInvalid: { class: 'terminal', meaning: 'the API server refused the object as invalid' },
  QuotaExceeded: { class: 'transient', meaning: 'the ResourceQuota of the namespace is used up' },
  ApiExpired: { class: 'transient', meaning: 'the resource version is too old' },
  KindNotServed: { class: 'transient', meaning: 'the API server does not serve that kind (yet)' },
  NamespaceTerminating: { class: 'transient', meaning: 'the namespace is being deleted' },
  WebhookNotAnswering: { class: 'transient', meaning: 'an admission webhook does not answer' },
  KubeconfigInvalid: { class: 'configuration', meaning: 'the kubeconfig cannot be used' },
  RegistryUnreachable: { class: 'transient', meaning: 'the registry or repository cannot be reached' },
  RegistryUnauthorized: { class: 'transient', meaning: 'the registry did not accept the credentials' },
  ArtifactNotFound: { class: 'transient', meaning: 'the chart or tree is not in the registry or repository' },
  CredentialsInvalid: { class: 'configuration', meaning: 'the registry credentials file cannot be used' },
  ReferenceInvalid: { class: 'configuration', meaning: 'a chart or tree reference is malformed' },
  DigestMismatch: { class: 'configuration', meaning: 'the content is not the one that the digest names' },
  ArchiveInvalid: { class: 'configuration', meaning: 'an archive is truncated or not what it should be' },
  ArchiveUnsafe: { class: 'configuration', meaning: 'an archive holds a path or link that leads outside' },
  ArchiveTooLarge: { class: 'configuration', meaning: 'an archive exceeds the size limits' },
  TreeInvalid: { class: 'configuration', meaning: 'a package tree lacks or misplaces a part' },
  ChartInvalid: { class: 'configuration', meaning: 'a chart is malformed or not the one that was asked for' },
  BackendUnavailable: {
    class: 'transient',
    meaning: 'what a backend needs in the cluster is not there, not of a supported version, or may not be used',
  },
  HelmNotFound: { class: 'configuration', meaning: 'no usable helm binary was found' },
  HelmFailed: { class: 'terminal', meaning: 'helm ended with an error' },
  HelmKilled: { class: 'transient', meaning: 'helm was stopped before it ended' },
  RenderFailed: { class: 'terminal', meaning: 'the chart does not render' },
  ValuesInvalid: { class: 'terminal', meaning: "the values do not satisfy the chart's schema" },
  ImmutableField: { class: 'terminal', meaning: 'a field that cannot be changed would change' },
  OwnershipConflict: { class: 'terminal', meaning: 'a release or object belongs to someone else' },
  ReleaseLocked: { class: 'transient', meaning: 'another operation on the release is in progress' },
  ReleaseTooLarge: { class: 'terminal', meaning: 'the release record does not fit into a Secret' },
  DiskFull: { class: 'transient', meaning: 'there is no space left on the disk' },
  ComponentFailed: { class: 'terminal', meaning: 'an object of a component failed, or has been failing for too long' },
  HookUnprovable: { class: 'terminal', meaning: 'a hook was interrupted, and whether its Job ran cannot be known' },
  Interrupted: { class: 'terminal', meaning: 'a newer desired state took over' },
  DeadlineExceeded: { class: 'terminal', meaning: 'something was not done by its deadline' },
  InvalidConfiguration: { class: 'configuration', meaning: 'the specification cannot be carried out as written' },
  InvalidInput: { class: 'configuration', meaning: 'a file or argument is malformed' },
  NotFound: { class: 'configuration', meaning: 'the named thing does not exist' },
  Unsupported: { class: 'configuration', meaning: 'this version or backend cannot do that' },
  Internal: { class: 'bug', meaning: 'a fault in kubepkg' },
} as const satisfies Record<string, ErrorKind>;

export type ErrorCode = keyof typeof ERROR_CODES;

export interface ErrorDetails {
  /** One sentence: what to do next. */
  readonly hint?: string;
  readonly cause?: unknown;
  /** Milliseconds that the other side asked us to wait. */
  readonly retryAfterMs?: number;
}

/** The one error class: `message` names the thing and what is wrong with it, `hint` the remedy. */
export class KubepkgError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'KubepkgError';
    this.code = code;
    this.hint = details.hint;
    this.retryAfterMs = details.retryAfterMs;
  }

  get class(): ErrorClass {
    return ERROR_CODES[this.code].class;
  }
}

export function isCode(error: unknown, ...codes: readonly ErrorCode[]): error is KubepkgError {
  return error instanceof KubepkgError && codes.includes(error.code);
}

/** Anything thrown, as our error: what is not ours is a fault of kubepkg. */
export function asKubepkgError(error: unknown): KubepkgError {
  if (error instanceof KubepkgError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new KubepkgError('Internal', message, { cause: error });
}

/** Message and remedy in one line, for conditions and events. */
export function describeError(error: KubepkgError): string {
  return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
}
