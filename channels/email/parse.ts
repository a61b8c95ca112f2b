// Parses raw email in bounded time and memory, whatever it contains: in a worker thread with a memory limit and a
// deadline. If that fails, it retries with part of the email, then uses the plain reader.
import { Worker } from 'node:worker_threads'
import type { ParsedMail } from './mail.ts'
import { readPlainly } from './plain-reading.ts'

/** Only the beginning of larger emails is read. Gmail's limit of 25 MB becomes this when encoded. */
const RAW_MAX_BYTES = 35 * 1024 * 1024
const WORKERS_MAX = 2
const HEAP_MAX_MB = 96
const IDLE_MS = 30_000
/** CPU time. Including overhead, an email is done within two seconds. */
const READING_MS = 1_600
/** A busy machine may take up to this long for it. */
const READING_ELAPSED_MS = 4_000
const LOOK_EVERY_MS = 250
/** A parse past its time that uses less CPU than this between two checks is stuck. */
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
    // Prefers a running worker to starting another.
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
    const timer = setTimeout(() => reject(new Error('the mail parser thread did not start')), START_MS)
    // Sent by the worker once everything it needs is loaded.
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
      let usedBefore: number | undefined
      let usedLastMs = 0
      const begin = async () => {
        // Requested first: a busy worker would otherwise only respond after the next email.
        usedBefore = await usedMs(worker)
        worker.postMessage({ id, raw })
      }
      const look = async () => {
        const used = usedBefore === undefined ? 0 : (await usedMs(worker)) - usedBefore
        const waits = usedBefore !== undefined && !(used - usedLastMs >= PROGRESS_MIN_MS)
        const isOver = used >= READING_MS || performance.now() - startedMs >= READING_ELAPSED_MS
        if (isDone) return
        if (isOver || waits) return giveUp()
        usedLastMs = used
        timer = setTimeout(look, Math.max(LOOK_EVERY_MS, READING_MS - used))
      }
      let timer = setTimeout(look, READING_MS)
      worker.on('message', onMessage)
      worker.on('error', onEnd)
      worker.on('exit', onEnd)
      void begin()
    })
  } catch {
    stop(slot)
    return undefined
  } finally {
    returnSlot(slot)
  }
}

/** CPU time used by a worker; NaN if it is gone. */
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
 * Parses an email. Never throws, and always returns at least the sender, the subject and the beginning of the text;
 * isWhole says whether that is everything.
 */
export const parseMail = async (raw: Buffer): Promise<ParsedMail> => {
  const read = await readInThread(raw.subarray(0, RAW_MAX_BYTES))
  if (!read) return readPlainly(raw)
  return raw.length <= RAW_MAX_BYTES ? read : { ...read, isWhole: false }
}

/** Stops idle workers. Parsing starts them again. */
export const closeParser = (): void => {
  for (const slot of slots)
    if (!slot.isBusy) {
      clearTimeout(slot.idle)
      stop(slot)
    }
}
