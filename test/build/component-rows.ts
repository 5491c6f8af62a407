import { aRevisionComponent } from './objects.ts';
import { NOW, present, UNOBSERVED } from './world.ts';
import type { ComponentProgress } from '../../src/api/package-revision.ts';
import type { ComponentState } from '../../src/domain/release/classify-component.ts';
import type { ComponentView } from '../../src/domain/release/component-view.ts';

/** A row of the table of a component's states. */
export interface Row {
  readonly say: string;
  readonly progress?: Partial<ComponentProgress>;
  readonly view?: Partial<ComponentView>;
  readonly overdue?: boolean;
  readonly adopt?: boolean;
  readonly state: ComponentState;
}

export const SUBMITTED = { state: 'Submitted', attempt: 1 } as const;
export const TOKEN = 'token-1';
export const OURS = present({ token: TOKEN });
export const failedDelivery = (parts: {
  readonly transient: boolean;
  readonly retryAt?: number;
}): ComponentView['delivery'] => ({
  kind: 'failed',
  token: TOKEN,
  code: 'HelmFailed',
  message: 'it did not work',
  retryAt: NOW,
  ...parts,
});

export function viewOf(row: Row): ComponentView {
  const progress: ComponentProgress = { name: 'app', state: 'Pending', attempt: 0, ...row.progress };
  return {
    component: aRevisionComponent('app'),
    progress,
    release: { state: 'absent' },
    token: progress.attempt === 0 ? undefined : TOKEN,
    knownRevision: undefined,
    delivery: { kind: 'none' },
    health: UNOBSERVED,
    hook: false,
    formerPlaces: [],
    ...row.view,
  };
}
