import { StatusError } from '../model/status-error.ts';
import type { Ownership } from './managers.ts';
import type { Conflict } from './ownership.ts';
import { pathText } from './path-element.ts';

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  return new StatusError('Conflict', messageOf(conflicts), {
    causes: conflicts.map(({ owner, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${ownerText(owner)}`,
      field: pathText(path),
    })),
  });
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${ownerText(first.owner)}: ${pathText(first.path)}`;
  }
  const lines = conflicts.flatMap(({ owner, path }, index) => {
    const line = `- ${pathText(path)}`;
    return conflicts[index - 1]?.owner === owner ? [line] : [`conflicts with ${ownerText(owner)}:`, line];
  });
  return `Apply failed with ${String(conflicts.length)} conflicts: ${lines.join('\n')}`;
}

function ownerText({ manager, operation, apiVersion, subresource }: Ownership): string {
  const name = JSON.stringify(manager);
  const place = subresource === undefined ? name : `${name} with subresource ${JSON.stringify(subresource)}`;
  return operation === 'Update' ? `${place} using ${apiVersion}` : place;
}
