import { KubepkgError } from '../../api/errors.ts';
import { sha256 } from '../../lib/digest.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { PublishedChartRef } from '../../ports/artifacts.ts';
import { downloadBody, readSmallBody } from './body.ts';
import type { FetchContext } from './context.ts';
import type { CachedFile } from './disk-cache.ts';
import { entriesOf } from './helm-index.ts';
import { CHART_LIMITS, INDEX_LIMIT, MANIFEST_LIMIT } from './limits.ts';
import { isDigest } from './reference.ts';
import { refuseStatus } from './status.ts';
import { discard, type HttpRequest, type HttpResponse } from './transport.ts';

/** What the index of a repository says of one version. */
interface IndexEntry {
  readonly url: URL;
  readonly digest: string | undefined;
}

/** A chart of an HTTP repository: its index.yaml says where the archive is, and which digest it has. */
export async function fetchRepositoryChart(ref: PublishedChartRef, context: FetchContext): Promise<CachedFile> {
  const entry = await findEntry(ref, context);
  if (ref.digest !== undefined && entry.digest !== undefined && ref.digest !== entry.digest) {
    throw new KubepkgError('DigestMismatch', `${named(ref)}: the index says ${entry.digest}, not ${ref.digest}`, {
      hint: 'a published version was replaced: publish a new version, or change the digest if this was meant',
    });
  }
  const expected = ref.digest ?? entry.digest;
  const cached = expected === undefined ? undefined : await context.cache.find('charts', expected);
  if (cached !== undefined) return cached;
  const request: HttpRequest = { method: 'GET', url: entry.url, subject: named(ref), signal: context.signal };
  return context.cache.store('charts', async (path) => {
    const response = await send(request, context);
    await expectOk(response, request);
    const downloaded = await downloadBody(response, request, { path, limit: CHART_LIMITS.compressedBytes });
    if (expected === undefined || downloaded.digest === expected) return downloaded;
    throw new KubepkgError('DigestMismatch', `${named(ref)}: the archive is ${downloaded.digest}, not ${expected}`, {
      hint: 'the repository or something in between changed it: do not use it',
    });
  });
}

async function findEntry(ref: PublishedChartRef, context: FetchContext): Promise<IndexEntry> {
  const base = repositoryUrl(ref);
  const index = await fetchIndex(base, named(ref), context);
  const entry = entriesOf(index, ref.name, named(ref)).find((candidate) => at(candidate, 'version') === ref.version);
  if (entry === undefined) {
    throw new KubepkgError('ArtifactNotFound', `${named(ref)}: the index does not list it`, {
      hint: 'check name and version; versions are compared exactly',
    });
  }
  return { url: archiveUrl(entry, base, ref), digest: indexDigest(entry) };
}

/** The index as it is now: what was kept of it is used when the server says that nothing changed. */
async function fetchIndex(base: URL, subject: string, context: FetchContext): Promise<string> {
  const url = new URL('index.yaml', base.href);
  url.search = base.search;
  const note = sha256(url.href);
  const kept = parseKept(await context.cache.findNote(note));
  const headers = kept === undefined ? {} : { 'if-none-match': kept.etag };
  const request: HttpRequest = { method: 'GET', url, headers, subject, signal: context.signal };
  const response = await send(request, context);
  if (response.status === 304 && kept !== undefined) {
    discard(response);
    return kept.index;
  }
  await expectOk(response, request);
  const index = (await readSmallBody(response, request, INDEX_LIMIT)).toString('utf8');
  const { etag } = response.headers;
  if (etag !== undefined) await context.cache.storeNote(note, [etag, sha256(index), index].join('\n'));
  return index;
}

/** A note of three parts: the server's tag, the digest of the index, the index. */
function parseKept(note: string | undefined): { readonly etag: string; readonly index: string } | undefined {
  const [, etag = '', digest = ''] = /^([^\n]*)\n([^\n]*)\n/.exec(note ?? '') ?? [];
  const index = note?.slice(etag.length + digest.length + 2) ?? '';
  return digest !== '' && sha256(index) === digest ? { etag, index } : undefined;
}

function repositoryUrl(ref: PublishedChartRef): URL {
  const url = URL.canParse(ref.repository) ? new URL(ref.repository) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new KubepkgError('ReferenceInvalid', `chart ${ref.name}: the repository is no oci, https or http address`, {
      hint: 'write oci://host/path or https://host/path',
    });
  }
  if (url.username !== '' || url.password !== '') {
    throw new KubepkgError('ReferenceInvalid', `chart ${ref.name}: the repository address has credentials in it`, {
      hint: 'put them into the registry credentials file, under the host name',
    });
  }
  url.pathname = url.pathname.replace(/\/*$/, '/');
  return url;
}

function archiveUrl(entry: unknown, base: URL, ref: PublishedChartRef): URL {
  const text = asString(asArray(at(entry, 'urls'))[0]) ?? '';
  const url = text !== '' && URL.canParse(text, base.href) ? new URL(text, base.href) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new KubepkgError('ChartInvalid', `${named(ref)}: the index lists no usable address of the archive`, {
      hint: 'make the index again with helm repo index',
    });
  }
  // Some repositories carry their access key there.
  if (url.origin === base.origin && url.search === '') url.search = base.search;
  return url;
}

/** Old indexes write only the hexadecimal digits. */
function indexDigest(entry: unknown): string | undefined {
  const text = asString(at(entry, 'digest')) ?? '';
  const digest = text.startsWith('sha256:') ? text : `sha256:${text}`;
  return isDigest(digest) ? digest : undefined;
}

function send(request: HttpRequest, context: FetchContext): Promise<HttpResponse> {
  return context.authorizer.send(request, { host: request.url.host, repository: '', actions: 'pull' });
}

async function expectOk(response: HttpResponse, request: HttpRequest): Promise<void> {
  if (response.status === 200) return;
  throw refuseStatus(response, request, await readSmallBody(response, request, MANIFEST_LIMIT));
}

function named(ref: PublishedChartRef): string {
  // What stands behind the question mark may be a key.
  return `chart ${ref.name} ${ref.version} of ${ref.repository.replace(/\?.*$/, '')}`;
}
