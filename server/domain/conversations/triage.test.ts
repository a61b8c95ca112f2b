// What each person has not read, and where conversations stand in the inbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { inTransaction } from '../../platform/ctx/ctx.ts'
import { newId } from '../../platform/db/id.ts'
import { appendMessage } from '../messages/append-message.ts'
import { appendMessages } from '../messages/append-messages.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { lockConversation } from './queries.ts'
import { UNTIL_REPLY } from './schema.ts'

const app = await startApp()
const { clock, db, make, ctxOf } = app
const { id: w, token } = await make.workspace()
const robin = await make.agent(w, { role: 'admin', nickname: 'Robin' })
const sam = await make.agent(w, { role: 'admin', nickname: 'Sam' })
const { call: asRobin } = await signIn(app, w, robin.id)
const { call: asSam } = await signIn(app, w, sam.id)
const elsewhere = await make.workspace()
const stranger = await signIn(app, elsewhere.id, (await make.agent(elsewhere.id, { role: 'admin' })).id)
const webId = await make.channelAccount(w, 'web')
const whatsappId = await make.channelAccount(w, 'whatsapp')

type Call = typeof asRobin
const ok = async (answer: ReturnType<Call>) => {
  const { status, text, body } = await answer
  assert.equal(status, 200, text)
  return body
}

let people = 0
const newPhone = () => `+3519200000${String(people++).padStart(2, '0')}`
const write = async (phone: string, body: string, channel: 'web' | 'whatsapp' = 'web') => {
  return receiveMessage(ctxOf(w), {
    channel,
    channelAccountId: channel === 'web' ? webId : whatsappId,
    from: { identity: { kind: 'phone', value: phone, verified: true }, name: `Customer ${phone.slice(-2)}` },
    body,
    externalId: newId(),
    sentAt: clock.now(),
  })
}
const unreadOf = async (call: Call, id: string): Promise<number> =>
  (await ok(call('GET', `/conversations/${id}`))).conversation.unreadCount
const badgeOf = async (call: Call): Promise<number> => (await ok(call('GET', '/conversation-counts'))).unread
const idsOf = async (call: Call, query: string): Promise<string[]> =>
  (await ok(call('GET', `/conversations?${query}`))).conversations.map(({ id }: { id: string }) => id)
const close = (call: Call, id: string) => ok(call('POST', `/conversations/${id}/close`))

test('each person has their own unread messages; what one reads stays unread for the other', async () => {
  const phone = newPhone()
  const { conversationId: id } = await write(phone, 'one')
  const { message } = await write(phone, 'two')
  await write(phone, 'three')
  await ok(asRobin('POST', `/conversations/${id}/assign`, { agentId: robin.id }))
  assert.deepEqual([await unreadOf(asRobin, id), await unreadOf(asSam, id)], [3, 3])
  const upTo = { upToMessageId: message.id }
  assert.equal((await ok(asSam('POST', `/conversations/${id}/read`, upTo))).unreadCount, 1)
  assert.deepEqual([await unreadOf(asRobin, id), await unreadOf(asSam, id)], [3, 1])
  await ok(asSam('POST', `/conversations/${id}/read`, {}))
  // Everyone's number, which programs see, is the other one.
  assert.deepEqual((await app.call(token, 'GET', '/conversations?unread=true')).body.conversations, [])
  assert.deepEqual([await badgeOf(asRobin), await badgeOf(asSam)], [1, 0])
  assert.deepEqual([await idsOf(asRobin, 'unread=true'), await idsOf(asSam, 'unread=true')], [[id], []])
  await ok(asRobin('POST', `/conversations/${id}/read`, {}))
  assert.equal(await badgeOf(asRobin), 0)
  await ok(asRobin('POST', `/conversations/${id}/unread`))
  assert.deepEqual([await unreadOf(asRobin, id), await unreadOf(asSam, id)], [1, 0])
  assert.deepEqual(await idsOf(asRobin, 'unread=true&q=three'), [id])
  await write(phone, 'four')
  assert.deepEqual([await unreadOf(asRobin, id), await unreadOf(asSam, id)], [1, 1])
  assert.equal((await stranger.call('POST', `/conversations/${id}/unread`)).status, 404)
})

test('a closed conversation does not count, and reopened by the customer it counts what is new', async () => {
  const phone = newPhone()
  const { conversationId: id } = await write(phone, 'one')
  await ok(asRobin('POST', `/conversations/${id}/assign`, { agentId: sam.id }))
  const before = await badgeOf(asSam)
  await close(asRobin, id)
  assert.equal(await badgeOf(asSam), before - 1)
  await write(phone, 'again')
  assert.deepEqual([await unreadOf(asSam, id), await badgeOf(asSam)], [1, before])
})

test('a mention counts for that person alone until they open the conversation, and not once it is closed', async () => {
  const jane = await make.agent(w, { role: 'admin', nickname: 'Jane' })
  const { call: asJane } = await signIn(app, w, jane.id)
  const mention = async (id: string) => {
    const body = { conversationId: id, body: '@Jane, @Sam please look', mentionedIds: [jane.id, sam.id] }
    return (await ok(asSam('POST', '/notes', body))).note
  }
  const [{ conversationId: id }, { conversationId: other }] = [
    await write(newPhone(), 'one'),
    await write(newPhone(), 'two'),
  ]
  for (const call of [asJane, asSam])
    for (const read of [id, other]) await ok(call('POST', `/conversations/${read}/read`, {}))
  const before = await badgeOf(asSam)
  const note = await mention(id)
  assert.deepEqual([await badgeOf(asJane), await badgeOf(asSam)], [1, before])
  assert.deepEqual(
    [await unreadOf(asJane, id), await unreadOf(asSam, id), await unreadOf(asRobin, id)],
    [1, 0, 1],
  )
  assert.deepEqual(await idsOf(asJane, 'unread=true&mentioned=true'), [id])
  assert.deepEqual(
    (await app.call(token, 'GET', '/conversations?unread=true')).body.conversations
      .map((c: { id: string }) => c.id)
      .includes(id),
    false,
  )
  // It is one conversation, whoever it is assigned to, also if it is snoozed.
  await ok(asRobin('POST', `/conversations/${id}/assign`, { agentId: jane.id }))
  await ok(asRobin('POST', '/conversations/bulk', { ids: [id], action: 'snooze', until: UNTIL_REPLY }))
  assert.equal(await badgeOf(asJane), 1)
  await ok(asJane('POST', `/conversations/${id}/read`, {}))
  assert.deepEqual([await badgeOf(asJane), await unreadOf(asJane, id)], [0, 0])
  // A change of the note mentions nobody anew.
  await ok(asSam('PATCH', `/notes/${note.id}`, { body: 'Well, @Jane', mentionedIds: [jane.id] }))
  assert.equal(await badgeOf(asJane), 0)
  await mention(other)
  assert.equal(await badgeOf(asJane), 1)
  await close(asRobin, other)
  assert.equal(await badgeOf(asJane), 0)
})

test('unassigned conversations count for a person who wants them', async () => {
  const before = await badgeOf(asSam)
  await write(newPhone(), 'who takes this?')
  assert.equal(await badgeOf(asSam), before)
  await ok(asSam('PUT', '/unread-choice', { includesUnassigned: true }))
  const wanted = await ok(asSam('GET', '/conversation-counts'))
  assert.deepEqual([wanted.unread > before, wanted.includesUnassigned], [true, true])
  assert.equal((await ok(asRobin('GET', '/conversation-counts'))).includesUnassigned, false)
})

test('what was there before it was counted follows the number of all, and a new member begins with nothing unread', async () => {
  const [seen, unseen] = [await write(newPhone(), 'old'), await write(newPhone(), 'old too')]
  // As before migration 0059: only the number of all is known.
  await db.updateTable('conversations').set({ inbound_seq: 0 }).where('workspace_id', '=', w).execute()
  await db
    .updateTable('conversations')
    .set({ unread_count: 0 })
    .where('id', '=', seen.conversationId)
    .execute()
  await db.updateTable('memberships').set({ unread_since: null }).where('account_id', '=', robin.id).execute()
  assert.deepEqual(
    [await unreadOf(asRobin, seen.conversationId), await unreadOf(asRobin, unseen.conversationId)],
    [0, 1],
  )
  const ada = await make.agent(w, { role: 'admin', nickname: 'Ada' })
  await db
    .updateTable('memberships')
    .set({ unread_since: new Date(clock.now().getTime() + 60_000) })
    .where('account_id', '=', ada.id)
    .execute()
  const { call: asAda } = await signIn(app, w, ada.id)
  assert.equal(await unreadOf(asAda, unseen.conversationId), 0)
  assert.deepEqual(await idsOf(asAda, 'unread=true'), [])
  await ok(asAda('POST', `/conversations/${unseen.conversationId}/unread`))
  assert.equal(await unreadOf(asAda, unseen.conversationId), 1)
  await ok(asRobin('POST', `/conversations/${unseen.conversationId}/read`, {}))
  assert.deepEqual(
    [await unreadOf(asRobin, unseen.conversationId), await unreadOf(asSam, unseen.conversationId)],
    [0, 1],
  )
})

/** As a broadcast does. */
const broadcastTo = async (...ids: string[]) => {
  await inTransaction(ctxOf(w), async (ctx) => {
    const conversations = await Promise.all(ids.map(async (id) => (await lockConversation(ctx, id))!))
    const shared = {
      body: 'Our spring sale',
      metadata: {},
      template: { name: 'sale', language: 'en', components: [] },
    }
    await appendMessages(ctx, {
      ...{ channelAccountId: whatsappId, senderType: 'agent', senderId: robin.id, shared },
      messages: conversations.map((conversation) => ({ conversation, own: null })),
    })
  })
}

test('a broadcast moves no conversation and hides no question until the customer answers', async () => {
  const phones = [newPhone(), newPhone(), newPhone()]
  const ids: string[] = []
  for (const phone of phones)
    ids.push((await write(phone, `question of ${phone}`, 'whatsapp')).conversationId)
  const { conversationId: newest } = await write(newPhone(), 'newest', 'whatsapp')
  const rows = async (query = 'channel=whatsapp') =>
    (await ok(asRobin('GET', `/conversations?${query}`))).conversations.map(
      ({ id, lastMessage }: { id: string; lastMessage: { body: string } }) => [id, lastMessage.body],
    )
  const before = await rows()
  assert.deepEqual(
    before.map(([id]: string[]) => id),
    [newest, ...ids.toReversed()],
  )
  await broadcastTo(...ids)
  await broadcastTo(ids[1]!)
  for (const query of [
    'channel=whatsapp',
    'channel=whatsapp&status=open',
    'channel=whatsapp&status=unassigned',
  ])
    assert.deepEqual(await rows(query), before, query)
  assert.deepEqual(await rows('channel=whatsapp&q=question'), before.slice(1))
  // A page ends where the next begins.
  const first = await ok(asRobin('GET', '/conversations?channel=whatsapp&limit=2'))
  const second = await ok(
    asRobin('GET', `/conversations?channel=whatsapp&limit=2&cursor=${first.nextCursor}`),
  )
  assert.deepEqual(
    [...first.conversations, ...second.conversations].map(({ id }: { id: string }) => id),
    before.map(([id]: string[]) => id),
  )
  // For programs it is the last activity.
  const api = (await app.call(token, 'GET', '/conversations?channel=whatsapp')).body.conversations
  assert.deepEqual([api[0].id, api[0].lastMessage.body], [ids[1], 'Our spring sale'])
  await write(phones[0]!, 'yes please', 'whatsapp')
  assert.deepEqual((await rows())[0], [ids[0], 'yes please'])
  await ok(asRobin('POST', `/conversations/${ids[2]}/assign`, { agentId: robin.id }))
  assert.deepEqual((await rows())[0], [ids[2], 'Our spring sale'])
})

test('a conversation waits from the first message that nobody replied to, and those that wait longest come first', async () => {
  const phones = [newPhone(), newPhone()]
  const ids: string[] = []
  for (const phone of phones) ids.push((await write(phone, 'first')).conversationId)
  await write(phones[0]!, 'second')
  const waiting = async () =>
    (await idsOf(asRobin, 'sort=waiting&status=open')).filter((id) => ids.includes(id))
  assert.deepEqual(await waiting(), ids)
  const reply = (senderType: 'agent' | 'automation', senderId: string) =>
    inTransaction(ctxOf(w), async (ctx) => {
      const conversation = (await lockConversation(ctx, ids[0]!))!
      await appendMessage(ctx, { conversation, senderType, senderId, body: 'reply', status: 'sent' })
    })
  await reply('automation', 'system')
  assert.deepEqual(await waiting(), ids)
  await reply('agent', robin.id)
  assert.deepEqual(await waiting(), [ids[1]])
  await write(phones[0]!, 'third')
  assert.deepEqual(await waiting(), [ids[1], ids[0]])
  const page = await ok(asRobin('GET', '/conversations?sort=waiting&limit=1'))
  assert.ok(
    page.conversations[0].waitingSince <=
      (await ok(asRobin('GET', `/conversations?sort=waiting&limit=1&cursor=${page.nextCursor}`)))
        .conversations[0].waitingSince,
  )
  await close(asRobin, ids[1]!)
  assert.deepEqual(await waiting(), [ids[0]])
})
