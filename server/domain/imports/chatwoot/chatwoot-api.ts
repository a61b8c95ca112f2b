// What an import reads of Chatwoot's API, one request at a time, as slowly as it wants.
// https://developers.chatwoot.com/api-reference/introduction
import { setTimeout as delay } from 'node:timers/promises'
import { isObject, type SourceRow } from '../read-row.ts'

/** One guarded request; `location` of a redirect, `retryAfterMs` of Retry-After. Throws if there is no answer. */
export type Get = (
  url: URL,
  headers: Record<string, string>,
) => Promise<{
  status: number
  bytes: Buffer
  contentType: string | null
  location: string | null
  retryAfterMs: number | null
}>

export type ChatwootApi = {
  /** The JSON at a path of the account. */
  read: (path: string) => Promise<unknown>
  /** The contents of an attachment; its address may lead elsewhere, where the token is not sent. */
  download: (url: string) => Promise<Buffer>
}

const TRIES_MAX = 6
const WAIT_MAX_MS = 60_000
const REDIRECTS_MAX = 3

type Options = {
  url: string
  account: string
  token: string
  get: Get
  wait?: (ms: number) => Promise<unknown>
}

export const makeChatwootApi = ({ url, account, token, get, wait = delay }: Options): ChatwootApi => {
  const base = new URL(`api/v1/accounts/${account}/`, url.endsWith('/') ? url : `${url}/`)
  const patiently = async (target: URL, headers: Record<string, string>) => {
    for (let tries = 1; ; tries++) {
      const answer = await get(target, headers).catch((error: Error) => error)
      const isPassing = answer instanceof Error || answer.status === 429 || answer.status >= 500
      if (!isPassing) return answer
      if (tries === TRIES_MAX)
        throw answer instanceof Error ? answer : new Error(`Chatwoot answers with status ${answer.status}.`)
      const asked = answer instanceof Error ? null : answer.retryAfterMs
      await wait(Math.min(Math.max(asked ?? 500 * 2 ** tries, 0), WAIT_MAX_MS))
    }
  }
  return {
    read: async (path) => {
      const { status, bytes } = await patiently(new URL(path, base), { api_access_token: token })
      if (status === 401 || status === 403) throw new Error('Chatwoot refuses the token.')
      if (status !== 200) throw new Error(`Chatwoot answers ${path} with status ${status}.`)
      return JSON.parse(bytes.toString('utf8'))
    },
    download: async (given) => {
      let target = new URL(given, url)
      for (let hops = 0; hops <= REDIRECTS_MAX; hops++) {
        const { status, bytes, location } = await patiently(target, {})
        if (status === 200) return bytes
        if (status < 300 || status >= 400 || location === null) throw new Error(`status ${status}`)
        target = new URL(location, target)
      }
      throw new Error('redirects too many times')
    },
  }
}

export const listOf = (value: unknown): SourceRow[] => (Array.isArray(value) ? value.filter(isObject) : [])
