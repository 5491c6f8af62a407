import { KubepkgError } from '../../api/errors.ts';

/** `a/b` of an entry named `./a//b/`; empty for the root itself. Throws when the name leads outside. */
export function safePath(name: string, subject: string): string {
  const problem = problemOf(name);
  if (problem !== undefined) {
    throw new KubepkgError('ArchiveUnsafe', `${subject}: the path ${JSON.stringify(name.slice(0, 200))} ${problem}`, {
      hint: 'do not use this archive, or pack it again with relative paths and without links',
    });
  }
  return name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

function problemOf(name: string): string | undefined {
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) return 'is absolute';
  if (name.split('/').includes('..')) return 'leads outside';
  if (name.includes('\\')) return 'has a backslash';
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'has a control character';
  return undefined;
}
