import { asKubepkgError } from '../../api/errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { type DataFormat, formatData } from '../output-format.ts';
import { oneLine } from '../text/sanitize.ts';
import { within } from '../within.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, withCluster } from './context.ts';

export interface VersionFlags extends GlobalFlags {
  readonly output?: DataFormat | undefined;
  readonly client?: boolean | undefined;
}

const SERVER_MS = 3000;

/** The client's version, and that of the API server when it answers; not to reach it is no failure. */
export async function runVersion(host: CliHost, flags: VersionFlags): Promise<ExitCode> {
  const client = { version: host.version, node: process.versions.node };
  const server = flags.client === true ? {} : await askServer(host, flags);
  if (flags.output !== undefined) {
    host.stdout.write(formatData({ client, ...server }, flags.output));
    return EXIT.ok;
  }
  writeLines(host.stdout, [`kubepkg ${client.version}`]);
  if ('server' in server) writeLines(host.stdout, [`Kubernetes ${server.server.version}`]);
  if ('serverError' in server) writeLines(host.stderr, [`Kubernetes: ${server.serverError}`]);
  return EXIT.ok;
}

type ServerAnswer =
  | { readonly server: { readonly version: string } }
  | { readonly serverError: string }
  | Readonly<Record<string, never>>;

async function askServer(host: CliHost, flags: GlobalFlags): Promise<ServerAnswer> {
  try {
    const version = await withCluster(host, flags, (connection) =>
      within(host.clock, SERVER_MS, connection.serverVersion()),
    );
    return { server: { version: oneLine(version) } };
  } catch (error) {
    return { serverError: oneLine(asKubepkgError(error).message) };
  }
}
