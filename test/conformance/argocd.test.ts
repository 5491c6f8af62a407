import { argocdCases } from './argocd-cases.ts';
import { startArgoCdHarness } from './argocd-harness.ts';
import { backendConformance } from './backend.ts';

backendConformance('argocd', {
  capabilities: { runsProcesses: false, adoptsObjects: true, secretValues: false, previewsObjects: true },
  start: startArgoCdHarness,
});

argocdCases();
