// The SDKs behind one face, so that one table of cases holds for each.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { Foyer, FoyerError, Pages } from '../typescript/src/index.ts'
import { verify } from '../typescript/src/webhooks.ts'
import { PYTHON_ENVIRONMENT, WITHOUT_PYTHON } from './python.ts'

export type Settings = {
  baseUrl: string
  token?: string
  timeoutMs?: number
  maxRetries?: number
  pace?: boolean
}

export type Call = {
  /** As in TypeScript, such as conversations.sendMessage. */
  method: string
  ids?: string[]
  query?: Record<string, unknown>
  body?: Record<string, unknown>
  options?: { timeoutMs?: number; maxRetries?: number; idempotencyKey?: string }
  /** Of a list: a number of rows, or the first page. */
  take?: number | 'page'
}

export type Refusal = {
  name: string
  message: string
  code?: string
  status?: number
  details?: { field: string }[]
  requestId?: string | null
  retryAfterMs?: number | null
  isRetryable?: boolean
}

export type Outcome = { data?: unknown; headers?: Record<string, string>; error?: Refusal }

/** What the SDK is told when it calls back: to go on, that its client is closed meanwhile, or an exception. */
export type Answer = 'go' | 'close' | 'raise'
type Told = (name: string, value: unknown) => Answer | Promise<Answer>

export type Language = {
  name: string
  /** Why it can't be tried here. */
  skip: string | false
  call(settings: Settings, call: Call): Promise<Outcome>
  /** Calls back `event` with each event, and `quiet` with a cursor. */
  follow(settings: Settings, options: Record<string, unknown>, told: Told): Promise<Outcome>
  /** Calls back those functions of sync that are named. */
  sync(settings: Settings, options: { cursor?: string; calls: string[] }, told: Told): Promise<Outcome>
  /** `body` as text or bytes, or JSON that was parsed. */
  verify(webhook: Webhook): Promise<Outcome>
}

export type Webhook = {
  body: string | Uint8Array | { parsed: string }
  headers: Record<string, string | string[]>
  secret: string | string[]
  toleranceSeconds?: number
}

const outcomeOf = async (work: () => Promise<Outcome>): Promise<Outcome> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const { name, message } = error
    if (!(error instanceof FoyerError)) return { error: { name, message } }
    const { code, status, details, requestId, retryAfterMs, isRetryable } = error
    return { error: { name, message, code, status, details, requestId, retryAfterMs, isRetryable } }
  }
}

const callTypescript = async (settings: Settings, call: Call): Promise<Outcome> => {
  const foyer = new Foyer({ token: 'foyer_x', ...settings })
  const [owner, name] = call.method.split('.') as [keyof Foyer, string]
  const methods = foyer[owner] as unknown as Record<string, (...parameters: unknown[]) => unknown>
  const { ids = [], query, body, options = {}, take } = call
  const answer = methods[name]!(...ids, ...(query ? [query] : []), ...(body ? [body] : []), options)
  if (answer instanceof Pages) {
    if (take === 'page') return { data: await answer.page() }
    return { data: await answer.firstN(take!) }
  }
  const { data, response } = await (answer as ReturnType<Foyer['tags']['list']>).withResponse()
  return { data, headers: Object.fromEntries(response.headers) }
}

const answered = async (leaving: AbortController, answer: Answer | Promise<Answer>): Promise<void> => {
  const said = await answer
  if (said === 'raise') throw new Error('stopped')
  if (said === 'close') leaving.abort()
}

const TYPESCRIPT: Language = {
  name: 'TypeScript',
  skip: false,
  call: (settings, call) => outcomeOf(() => callTypescript(settings, call)),
  follow: (settings, options, told) =>
    outcomeOf(async () => {
      const leaving = new AbortController()
      const foyer = new Foyer({ token: 'foyer_x', ...settings })
      const onQuiet = (cursor: string) => answered(leaving, told('quiet', cursor))
      for await (const event of foyer.events.follow({ ...options, onQuiet, signal: leaving.signal }))
        await answered(leaving, told('event', event))
      return { data: null }
    }),
  sync: (settings, { cursor, calls }, told) =>
    outcomeOf(async () => {
      const leaving = new AbortController()
      const functions = Object.fromEntries(
        calls.map((name) => [name, (value: unknown) => answered(leaving, told(name, value))]),
      ) as Pick<Parameters<Foyer['sync']>[0], 'onEvent' | 'save'>
      const foyer = new Foyer({ token: 'foyer_x', ...settings })
      await foyer.sync({ cursor, ...functions, signal: leaving.signal })
      return { data: null }
    }),
  verify: ({ body, headers, secret, toleranceSeconds }) =>
    outcomeOf(async () => {
      const raw =
        typeof body === 'string' || body instanceof Uint8Array ? body : (JSON.parse(body.parsed) as never)
      return { data: await verify(raw, headers, secret, toleranceSeconds ? { toleranceSeconds } : {}) }
    }),
}

type Line = Outcome & { called?: string; value?: unknown }

/** One process for all calls, one after the other. */
const startPython = (): Language => {
  const driver = join(import.meta.dirname, 'driver.py')
  const strict = ['-X', 'dev', '-W', 'error', '-u', driver]
  const child = spawn('python3', strict, { stdio: ['pipe', 'pipe', 'inherit'], env: PYTHON_ENVIRONMENT })
  after(() => child.stdin.end())
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let turn: Promise<unknown> = Promise.resolve()
  const say = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`)

  const ask = async (message: object, told: Told): Promise<Outcome> => {
    say(message)
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('the program ended')
      const line: Line = JSON.parse(value)
      if (line.called === undefined) return line
      say({ answer: await told(line.called, line.value) })
    }
  }

  const inTurn = (message: object, told: Told = () => 'go'): Promise<Outcome> => {
    const answer = turn.then(() => ask(message, told))
    turn = answer.catch(() => {})
    return answer
  }

  return {
    name: 'Python',
    skip: false,
    call: (settings, call) => inTurn({ do: 'call', settings, with: call }),
    follow: (settings, options, told) => inTurn({ do: 'follow', settings, with: options }, told),
    sync: (settings, options, told) => inTurn({ do: 'sync', settings, with: options }, told),
    verify: ({ body, headers, secret, toleranceSeconds: tolerance }) => {
      const [kind, text] =
        typeof body === 'string'
          ? ['text', body]
          : body instanceof Uint8Array
            ? ['bytes', Buffer.from(body).toString('base64')]
            : ['parsed', body.parsed]
      const options = tolerance ? { tolerance } : {}
      return inTurn({ do: 'verify', settings: {}, with: { kind, body: text, headers, secret, options } })
    },
  }
}

const absent = (name: string, skip: string): Language => {
  const never = () => Promise.reject(new Error(skip))
  return { name, skip, call: never, follow: never, sync: never, verify: never }
}

export const LANGUAGES: readonly Language[] = [
  TYPESCRIPT,
  WITHOUT_PYTHON ? absent('Python', WITHOUT_PYTHON) : startPython(),
]
