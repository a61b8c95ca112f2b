// What a saved reply does besides its text happens when the reply is sent, and only then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { makeHeldSender } from '../jobs/send-held.ts'

const app = await startApp()
const { clock, db, deps, make } = app
const { id: w } = await make.workspace()
const sender = makeHeldSender({ ...deps, log: app.app.log })
const jane = await signIn(app, w, (await make.agent(w, { nickname: 'Jane', role: 'admin' })).id)
const sam = await make.agent(w, { nickname: 'Sam' })
const account = await make.channelAccount(w, 'telegram')
const vip = await make.tag(w, { name: 'VIP' })

const open = async (agentId?: string) => {
  const conversation = await make.conversation(w, { channel: 'telegram', channelAccountId: account })
  await make.message(w, conversation, { body: 'Where is my bike?' })
  if (agentId)
    await db
      .updateTable('conversations')
      .set({ agent_id: agentId })
      .where('id', '=', conversation.id)
      .execute()
  return conversation
}
const after = { tagIds: [vip], assigneeId: sam.id, closes: true }
const send = (who: typeof jane, conversationId: string, body: object) =>
  who.call('POST', `/conversations/${conversationId}/messages`, { body: 'Done.', undoSeconds: 5, ...body })
const later = async (): Promise<void> => {
  const { now } = clock
  clock.now = () => new Date(now().getTime() + 6_000)
  await sender.sendDue()
  clock.now = now
}
const stateOf = async ({ id, contactId }: { id: string; contactId: string }) => {
  const row = await db
    .selectFrom('conversations')
    .select(['status', 'agent_id'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const tags = await db
    .selectFrom('contact_tags')
    .select('tag_id')
    .where('contact_id', '=', contactId)
    .execute()
  return [row.status, row.agent_id, tags.map(({ tag_id }) => tag_id)]
}

test('tags, assignment and closing happen with the sending; undoing leaves nothing and gives them back', async () => {
  const [undone, sent] = [await open(), await open()]
  const { held } = (await send(jane, undone.id, { after })).body
  const expected = {
    tags: [{ id: vip, name: 'VIP' }],
    assignee: { id: sam.id, nickname: 'Sam' },
    closes: true,
  }
  assert.deepEqual([held.after, held.thenClose], [expected, true])
  await send(jane, sent.id, { after })
  assert.deepEqual(await stateOf(sent), ['open', null, []])
  assert.deepEqual((await jane.call('POST', `/outbox/${held.id}/undo`)).body.held.after, expected)
  await later()
  assert.deepEqual(await stateOf(undone), ['open', null, []])
  assert.deepEqual(await stateOf(sent), ['closed', sam.id, [vip]])
})

test('someone who sees only their own conversations hands one over with a reply, which is sent and closed', async () => {
  for (const undoSeconds of [0, 5]) {
    const lou = await makeMember(app, w, [])
    const conversation = await open(lou.id)
    const answer = await send(await signIn(app, w, lou.id), conversation.id, { after, undoSeconds })
    assert.equal(answer.status, 200, answer.text)
    await later()
    assert.deepEqual(await stateOf(conversation), ['closed', sam.id, [vip]])
    assert.deepEqual(await db.selectFrom('held_messages').select('problem').execute(), [])
  }
})

test('what can’t follow is refused before the reply is held or sent', async () => {
  const conversation = await open()
  const lou = await makeMember(app, w, ['see_all_conversations'])
  const asLou = await signIn(app, w, lou.id)
  for (const undoSeconds of [0, 5]) {
    for (const [who, wrong, code] of [
      [jane, { tagIds: [sam.id] }, 'VALIDATION_ERROR'],
      [jane, { assigneeId: vip }, 'INVALID_AGENT'],
      [asLou, {}, 'FORBIDDEN'],
    ] as const) {
      const answer = await send(who, conversation.id, { after: { ...after, ...wrong }, undoSeconds })
      assert.equal(answer.body.error?.code, code, answer.text)
    }
  }
  assert.equal((await send(jane, conversation.id, { body: '', after })).status, 400)
  const { length } = await db
    .selectFrom('messages')
    .select('id')
    .where('conversation_id', '=', conversation.id)
    .execute()
  assert.equal(length, 1)
})

test('a tag that is deleted meanwhile is left out, and one who has left keeps the reply with its reason', async () => {
  const gone = await make.tag(w, { name: 'Gone' })
  const leaver = await make.agent(w, { nickname: 'Leaver' })
  const [tagged, assigned] = [await open(), await open()]
  await send(jane, tagged.id, { after: { tagIds: [gone, vip], assigneeId: null, closes: false } })
  await send(jane, assigned.id, { after: { ...after, assigneeId: leaver.id } })
  await jane.call('DELETE', `/tags/${gone}`)
  await db
    .updateTable('memberships')
    .set({ removed_at: clock.now() })
    .where('account_id', '=', leaver.id)
    .execute()
  await later()
  assert.deepEqual(await stateOf(tagged), ['open', null, [vip]])
  assert.deepEqual(await stateOf(assigned), ['open', null, []])
  const [left] = (await jane.call('GET', '/outbox')).body.held
  assert.deepEqual([left.problem.code, left.after.assignee], ['INVALID_AGENT', null])
})

test('a saved reply without a text does all of it at once, or nothing', async () => {
  const conversation = await open()
  const path = `/conversations/${conversation.id}/follow-up`
  assert.equal((await jane.call('POST', path, { ...after, assigneeId: vip })).status, 400)
  assert.deepEqual(await stateOf(conversation), ['open', null, []])
  assert.deepEqual((await jane.call('POST', path, after)).body, { success: true, tagIdsAdded: [vip] })
  assert.deepEqual((await jane.call('POST', path, after)).body, { success: true, tagIdsAdded: [] })
  assert.deepEqual(await stateOf(conversation), ['closed', sam.id, [vip]])
})
