import { describe, expectTypeOf, it } from 'vitest';
import type { JsonObject } from '../lib/json.ts';
import type { Package, PackageSpec, WrittenPackageSpec } from './package.ts';
import type { PackageRevision } from './package-revision.ts';
import type { PackageSource, PackageSourceSpec, WrittenPackageSourceSpec } from './package-source.ts';
import type { Parsed, parsePackage, parsePackageRevision, parsePackageSource, parseRepository } from './parse.ts';
import type { Repository, RepositorySpec, WrittenRepositorySpec } from './repository.ts';

describe('what users write and what was parsed', () => {
  it('differ by the defaults', () => {
    expectTypeOf<WrittenPackageSpec>().toExtend<{ variant?: string | undefined }>();
    expectTypeOf<object>().toExtend<WrittenPackageSpec>();
    expectTypeOf<PackageSpec['variant']>().toEqualTypeOf<string>();
    expectTypeOf<PackageSpec['revisionHistoryLimit']>().toEqualTypeOf<number>();
    expectTypeOf<object>().toExtend<WrittenPackageSourceSpec>();
    expectTypeOf<PackageSourceSpec['build']>().toEqualTypeOf<number>();
    expectTypeOf<{ url: string }>().toExtend<WrittenRepositorySpec>();
    expectTypeOf<RepositorySpec['interval']>().toEqualTypeOf<string>();
  });

  it('P9 leaves the upgrade policy open where it is absent, and complete where it is present', () => {
    expectTypeOf<PackageSpec['upgrade']>().toEqualTypeOf<{ atomic: boolean; timeout: string } | undefined>();
  });

  it('has no untyped parts', () => {
    type Override = NonNullable<PackageSpec['components']>[string];
    expectTypeOf<Override['values']>().toEqualTypeOf<JsonObject | undefined>();
    expectTypeOf<PackageSource['spec']>().not.toBeAny();
    expectTypeOf<PackageRevision['spec']>().not.toBeAny();
  });

  it('is what the parsers give', () => {
    expectTypeOf<ReturnType<typeof parsePackage>>().toEqualTypeOf<Parsed<Package>>();
    expectTypeOf<ReturnType<typeof parsePackageSource>>().toEqualTypeOf<Parsed<PackageSource>>();
    expectTypeOf<ReturnType<typeof parsePackageRevision>>().toEqualTypeOf<Parsed<PackageRevision>>();
    expectTypeOf<ReturnType<typeof parseRepository>>().toEqualTypeOf<Parsed<Repository>>();
  });
});
