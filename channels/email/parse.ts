// A raw mail to a parsed one, in bounded time and memory whatever it holds: the reading runs in a worker thread with a
// limit of memory and a deadline. What it cannot do in time is tried again with a part of the mail, then read plainly.
import { Worker } from 'node:worker_threads'
import type { ParsedMail } from './mail.ts'
import { readPlainly } from './plain-reading.ts'

/** A larger mail is read from its beginning only. Gmail's limit of 25 MB grows to this when it is encoded. */
export const RAW_MAX_BYTES = 35 * 1024 * 1024
const WORKERS_MAX = 2
const HEAP_MAX_MB = 96
const IDLE_MS = 30_000
/** Of the processor's time. With what comes before and after it, a mail is done within two seconds. */
const READING_MS = 1_600
/** A machine that has much else to do takes longer for the same, up to this. */
const READING_ELAPSED_MS = 4_000
const LOOK_EVERY_MS = 250
/** A reading that uses less of the processor than this between two looks, once its time is over, waits for nothing. */
const PROGRESS_MIN_MS = 3
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
    // It says so itself, once everything that it needs is loaded.
    worker.once('message', () => {
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

type Answer = { id: number; mail?: ParsedMail; early?: ParsedMail; error?: string }

/** What could be read in time; undefined: nothing. */
const readInThread = async (raw: Buffer): Promise<ParsedMail | undefined> => {
  const slot = await takeSlot()
  try {
    await (slot.ready ?? start(slot))
    const { worker } = slot
    if (!worker) return undefined
    const id = nextId++
    return await new Promise<ParsedMail | undefined>((resolve) => {
      let early: ParsedMail | undefined
      let isDone = false
      const finish = (mail: ParsedMail | undefined) => {
        isDone = true
        clearTimeout(timer)
        worker.off('message', onMessage)
        worker.off('error', onEnd)
        worker.off('exit', onEnd)
        resolve(mail)
      }
      const onMessage = (answer: Answer) => {
        if (answer.id !== id) return
        if (answer.early) early = answer.early
        else finish(answer.mail ? withBuffers(answer.mail) : early)
      }
      const onEnd = () => finish(early)
      const giveUp = () => {
        stop(slot)
        finish(early)
      }
      const startedMs = performance.now()
      const usedBefore = usedMs(worker)
      let usedLastMs = 0
      const look = async () => {
        const used = (await usedMs(worker)) - (await usedBefore)
        const isOver = used >= READING_MS || performance.now() - startedMs >= READING_ELAPSED_MS
        if (isDone) return
        if (isOver || !(used - usedLastMs >= PROGRESS_MIN_MS)) return giveUp()
        usedLastMs = used
        timer = setTimeout(look, Math.max(LOOK_EVERY_MS, READING_MS - used))
      }
      let timer = setTimeout(look, READING_MS)
      worker.on('message', onMessage)
      worker.on('error', onEnd)
      worker.on('exit', onEnd)
      worker.postMessage({ id, raw })
    })
  } catch {
    stop(slot)
    return undefined
  } finally {
    returnSlot(slot)
  }
}

/** What a thread has used of the processor; not a number when it is gone. */
const usedMs = async (worker: Worker): Promise<number> => {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1_000
  } catch {
    return Number.NaN
  }
}

const withBuffers = (mail: ParsedMail): ParsedMail => ({
  ...mail,
  attachments: mail.attachments.map((one) => ({ ...one, content: Buffer.from(one.content.buffer) })),
})

/**
 * Reads a mail. Never throws, and never gives back less than who wrote it, about what, and the beginning of the text;
 * isWhole says whether that is all.
 */
export const parseMail = async (raw: Buffer): Promise<ParsedMail> => {
  const read = await readInThread(raw.subarray(0, RAW_MAX_BYTES))
  if (!read) return readPlainly(raw)
  return raw.length <= RAW_MAX_BYTES ? read : { ...read, isWhole: false }
}

/** Ends the threads that nothing is being read in. Reading starts them again. */
export const closeParser = (): void => {
  for (const slot of slots)
    if (!slot.isBusy) {
      clearTimeout(slot.idle)
      stop(slot)
    }
}
