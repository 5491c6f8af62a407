import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { columnsOf } from '../look/columns.ts';
import { allMembers, type PackageScope, withScope } from '../look/package-scope.ts';
import { eventFilter, type EventReport, type EventScope, mergeEvents, readEvent } from '../look/related-events.ts';
import { openSight, releaseQuery, type Sight } from '../look/sight.ts';
import type { Troubles } from '../look/troubles.ts';
import { type OutputFormat, printObjects } from '../output-format.ts';
import { eventLine, eventsReport } from '../report/events-report.ts';
import { disturbanceNote } from '../watch/progress-display.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface EventsFlags extends GlobalFlags {
  readonly output: OutputFormat;
  readonly watch?: boolean | undefined;
  /** `Warning,Normal`; absent: all. */
  readonly types?: string | undefined;
}

const EVENTS = { apiVersion: 'v1', kind: 'Event' };
/** Events about objects without a namespace are there. */
const CLUSTER_EVENTS = 'default';
const TYPES: readonly string[] = ['Normal', 'Warning'];

export function runEvents(host: CliHost, name: string, flags: EventsFlags): Promise<ExitCode> {
  const { output, watch = false } = flags;
  const types = parseTypes(flags.types);
  if (watch && output !== 'table') {
    throw new KubepkgError('InvalidInput', `--watch does not go with --output ${output}`, {
      hint: 'leave one of the two out',
    });
  }
  return withScope(host, { name, flags }, async (scoped) => {
    const sight = openSight(host, scoped.cluster);
    const { troubles } = sight;
    const scope = await readEventScope(sight, scoped.scope);
    const isAbout = eventFilter(scope);
    const accepts = (event: KubeObject): boolean => isAbout(event) && types.includes(readEvent(event).type);
    const found = await listEvents(scoped.cluster, { namespaces: namespacesOf(scope), troubles, accepts });
    troubles.report(host, paintFor(host, flags, 'stderr'));
    if (found.readable.length === 0) throw noneReadable();
    if (watch) return watchEvents(host, { cluster: scoped.cluster, namespaces: found.readable, accepts, flags });
    showEvents(host, mergeEvents(found.events.map(readEvent)), flags);
    return EXIT.ok;
  });
}

function noneReadable(): KubepkgError {
  return new KubepkgError('ApiForbidden', 'no events could be read', {
    hint: 'ask for the right to list and watch events in the namespaces of the package',
  });
}

function parseTypes(text: string | undefined): readonly string[] {
  if (text === undefined) return TYPES;
  return text.split(',').map((word) => {
    const type = TYPES.find((one) => one.toLowerCase() === word.trim().toLowerCase());
    if (type !== undefined) return type;
    throw new KubepkgError('InvalidInput', `--types ${text}: there is no type ${JSON.stringify(word)}`, {
      hint: `write ${TYPES.join(', ')} or both, joined by a comma`,
    });
  });
}

async function readEventScope({ releases, troubles }: Sight, scope: PackageScope): Promise<EventScope> {
  const revision = scope.revisions.at(-1);
  const members = revision === undefined ? [] : allMembers(revision).map(({ component }) => ({ revision, component }));
  const inventories = members.map(({ revision: owner, component }) =>
    troubles.attempt(`what belongs to component ${component.name}`, () =>
      releases.inventory(releaseQuery(owner, component)),
    ),
  );
  const items = (await Promise.all(inventories)).flatMap((found) => found ?? []);
  const revisions = scope.revisions.map(({ metadata }) => metadata.name);
  return { name: scope.package.metadata.name, revisions, items };
}

function namespacesOf({ items }: EventScope): readonly string[] {
  const own = items.flatMap(({ namespace }) => namespace ?? []);
  return [...new Set([CLUSTER_EVENTS, ...own])].sort();
}

interface Listing {
  readonly namespaces: readonly string[];
  readonly troubles: Troubles;
  readonly accepts: (event: KubeObject) => boolean;
}

interface Listed {
  readonly events: readonly KubeObject[];
  /** Namespaces whose events may be read. */
  readonly readable: readonly string[];
}

async function listEvents(cluster: Cluster, { namespaces, troubles, accepts }: Listing): Promise<Listed> {
  const lists = await Promise.all(
    namespaces.map(async (namespace) => {
      const what = `the events of namespace ${namespace}`;
      const list = await troubles.attempt(what, () => cluster.list({ ...EVENTS, namespace }));
      return list === undefined ? [] : [{ namespace, items: list.items }];
    }),
  );
  const read = lists.flat();
  return {
    events: read.flatMap(({ items }) => items.filter(accepts)),
    readable: read.map(({ namespace }) => namespace),
  };
}

function showEvents(host: CliHost, events: readonly EventReport[], flags: EventsFlags): void {
  const { output } = flags;
  if (events.length === 0 && (output === 'table' || output === 'wide')) {
    const which = flags.types === undefined ? 'events' : `events of type ${parseTypes(flags.types).join(' or ')}`;
    writeLines(host.stderr, [`no ${which}; a cluster keeps them for an hour, unless it is set otherwise`]);
    return;
  }
  const style = { now: host.clock.now(), paint: paintFor(host, flags, 'stdout'), ...columnsOf(host.stdout) };
  const table = (wide: boolean): readonly string[] => eventsReport(events, { ...style, wide });
  printObjects(
    host.stdout,
    events.map(({ object }) => object),
    { output, table },
  );
}

interface Watching {
  readonly cluster: Cluster;
  readonly namespaces: readonly string[];
  readonly accepts: (event: KubeObject) => boolean;
  readonly flags: EventsFlags;
}

/** Those that are there oldest first, then each as it comes, until the user interrupts. */
function watchEvents(host: CliHost, { cluster, namespaces, accepts, flags }: Watching): Promise<ExitCode> {
  const paint = paintFor(host, flags, 'stdout');
  const unsynced = new Set(namespaces);
  const waiting: EventReport[] = [];
  const shown = new Map<string, number>();
  const print = (events: readonly EventReport[]): void => {
    writeLines(
      host.stdout,
      events.map((event) => eventLine(event, paint)),
    );
  };
  const take = (object: KubeObject): void => {
    const event = readEvent(object);
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
    // A watch that was disturbed delivers everything again.
    if (!accepts(object) || shown.get(key) === event.count) return;
    shown.set(key, event.count);
    if (unsynced.size > 0) waiting.push(event);
    else print([event]);
  };
  const notes = new Map<string, string>();
  const warn = (namespace: string, note: string): void => {
    const isSaid = [...notes.values()].includes(note);
    notes.set(namespace, note);
    if (!isSaid) writeLines(host.stderr, [paintFor(host, flags, 'stderr')('yellow', note)]);
  };
  return new Promise((resolve) => {
    const subscriptions = namespaces.map((namespace) =>
      cluster.watch({ ...EVENTS, namespace }, (event) => {
        if (event.type === 'set') take(event.object);
        if (event.type === 'synced') notes.delete(namespace);
        if (event.type === 'disturbed') warn(namespace, disturbanceNote(event.error));
        // The others are not held up by one that is disturbed.
        if (event.type === 'synced' || event.type === 'disturbed') unsynced.delete(namespace);
        if (unsynced.size === 0) print(mergeEvents(waiting.splice(0)));
      }),
    );
    host.interrupted.addEventListener(
      'abort',
      () => {
        for (const subscription of subscriptions) subscription.stop();
        resolve(EXIT.interrupted);
      },
      { once: true },
    );
  });
}
