// Cleanup at the end of a test file, newest first. Every step runs even if others throw, so that a server that fails
// to stop doesn't leave others running; all errors are logged and fail the file.
import { after } from 'node:test'

const steps: (() => unknown)[] = []

/** A hook set inside a test would run after that test. */
export const atTheEnd = (work: () => unknown): void => {
  steps.unshift(work)
}

after(async () => {
  const failures: unknown[] = []
  for (const work of steps)
    try {
      await work()
    } catch (error) {
      console.error('Could not clean up after the tests:', error)
      failures.push(error)
    }
  if (failures.length > 0) throw new AggregateError(failures, 'could not clean up after the tests')
})
