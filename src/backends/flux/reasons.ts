interface ReasonRow {
  /** `fails`: an action ended so. `waits`: it goes on by itself once what the message names is there. */
  readonly means: 'fails' | 'waits';
  /** Its message is about names alone; others may quote values. */
  readonly speaks?: true;
  readonly why: string;
}

/**
 * Reasons of the conditions Ready and Released that say more than that helm-controller is at work. Whatever is not
 * here is waited for: what is new to this table must not fail a release.
 */
export const REASONS: Readonly<Record<string, ReasonRow>> = {
  InstallFailed: { means: 'fails', why: 'Helm could not install it: rendering, schema, API server, wait or hook' },
  UpgradeFailed: { means: 'fails', why: 'Helm could not upgrade it' },
  SourceNotReady: {
    means: 'waits',
    speaks: true,
    why: 'the chart is not fetched: normal for a tenth of a second, and for as long as a registry does not answer',
  },
  ArtifactFailed: { means: 'waits', speaks: true, why: 'the source, or what it fetched, is not there' },
  DependencyNotReady: {
    means: 'waits',
    speaks: true,
    why: 'somebody made it wait for another HelmRelease; looked at every 30 s',
  },
  ValuesError: {
    means: 'waits',
    speaks: true,
    why: 'the Secret with the values is not there; looked at with growing pauses',
  },
  AccessDenied: { means: 'waits', speaks: true, why: 'the source is in another namespace; final where it stalls' },
  PendingRelease: { means: 'waits', why: 'a record of an action that was cut off is settled before the next action' },
  HealthCheckCanceled: { means: 'waits', why: 'a wait was cut short for a newer request' },
  ChartMutateError: { means: 'waits', why: 'what was fetched is not the chart that was asked for' },
  RESTClientError: { means: 'waits', why: 'helm-controller cannot act in the name of the service account' },
  FactoryError: { means: 'waits', why: 'helm-controller cannot reach the release records' },
  StateError: { means: 'waits', why: 'helm-controller cannot read the release records' },
  ReconcileError: { means: 'waits', why: 'a turn of helm-controller ended with an error and is repeated' },
};

export const failedReasons: ReadonlySet<string> = reasonsThat('fails');
export const waitingReasons: ReadonlySet<string> = reasonsThat('waits');

function reasonsThat(means: ReasonRow['means']): ReadonlySet<string> {
  return new Set(Object.entries(REASONS).flatMap(([reason, row]) => (row.means === means ? [reason] : [])));
}
