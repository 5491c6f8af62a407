import { KubepkgError } from '../api/errors.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import { readChartArchive } from './chart-archive.ts';
import { remoteSchemaRefs } from './schema-refs.ts';

const REMEMBERED = 1000;

/** Keeps helm off the network: a schema that refers to another address is refused before helm would fetch it. */
export class SchemaCheck {
  readonly #byDigest = new Map<string, readonly string[]>();

  async refuseRemote(chart: FetchedChart): Promise<void> {
    const addresses = this.#byDigest.get(chart.digest) ?? (await this.#remember(chart));
    if (addresses.length === 0) return;
    const message = `the values schema of chart ${chart.name} ${chart.version} refers to ${addresses.join(', ')}`;
    throw new KubepkgError('ValuesInvalid', `${message}, and nothing is fetched to validate values`, {
      hint: 'set install.skipSchemaValidation, or bundle the schema into the chart',
    });
  }

  async #remember(chart: FetchedChart): Promise<readonly string[]> {
    const files = await readChartArchive(chart.path);
    const schemas = files.filter(({ path }) => path.endsWith('/values.schema.json'));
    const addresses = [...new Set(schemas.flatMap(({ content }) => remoteSchemaRefs(content.toString('utf8'))))];
    if (this.#byDigest.size >= REMEMBERED) this.#byDigest.clear();
    this.#byDigest.set(chart.digest, addresses);
    return addresses;
  }
}
