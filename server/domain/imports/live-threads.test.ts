// An archive over channels that are connected: what is here already is completed, not doubled.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { openArchive } from './archive-folder.ts'
import { loadArchive } from './load-archive.ts'
import { makeArchive } from './testing/make-archive.ts'

const app = await startApp()
const { call, ctxOf, database, db, make } = app

const makeTarget = async () => {
  const workspace = await make.workspace()
  const telegram = await make.channelAccount(workspace.id, 'telegram')
  return { ...workspace, telegram, ctx: ctxOf(workspace.id) }
}

const load = async (ctx: Ctx, folder: string) => {
  const problems: string[] = []
  const archive = await openArchive(folder)
  const loaded = await loadArchive(ctx, { archive, report: ({ problem }) => problems.push(problem) })
  return { ...loaded, problems }
}

/** A customer of the archive who has written here too: their messages have the provider's ids. */
const liveThread = async (
  ctx: Ctx,
  channelAccountId: string,
  who: string,
  externalIds: readonly string[],
) => {
  const received = []
  for (const [index, externalId] of externalIds.entries())
    received.push(
      await receiveMessage(ctx, {
        ...{ channel: 'telegram', channelAccountId, body: externalId, externalId },
        from: { identity: { kind: 'telegram', value: who, verified: true }, name: who },
        sentAt: new Date(Date.UTC(2024, 5, 1) + index * 60_000),
      }),
    )
  return received[0]!
}

/** One conversation for each list, whose messages are named for their ids at the provider. */
const threadsWith = (threads: Record<string, readonly string[]>) => {
  const at = (minutes: number) => new Date(Date.UTC(2024, 5, 1) + minutes * 60_000).toISOString()
  return {
    channels: [{ id: 'ch', channel: 'telegram', name: 'Bot', address: null }],
    contacts: Object.keys(threads).map((who) => ({
      ...{ id: who, name: who, createdAt: at(0) },
      identities: [{ kind: 'telegram', value: who, verified: true }],
    })),
    conversations: Object.keys(threads).map((who) => ({
      ...{
        id: `c-${who}`,
        channelId: 'ch',
        contactId: who,
        status: 'closed',
        createdAt: at(0),
        updatedAt: at(9),
      },
    })),
    messages: Object.entries(threads).flatMap(([who, ids]) =>
      ids.map((externalId, index) => ({
        ...{ id: `m-${externalId}`, conversationId: `c-${who}`, senderType: 'customer', body: externalId },
        ...{ externalId, createdAt: at(index) },
      })),
    ),
    notes: [
      { id: 'n', contactId: 'ann', conversationId: 'c-ann', authorId: 'x', body: 'Note', createdAt: at(1) },
    ],
  }
}

const threadsIn = async (workspaceId: string): Promise<Record<string, string[][]>> => {
  const { rows } = await database.pool.query<{ name: string; bodies: string[] }>(
    `select k.name, array(select m.body from messages m
       where m.workspace_id = c.workspace_id and m.conversation_id = c.id and m.sender_type <> 'system'
       order by m.id) as bodies
     from conversations c join contacts k on k.workspace_id = c.workspace_id and k.id = c.contact_id
     where c.workspace_id = $1 order by k.name, c.id`,
    [workspaceId],
  )
  return Object.fromEntries(
    [...Map.groupBy(rows, ({ name }) => name)].map(([name, list]) => [
      name,
      list.map(({ bodies }) => bodies),
    ]),
  )
}

test('an archive over a channel that is connected completes its conversations, and leaves no empty or half one', async () => {
  const target = await makeTarget()
  const { ctx, telegram, id } = target
  const ann = await liveThread(ctx, telegram, 'ann', ['a1', 'a2'])
  await liveThread(ctx, telegram, 'bob', ['b3', 'b4'])
  const folder = makeArchive(
    'other:2',
    threadsWith({ ann: ['a1', 'a2'], bob: ['b1', 'b2', 'b3'], cleo: ['c1', 'c2'] }),
  )
  const { counts, problems } = await load(ctx, folder)
  assert.deepEqual(problems, [])
  assert.deepEqual(counts.conversations, { created: 1, matched: 2 })
  assert.deepEqual(counts.messages, { created: 4, matched: 3 })
  const threads = { ann: [['a1', 'a2']], bob: [['b1', 'b2', 'b3', 'b4']], cleo: [['c1', 'c2']] }
  assert.deepEqual(await threadsIn(id), threads)
  const { body } = await call(target.token, 'GET', `/contacts/${ann.contactId}`)
  assert.deepEqual([body.contact.conversationCount, body.notes[0].body], [1, 'Note'])
  const again = await load(ctx, folder)
  assert.deepEqual(again.counts.conversations, { unchanged: 3 })
  assert.deepEqual(await threadsIn(id), threads)
})

test('a message that arrives while its conversation is being imported takes in what was imported of it', async () => {
  const { ctx, telegram, id } = await makeTarget()
  const folder = makeArchive('other:3', threadsWith({ ann: ['a1', 'a2', 'a3'], bob: ['b1'] }))
  const messages = readFileSync(join(folder, 'messages.ndjson'), 'utf8').split('\n').filter(Boolean)
  // All but the last message were loaded by a run that was killed.
  const isLast = (line: string) => JSON.parse(line).externalId === 'a3'
  const half = makeArchive('other:3', {
    ...threadsWith({ ann: ['a1', 'a2', 'a3'], bob: ['b1'] }),
    messages: messages.filter((line) => !isLast(line)),
  })
  await load(ctx, half)
  // A3 comes in a conversation of its own, as an email without references does.
  const { contactId } = await liveThread(ctx, telegram, 'bob', ['b9'])
  const annId = (
    await db
      .selectFrom('contacts')
      .select('id')
      .where('workspace_id', '=', id)
      .where('name', '=', 'ann')
      .executeTakeFirstOrThrow()
  ).id
  assert.notEqual(contactId, annId)
  const own = await make.conversation(id, {
    contactId: annId,
    channel: 'telegram',
    channelAccountId: telegram,
  })
  const late = await make.message(id, own, { body: 'a3', at: new Date(Date.UTC(2024, 5, 2)) })
  await db
    .updateTable('messages')
    .set({ external_id: 'a3' })
    .where('workspace_id', '=', id)
    .where('id', '=', late.id)
    .execute()
  await load(ctx, folder)
  const { ann, bob } = await threadsIn(id)
  assert.deepEqual(ann, [['a1', 'a2', 'a3']])
  assert.deepEqual(bob, [['b1', 'b9']])
  const found = await db
    .selectFrom('contacts')
    .select(['conversation_count', 'latest_conversation_id'])
    .where('workspace_id', '=', id)
    .where('id', '=', annId)
    .executeTakeFirstOrThrow()
  assert.deepEqual(found, { conversation_count: 1, latest_conversation_id: own.id })
  assert.deepEqual((await load(ctx, folder)).counts.conversations, { unchanged: 2 })
})

test('a conversation whose messages are all another contact’s here is not brought empty', async () => {
  const { ctx, telegram, id } = await makeTarget()
  await liveThread(ctx, telegram, 'zoe', ['a1', 'a2'])
  const { counts } = await load(
    ctx,
    makeArchive('other:4', { ...threadsWith({ ann: ['a1', 'a2'] }), notes: [] }),
  )
  assert.deepEqual(counts.conversations, { created: 0, matched: 1 })
  assert.deepEqual(await threadsIn(id), { zoe: [['a1', 'a2']] })
})
