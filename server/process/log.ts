// The log: JSON lines on standard output. Messages, personal data and secrets stay out of it: errors are reduced to
// their type and location, and their texts are cleaned.
import pino from 'pino'
import type { LogLevel } from './config.ts'
import { writtenAt } from './written-at.ts'

export type Log = pino.Logger

const CAUSES_MAX = 4
/** In our own code; while the database is down each call logs one of these. */
const FRAMES_MAX = 6
/** Unread standard output must not fill the memory; anything above this is dropped. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024
/** Each write is a system call on another thread, which costs a seventh of a short request: lines wait this long for others. */
const GATHERED_MS = 20
const GATHERED_MAX = 8 * 1024

const HERE = new URL('../..', import.meta.url).href

const CLEANED: [RegExp, string][] = [
  [/foyer_[A-Za-z0-9_-]{16,}/g, '[token]'],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]*@/gi, '$1[credentials]@'],
  [/(?<![^\s@<>"'(),;:])[^\s@<>"'(),;:]+@[^\s@<>"'(),;:]+\.[a-z]{2,}/gi, '[email]'],
  [/\+\d[\d ()-]{6,}\d/g, '[phone]'],
  [/\b[\w-]{40,}\b/g, '[secret]'],
]

const cleanText = (text: string): string =>
  CLEANED.reduce((cleaned, [pattern, instead]) => cleaned.replace(pattern, instead), text)

/** PostgreSQL's data exceptions (class 22) quote the value they rejected. */
const messageOf = (error: Error & { code?: unknown; severity?: unknown }): string =>
  error.severity !== undefined && typeof error.code === 'string' && error.code.startsWith('22')
    ? error.message.split(':', 1)[0]!
    : cleanText(error.message)

type LoggedError = {
  type: string
  message: string
  code?: string
  constraint?: string
  at?: string[]
  cause?: LoggedError | string
}

/** An error that is safe to log: no detail, parameters or other properties, which may hold personal data. */
const describeError = (error: unknown, depth = 0): LoggedError | string => {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`
  const { code, constraint } = error as { code?: unknown; constraint?: unknown }
  const frames = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('node:'))
    .map(writtenAt)
    .filter((line) => !/[/\\]node_modules[/\\]/.test(line))
    .slice(0, FRAMES_MAX)
  return {
    type: error.name,
    message: messageOf(error),
    ...(typeof code === 'string' && { code }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(frames?.length && { at: frames.map((frame) => frame.trim().slice(3).replace(HERE, '')) }),
    ...(error.cause !== undefined && depth < CAUSES_MAX && { cause: describeError(error.cause, depth + 1) }),
  }
}

/** Standard output, whose lines of a short while are one write. */
const openOutput = () => {
  const output = pino.destination({ fd: 1, sync: false, maxLength: UNREAD_BYTES_MAX })
  // The reader of our output is gone (`foyer serve | head`), which is no reason to stop serving.
  output.on('error', () => {})
  let gathered = ''
  const pass = (): void => {
    const text = gathered
    gathered = ''
    if (text) output.write(text)
  }
  const write = (text: string): void => {
    if (!gathered) setTimeout(pass, GATHERED_MS)
    gathered += text
    if (gathered.length > GATHERED_MAX) pass()
  }
  const flushSync = (): void => {
    pass()
    output.flushSync()
  }
  return { write, flushSync }
}

export const makeLog = (
  level: LogLevel,
  stream?: pino.DestinationStream,
): { log: Log; writePlain: (text: string) => void; flush: () => void } => {
  const output = openOutput()
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: (error) => describeError(error),
        error: (error) => describeError(error),
        // Fastify's own lines name these; the request line has everything needed.
        req: () => undefined,
        res: () => undefined,
      },
    },
    stream ?? output,
  )
  return {
    log,
    writePlain: output.write,
    flush: () => {
      try {
        output.flushSync()
      } catch {
        // It was not open yet, or its reader is gone.
      }
    },
  }
}
