import type { Mutant } from '../mutant.ts';

const surroundings = 'src/compose/helm-surroundings.ts';
const surroundingsTest = 'src/compose/helm-surroundings.test.ts';
const subchart = 'src/adapters/oci/packed-subchart.ts';
const subchartTest = 'src/adapters/oci/packed-subchart.test.ts';

/** Faults in how programs, archives and networks of others are met. */
export const OUTSIDE: readonly Mutant[] = [
  {
    id: 'helm-gets-nothing-that-credential-plugins-need',
    promise: 'I8',
    file: surroundings,
    search: '...(usesCredentialPlugin(choice) ? pluginEnvironment(env) : {}), ',
    replace: '',
    killedBy: {
      file: surroundingsTest,
      test: 'what helm knows of its surroundings is all that a credential plugin of the kubeconfig may go by, and nothing that would change helm',
    },
  },
  {
    id: 'helm-gets-the-environment-without-a-plugin',
    promise: 'I10',
    file: surroundings,
    search: 'usesCredentialPlugin(choice) ? pluginEnvironment(env) : {}',
    replace: 'pluginEnvironment(env)',
    killedBy: {
      file: surroundingsTest,
      test: 'what helm knows of its surroundings is nothing of that where the user of the context has no plugin',
    },
  },
  {
    id: 'archives-every-packed-subchart-has-all-the-room',
    promise: 'limits of archives',
    file: subchart,
    search: 'allowance.unpackedBytes -= content.unpackedBytes;',
    replace: '',
    killedBy: { file: subchartTest, test: 'charts that are packed inside a chart share what may be unpacked of it' },
  },
  {
    id: 'archives-subcharts-edited-at-any-depth',
    promise: 'limits of archives',
    file: 'src/compose/author-charts.ts',
    search: 'const edited = await editCrds(inside, { ...edit, nesting });',
    replace: 'const edited = await editCrds(inside, edit);',
    killedBy: {
      file: 'src/compose/authoring.test.ts',
      test: 'building a recipe refuses a chart whose subcharts are packed too deeply inside one another',
    },
  },
  {
    id: 'prepare-repeats-what-does-not-compile',
    promise: 'preparation',
    file: 'dev/controlplane/network-faults.ts',
    search: 'ended.code === 0 ? undefined : networkFaultIn(ended.output)',
    replace: "ended.code === 0 ? undefined : 'fault'",
    killedBy: {
      file: 'dev/controlplane/network-faults.test.ts',
      test: 'a step that may be done again is done once when it failed for another reason',
    },
  },
];
