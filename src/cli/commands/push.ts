import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { type DataFormat, formatData } from '../output-format.ts';

export interface PushFlags {
  readonly plainHttp?: boolean | undefined;
  readonly registryConfig?: string | undefined;
  readonly caFile?: string | undefined;
  readonly source?: string | undefined;
  readonly revision?: string | undefined;
  readonly force?: boolean | undefined;
  readonly output?: DataFormat | undefined;
}

export interface PushArguments {
  readonly directory: string;
  readonly reference: string;
}

/** Pushes a package tree; prints the reference that names exactly this content. */
export async function runPush(host: CliHost, target: PushArguments, flags: PushFlags): Promise<ExitCode> {
  const { plainHttp, registryConfig, caFile, source, revision, force, output } = flags;
  const pushed = await host.pushTree({
    ...target,
    plainHttp: plainHttp === true,
    registryConfig,
    caFile,
    source,
    revision,
    force: force === true,
  });
  host.stdout.write(output === undefined ? `${pushed.reference}\n` : formatData(pushed, output));
  return EXIT.ok;
}
