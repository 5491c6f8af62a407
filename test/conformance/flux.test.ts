import { backendConformance } from './backend.ts';
import { startFluxHarness } from './flux-harness.ts';

backendConformance('flux', {
  capabilities: { runsProcesses: false, adoptsObjects: true, secretValues: true, previewsObjects: true },
  start: startFluxHarness,
});
