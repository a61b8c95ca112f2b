// `npm run bench:build`: fills the data set's place (BENCH_DIR), so that building it is no part of a measurement.
import { onDataSet, SIZES } from './data-set-place.ts'

await onDataSet('build', SIZES, async () => {})
