// A raw mail to a parsed one, in bounded time and memory whatever it holds: the reading runs in a worker thread with a
// limit of memory and a deadline. What it cannot do in time is tried again with a part of the mail, then read plainly.
import { Worker } from 'node:worker_threads'
import type { ParsedMail } from './mail.ts'
import { readPlainly } from './plain-reading.ts'
import type { ReadOptions } from './read-mail.ts'

/** A larger mail is read from its beginning only. Gmail's limit of 25 MB grows to this when it is encoded. */
export const RAW_MAX_BYTES = 35 * 1024 * 1024
const WORKERS_MAX = 2
const HEAP_MAX_MB = 96
const IDLE_MS = 30_000
/** A reading with everything, and one with less; together under the two seconds that a mail may take. */
const WHOLE_MS = 1_300
const PART_MS = 400
const PART_BYTES = 200_000
const START_MS = 10_000

type Slot = {
  worker: Worker | null
  ready: Promise<void> | null
  isBusy: boolean
  idle: NodeJS.Timeout | undefined
}

const slots: Slot[] = Array.from({ length: WORKERS_MAX }, () => ({
  worker: null,
  ready: null,
  isBusy: false,
  idle: undefined,
}))
const waiting: (() => void)[] = []
let nextId = 0

const takeSlot = async (): Promise<Slot> => {
  for (;;) {
    // One that runs already, before another one is started.
    const free = slots.find((slot) => !slot.isBusy && slot.worker) ?? slots.find((slot) => !slot.isBusy)
    if (free) {
      free.isBusy = true
      clearTimeout(free.idle)
      return free
    }
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
}

const returnSlot = (slot: Slot): void => {
  slot.isBusy = false
  slot.idle = setTimeout(() => {
    if (!slot.isBusy) stop(slot)
  }, IDLE_MS).unref()
  waiting.shift()?.()
}

const stop = (slot: Slot): void => {
  const { worker } = slot
  slot.worker = null
  slot.ready = null
  void worker?.terminate()
}

const start = (slot: Slot): Promise<void> => {
  const worker = new Worker(new URL('./parse-worker.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    stdout: true,
    stderr: true,
  })
  worker.unref()
  slot.worker = worker
  slot.ready = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the thread that reads mail did not start')), START_MS)
    worker.once('online', () => {
      clearTimeout(timer)
      resolve()
    })
    worker.once('error', reject)
  })
  slot.ready.catch(() => {})
  worker.on('error', () => {
    if (slot.worker === worker) stop(slot)
  })
  return slot.ready
}

/** Undefined: not in time, not in this memory, or not at all. */
const tryReading = async (
  raw: Buffer,
  options: ReadOptions,
  timeoutMs: number,
): Promise<ParsedMail | undefined> => {
  const slot = await takeSlot()
  try {
    await (slot.ready ?? start(slot))
    const { worker } = slot
    if (!worker) return undefined
    const id = nextId++
    const answer = await new Promise<{ mail?: ParsedMail } | undefined>((resolve) => {
      const finish = (value: { mail?: ParsedMail } | undefined) => {
        clearTimeout(timer)
        worker.off('message', onMessage)
        worker.off('error', onError)
        worker.off('exit', onError)
        resolve(value)
      }
      const onMessage = (message: { id: number; mail?: ParsedMail }) => {
        if (message.id === id) finish(message)
      }
      const onError = () => finish(undefined)
      const timer = setTimeout(() => {
        stop(slot)
        finish(undefined)
      }, timeoutMs)
      worker.on('message', onMessage)
      worker.on('error', onError)
      worker.on('exit', onError)
      worker.postMessage({ id, raw, options })
    })
    if (!answer?.mail) return undefined
    return {
      ...answer.mail,
      attachments: answer.mail.attachments.map((one) => ({
        ...one,
        content: Buffer.from(one.content.buffer),
      })),
    }
  } catch {
    stop(slot)
    return undefined
  } finally {
    returnSlot(slot)
  }
}

/** Reads a mail. Never throws, and never gives back less than who wrote it, about what, and the beginning of the text. */
export const parseMail = async (raw: Buffer): Promise<ParsedMail> => {
  const whole = raw.length <= RAW_MAX_BYTES ? await tryReading(raw, {}, WHOLE_MS) : undefined
  if (whole) return whole
  const part = await tryReading(
    raw.subarray(0, RAW_MAX_BYTES),
    { bodyMax: PART_BYTES, withHtml: false },
    PART_MS,
  )
  return part ?? readPlainly(raw.subarray(0, PART_BYTES * 5))
}

/** Ends the threads that nothing is being read in. Reading starts them again. */
export const closeParser = (): void => {
  for (const slot of slots)
    if (!slot.isBusy) {
      clearTimeout(slot.idle)
      stop(slot)
    }
}
