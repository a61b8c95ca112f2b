// Every fault that the sandbox's models can play, over each protocol, as whole turns: once, when a model would reply, and
// without end, when only people could. The customer always has a reply or a person, and the team reads the true reason.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { MODEL_KINDS } from '../../../../models/names.ts'
import {
  ANSWER_KINDS,
  BODY_KINDS,
  ERROR_KINDS,
  type ModelFaultInput,
} from '../../../../sandbox/model/faults.ts'
import { startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import type { HandOverReason } from '../hand-over-reason.ts'
import { SHIPPING, startAssisting } from '../testing/assisted.ts'

const KEY = 'sk-faults-6e0b93d17c52a84f'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
const app = await startApp()
const { db } = app
/** A provider that hangs is waited for no longer. */
const { place, settle, conductor, thinker } = startAssisting(app, { requestMaxMs: 2_500 })
before(() => allowOutbound(sandbox.url))
after(async () => {
  await thinker.stop()
  await conductor.stop()
})

type Kind = ModelFaultInput['kind']

const KINDS: Kind[] = [
  ...ERROR_KINDS,
  ...ANSWER_KINDS,
  ...BODY_KINDS,
  'refuse-parameter',
  'hang',
  'drop',
  'slow',
]

/** What the model makes of a question that no source answers, where its answer can be read all the same. */
const HARMLESS: ReadonlySet<Kind> = new Set<Kind>([
  'slow',
  'call-as-text',
  'two-finals',
  'final-and-tool',
  'text-beside',
  'duplicate-ids',
  'bad-ids',
  'no-usage',
  'odd-usage',
  'unknown-stop',
  'arguments-as-object',
  'key-quoted',
])

type Protocol = (typeof MODEL_KINDS)[number]

const reasonFor = (kind: Kind, protocol: Protocol): HandOverReason => {
  // Servers that write calls as text speak the first protocol.
  if (kind === 'call-as-text' && protocol !== 'chat_completions') return 'provider_down'
  if (HARMLESS.has(kind)) return 'no_knowledge'
  if (kind === 'filtered' || kind === 'content-filter' || kind === 'refusal') return 'sensitive'
  return 'provider_down'
}

const MORE: Partial<Record<Kind, Partial<ModelFaultInput>>> = {
  slow: { delayMs: 100 },
  'rate-limit': { retryAfterSeconds: 3_600 },
  'refuse-parameter': { parameter: 'tools' },
}

/** Requests are told apart by words of the customer’s that are too short to count. */
const makeCase = async (kind: Kind, protocol: Protocol, at: number) => {
  const there = await place({
    items: [SHIPPING],
    model: { url: sandbox.url, key: KEY, name: 'sandbox-facts', kind: protocol },
  })
  const fault = (saying: string, times: number) =>
    control.addModelFault({ kind, times, saying, ...MORE[kind] })
  return {
    ...there,
    name: `${kind} over ${protocol}`,
    kind,
    protocol,
    mark: at.toString(36).padStart(2, '0'),
    fault,
  }
}

/** Until nobody is thought about: a turn may have to wait for its share of requests. */
const settleAll = async (): Promise<void> => {
  for (let round = 0; round < 20; round++) {
    await settle()
    const { count } = await db
      .selectFrom('ai_turns')
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .where('state', '<>', 'ended')
      .executeTakeFirstOrThrow()
    if (Number(count) === 0) return
  }
  assert.fail('some turns didn’t end')
}

test('whatever a provider does, the customer has a reply or a person, and a hand-over says why', async () => {
  const cases: Awaited<ReturnType<typeof makeCase>>[] = []
  for (const kind of KINDS)
    for (const protocol of MODEL_KINDS) cases.push(await makeCase(kind, protocol, cases.length))

  for (const { writes, send, fault, mark } of cases) {
    fault(`(o${mark})`, 1)
    await writes(`How much is shipping? (o${mark})`)
    assert.equal((await send('POST', '/assign', { agentId: 'ai' })).status, 200)
  }
  await settleAll()
  const problems: string[] = []
  for (const { thread, lines, name, kind, protocol } of cases) {
    const [, said = '', ...more] = await thread()
    const isLeft =
      /team will reply/.test(said) && (await lines()).some((line) => /subject is for people/.test(line))
    // The third protocol has one name for what a filter and what the model itself won’t say.
    const isRefusal = kind === 'refusal' || (kind === 'content-filter' && protocol === 'messages')
    const isFine = isRefusal ? isLeft : /Shipping is free from 50 euros/.test(said)
    if (!isFine || more.length > 0) problems.push(`${name}, once: ${said} ${more} ${(await lines()).at(-1)}`)
  }

  for (const { writes, send, fault, mark } of cases) {
    fault(`(a${mark})`, 100)
    assert.equal((await send('POST', '/close')).status, 200)
    await writes(`Do you sell bicycles? (a${mark})`)
    assert.equal((await send('POST', '/assign', { agentId: 'ai' })).status, 200)
  }
  await settleAll()
  for (const { thread, turns, agentId, name, kind, protocol } of cases) {
    const said = (await thread()).at(-1)!
    const { decision, outcome } = (await turns()).at(-1)!
    const reason = decision?.is === 'handOver' ? decision.reason : decision?.is
    if (!/team will reply/.test(said) || outcome !== 'handed_over' || (await agentId()) !== null)
      problems.push(`${name}, always: ${said}`)
    if (reason !== reasonFor(kind, protocol))
      problems.push(`${name}, always: handed over because of ${reason}`)
  }
  assert.deepEqual(problems, [])
  const bodies = await db.selectFrom('messages').select('body').where('body', 'like', `%${KEY}%`).execute()
  assert.deepEqual(bodies, [])
})
