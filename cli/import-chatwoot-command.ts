// A Chatwoot account becomes an archive in a temporary folder, which is loaded like any other.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Get } from '../server/domain/imports/chatwoot/chatwoot-api.ts'
import { type Command, required, UsageError } from './command.ts'
import { LOAD_FLAGS, loadFolder } from './import-commands.ts'
import { withOutbound } from './with-outbound.ts'

/** Where the token is looked for without --token, so that it is in no list of processes. */
const TOKEN_VARIABLE = 'CHATWOOT_TOKEN'
const TIMEOUT_MS = 60_000
const BYTES_MAX = 100 * 1024 * 1024

/** Through the guard of addresses. */
export const getGuarded: Get = async (url, headers) => {
  const { requestGuardedBytes } = await import('../channels/protocol/guarded-request.ts')
  const { retryAfterMsOf } = await import('../channels/protocol/retry-after.ts')
  const result = await requestGuardedBytes({
    ...{ url, method: 'GET', headers, body: null, bytesMax: BYTES_MAX, timeoutMs: TIMEOUT_MS },
    isRepeatable: true,
  })
  if (result.is === 'unanswered') throw new Error(result.problem.message)
  const isWhole = result.status !== 200 || result.problem === null
  if (!isWhole) throw new Error(result.problem!.message)
  const { status, bytes, contentType, headers: answered } = result
  return {
    ...{ status, bytes, contentType },
    location: answered.location ?? null,
    retryAfterMs: retryAfterMsOf(answered) ?? null,
  }
}

export const importChatwootCommand: Command = {
  words: 'import chatwoot',
  about: `Bring an account of Chatwoot to a workspace through its API, without notifying anyone. The token of an administrator is --token, or in ${TOKEN_VARIABLE}.`,
  flags: {
    ...LOAD_FLAGS,
    url: required('URL'),
    account: required('NUMBER'),
    token: { value: 'TOKEN' },
  },
  run: async (given, settings) => {
    const { flag, flags } = given
    const token = flags.token === undefined ? process.env[TOKEN_VARIABLE] : flag('token')
    if (!token) throw new UsageError(`Give --token, or set ${TOKEN_VARIABLE}.`)
    if (!URL.canParse(flag('url')))
      throw new UsageError('--url must be the address of Chatwoot, such as https://app.chatwoot.com.')
    if (!/^\d{1,12}$/.test(flag('account'))) throw new UsageError('--account must be a number.')
    const { makeChatwootApi } = await import('../server/domain/imports/chatwoot/chatwoot-api.ts')
    const { readChatwoot } = await import('../server/domain/imports/chatwoot/read-chatwoot.ts')
    const { openArchiveWriter } = await import('../server/domain/imports/archive-writer.ts')
    const folder = await mkdtemp(join(tmpdir(), 'foyer-chatwoot-'))
    try {
      return await withOutbound(given, settings(), async (ctx) => {
        const url = flag('url')
        const writer = openArchiveWriter(folder, `chatwoot:${new URL(url).host}/${flag('account')}`)
        const api = makeChatwootApi({ url, token, account: flag('account'), get: getGuarded })
        const read = await readChatwoot(api, {
          writer,
          onProblem: (problem) => process.stderr.write(`${JSON.stringify(problem)}\n`),
        })
        await writer.finish(ctx.now())
        return { read, ...(await loadFolder(ctx, given, folder)) }
      })
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}
