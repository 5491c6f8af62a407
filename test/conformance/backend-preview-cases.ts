import { describe, expect, it } from 'vitest';
import type { BackendCapabilities } from '../../src/ports/backend.ts';
import type { BackendWorld } from './backend-world.ts';

export function previewCases(world: BackendWorld, capabilities: BackendCapabilities): void {
  describe('preview', () => {
    if (!capabilities.previewsObjects) {
      it('is refused', async () => {
        const release = await world.release(await world.target());
        await expect(world.harness.createBackend().preview(release)).rejects.toMatchObject({ code: 'Unsupported' });
      });
      return;
    }

    it('P18 shows the objects as they would be, and changes nothing', async () => {
      const target = await world.target();
      const release = await world.release(target, { values: { color: 'red' } });
      const objects = await world.harness.createBackend().preview(release);
      expect(
        objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`).sort(),
      ).toEqual([
        `ConfigMap ${target.namespace}/web`,
        `Deployment ${target.namespace}/web`,
        `Secret ${target.namespace}/web`,
      ]);
      expect(objects.find(({ kind }) => kind === 'ConfigMap')).toMatchObject({
        data: { color: 'red', version: '1.0.0' },
      });
      expect(await world.observe(target)).toEqual({ state: 'absent' });
      expect(await world.read('ConfigMap', 'web', target.namespace)).toBeUndefined();
    });

    it('P18 shows kinds that are yet to come', async () => {
      const values = { group: 'unheard-of.example.com', crd: false, object: true };
      const release = await world.release(await world.target(), { chart: { name: 'custom' }, values });
      const objects = await world.harness.createBackend().preview(release);
      expect(objects.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Gadget']);
    });

    it('P18 says what does not render', async () => {
      const release = await world.release(await world.target(), {
        chart: { name: 'broken' },
        values: { render: false },
      });
      await expect(world.harness.createBackend().preview(release)).rejects.toMatchObject({ code: 'RenderFailed' });
    });
  });
}
