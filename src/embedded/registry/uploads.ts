import { randomUUID } from 'node:crypto';
import { RegistryError } from './registry-error.ts';

export interface Upload {
  readonly name: string;
  readonly id: string;
  readonly bytes: Buffer;
}

/** Content that is still coming in. */
export class Uploads {
  readonly #open = new Map<string, Upload>();

  begin(name: string): Upload {
    const upload = { name, id: randomUUID(), bytes: Buffer.alloc(0) };
    this.#open.set(upload.id, upload);
    return upload;
  }

  find(name: string, id: string): Upload {
    const upload = this.#open.get(id);
    if (upload === undefined || upload.name !== name) throw new RegistryError('BLOB_UPLOAD_UNKNOWN', { id });
    return upload;
  }

  append({ name, id }: Upload, chunk: Buffer): Upload {
    const before = this.find(name, id);
    const upload = { ...before, bytes: Buffer.concat([before.bytes, chunk]) };
    this.#open.set(id, upload);
    return upload;
  }

  end({ id }: Upload): void {
    this.#open.delete(id);
  }
}
