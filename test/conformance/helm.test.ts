import { backendConformance } from './backend.ts';
import { helmCases } from './helm-cases.ts';
import { startHelmHarness } from './helm-harness.ts';

backendConformance('helm', {
  capabilities: { runsProcesses: true, adoptsObjects: true, secretValues: true, previewsObjects: true },
  start: startHelmHarness,
});

helmCases();
