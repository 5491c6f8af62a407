/** Codes of the OCI distribution specification, with the statuses that go with them. */
const ERRORS = {
  BLOB_UNKNOWN: { status: 404, message: 'blob unknown to registry' },
  BLOB_UPLOAD_INVALID: { status: 400, message: 'blob upload invalid' },
  BLOB_UPLOAD_UNKNOWN: { status: 404, message: 'blob upload unknown to registry' },
  DIGEST_INVALID: { status: 400, message: 'provided digest did not match uploaded content' },
  MANIFEST_BLOB_UNKNOWN: { status: 400, message: 'blob unknown to registry' },
  MANIFEST_INVALID: { status: 400, message: 'manifest invalid' },
  MANIFEST_UNKNOWN: { status: 404, message: 'manifest unknown' },
  NAME_INVALID: { status: 400, message: 'invalid repository name' },
  NAME_UNKNOWN: { status: 404, message: 'repository name not known to registry' },
  PAGINATION_NUMBER_INVALID: { status: 400, message: 'invalid number of results requested' },
  RANGE_INVALID: { status: 416, message: 'invalid content range' },
  SIZE_INVALID: { status: 413, message: 'more content than this registry takes' },
  UNAUTHORIZED: { status: 401, message: 'authentication required' },
  UNSUPPORTED: { status: 405, message: 'The operation is unsupported.' },
} as const;

export type RegistryErrorCode = keyof typeof ERRORS;

/** What the registry answers instead of content. */
export class RegistryError extends Error {
  readonly code: RegistryErrorCode;
  readonly detail: unknown;

  constructor(code: RegistryErrorCode, detail?: unknown) {
    super(ERRORS[code].message);
    this.name = 'RegistryError';
    this.code = code;
    this.detail = detail;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  toJson(): unknown {
    const { code, message, detail } = this;
    return { errors: [{ code, message, ...(detail === undefined ? {} : { detail }) }] };
  }
}
