// The demo workspace of an empty database, made through the same operations as everything else. Each step looks first
// whether it was done, so that a start which was interrupted is made good by the next one.
import pg from 'pg'
import type { Ctx } from './ctx.ts'
import {
  addChannelAccount,
  type ChannelAccountDeps,
} from './resources/channel-accounts/add-channel-account.ts'
import { listChannelAccounts } from './resources/channel-accounts/queries.ts'
import { replaceContactTags } from './resources/contacts/replace-contact-tags.ts'
import { updateContact } from './resources/contacts/update-contact.ts'
import { assignConversation } from './resources/conversations/assign-conversation.ts'
import { receiveMessage } from './resources/conversations/receive-message.ts'
import { sendMessage } from './resources/conversations/send-message.ts'
import { closeConversation } from './resources/conversations/set-conversation-status.ts'
import { addNote } from './resources/notes/add-note.ts'
import { createTag } from './resources/tags/create-tag.ts'
import { createToken } from './resources/tokens/create-token.ts'
import { createWorkspace } from './resources/workspaces/create-workspace.ts'

export type Demo = {
  workspaceId: string
  channelId: string
  /** The API token's secret, only from the start that made it. */
  secret: string | null
}

type DemoDeps = Omit<Ctx, 'workspaceId' | 'actor' | 'afterCommit'> &
  ChannelAccountDeps & { connectionString: string }

const WORKSPACE_NAME = 'Demo'
const CHANNEL_NAME = 'Demo shop'
const ADMIN_EMAIL = 'robin@demo.invalid'
const LOCK = 7_030_003

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * Makes the demo workspace when there is no workspace at all, and finds it again later. Null when the database belongs
 * to somebody's real workspaces. Of several processes that start together one makes it.
 */
export const ensureDemo = async (deps: DemoDeps): Promise<Demo | null> => {
  const lock = new pg.Client({ connectionString: deps.connectionString, application_name: 'foyer demo' })
  lock.on('error', () => {})
  await lock.connect()
  try {
    await lock.query('select pg_advisory_lock($1)', [LOCK])
    return await makeOrFind(deps)
  } finally {
    await lock.end()
  }
}

const makeOrFind = async (deps: DemoDeps): Promise<Demo | null> => {
  const first = await deps.db
    .selectFrom('workspaces')
    .select(['id', 'name'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (first && first.name !== WORKSPACE_NAME) return null
  const workspaceId =
    first?.id ?? (await createWorkspace(deps, { name: WORKSPACE_NAME, admin: ADMIN_EMAIL })).workspace.id
  const ctx: Ctx & ChannelAccountDeps = {
    ...deps,
    workspaceId,
    actor: { type: 'operator' },
    afterCommit: null,
  }
  const [known] = await listChannelAccounts(ctx, 'web')
  const channelId =
    known?.id ?? (await addChannelAccount(ctx, { channel: 'web', fields: { name: CHANNEL_NAME } })).id
  if (!(await hasAny(ctx, 'conversations'))) await tellStories(ctx, channelId)
  const secret = (await hasAny(ctx, 'api_tokens')) ? null : (await createToken(ctx, { name: 'Demo' })).secret
  return { workspaceId, channelId, secret }
}

const hasAny = async ({ db, workspaceId }: Ctx, table: 'conversations' | 'api_tokens'): Promise<boolean> =>
  (await db
    .selectFrom(table)
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Three customers of a shop for stoneware: one helped, one waiting for the rest of the answer, one new. */
const tellStories = async (ctx: Ctx, channelId: string): Promise<void> => {
  const { account_id: accountId } = await ctx.db
    .selectFrom('memberships')
    .select('account_id')
    .where('workspace_id', '=', ctx.workspaceId)
    .where('role', '=', 'admin')
    .executeTakeFirstOrThrow()
  const startMs = ctx.now().getTime()
  /** As the agent, so long ago. Told from the oldest to the newest, because ids sort by when they were made. */
  const ago = (ms: number): Ctx => ({
    ...ctx,
    now: () => new Date(startMs - ms),
    actor: { type: 'agent', accountId, role: 'admin', permissions: [] },
  })
  const customer = (name: string, email: string, phone: string) => async (agoMs: number, body: string) => {
    const at = ago(agoMs)
    const { conversationId, contactId } = await receiveMessage(
      { ...at, actor: { type: 'customer', contactId: null } },
      {
        channel: 'web',
        channelAccountId: channelId,
        from: { identity: { kind: 'email', value: email, verified: false }, name, phone },
        body,
        externalId: null,
        sentAt: at.now(),
      },
    )
    return { conversationId, contactId }
  }
  const reply = (agoMs: number, conversationId: string, body: string) =>
    sendMessage(ago(agoMs), { conversationId, body })

  const broken = await createTag(ctx, { name: 'Broken on the way', color: '#c2410c' })
  const wholesale = await createTag(ctx, { name: 'Wholesale', color: '#0f766e' })
  await createTag(ctx, { name: 'Press', color: '#6d28d9' })

  const ines = customer('Ines Moreau', 'ines.moreau@example.com', '+33612345678')
  const bowls = await ines(2 * DAY_MS, 'Hello! Two of the soup bowls arrived chipped. My order is 1182.')
  await assignConversation(ago(2 * DAY_MS - 4 * MINUTE_MS), {
    conversationId: bowls.conversationId,
    agentId: accountId,
  })
  await reply(
    2 * DAY_MS - 6 * MINUTE_MS,
    bowls.conversationId,
    'I am sorry about that, Ines. Two new ones leave today, and you can keep the chipped ones for the plants.',
  )
  await ines(2 * DAY_MS - 9 * MINUTE_MS, 'That is kind, thank you!')
  await addNote(ago(2 * DAY_MS - 12 * MINUTE_MS), {
    conversationId: bowls.conversationId,
    body: 'Second breakage with this carrier this month.',
  })
  await replaceContactTags(ago(2 * DAY_MS - 12 * MINUTE_MS), bowls.contactId, [broken.id])
  await updateContact(ago(2 * DAY_MS - 12 * MINUTE_MS), bowls.contactId, {
    customFields: { orders: 4, newsletter: true },
  })
  await closeConversation(ago(2 * DAY_MS - 13 * MINUTE_MS), bowls.conversationId)

  const tom = customer('Tom Becker', 'tom.becker@example.com', '+4915112345678')
  const platter = await tom(5 * HOUR_MS, 'Can the large platter go into the oven?')
  await assignConversation(ago(5 * HOUR_MS - 2 * MINUTE_MS), {
    conversationId: platter.conversationId,
    agentId: accountId,
  })
  await reply(
    5 * HOUR_MS - 3 * MINUTE_MS,
    platter.conversationId,
    'It can, up to 220 °C. Let it warm up with the oven rather than putting it into a hot one.',
  )
  await tom(4 * HOUR_MS, 'Perfect. And do you ship to Austria?')

  const aoife = customer('Aoife Byrne', 'aoife.byrne@example.com', '+353851234567')
  const mugs = await aoife(
    20 * MINUTE_MS,
    'Hi, we would like 40 mugs for our office, with our logo on them. Is that something you do?',
  )
  await replaceContactTags(ago(19 * MINUTE_MS), mugs.contactId, [wholesale.id])
}
