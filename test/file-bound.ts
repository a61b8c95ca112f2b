// Loaded before every test file: ends a file that does not end by itself, and names it. The runner's time limit
// applies to each test; a file whose tests are done but which still has a server or timer would wait indefinitely.
import { relative } from 'node:path'

/** This file's own test sets a shorter one. */
const FILE_MAX_MS = Number(process.env.TEST_FILE_MAX_MS ?? 240_000)
const ROOT = `${import.meta.dirname}/..`

/** The runner sets this for a file's process, and not for itself. */
if (process.env.NODE_TEST_CONTEXT) {
  const timer = setTimeout(() => {
    const file = relative(ROOT, process.argv[1] ?? '')
    const held = [...new Set(process.getActiveResourcesInfo())].join(', ')
    process.stderr.write(`${file} did not end within ${FILE_MAX_MS / 1000} s. It still holds: ${held}.\n`)
    process.exit(1)
  }, FILE_MAX_MS)
  timer.unref()
}
