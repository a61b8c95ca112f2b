// Runs work that may take long in threads, so that it never keeps the event loop from other requests. A thread that
// takes too long is ended, whatever it does.
import { Worker } from 'node:worker_threads'

export type Threads<Task, Result> = {
  /** Throws ThreadError if it fails, takes longer than `timeoutMs`, or if too much waits already. */
  run(task: Task, timeoutMs: number): Promise<Result>
}

export class ThreadError extends Error {
  readonly reason: 'failed' | 'too_slow' | 'too_many'

  constructor(reason: ThreadError['reason'], options?: ErrorOptions) {
    super(`a thread's work was ${reason}`, options)
    this.name = 'ThreadError'
    this.reason = reason
  }
}

type Options = {
  /** The module that runs in the thread; it calls `serveThread`. */
  module: URL
  threadsMax: number
  heapMaxMb: number
  /** A thread without work is ended after this long. */
  idleMs: number
  /** Tasks that wait for a thread. */
  waitingMax: number
}

type Slot = { worker: Worker | null; isBusy: boolean; idle: NodeJS.Timeout | undefined }

/** What the thread answers to each task. */
export type ThreadAnswer = { result: unknown } | { error: string }

export const makeThreads = <Task, Result>(options: Options): Threads<Task, Result> => {
  const slots: Slot[] = Array.from({ length: options.threadsMax }, () => ({
    worker: null,
    isBusy: false,
    idle: undefined,
  }))
  const waiting: ((slot: Slot) => void)[] = []

  const takeSlot = async (): Promise<Slot> => {
    // Prefers a running thread to starting another.
    const free = slots.find(({ isBusy, worker }) => !isBusy && worker) ?? slots.find(({ isBusy }) => !isBusy)
    if (free) {
      free.isBusy = true
      clearTimeout(free.idle)
      return free
    }
    if (waiting.length >= options.waitingMax) throw new ThreadError('too_many')
    return new Promise((resolve) => waiting.push(resolve))
  }

  const returnSlot = (slot: Slot): void => {
    const next = waiting.shift()
    if (next) {
      next(slot)
      return
    }
    slot.isBusy = false
    slot.idle = setTimeout(() => stop(slot), options.idleMs).unref()
  }

  return {
    run: async (task, timeoutMs) => {
      const slot = await takeSlot()
      try {
        slot.worker ??= start(options)
        // The module answers with what it was made for.
        return (await ask(slot.worker, task, timeoutMs)) as Result
      } catch (error) {
        stop(slot)
        throw error
      } finally {
        returnSlot(slot)
      }
    },
  }
}

const start = ({ module, heapMaxMb }: Options): Worker => {
  const worker = new Worker(module, {
    resourceLimits: { maxOldGenerationSizeMb: heapMaxMb, stackSizeMb: 4 },
    stdout: true,
    stderr: true,
  })
  worker.unref()
  // One that fails between two tasks is found by the next; without a listener it would end the process.
  worker.on('error', () => {})
  return worker
}

const stop = (slot: Slot): void => {
  void slot.worker?.terminate()
  slot.worker = null
}

const ask = async (worker: Worker, task: unknown, timeoutMs: number): Promise<unknown> => {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const timer = setTimeout(() => reject(new ThreadError('too_slow')), timeoutMs)
  const onMessage = (answer: ThreadAnswer): void =>
    'result' in answer ? resolve(answer.result) : reject(new ThreadError('failed', { cause: answer.error }))
  const onError = (cause: unknown): void => reject(new ThreadError('failed', { cause }))
  const onExit = (): void => reject(new ThreadError('failed'))
  worker.once('message', onMessage).once('error', onError).once('exit', onExit)
  worker.postMessage(task)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    worker.off('message', onMessage).off('error', onError).off('exit', onExit)
  }
}
