// What is changed or removed while a turn is thinking with a model: what it decided is carried out as far as it still can
// be, and nobody is left without a reply or a person.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { type AnswerInput, startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { until } from '../../../../test/until.ts'
import { mergeContacts } from '../../people/merge-contacts.ts'
import { deleteTag } from '../../tags/tags.ts'
import { removeProvider, saveProvider } from '../provider/save-provider.ts'
import { updateAiSettings } from '../settings.ts'
import { startAssisting } from '../testing/assisted.ts'

const KEY = 'sk-meanwhile-2f7ac01d9be843'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
after(() => sandbox.stop())
const app = await startApp()
const { conductor, pass, place, settle, thinker } = startAssisting(app)
const { db, make } = app
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())

const call = (name: string, given: Record<string, unknown>): AnswerInput => ({
  calls: [{ name, arguments: given }],
})
const search = call('search_knowledge', { query: 'gift wrapping' })
const RETURNS = 'You can return everything within 30 days.'
const reply = call('end_turn', { action: 'reply', text: RETURNS, sources: ['s1'] })
const HANDED_OVER = 'agent: Someone from our team will reply here.'

type Options = Parameters<typeof place>[0]
const placeWith = (options: Options = {}) =>
  place({ ...options, model: { url: sandbox.url, key: KEY, name: 'sandbox-script' } })
type There = Awaited<ReturnType<typeof placeWith>>

const isAsked = async ({ workspaceId }: There): Promise<boolean> =>
  (await db.selectFrom('ai_usage').select('id').where('workspace_id', '=', workspaceId).execute()).length > 0

/** `change` happens while the provider takes its time for the first answer. Returns what the agent said. */
const meanwhile = async (
  there: There,
  answers: AnswerInput[],
  change: () => Promise<unknown>,
): Promise<string[]> => {
  await there.writes('May I return everything?')
  await there.assign()
  await pass(11_000)
  control.scriptModel(answers)
  control.addModelFault({ kind: 'slow', times: 1, delayMs: 1_200 })
  const thinking = thinker.thinkDue()
  await until(() => isAsked(there), 'the model to be asked')
  await change()
  await conductor.conductDue()
  await thinking
  await settle()
  assert.ok((await there.turns()).every(({ state }) => state === 'ended'))
  return (await there.thread()).filter((line) => line.startsWith('agent: '))
}

test('of two tags, one that is deleted meanwhile doesn’t cost the other, nor the reply', async () => {
  const there = await placeWith({ tags: ['Returns', 'Shoes'], opened: ['Returns', 'Shoes'] })
  const tags = ['Shoes', 'Returns'].map((tag) => ({ name: 'add_tag', arguments: { tag } }))
  const said = await meanwhile(there, [{ calls: tags }, reply], async () => {
    const tag = db.selectFrom('tags').select('id').where('workspace_id', '=', there.workspaceId)
    await deleteTag(there.ctx, (await tag.where('name', '=', 'Shoes').executeTakeFirstOrThrow()).id)
  })
  assert.equal(said.length, 1)
  assert.match(said[0]!, /30 days/)
  assert.deepEqual((await there.contact()).tags, ['Returns'])
})

test('a provider that is removed gets no further request, and the customer the saved answer', async () => {
  const there = await placeWith()
  const said = await meanwhile(there, [search, reply], () => removeProvider(there.ctx))
  assert.equal((await there.requests()).length, 1)
  assert.equal(said.length, 1)
  assert.match(said[0]!, /Return deadline/)
})

test('a key that is renewed counts from the next request on', async () => {
  const there = await placeWith()
  const said = await meanwhile(there, [search, search, reply], () =>
    saveProvider(there.ctx, {
      kind: 'chat_completions',
      baseUrl: `${sandbox.url}/v1`,
      key: 'sk-revoked-00000000',
      model: 'sandbox-script',
    }),
  )
  // Which the sandbox refuses: it asks once with the old key, and once with the new one.
  assert.deepEqual(
    (await there.requests()).map(({ problem }) => problem),
    [null, 'badKey'],
  )
  assert.match(said[0]!, /Return deadline/)
})

test('a budget that ends between two requests of a turn leaves what is known word for word', async () => {
  const there = await placeWith()
  const said = await meanwhile(there, [search, reply], () =>
    updateAiSettings(there.ctx, { budget: { day: 0, month: null } }),
  )
  assert.equal((await there.requests()).length, 1)
  assert.match(said[0]!, /Return deadline/)
})

test('a contact who is merged gets the reply, and one whose conversation is closed with it gets none', async () => {
  for (const hasOpen of [false, true]) {
    const there = await placeWith()
    const kept = await make.contact(there.workspaceId, { name: 'Maria Silva' })
    const { channelAccountId } = there
    if (hasOpen) await make.conversation(there.workspaceId, { contactId: kept.id, channelAccountId })
    const said = await meanwhile(there, [reply], async () => {
      const { contact } = (await there.send('GET', '')).body.conversation
      await mergeContacts(there.ctx, kept.id, contact.id)
    })
    assert.equal(said.length, hasOpen ? 0 : 1)
  }
})

test('a customer who blocks the business meanwhile gets nothing, and people have the conversation', async () => {
  const there = await placeWith({ channel: 'telegram' })
  const said = await meanwhile(there, [reply], async () => {
    const value = db.selectFrom('identities').select('value').where('workspace_id', '=', there.workspaceId)
    const { value: external_id } = await value.where('kind', '=', 'telegram').executeTakeFirstOrThrow()
    const blocked = { unreachable_since: app.clock.now(), unreachable_reason: 'blocked' as const }
    await db
      .insertInto('channel_people')
      .values({
        workspace_id: there.workspaceId,
        channel_account_id: there.channelAccountId,
        external_id,
        created_at: app.clock.now(),
        ...blocked,
      })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'channel_account_id', 'external_id']).doUpdateSet(blocked),
      )
      .execute()
  })
  assert.deepEqual(said, [])
  assert.equal(await there.agentId(), null)
})

test('a channel on which it may no longer reply gets the word of a hand-over instead', async () => {
  const there = await placeWith()
  const never = { speaking: { web: { mode: 'never' as const } } }
  assert.deepEqual(await meanwhile(there, [reply], () => updateAiSettings(there.ctx, never)), [HANDED_OVER])
})

const deep = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)

test('answers beyond all measure end with a reply too', async () => {
  const tenThousand = Array.from({ length: 10_000 }, () => ({ name: 'read_contact', arguments: {} }))
  for (const answer of [
    { calls: tenThousand },
    call('search_knowledge', { query: deep(3_000) }),
    call('end_turn', { action: 'reply', text: 'x'.repeat(1_000_000), sources: ['s1'] }),
    call('end_turn', { action: 'reply', text: RETURNS, sources: deep(20) }),
    call('__proto__', { constructor: { prototype: { isAdmin: true } } }),
  ]) {
    const there = await placeWith()
    control.clearModel()
    control.scriptModel([answer, reply, reply])
    assert.match(await there.opens('How long is the return period?'), /30 days|Return deadline/)
  }
})
