// The AI agent: turning it on, stopping it, and the model that it thinks with.
import { MODEL_KINDS } from '../models/names.ts'
import type { Ctx } from '../server/platform/ctx/ctx.ts'
import type { Config } from '../server/process/config.ts'
import { type Command, type Given, required, toFlag, UsageError, WORKSPACE } from './command.ts'
import { evaluateCommand } from './evaluate-command.ts'
import { withOutbound } from './with-outbound.ts'

/** Where `ai provider set` looks for the key, so that it is in no list of processes and no history of a shell. */
const KEY_VARIABLE = 'FOYER_MODEL_KEY'

const PRICES = ['inputPrice', 'cachedPrice', 'outputPrice'] as const

export const aiCommands: Command[] = [
  ...[true, false].map(
    (isStopped): Command => ({
      words: isStopped ? 'ai stop' : 'ai start',
      about: isStopped
        ? 'Stop the AI agent at once, in one workspace or in all. Its conversations go to people.'
        : 'Let the AI agent reply again.',
      flags: { workspace: { value: 'ID' } },
      run: async ({ flags }, settings) => {
        const config = settings()
        const { withDatabase } = await import('./open-database.ts')
        const { setAiStopped } = await import('../server/domain/ai/settings.ts')
        const { listWorkspaceIds } = await import('../server/domain/workspaces/queries.ts')
        return withDatabase(config, async ({ db, ctxOf }) => {
          const ids = flags.workspace === undefined ? await listWorkspaceIds(db) : [String(flags.workspace)]
          for (const id of ids) await setAiStopped(await ctxOf(id), { isStopped })
          return { workspaces: ids, isStopped }
        })
      },
    }),
  ),
  ...[true, false].map(
    (isEnabled): Command => ({
      words: isEnabled ? 'ai enable' : 'ai disable',
      about: isEnabled
        ? 'Turn on the AI agent for a workspace.'
        : 'Turn off the AI agent. Its open conversations become unassigned.',
      flags: { workspace: WORKSPACE },
      run: async ({ flag }, settings) => {
        const config = settings()
        const { withDatabase } = await import('./open-database.ts')
        const { setAiAgent } = await import('../server/domain/agents/set-ai-agent.ts')
        return withDatabase(config, async ({ ctxOf }) =>
          setAiAgent(await ctxOf(flag('workspace')), { isEnabled }),
        )
      },
    }),
  ),
  {
    words: 'ai provider set',
    about: `Connect a language model. Its key is read from standard input with --key-stdin, or from ${KEY_VARIABLE}; without either, the stored one is kept, unless the host changes.`,
    flags: {
      workspace: WORKSPACE,
      kind: required(MODEL_KINDS.join('|')),
      'base-url': required('URL'),
      model: required('NAME'),
      'key-stdin': { value: null },
      'no-key': { value: null },
      'embedding-model': { value: 'NAME' },
      currency: { value: 'CODE' },
      'input-price': { value: 'PER_MILLION' },
      'cached-price': { value: 'PER_MILLION' },
      'output-price': { value: 'PER_MILLION' },
    },
    run: async (given, settings) => {
      const { flag, flags } = given
      const kind = MODEL_KINDS.find((one) => one === flag('kind'))
      if (!kind) throw new UsageError(`--kind must be one of ${MODEL_KINDS.join(', ')}.`)
      const prices = readPrices(given)
      const config = settings()
      const key = await readKey(given)
      const body = {
        kind,
        baseUrl: flag('baseUrl'),
        model: flag('model'),
        ...(key !== undefined && { key }),
        ...(flags.embeddingModel !== undefined && { embeddingModel: flag('embeddingModel') }),
        ...(flags.currency !== undefined && { currency: flag('currency') }),
        ...(prices && { prices }),
      }
      return withProvider(given, config, ({ saveProvider }, ctx) => saveProvider(ctx, body))
    },
  },
  {
    words: 'ai provider check',
    about: 'Have the model do what the agent needs, and print what works. Nothing of a customer is sent.',
    flags: { workspace: WORKSPACE },
    run: (given, settings) =>
      withProvider(given, settings(), async ({ checkProvider }, ctx) => ({
        provider: await checkProvider(ctx),
      })),
  },
  {
    words: 'ai provider remove',
    about: 'Disconnect the model. The agent replies from the knowledge alone.',
    flags: { workspace: WORKSPACE },
    run: (given, settings) =>
      withProvider(given, settings(), ({ removeProvider }, ctx) => removeProvider(ctx)),
  },
  evaluateCommand,
]

type Operations = typeof import('../server/domain/ai/provider/save-provider.ts')

const withProvider = async (
  given: Given,
  config: Config,
  work: (operations: Operations, ctx: Ctx) => Promise<unknown>,
): Promise<unknown> => {
  const operations = await import('../server/domain/ai/provider/save-provider.ts')
  return withOutbound(given, config, (ctx) => work(operations, ctx))
}

const KEY_BYTES_MAX = 10_000

const readKey = async ({ flags }: Given): Promise<string | null | undefined> => {
  if (flags.noKey !== undefined && flags.keyStdin !== undefined)
    throw new UsageError('--key-stdin and --no-key exclude each other.')
  if (flags.noKey !== undefined) return null
  if (flags.keyStdin === undefined) return process.env[KEY_VARIABLE]?.trim() || undefined
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) {
    text += chunk
    if (text.length > KEY_BYTES_MAX) throw new UsageError('Standard input is too long to be a key.')
  }
  if (text.trim() === '') throw new UsageError('There is no key on standard input.')
  return text.trim()
}

/** Given as 2.50, stored in millionths. Undefined if none is given. */
const readPrices = ({ flags, flag }: Given) => {
  if (PRICES.every((name) => flags[name] === undefined)) return undefined
  const [input, cached, output] = PRICES.map((name) => {
    const text = flags[name] === undefined && name === 'cachedPrice' ? flag('inputPrice') : flag(name)
    if (!/^\d{1,6}(\.\d{1,6})?$/.test(text))
      throw new UsageError(`--${toFlag(name)} must be a price per million tokens, such as 2.50.`)
    return Math.round(Number(text) * 1_000_000)
  })
  return { input: input!, cached: cached!, output: output! }
}
