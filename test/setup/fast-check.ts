import fc from 'fast-check';

/** The same examples in every run, so that a change is judged and not luck; KUBEPKG_SEED=random looks for new ones. */
const DEFAULT_SEED = 20_261_129;

const wanted = process.env.KUBEPKG_SEED ?? String(DEFAULT_SEED);
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });
