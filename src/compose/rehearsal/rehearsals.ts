import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createTempDir } from '../temp-dir.ts';
import { OPERATOR_NAMESPACE } from '../../api/names.ts';
import type { Scenario } from '../../embedded/scenario/types.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';
import type { RecipeInput } from '../author-charts.ts';
import type { PackedTree } from '../author-package.ts';
import { type AuthorPlace, type AuthorSettings, withWorkshop } from '../author-workshop.ts';
import { ARGO_NAMESPACE, ARGO_PROJECT, DEFAULT_BACKEND } from '../backend-names.ts';
import { type Edition, editionOfRecipe } from './edition.ts';
import { builtInResources } from '../../embedded/kinds/index.ts';
import type { CommandResult } from '../../ports/process.ts';
import type { Recording, StageSnapshot } from './recording.ts';
import { type OperatorStarter, type Origin, Stage } from './stage.ts';

export type { Recording, StageSnapshot } from './recording.ts';
export type { Stage } from './stage.ts';

export interface RehearsalSettings extends AuthorSettings {
  readonly seed: number;
  /** Of this program. */
  readonly version: string;
  /** Gets what operators on the stage log. */
  readonly onLog: (line: string) => void;
}

/** Rehearsals of one package, with what they share: charts, and a folder that is gone afterwards. */
export interface Rehearsals {
  edition(input: RecipeInput): Promise<Edition>;
  /** One that was made before: its charts are known from now on. */
  adopt(edition: Edition): void;
  /** On an empty cluster, or from where another stage stood. */
  open(scenario: Scenario, from?: StageSnapshot): Promise<Stage>;
  /** Where everything happens once more that was recorded, until the operator dies after so many steps. */
  reopen(scenario: Scenario, recording: Recording, killAfter: number): Promise<Stage>;
}

export interface RehearsalPlace extends AuthorPlace {
  readonly startOperator: OperatorStarter;
}

export function withRehearsals<T>(
  place: RehearsalPlace,
  settings: RehearsalSettings,
  use: (rehearsals: Rehearsals) => Promise<T>,
): Promise<T> {
  return withWorkshop(place, settings, async (workshop) => {
    const { env, clock: wall, startOperator } = place;
    const { helm, seed, version, plainHttp, onLog } = settings;
    const trees = new Map<string, PackedTree>();
    const charts = { workshop, trees, made: new Map<string, Promise<FetchedChart>>() };
    const plan = {
      version,
      env,
      helm,
      plainHttp,
      backend: DEFAULT_BACKEND,
      namespace: OPERATOR_NAMESPACE,
      argoNamespace: ARGO_NAMESPACE,
      argoProject: ARGO_PROJECT,
      argoInlineSecretValues: false,
    };
    const shared = { resources: builtInResources(), versions: new Map<string, CommandResult>() };
    const stages = new Set<Stage>();
    const temp = createTempDir(join(workshop.scratch, 'stages'));
    const openFrom = async (scenario: Scenario, from: Origin | undefined): Promise<Stage> => {
      const dir = mkdtempSync(join(temp.path, 'stage-'));
      const onClosed = (closed: Stage): void => {
        stages.delete(closed);
      };
      const options = { dir, shared, charts, plan, scenario, seed, wall, startOperator, from, onLog, onClosed };
      const stage = await Stage.open(options);
      stages.add(stage);
      return stage;
    };
    const open: Rehearsals['open'] = (scenario, snapshot) =>
      openFrom(scenario, snapshot === undefined ? undefined : { kind: 'snapshot', snapshot });
    const reopen: Rehearsals['reopen'] = (scenario, recording, after) =>
      openFrom(scenario, { kind: 'kill', recording, after });
    const adopt = (made: Edition): void => {
      for (const [url, tree] of made.trees) trees.set(url, tree);
    };
    const edition = async (input: RecipeInput): Promise<Edition> => {
      const made = await editionOfRecipe(input, workshop);
      adopt(made);
      return made;
    };
    try {
      return await use({ edition, adopt, open, reopen });
    } finally {
      await Promise.all([...stages].map((stage) => stage.close()));
    }
  });
}
