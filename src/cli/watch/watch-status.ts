import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { LiveBlock } from '../live/live-block.ts';
import { reportOn } from '../report/package-report.ts';
import { statusReport } from '../report/status-report.ts';
import type { Paint } from '../text/paint.ts';
import { type Followed, PackageFollower } from './package-follower.ts';
import { disturbanceNote, LineDisplay } from './progress-display.ts';

export interface WatchRequest {
  readonly cluster: Cluster;
  readonly name: string;
  readonly paint: Paint;
}

interface StatusDisplay {
  show(followed: Followed, note: string): void;
  close(): void;
}

/** Shows a package until it is gone or the user interrupts. */
export function watchStatus(host: CliHost, request: WatchRequest): Promise<ExitCode> {
  return new Promise((resolve) => {
    const display = host.stdout.isTerminal ? liveStatus(host, request) : statusChanges(host, request);
    const finish = (code: ExitCode): void => {
      host.interrupted.removeEventListener('abort', onInterrupt);
      follower.stop();
      display.close();
      resolve(code);
    };
    const onInterrupt = (): void => {
      finish(EXIT.interrupted);
    };
    const follower = new PackageFollower(request.cluster, [request.name], () => {
      if (!follower.synced) return;
      const followed = follower.get(request.name);
      display.show(followed, disturbanceNote(follower.disturbance));
      if (followed.package === undefined) finish(EXIT.ok);
    });
    host.interrupted.addEventListener('abort', onInterrupt);
    follower.start();
  });
}

function liveStatus(host: CliHost, { paint }: WatchRequest): StatusDisplay {
  const block = new LiveBlock(host.clock, host.stdout);
  const lines = ({ package: pkg, revisions }: Followed, note: string): readonly string[] => {
    const moment = { now: host.clock.now(), paint, columns: host.stdout.size().columns - 1 };
    const report = pkg === undefined ? [] : statusReport(pkg, revisions, moment);
    return note === '' ? report : [...report, '', paint('yellow', note)];
  };
  return {
    show: (followed, note) => {
      block.show(() => lines(followed, note));
    },
    close: () => {
      block.close();
    },
  };
}

function statusChanges(host: CliHost, { name }: WatchRequest): StatusDisplay {
  const display = new LineDisplay(host.clock, host.stdout);
  return {
    show: (followed, note) => {
      display.show(followed.package === undefined ? [] : [reportOn(name, followed)], note);
    },
    close: () => {
      display.close();
    },
  };
}
