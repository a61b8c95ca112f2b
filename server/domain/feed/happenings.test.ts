// What customers, providers and people do is told as it happened, and once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { asCustomer, inTransaction } from '../../platform/ctx/ctx.ts'
import { recordChannelProblem } from '../channel-accounts/record-channel-problem.ts'
import { addGroupMembers, removeGroupMembers } from '../contact-groups/change-members.ts'
import {
  createContactGroup,
  deleteContactGroup,
  updateContactGroup,
} from '../contact-groups/contact-groups.ts'
import { setOptedIn, setOptedOut } from '../contacts/people-queries.ts'
import { replaceContactTags } from '../contacts/replace-contact-tags.ts'
import { updateContact } from '../contacts/update-contact.ts'
import { assignConversation } from '../conversations/assign-conversation.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { alterMessage } from '../messages/alter-message.ts'
import { advanceStatus } from '../messages/message-status.ts'
import { receiveMessage, receiveMessages } from '../messages/receive-messages.ts'
import { mergeContacts } from '../people/merge-contacts.ts'
import { endTurns } from '../recipients/recipient-queries.ts'
import { announce } from '../recipients/settle-recipients.ts'
import { createTag, deleteTag, updateTag } from '../tags/tags.ts'
import { applyTemplateChanges } from '../templates/apply-template-changes.ts'
import { listKeptTemplates, replaceTemplates } from '../templates/queries.ts'
import { toPublic } from './catalogue.ts'
import { requireFitting } from './testing/require-fitting.ts'

const app = await startApp()
const { clock, ctxOf, db, make } = app
const workspace = await make.workspace()
const w = workspace.id
const ctx = ctxOf(w)
const customer = asCustomer(ctx)
const telegram = await make.channelAccount(w, 'telegram')

/** What programs hear of the work, as `[type, data]`; each event has the data that its type promises. */
const told = async (work: () => Promise<unknown>) => {
  await db.deleteFrom('events').where('workspace_id', '=', w).execute()
  await work()
  const rows = await db
    .selectFrom('events')
    .select(['type', 'actor', 'data'])
    .where('workspace_id', '=', w)
    .orderBy('tx')
    .orderBy('id')
    .execute()
  return rows.flatMap((row) => {
    const event = toPublic(row)
    if (!event) return []
    requireFitting(event)
    return [[event.type, event.data] as const]
  })
}

let count = 0
const write = (more: object = {}) =>
  receiveMessage(customer, {
    channel: 'telegram',
    channelAccountId: telegram,
    from: { identity: { kind: 'telegram', value: `${++count}`, verified: true }, name: 'Ada' },
    body: 'Where is my order 4711?',
    externalId: `external${count}`,
    sentAt: clock.now(),
    ...more,
  })

test('a customer who writes first is created with what identifies them, and their words are never told', async () => {
  let stored: Awaited<ReturnType<typeof write>> | undefined
  const events = await told(async () => {
    stored = await write()
  })
  const { conversationId, contactId, message } = stored!
  assert.deepEqual(events, [
    ['contact.created', { contactId, identityKinds: ['telegram'] }],
    ['conversation.created', { conversationId, channel: 'telegram', origin: 'customer', teamId: null }],
    [
      'message.created',
      {
        messageId: message.id,
        senderType: 'customer',
        direction: 'inbound',
        hasAttachments: false,
        replyToMessageId: null,
      },
    ],
  ])
  assert.doesNotMatch(JSON.stringify(events), /4711|Ada/)
})

test('a conversation that somebody at the business begins elsewhere is theirs', async () => {
  const { id, name } = await make.contact(w)
  const events = await told(() =>
    receiveMessages(customer, 'telegram', [
      {
        channelAccountId: telegram,
        contact: { id, name, email: null },
        direction: 'outbound',
        body: 'Hello',
        externalId: null,
        sentAt: clock.now(),
      },
    ]),
  )
  assert.deepEqual(
    events.map(([type, data]) => [
      type,
      'origin' in data ? data.origin : 'direction' in data && data.direction,
    ]),
    [
      ['conversation.created', 'agent'],
      ['message.created', 'outbound'],
    ],
  )
  const rows = await db.selectFrom('events').select('actor').where('workspace_id', '=', w).execute()
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    ['system', 'system'],
  )
})

test('a message reopens a conversation, which loses an agent who has left', async () => {
  const agent = await make.agent(w)
  const { conversationId, contactId } = await write()
  await assignConversation(ctx, { conversationId, agentId: agent.id })
  await closeConversation(ctx, conversationId)
  await db
    .updateTable('memberships')
    .set({ removed_at: clock.now() })
    .where('workspace_id', '=', w)
    .where('account_id', '=', agent.id)
    .execute()
  const identity = { kind: 'telegram' as const, value: String(count), verified: true }
  const events = await told(() => write({ from: { identity, name: null } }))
  assert.deepEqual(events.slice(0, 2), [
    ['conversation.reopened', { conversationId, status: 'open', previousStatus: 'closed', by: contactId }],
    ['conversation.unassigned', { conversationId, agentId: null, previousAgentId: agent.id, teamId: null }],
  ])
  assert.deepEqual(
    events.slice(2).map(([type]) => type),
    ['message.created'],
  )
})

test('a reaction, an edit and a deletion say what changed, and repeats say nothing', async () => {
  const { message } = await write()
  const target = {
    channelAccountId: telegram,
    targetId: `external${count}`,
    by: 'customer',
    at: clock.now(),
  } as const
  const alterations = [
    [{ ...target, is: 'reaction', emoji: '👍' }, 'reactions'],
    [{ ...target, is: 'edit', body: 'Where is it?' }, 'body'],
    [{ ...target, is: 'revoke' }, 'deletedAt'],
  ] as const
  for (const [alteration, changed] of alterations)
    assert.deepEqual(await told(() => alterMessage(customer, alteration)), [
      ['message.updated', { messageId: message.id, changed: [changed] }],
    ])
  for (const [alteration] of alterations.slice(1))
    assert.deepEqual(await told(() => alterMessage(customer, alteration)), [])
})

test('each step of a delivery is told once, and a failure with its reason', async () => {
  const conversation = await make.conversation(w, { channel: 'telegram' })
  const [sent, failed] = [
    await make.message(w, conversation, { senderType: 'agent', status: 'queued' }),
    await make.message(w, conversation, { senderType: 'agent', status: 'queued' }),
  ]
  for (const status of ['sent', 'delivered', 'read'] as const) {
    const step = () => advanceStatus(ctx, [sent.id], status)
    assert.deepEqual(await told(step), [[`message.${status}`, { messageId: sent.id, status }]])
    assert.deepEqual(await told(step), [])
  }
  const error = { code: '403', message: 'The customer has blocked the bot.' }
  assert.deepEqual(await told(() => advanceStatus(ctx, [failed.id], 'failed', error)), [
    ['message.failed', { messageId: failed.id, error }],
  ])
})

test('a contact’s changes are named, and nothing is told where nothing changed', async () => {
  const { id: contactId, name } = await make.contact(w)
  const none = { tagIdsAdded: [], tagIdsRemoved: [] }
  const change = { name: 'Grace', customFields: { plan: 'pro', seats: 3 } }
  assert.deepEqual(await told(() => updateContact(ctx, contactId, change)), [
    ['contact.updated', { contactId, changed: ['name', 'customFields.plan', 'customFields.seats'], ...none }],
  ])
  assert.deepEqual(await told(() => updateContact(ctx, contactId, change)), [])
  assert.deepEqual(await told(() => updateContact(ctx, contactId, { customFields: { plan: null } })), [
    ['contact.updated', { contactId, changed: ['customFields.plan'], ...none }],
  ])
  const [first, second] = [await make.tag(w), await make.tag(w)]
  await replaceContactTags(ctx, contactId, [first])
  const replace = () => replaceContactTags(ctx, contactId, [second])
  assert.deepEqual(await told(replace), [
    ['contact.updated', { contactId, changed: ['tags'], tagIdsAdded: [second], tagIdsRemoved: [first] }],
  ])
  assert.deepEqual(await told(replace), [])
  assert.notEqual(name, 'Grace')
})

test('opting out and in is told when it changes something', async () => {
  const { id: contactId } = await make.contact(w)
  const at = clock.now()
  const wish = (set: typeof setOptedOut, seconds: number) => () =>
    inTransaction(customer, (ctx) =>
      set(ctx, [contactId], { at: new Date(at.getTime() + seconds * 1000), channel: 'sms' }),
    )
  const fact = { contactId, channel: 'sms' }
  assert.deepEqual(await told(wish(setOptedOut, 0)), [['contact.opted_out', fact]])
  assert.deepEqual(await told(wish(setOptedOut, 5)), [])
  // From before they opted out again.
  assert.deepEqual(await told(wish(setOptedIn, 2)), [])
  assert.deepEqual(await told(wish(setOptedIn, 9)), [['contact.opted_in', fact]])
  assert.deepEqual(await told(wish(setOptedIn, 10)), [])
})

test('of two contacts that are merged, a conversation that closes is told', async () => {
  const [kept, gone] = [await make.contact(w), await make.contact(w)]
  await make.conversation(w, { contactId: kept.id, channel: 'telegram', channelAccountId: telegram })
  const closed = await make.conversation(w, {
    contactId: gone.id,
    channel: 'telegram',
    channelAccountId: telegram,
  })
  assert.deepEqual(await told(() => mergeContacts(ctx, kept.id, gone.id)), [
    [
      'conversation.closed',
      { conversationId: closed.id, status: 'closed', previousStatus: 'open', by: 'system' },
    ],
    ['contact.merged', { contactId: kept.id, mergedContactId: gone.id }],
  ])
})

test('tags and groups have a beginning, changes and an end', async () => {
  let tagId = ''
  let groupId = ''
  const { id: contactId } = await make.contact(w)
  const color = '#2f80ed'
  const steps: [() => Promise<unknown>, () => unknown[]][] = [
    [
      async () => (tagId = (await createTag(ctx, { name: 'VIP', color })).id),
      () => [['tag.created', { tagId }]],
    ],
    [() => updateTag(ctx, tagId, { name: 'Gold' }), () => [['tag.updated', { tagId }]]],
    [() => updateTag(ctx, tagId, { name: 'Gold' }), () => []],
    [() => deleteTag(ctx, tagId), () => [['tag.deleted', { tagId }]]],
    [
      async () => (groupId = (await createContactGroup(ctx, { name: 'All', contactIds: [] })).id),
      () => [['contact_group.created', { groupId, added: 0 }]],
    ],
    [
      () => addGroupMembers(ctx, groupId, { contactIds: [contactId] }),
      () => [['contact_group.updated', { groupId, added: 1, removed: 0 }]],
    ],
    [() => addGroupMembers(ctx, groupId, { contactIds: [contactId] }), () => []],
    [
      () => removeGroupMembers(ctx, groupId, { contactIds: [contactId] }),
      () => [['contact_group.updated', { groupId, added: 0, removed: 1 }]],
    ],
    [
      () => updateContactGroup(ctx, groupId, { name: 'Everyone' }),
      () => [['contact_group.updated', { groupId, added: 0, removed: 0 }]],
    ],
    [() => deleteContactGroup(ctx, groupId), () => [['contact_group.deleted', { groupId }]]],
  ]
  for (const [step, events] of steps) assert.deepEqual(await told(step), events())
})

test('a template’s new state is told once, whether WhatsApp reports it or it is fetched', async () => {
  const businessAccountId = 'waba'
  await make.template(w, businessAccountId, { name: 'order_ready' })
  const [stored] = await listKeptTemplates(ctx, [businessAccountId])
  const { name, language } = stored!
  const report = (value: string, reason: string | null) => () =>
    inTransaction(customer, (ctx) =>
      applyTemplateChanges(ctx, [
        {
          type: 'template',
          accountName: null,
          sentAt: clock.now(),
          businessAccountId,
          change: 'status',
          name,
          language,
          value,
          reason,
        },
      ]),
    )
  const fetch = (status: string) => () =>
    inTransaction(ctx, (ctx) =>
      replaceTemplates(ctx, businessAccountId, [
        { ...stored!, status },
        { ...stored!, name: 'never_seen_before', status },
      ]),
    )
  const reason = 'Too many complaints.'
  assert.deepEqual(await told(report('PAUSED', reason)), [['template.paused', { name, language, reason }]])
  assert.deepEqual(await told(report('PAUSED', reason)), [])
  assert.deepEqual(await told(fetch('APPROVED')), [['template.approved', { name, language, reason: null }]])
  assert.deepEqual(await told(fetch('APPROVED')), [])
})

test('a channel’s problem is told when it begins, changes its reason and ends', async () => {
  const becomes = (problem: { code: string; message: string } | null) => () =>
    recordChannelProblem(ctx, telegram, problem)
  const expired = { code: 'TOKEN_EXPIRED', message: 'Sign in again.' }
  const about = (code: string) => ({ channelId: telegram, code })
  assert.deepEqual(await told(becomes(null)), [])
  assert.deepEqual(await told(becomes(expired)), [['channel.problem', about('TOKEN_EXPIRED')]])
  assert.deepEqual(await told(becomes({ ...expired, message: 'Once more.' })), [])
  assert.deepEqual(await told(becomes({ ...expired, code: 'GONE' })), [['channel.problem', about('GONE')]])
  assert.deepEqual(await told(becomes(null)), [['channel.recovered', about('GONE')]])
})

test('a broadcast’s progress is told once in five seconds, and its end always', async () => {
  const start = Date.now()
  const contacts = [
    await make.contact(w),
    await make.contact(w),
    await make.contact(w),
    await make.contact(w),
  ]
  const broadcastId = await make.broadcast(w)
  await db
    .updateTable('broadcasts')
    .set({ total_count: contacts.length, sent_count: 0, created_at: new Date(start) })
    .where('id', '=', broadcastId)
    .execute()
  const common = { workspace_id: w, broadcast_id: broadcastId, channel_account_id: telegram }
  await db
    .insertInto('broadcast_recipients')
    .values(
      contacts.map(({ id }) => ({
        ...common,
        contact_id: id,
        outcome: 'pending' as const,
        updated_at: new Date(start),
      })),
    )
    .execute()
  const failsAt = (index: number, seconds: number) => async () => {
    clock.now = () => new Date(start + seconds * 1000)
    const end = { outcome: 'failed', code: '131026', message: null } as const
    await inTransaction(ctx, async (ctx) =>
      announce(ctx, await endTurns(ctx, broadcastId, [contacts[index]!.id], end)),
    )
  }
  const progress = (status: string, failedCount: number) => ({
    broadcastId,
    status,
    totalRecipients: contacts.length,
    sentCount: 0,
    failedCount,
    skippedCount: 0,
  })
  assert.deepEqual(await told(failsAt(0, 3)), [])
  assert.deepEqual(await told(failsAt(1, 6)), [['broadcast.progressed', progress('sending', 2)]])
  assert.deepEqual(await told(failsAt(2, 9)), [])
  assert.deepEqual(await told(failsAt(3, 9.5)), [['broadcast.failed', progress('failed', 4)]])
})
