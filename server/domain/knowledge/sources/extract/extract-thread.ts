// Pages and files are parsed in threads: what they contain was written by strangers, and may take any time and memory.
import { makeThreads, ThreadError } from '../../../../platform/threads.ts'
import type { ExtractTask } from './extract-work.ts'
import type { ReadProblem } from './problem.ts'
import type { FileTexts } from './read-file.ts'
import type { PageText } from './read-page.ts'

const threads = makeThreads<ExtractTask, unknown>({
  module: new URL('./extract-worker.ts', import.meta.url),
  threadsMax: 2,
  heapMaxMb: 256,
  idleMs: 30_000,
  waitingMax: 50,
})

/** Longer than a busy machine takes for the largest that are read. */
const PAGE_MS = 20_000
const FILE_MS = 60_000

const run = async <T>(task: ExtractTask, timeoutMs: number): Promise<T | { problem: ReadProblem }> => {
  try {
    return (await threads.run(task, timeoutMs)) as T | { problem: ReadProblem }
  } catch (error) {
    if (!(error instanceof ThreadError) || error.reason === 'too_many') throw error
    const what = task.job === 'page' ? 'The page' : 'The file'
    return {
      problem: {
        code: 'TOO_COMPLEX',
        message: `${what} is too complex to be read. Try one with less in it, or paste its text.`,
      },
    }
  }
}

/** Throws ThreadError if too many wait already. */
export const extractPage = (bytes: Uint8Array, contentType: string | null) =>
  run<PageText>({ job: 'page', bytes, contentType }, PAGE_MS)

/** Throws ThreadError if too many wait already. */
export const extractFile = (name: string, bytes: Uint8Array) =>
  run<FileTexts>({ job: 'file', name, bytes }, FILE_MS)
