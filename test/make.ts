// Factories for rows, with defaults for what the test does not set and missing parents created.
import { randomBytes } from 'node:crypto'
import { readTemplate } from '../channels/whatsapp/templates.ts'
import { newId } from '../server/platform/db/id.ts'
import type { Db } from '../server/platform/db/pool.ts'
import type { ChannelName, ConversationStatus, SenderType } from '../server/platform/db/tables.ts'
import { hashSecret } from '../server/platform/hash-secret.ts'

export type Workspace = { id: string; name: string; token: string; tokenId: string }

type Base = { db: Db; now: () => Date; next: () => number }

export const makeFactory = (db: Db, now: () => Date) => {
  let count = 0
  const base: Base = { db, now, next: () => ++count }
  const channels = makeChannels(base)
  const contacts = makeContacts(base)
  return {
    ...makeWorkspaces(base),
    ...channels,
    ...contacts,
    ...makeConversations(base, { ...channels, ...contacts }),
    ...makeMessages(base),
    ...makeLabels(base),
  }
}

const makeWorkspaces = ({ db, now, next }: Base) => {
  /** A workspace with its Agent role and an API token. */
  const workspace = async ({ name = `Workspace ${next()}` } = {}): Promise<Workspace> => {
    const id = newId()
    await db.insertInto('workspaces').values({ id, name, created_at: now() }).execute()
    await db
      .insertInto('roles')
      .values({ workspace_id: id, id: newId(), name: 'Agent', is_default: true, created_at: now() })
      .execute()
    const { secret, tokenId } = await token(id)
    return { id, name, token: secret, tokenId }
  }

  const token = async (workspaceId: string, { name = 'Test token' } = {}) => {
    const secret = `foyer_${randomBytes(32).toString('base64url')}`
    const tokenId = newId()
    await db
      .insertInto('api_tokens')
      .values({
        workspace_id: workspaceId,
        id: tokenId,
        name,
        prefix: secret.slice(0, 12),
        hash: hashSecret(secret),
        created_at: now(),
      })
      .execute()
    return { secret, tokenId }
  }

  /** An account that is a member of the workspace. */
  const agent = async (
    workspaceId: string,
    {
      email = `person${next()}@example.com`,
      nickname = `Person ${next()}`,
      role = 'agent' as 'agent' | 'admin',
      undoSeconds = 0 as 0 | 5 | 10 | 20,
    } = {},
  ) => {
    const id = newId()
    await db
      .insertInto('accounts')
      .values({
        id,
        email,
        nickname,
        nickname_key: nickname.toLowerCase(),
        undo_seconds: undoSeconds,
        created_in: workspaceId,
        created_at: now(),
      })
      .execute()
    await db
      .insertInto('memberships')
      .values({ workspace_id: workspaceId, account_id: id, role, created_at: now() })
      .execute()
    return { id, email, nickname, role }
  }

  const enableAi = async (workspaceId: string) => {
    const { id } = await db
      .selectFrom('accounts')
      .select('id')
      .where('is_ai', '=', true)
      .executeTakeFirstOrThrow()
    await db
      .insertInto('memberships')
      .values({ workspace_id: workspaceId, account_id: id, role: 'ai', created_at: now() })
      .execute()
    return id
  }

  return { workspace, token, agent, enableAi }
}

const makeChannels = ({ db, now }: Base) => {
  const channelAccount = async (
    workspaceId: string,
    channel: ChannelName = 'web',
    { settings = {} as object } = {},
  ) => {
    const id = newId()
    await db
      .insertInto('channel_accounts')
      .values({
        workspace_id: workspaceId,
        id,
        channel,
        name: `${channel} account`,
        settings: JSON.stringify(settings),
        created_at: now(),
      })
      .execute()
    return id
  }

  /** A template fetched a moment ago; `more` overrides what the provider returned. */
  const template = async (
    workspaceId: string,
    businessAccountId: string,
    more: { name: string; [key: string]: unknown },
  ) => {
    const definition = readTemplate({
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Hello' }],
      ...more,
    })
    if (!definition) throw new Error('a template needs a name and a language')
    await db
      .insertInto('whatsapp_templates')
      .values({
        workspace_id: workspaceId,
        business_account_id: businessAccountId,
        name: definition.name,
        language: definition.language,
        definition: JSON.stringify(definition),
      })
      .execute()
    await db
      .insertInto('whatsapp_template_fetches')
      .values({ workspace_id: workspaceId, business_account_id: businessAccountId, fetched_at: now() })
      .onConflict((conflict) =>
        conflict.columns(['workspace_id', 'business_account_id']).doUpdateSet({ fetched_at: now() }),
      )
      .execute()
  }

  /** A broadcast that has ended. */
  const broadcast = async (workspaceId: string) => {
    const id = newId()
    await db
      .insertInto('broadcasts')
      .values({
        workspace_id: workspaceId,
        id,
        audience_type: 'contacts',
        template_name: 'order_ready',
        template_language: 'en_US',
        sender_type: 'agent',
        sender_id: 'system',
        total_count: 1,
        sent_count: 1,
        created_at: now(),
      })
      .execute()
    return id
  }

  return { channelAccount, template, broadcast }
}

const makeContacts = ({ db, now, next }: Base) => {
  const contact = async (
    workspaceId: string,
    {
      name = `Contact ${next()}`,
      email = `contact${next()}@example.org` as string | null,
      phone = null as string | null,
      countryIso = null as string | null,
      createdAt = now(),
    } = {},
  ) => {
    const id = newId(createdAt.getTime())
    await db
      .insertInto('contacts')
      .values({
        workspace_id: workspaceId,
        id,
        name,
        email,
        phone,
        country_iso: countryIso,
        search_text: [name, email, phone].filter(Boolean).join('\u001f').toLowerCase(),
        created_at: createdAt,
      })
      .execute()
    await countOneMore(db, workspaceId, 'total', '')
    if (countryIso) await countOneMore(db, workspaceId, 'country', countryIso)
    const held = { workspace_id: workspaceId, contact_id: id, created_at: createdAt }
    if (email)
      await db
        .insertInto('identities')
        .values({ ...held, kind: 'email', value: email, confirmed: true })
        .execute()
    if (phone)
      await db
        .insertInto('identities')
        .values({ ...held, kind: 'phone', value: phone })
        .execute()
    return { id, name, email, phone }
  }

  return { contact }
}

/** As the application counts them for the directory. */
const countOneMore = (
  db: Db,
  workspaceId: string,
  kind: 'total' | 'country' | 'channel',
  key: string,
): Promise<unknown> =>
  db
    .insertInto('contact_counts')
    .values({ workspace_id: workspaceId, kind, key, shard: 0, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'kind', 'key', 'shard'])
        .doUpdateSet((eb) => ({ count: eb('contact_counts.count', '+', 1) })),
    )
    .execute()

type ConversationOptions = {
  contactId?: string
  channel?: ChannelName
  channelAccountId?: string
  status?: ConversationStatus
  agentId?: string | null
  subject?: string | null
  at?: Date
  /** For tests of times that ids say: newId() makes none from before the last one. */
  id?: string
}

type Parents = ReturnType<typeof makeChannels> & ReturnType<typeof makeContacts>

const makeConversations = ({ db, now }: Base, { channelAccount, contact }: Parents) => {
  /** A conversation, counted on its contact and in the directory's facets as the application does it. */
  const conversation = async (workspaceId: string, options: ConversationOptions = {}) => {
    const { channel = 'web', status = 'open', agentId = null, subject = null, at = now() } = options
    const contactId = options.contactId ?? (await contact(workspaceId)).id
    const channelAccountId = options.channelAccountId ?? (await channelAccount(workspaceId, channel))
    const id = options.id ?? newId(at.getTime())
    await db
      .insertInto('conversations')
      .values({
        workspace_id: workspaceId,
        id,
        channel,
        channel_account_id: channelAccountId,
        contact_id: contactId,
        subject,
        status,
        agent_id: agentId,
        assigned_at: agentId ? at : null,
        created_at: at,
        updated_at: at,
      })
      .execute()
    const before = await db
      .selectFrom('contacts')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', contactId)
      .executeTakeFirstOrThrow()
    const isLatest = !before.last_activity_at || Date.parse(before.last_activity_at) <= at.getTime()
    const isNewChannel = !before.channels.includes(channel)
    await db
      .updateTable('contacts')
      .set({
        conversation_count: before.conversation_count + 1,
        open_count: before.open_count + (status === 'open' ? 1 : 0),
        ...(isNewChannel && { channels: [...before.channels, channel] }),
        ...(isLatest && { latest_conversation_id: id, assigned_agent_id: agentId, last_activity_at: at }),
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', contactId)
      .execute()
    if (isNewChannel) await countOneMore(db, workspaceId, 'channel', channel)
    return { id, contactId, channelAccountId, channel }
  }

  return { conversation }
}

type MessageOptions = {
  senderType?: SenderType
  senderId?: string
  body?: string
  status?: 'queued' | 'sent' | 'delivered' | 'read' | 'failed'
  at?: Date
  externalId?: string
}

const makeMessages = ({ db, now, next }: Base) => {
  /** A message at the end of a conversation. */
  const message = async (
    workspaceId: string,
    conversation: { id: string; contactId: string; channelAccountId: string },
    {
      senderType = 'customer',
      senderId = conversation.contactId,
      body = `Message ${next()}`,
      status = 'sent',
      at = now(),
      externalId,
    }: MessageOptions = {},
  ) => {
    const id = newId(at.getTime())
    await db
      .insertInto('messages')
      .values({
        workspace_id: workspaceId,
        id,
        conversation_id: conversation.id,
        channel_account_id: conversation.channelAccountId,
        sender_type: senderType,
        sender_id: senderId,
        body,
        status,
        ...(externalId !== undefined && { external_id: externalId }),
        created_at: at,
      })
      .execute()
    await db
      .updateTable('conversations')
      .set({
        updated_at: at,
        ...(senderType !== 'system' && {
          last_message_id: id,
          last_message_body: body,
          last_message_sender_id: senderId,
          last_message_sender_type: senderType,
          last_message_status: status,
          last_message_at: at,
        }),
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', conversation.id)
      .execute()
    return { id, body }
  }

  return { message }
}

const makeLabels = ({ db, now, next }: Base) => {
  const tag = async (workspaceId: string, { name = `Tag ${next()}`, color = '#1f6feb' } = {}) => {
    const id = newId()
    await db
      .insertInto('tags')
      .values({ workspace_id: workspaceId, id, name, name_key: name.toLowerCase(), color, created_at: now() })
      .execute()
    return id
  }

  const group = async (
    workspaceId: string,
    { name = `Group ${next()}`, description = '', contactIds = [] as string[] } = {},
  ) => {
    const id = newId()
    const at = now()
    await db
      .insertInto('contact_groups')
      .values({ workspace_id: workspaceId, id, name, description, created_at: at, updated_at: at })
      .execute()
    for (const contactId of contactIds)
      await db
        .insertInto('contact_group_members')
        .values({ workspace_id: workspaceId, group_id: id, contact_id: contactId, added_at: at })
        .execute()
    return id
  }

  return { tag, group }
}
