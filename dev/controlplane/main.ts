import { main } from './cli.ts';

// Not exitCode: what was interrupted must not go on in the background.
process.exit(await main(process.argv.slice(2)));
