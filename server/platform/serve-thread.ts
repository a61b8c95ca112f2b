// The other side of threads.ts.
import { parentPort } from 'node:worker_threads'
import type { ThreadAnswer } from './threads.ts'

/** Answers each task of the thread, which gets one at a time. */
export const serveThread = <Task>(work: (task: Task) => unknown): void => {
  const answer = (message: ThreadAnswer): void => parentPort?.postMessage(message)
  parentPort?.on('message', async (task: Task) => {
    try {
      answer({ result: await work(task) })
    } catch (error) {
      answer({ error: String((error as Error)?.stack ?? error) })
    }
  })
}
