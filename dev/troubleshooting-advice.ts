import type { ErrorCode } from '../src/api/errors.ts';
import type { ReadyReason } from '../src/api/reasons.ts';

/** Where to look further, and what to do then. */
export type Advice = readonly [look: string, remedy: string];

const STATUS = '`kubepkg status NAME`';
const REPORT = 'report it, with what `-v` shows';

/** A reason that is missing here does not compile. */
export const OF_REASONS: Readonly<Record<ReadyReason, Advice>> = {
  ReconciliationSucceeded: ['nothing', 'nothing'],
  RolledBack: ['`kubepkg history NAME`', 'go on to what is wanted with `kubepkg retry NAME`, or change the Package'],
  Progressing: [`${STATUS}: the component it waits for, and until when`, 'wait; nothing is wrong yet'],
  PackageSourceNotFound: ['`kubectl get packagesources`', '`kubepkg install NAME -f FILE` with the source'],
  VariantNotFound: ['the variants in the PackageSource', '`kubepkg install NAME --variant VARIANT`'],
  VersionMismatch: ['`spec.version` of the Package and of the PackageSource', "`kubepkg install 'NAME@CONSTRAINT'`"],
  VersionNotAvailable: ['what the repositories offer', 'widen the constraint, or have the version published'],
  RequirementsNotMet: [
    '`kubepkg status` of the package that is named',
    'install or repair that one; this one goes on by itself',
  ],
  Conflict: ['the package that is named', 'remove one of the two'],
  CRDOwnershipConflict: [
    'annotation `kubepkg.dev/owned-by` of the CRD',
    'take the CRD from `spec.crds` of one of the packages, or remove that package',
  ],
  InvalidConfiguration: ['the field that the message names', 'correct the Package or its PackageSource'],
  FetchFailed: [
    'whether the registry answers, and whether its credentials are those of the operator',
    'nothing, once it answers: it is tried again with growing pauses',
  ],
  UpgradeFailed: [
    `${STATUS} and \`kubepkg logs NAME --failed\``,
    'correct the cause, then install again, or retry as it is with `kubepkg retry NAME`',
  ],
  UpgradeRolledBack: [
    `${STATUS} and \`kubepkg logs NAME --failed\`, which show what was seen before it was undone`,
    'the version before runs; correct the cause, then install again or `kubepkg retry NAME`',
  ],
  RollbackFailed: [
    STATUS,
    'correct what stands against it, then `kubepkg rollback NAME` again, or install a version that works',
  ],
  Degraded: [
    `${STATUS} and \`kubepkg diff NAME --live\``,
    'repair what is named; `kubepkg retry NAME` delivers a release again that somebody has changed',
  ],
  Suspended: ['nothing', '`kubepkg resume NAME`'],
  Deleting: [`${STATUS}: the object and the finalizer that hold it up`, 'have the owner of the finalizer do its work'],
};

const WAIT = 'nothing: it is tried again; if it lasts, see who has a hand in it';

/** A code that is missing here does not compile. */
export const OF_ERRORS: Readonly<Record<ErrorCode, Advice>> = {
  ApiUnreachable: [
    '`kubectl version`, the kubeconfig and its context',
    'connect to the network of the cluster, or name another `--context`',
  ],
  ApiTimeout: ['the load of the API server', WAIT],
  ApiThrottled: ['the FlowSchemas of the API server', WAIT],
  ApiServerError: ['the log of the API server, and of webhooks that it calls', WAIT],
  ApiConflict: ['`metadata.managedFields` of the object: who else writes it', WAIT],
  ApiAlreadyExists: [
    'the object that is named, and whose it is',
    'remove it, or `kubepkg adopt NAME` where it is to be taken over',
  ],
  ApiNotFound: ['whether the namespace that is named exists', 'create it, or correct the name'],
  ApiForbidden: [
    '`kubectl auth can-i` with the verb and the resource that are named',
    'have the right given, or use a kubeconfig that has it',
  ],
  ApiUnauthorized: ['the user of the kubeconfig', 'log in anew: a token or certificate has run out'],
  ApiInvalid: ['the field that the API server names', 'correct the values or the chart'],
  QuotaExceeded: [
    '`kubectl describe resourcequota` in the namespace',
    'raise the quota, or ask for less; it goes on by itself',
  ],
  ApiExpired: ['nothing', 'run the command again'],
  KindNotServed: [
    '`kubectl api-resources`',
    'install what brings the CRD; for a kind of kubepkg: `kubepkg crds | kubectl apply --server-side -f -`',
  ],
  NamespaceTerminating: [
    '`kubectl get namespace NAMESPACE -o yaml`: what it waits for',
    'nothing: it goes on once the namespace is gone',
  ],
  WebhookNotAnswering: [
    'the Service and the pods of the webhook that is named',
    'repair it, or remove its configuration where nobody needs it',
  ],
  KubeconfigInvalid: ['the file that is named, `KUBECONFIG` and `--context`', 'correct it, or name another one'],
  RegistryUnreachable: [
    'the address, the proxy and the certificates (`--registry-ca-file`)',
    'nothing, once it answers',
  ],
  RegistryUnauthorized: [
    'the credentials file (`--registry-config`), and that it has this host',
    'log in with `helm registry login` or `docker login`',
  ],
  ArtifactNotFound: ['name and version in the registry', 'push it, or correct the reference'],
  CredentialsInvalid: ['the credentials file that is named', 'write it anew, with `docker login` for one'],
  ReferenceInvalid: ['the reference that is named', 'write `oci://HOST/REPOSITORY:TAG` or `@sha256:DIGEST`'],
  DigestMismatch: [
    'who has published something else under that version',
    'publish under a new version; change the digest only where this was meant',
  ],
  ArchiveInvalid: ['whether the file is a chart or a tree, and whole', 'push or download it again'],
  ArchiveUnsafe: ['the path or link that is named', 'leave it out of the archive'],
  ArchiveTooLarge: ['the large files in it', 'leave out what does not belong into a chart'],
  TreeInvalid: ['the folder that is named', 'correct the path in the PackageSource, or the tree'],
  ChartInvalid: ['`helm lint` of the chart', 'correct the chart, or its name and version in the source'],
  BackendUnavailable: [
    'what is named: a CRD of Flux or Argo CD, its version, or a right',
    'install it, or choose another `--backend`',
  ],
  HelmNotFound: [
    '`helm version` where the command or the operator runs',
    'install helm 4 (or 3.14 and newer), or name it with `--helm`',
  ],
  HelmFailed: ['the lines of helm in the message', 'correct what they name'],
  HelmKilled: ['memory and restarts of the operator', WAIT],
  RenderFailed: [
    'the template and line that are named',
    'correct the values or the template; `kubepkg render NAME -f FILE` shows it without a cluster',
  ],
  ValuesInvalid: [
    'the paths of values that are named',
    'correct `spec.components.COMPONENT.values`, or set `install.skipSchemaValidation`',
  ],
  ImmutableField: ['the field that is named', 'keep it, or delete the object first; for Jobs see `install.recreate`'],
  OwnershipConflict: [
    'the labels and annotations of the object that is named',
    '`kubepkg adopt NAME` takes it over; else choose another name',
  ],
  ReleaseLocked: ['who else runs helm on that release', WAIT],
  ReleaseTooLarge: [
    'the largest files, which the message names',
    'leave files out of the chart, or put CRDs into `crds/`',
  ],
  DiskFull: ['the disk of `--cache-dir`', 'free space, or name a larger disk'],
  ComponentFailed: [`${STATUS} and \`kubepkg logs NAME --failed\``, 'correct what the object says'],
  HookUnprovable: [
    'the Job of the hook, and what it has done',
    'see whether its work is done, then `kubepkg retry NAME`',
  ],
  Interrupted: ['`kubepkg history NAME`', 'nothing: the newer state is on its way'],
  DeadlineExceeded: [`${STATUS}: what was waited for`, 'repair it, or give more time with `--timeout`'],
  InvalidConfiguration: ['the field that the message names', 'correct the Package or its PackageSource'],
  InvalidInput: ['the argument or line that is named', 'correct it; `kubepkg COMMAND --help` has examples'],
  NotFound: ['the name, and the one that is proposed', 'correct it'],
  Unsupported: ['what the message names', 'use another backend, or do without'],
  Internal: ['the stack that `-v` shows', REPORT],
};

/** By the title of a failure on the page of failures; a test compares both. */
export const OF_FAILURES: Readonly<Record<string, Advice>> = {
  'an image that does not exist': ['the name and tag in the registry', 'correct the image in the values, or push it'],
  'a container that ends with an error': ['`kubepkg logs NAME COMPONENT --previous`', 'correct what it complains of'],
  'a container that takes more memory than it may': ['`resources.limits.memory`', 'raise it in the values'],
  'no node for a pod': ['requests, selectors, taints and claims of the pod', 'make room, or ask for less'],
  'a Secret for environment variables that does not exist': [
    'the Secret that is named',
    'create it, or correct its name in the values',
  ],
  'a ConfigMap for a volume that does not exist': [
    'the ConfigMap that is named',
    'create it, or correct its name in the values',
  ],
  'a readiness probe that fails': [
    '`kubepkg logs NAME COMPONENT`, and what the probe asks',
    'repair what it depends on',
  ],
  'an init container that does not end': ['`kubepkg logs NAME COMPONENT`', 'provide what it waits for'],
  'a pod that was evicted': ['the node, and its pressure', 'give the pod requests, or the node more room'],
  'a quota that is used up': ['`kubectl describe resourcequota` in the namespace', 'raise the quota, or ask for less'],
  'a rollout that makes no progress': [
    'the newest pods of the Deployment',
    'repair what keeps them from becoming ready',
  ],
  'a claim that no volume is found for': [
    'the StorageClass that is named',
    'create it, or name another one in the values',
  ],
  'a Job that failed': ['`kubepkg logs NAME COMPONENT --failed`', 'correct the cause, then `kubepkg retry NAME`'],
  'a Job that is suspended': ['who has set `spec.suspend`', 'have it go on'],
  'a webhook whose Service has no endpoint': ['the pods behind the Service that is named', 'repair them'],
  'a CRD whose names are taken': ['the CRD that has the same names', 'remove one of the two'],
  'an aggregated API that is not available': ['the Service and pods behind the APIService', 'repair them'],
  'a status that is about the state before': [
    'the controller of that kind',
    'wait, or repair the controller: it has not looked yet',
  ],
  'a custom resource that says why it is not ready': [
    'the resource, and the log of its controller',
    'do what its message says',
  ],
  'an object that somebody removed': ['`kubepkg diff NAME --live`', '`kubepkg retry NAME` once the revision is over'],
  'an object of a kind that is not served': [
    '`kubectl api-resources`',
    'install what brings the CRD, or correct the API version',
  ],
  'a condition of `readyWhen` that does not hold': [
    'the resource that is named',
    'do what its message says, or correct `readyWhen`',
  ],
  'an object that is being deleted, and held': [
    'the finalizer that is named, and its controller',
    'have the controller do its work',
  ],
  'a StatefulSet whose pods are not all updated': [
    '`updateStrategy` and the partition',
    'lower the partition, or delete pods where it is OnDelete',
  ],
  'a StatefulSet that keeps a broken pod of another revision': [
    'the pod that is named',
    'delete it with `kubectl delete pod`: in its default order a StatefulSet waits for a broken pod for ever, in a rollback too',
  ],
  'a DaemonSet with a node that is not ready': ['the node that is named', 'repair or remove the node'],
  'a load balancer that gets no address': [
    'who gives addresses in this cluster',
    'install one, or take another type of Service',
  ],
  'a field that cannot be changed': [
    'the field that is named',
    'keep it, or delete the object first; for Jobs see `install.recreate`',
  ],
  'a chart that does not render': ['the template and line that are named', 'correct the values'],
  'values that the schema of the chart refuses': ['the paths that are named', 'correct the values'],
  'an object that belongs to another release': ['the release that is named', 'remove the object there, or adopt it'],
  'an object that the API server refuses': ['the field that is named', 'correct the values or the chart'],
  'a policy that refuses an object': ['the policy that is named', 'correct the object, or have an exception made'],
  'a release that is too large': ['large files in the chart', 'leave them out, or put CRDs into `crds/`'],
  'a kind that no CRD defines': ['`kubectl api-resources`', 'install what brings the CRD; it goes on by itself'],
  'a webhook that does not answer': ['the Service and the pods of the webhook', 'repair them; it goes on by itself'],
  'a permission that the operator lacks': [
    '`kubectl auth can-i` as the user that is named',
    'give the operator the right, then `kubepkg retry NAME`',
  ],
  'a component that is not ready in time': [
    'what it still says of the object and its pods',
    'repair that, or give more time with `--timeout`',
  ],
  'a hook that failed': [
    '`kubepkg logs NAME --hook --failed`',
    'nothing else has changed: correct the cause, then `kubepkg retry NAME`',
  ],
  'a registry that cannot be reached': ['the registry, from where the operator runs', 'nothing, once it answers'],
  'a chart that is not the one that was pinned': [
    'who has published it again',
    'pin what you have checked, under a new version of the package',
  ],
  'a requirement that is not met': ['the package that is named', 'install or repair it; this one goes on by itself'],
  'a package that conflicts with an installed one': ['the package that is named', 'remove one of the two'],
  'a release that belongs to another package': [
    'the package that is named',
    'choose another `releaseName`, or take the release over',
  ],
  'a version that the constraint excludes': [
    '`spec.version` of Package and PackageSource',
    "`kubepkg install 'NAME@CONSTRAINT'`",
  ],
  'components that wait for each other': [
    '`install.dependsOn` of those that are named',
    'take one of the dependencies away',
  ],
  'a source that does not exist': ['`kubectl get packagesources`', '`kubepkg install NAME -f FILE` with the source'],
  'a package that is suspended': ['who has suspended it, and why', '`kubepkg resume NAME`'],
};
