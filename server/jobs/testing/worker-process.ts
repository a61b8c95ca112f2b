// A worker as a separate process, for tests that kill it: `node worker-process.ts <connection string> <timing>`. Its
// modules are found as in a test file, so that a test that kills many isn't about their starts.
import '../../../test/load-quickly.ts'

await import('./run-worker.ts')
