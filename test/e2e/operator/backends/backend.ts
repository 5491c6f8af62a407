import type { KubeClient } from '../../../../src/adapters/kube/kube-client.ts';
import type { KubeObject } from '../../../../src/api/kube.ts';
import type { Selection } from '../../../../src/ports/cluster.ts';
import type { Plane } from '../plane.ts';

export const BACKEND_NAMES = ['helm', 'flux', 'argocd'] as const;

export type BackendName = (typeof BACKEND_NAMES)[number];

/** As somebody writes it in the environment; helm unless it says something else. */
export function chosenBackend(word: string | undefined): BackendName {
  const chosen = word === undefined || word === '' ? 'helm' : BACKEND_NAMES.find((name) => name === word);
  if (chosen === undefined) throw new Error(`BACKEND=${String(word)} is none of ${BACKEND_NAMES.join(', ')}`);
  return chosen;
}

/** What a backend under test stands on. */
export interface Ground<P extends Plane = Plane> {
  readonly plane: P;
  readonly cluster: KubeClient;
  /** For files; gone with the world. */
  readonly dir: string;
}

export interface Release {
  readonly namespace: string;
  readonly name: string;
}

export interface Delivered extends Release {
  /** The attempt that it was, and which of its deliveries. */
  readonly token: string;
  readonly id: string;
}

/** What the API server was asked, as its audit log has it. */
export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly requestReceivedTimestamp: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly namespace?: string; readonly name?: string };
}

/** What a person may do to whoever carries out deliveries for the operator. */
export interface Controller {
  /** What messages call it. */
  readonly name: string;
  /** As if its machine was frozen. */
  pause(): void;
  resume(): void;
}

/** What tests have to know of one backend, so that all else is one text for each of them. */
export interface TestedBackend {
  readonly name: BackendName;
  /** For the operator, besides `--backend`. */
  readonly flags: readonly string[];
  /** Users of whoever writes the objects of releases, besides the operator. */
  readonly controllers: readonly string[];
  /** Absent: the operator delivers by itself. */
  readonly controller?: Controller;
  /** Numbers of the completed deliveries of a release that are on record, oldest first. */
  deliveriesOf(release: Release): Promise<readonly number[]>;
  /** Everything that is kept about the releases of a namespace, besides their own objects. */
  tracesIn(namespace: string): Promise<readonly string[]>;
  /** What tells of deliveries while it is watched, in a namespace or for all of them. */
  deliverySelection(namespace: string): Selection;
  /** What such an object says has been delivered; the same again as long as it says so. */
  deliveriesIn(object: KubeObject): readonly Delivered[];
  /** What neither is delivered nor failed, nor gone. */
  pendingIn(namespace: string): Promise<readonly string[]>;
  /** The write begins or changes the delivery of a release. */
  isInstruction(event: AuditEvent, release: Release): boolean;
  /** Somebody makes a release of that name with the means of the backend: a ConfigMap `mark` that says `theirs`. */
  createForeign(release: Release): Promise<void>;
  /** Somebody has a release that was made of the chart `mark` say `changed`. */
  changeByHand(release: Release): Promise<void>;
  removeByHand(release: Release): Promise<void>;
  /** Absent: an edit has its effect at once. Otherwise somebody asks for another release, and has nothing delivered. */
  readonly editByHand?: (release: Release) => Promise<void>;
  /** Absent: there is nothing that could be suspended. Resolves with what ends it. */
  readonly suspendByHand?: (release: Release) => Promise<() => Promise<void>>;
  close(): Promise<void>;
}
