// Every operation of the API, once: a successful call, calls for each error it declares, and each place that takes an
// id. contract.test.ts and tenancy.test.ts use this table, and fail if an operation or a declared error is missing.
import type { PublicTypeName } from '../server/domain/feed/catalogue.ts'
import { saveAnswer } from '../server/domain/knowledge/answers.ts'
import { saveArticle } from '../server/domain/knowledge/articles.ts'
import { upsertContact } from '../server/domain/people/upsert-contact.ts'
import { newId } from '../server/platform/db/id.ts'
import type { Scope } from '../server/platform/db/tables.ts'
import type { TestApp } from './app.ts'
import { makeAttachments } from './make-attachments.ts'
import { makeErasure } from './make-erasure.ts'
import { makeEvent } from './make-event.ts'
import { makeExport } from './make-export.ts'
import { makeFlow, makeFlowRun } from './make-flow.ts'
import { makeSources } from './make-source.ts'
import { makeTeam } from './make-team.ts'
import { makeWebhook } from './make-webhook.ts'
import { WEBHOOK_OPERATIONS } from './webhook-operations.ts'

const HELP = { title: 'Help', language: 'en', body: 'Write to us.' }
const WEBSITE = { type: 'page', url: 'https://help.example.com/', language: 'en' } as const
/** Saves over what somebody else has changed. */
const STALE_HELP = { ...HELP, externalId: 'help-1', ifUpdatedAt: '2026-01-01T00:00:00.000Z' }

/** Nothing listens there. */
const NO_PROVIDER = 'http://127.0.0.1:9'

/** The file that is uploaded. */
export const FILE_NAME = 'hours.txt'

export type Call = { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string; body?: unknown }

/** One workspace with one of everything. */
export type World = Awaited<ReturnType<typeof makeWorld>>

export const makeWorld = async (app: TestApp, name: string) => {
  const { db, make } = app
  const workspace = await make.workspace({ name })
  const admin = await make.agent(workspace.id, {
    role: 'admin',
    nickname: `${name} admin`,
    email: `admin@${name}.example`,
  })
  const agent = await make.agent(workspace.id, { nickname: `${name} agent`, email: `agent@${name}.example` })
  const removed = await make.agent(workspace.id)
  await db
    .updateTable('memberships')
    .set({ removed_at: new Date() })
    .where('workspace_id', '=', workspace.id)
    .where('account_id', '=', removed.id)
    .execute()
  const aiId = await make.enableAi(workspace.id)
  const web = await make.channelAccount(workspace.id, 'web')
  const telegram = await make.channelAccount(workspace.id, 'telegram')
  const whatsapp = await make.channelAccount(workspace.id, 'whatsapp', {
    settings: { phoneNumberId: `${name}-1`, businessAccountId: name, apiUrl: NO_PROVIDER },
  })
  await make.template(workspace.id, name, {
    name: 'order_ready',
    components: [{ type: 'BODY', text: `${name} has your order {{1}}.` }],
  })
  const contact = await make.contact(workspace.id, {
    name: `${name} customer`,
    email: `customer@${name}.example`,
  })
  const conversation = await make.conversation(workspace.id, { contactId: contact.id, channelAccountId: web })
  const question = await make.message(workspace.id, conversation, { body: `${name} asks` })
  await db.updateTable('conversations').set({ unread_count: 1 }).where('id', '=', conversation.id).execute()
  const onTelegram = await make.conversation(workspace.id, {
    contactId: contact.id,
    channel: 'telegram',
    channelAccountId: telegram,
  })
  const onWhatsapp = await make.conversation(workspace.id, {
    contactId: contact.id,
    channel: 'whatsapp',
    channelAccountId: whatsapp,
  })
  const tagId = await make.tag(workspace.id, { name: `${name} tag` })
  const groupId = await make.group(workspace.id, { name: `${name} group`, contactIds: [contact.id] })
  const broadcastId = await make.broadcast(workspace.id)
  const flow = await makeFlow(app, workspace.id, { name: `${name} flow` })
  const runId = await makeFlowRun(app, workspace.id, flow, onTelegram)
  const ctx = app.ctxOf(workspace.id)
  const { article } = await saveArticle(ctx, null, {
    ...HELP,
    externalId: 'help-1',
    title: `${name} article`,
  })
  const { answer } = await saveAnswer(ctx, null, { ...HELP, externalId: 'help-1', title: `${name} answer` })
  const { sourceId, fileSourceId } = await makeSources(app, workspace.id, name)
  const noteId = await writeNote(app, { workspace, contact, conversation }, 'api:nobody')
  return {
    ...(await makeAttachments(app, workspace, question.id)),
    ...(await makeEvent(app, workspace.id)),
    exportId: await makeExport(app, workspace.id),
    contactExportId: await makeExport(app, workspace.id, contact.id),
    erasureId: await makeErasure(app, workspace.id),
    noteId,
    ...(await makeWebhook(app, workspace.id, name)),
    teamId: await makeTeam(app, workspace.id, { name: `${name} team` }),
    workspace,
    admin,
    agent,
    removed,
    aiId,
    web,
    whatsapp,
    onWhatsapp,
    contact,
    conversation,
    onTelegram,
    tagId,
    groupId,
    broadcastId,
    flow,
    runId,
    articleId: article.id,
    answerId: answer.id,
    sourceId,
    fileSourceId,
    name,
  }
}

type Noted = {
  workspace: { id: string; name: string }
  contact: { id: string }
  conversation: { id: string }
}

/** A note in the world's first conversation. */
const writeNote = async (
  { db }: Pick<TestApp, 'db'>,
  { workspace, contact, conversation }: Noted,
  authorId: string,
): Promise<string> => {
  const id = newId()
  await db
    .insertInto('notes')
    .values({
      workspace_id: workspace.id,
      id,
      contact_id: contact.id,
      conversation_id: conversation.id,
      author_id: authorId,
      body: `${workspace.name} note`,
      created_at: new Date(),
    })
    .execute()
  return id
}

/** Everything in a world that must never appear in another's responses. */
export const traces = (world: World): string[] => [
  world.workspace.id,
  world.workspace.name,
  world.admin.id,
  world.agent.id,
  world.contact.id,
  world.conversation.id,
  world.tagId,
  world.teamId,
  world.noteId,
  world.groupId,
  world.broadcastId,
  world.flow.id,
  world.runId,
  world.articleId,
  world.answerId,
  world.sourceId,
  world.fileSourceId,
  world.eventId,
  world.endpointId,
  world.deliveryId,
  world.attachmentId,
  world.uploadId,
  `${world.name} article`,
  `${world.name} answer`,
  `${world.name}.pdf`,
]

export type Operation = {
  /** Scopes that what it is called with needs, beside the route's own. */
  alsoScopes?: readonly Scope[]
  /** Calls per minute; a hundred means the address's bucket. */
  limit: 10 | 30 | 60 | 100
  /** An Idempotency-Key has no effect: the response has a secret, or the request is streamed. */
  ignoresKey?: true
  success: (world: World) => Call
  /** The public events that it records, none if left out. */
  events?: readonly PublicTypeName[]
  /** A call without which `success` would change nothing. */
  before?: (world: World) => Call
  /** By code, beyond what every operation can return. */
  refusals?: Record<string, (world: World, other: World, app: TestApp) => Call | Promise<Call>>
  /** The same call with an id of another workspace, or of nothing. */
  withId?: Record<string, (world: World, id: string) => Call>
  /** The source of the foreign id for each place. */
  foreign?: Record<string, (other: World) => string>
}

const onConversation =
  (verb: string, body?: unknown) =>
  (_: World, id: string): Call => ({
    method: 'POST',
    path: `/conversations/${id}/${verb}`,
    ...(body !== undefined && { body }),
  })

const formOf = (name: string): FormData => {
  const form = new FormData()
  form.append('file', new File(['Open from 9 to 5.'], name))
  return form
}

const sendTemplate = (more: object = {}): Call => ({
  method: 'POST',
  path: '/whatsapp/messages',
  body: { to: '+351912345678', templateName: 'order_ready', parameters: ['1182'], ...more },
})

const broadcast = (audience: object, more: object = {}): Call => ({
  method: 'POST',
  path: '/broadcasts',
  body: { templateName: 'order_ready', parameters: ['1182'], audience, ...more },
})

const groupBroadcast = (groupId: string, more: object = {}): Call => ({
  method: 'POST',
  path: `/contact-groups/${groupId}/broadcasts`,
  body: { templateName: 'order_ready', parameters: ['1182'], ...more },
})

const startRun = (flowId: string, body: object): Call => ({
  method: 'POST',
  path: `/flows/${flowId}/runs`,
  body,
})

const disconnectWhatsapp = ({ workspace }: World, { db }: TestApp) =>
  db
    .updateTable('channel_accounts')
    .set({ channel: 'sms' })
    .where('workspace_id', '=', workspace.id)
    .where('channel', '=', 'whatsapp')
    .execute()

const nobody = 'c00000000000000000000nobody'.slice(0, 25)
const theConversation = (other: World) => other.conversation.id
const theContact = (other: World) => other.contact.id
const theNote = (other: World) => other.noteId
const theTag = (other: World) => other.tagId
const theTeam = (other: World) => other.teamId
const theGroup = (other: World) => other.groupId
const theAgent = (other: World) => other.agent.id
const theFlow = (other: World) => other.flow.id
const theRun = (other: World) => other.runId

export const OPERATIONS: Record<string, Operation> = {
  verifyToken: { limit: 100, success: () => ({ method: 'GET', path: '/me' }) },

  listAgents: { limit: 100, success: () => ({ method: 'GET', path: '/agents' }) },
  listTeams: { limit: 100, success: () => ({ method: 'GET', path: '/teams' }) },
  addAgent: {
    limit: 30,
    events: ['agent.added'],
    success: ({ name }) => ({ method: 'POST', path: '/agents', body: { email: `new@${name}.example` } }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/agents', body: { email: 'nobody' } }),
      AGENT_ALREADY_MEMBER: ({ agent }) => ({
        method: 'POST',
        path: '/agents',
        body: { email: agent.email },
      }),
      AGENT_MANAGED: () => ({ method: 'POST', path: '/agents', body: { email: 'ai@agents.invalid' } }),
      NICKNAME_TAKEN: ({ agent, name }) => ({
        method: 'POST',
        path: '/agents',
        body: { email: `other@${name}.example`, nickname: agent.nickname.toUpperCase() },
      }),
    },
  },
  getAgent: {
    limit: 100,
    success: ({ agent }) => ({ method: 'GET', path: `/agents/${agent.id}` }),
    refusals: { AGENT_NOT_FOUND: ({ removed }) => ({ method: 'GET', path: `/agents/${removed.id}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/agents/${id}` }) },
    foreign: { path: theAgent },
  },
  updateAgent: {
    limit: 30,
    events: ['agent.updated'],
    success: ({ agent, name }) => ({
      method: 'PATCH',
      path: `/agents/${agent.id}`,
      body: { nickname: `${name} renamed` },
    }),
    refusals: {
      VALIDATION_ERROR: ({ agent }) => ({ method: 'PATCH', path: `/agents/${agent.id}`, body: {} }),
      AGENT_NOT_FOUND: () => ({ method: 'PATCH', path: `/agents/${nobody}`, body: { role: 'agent' } }),
      AGENT_MANAGED: () => ({ method: 'PATCH', path: '/agents/ai', body: { role: 'admin' } }),
      LAST_ADMIN: ({ admin }) => ({ method: 'PATCH', path: `/agents/${admin.id}`, body: { role: 'agent' } }),
      FORBIDDEN: async ({ workspace, agent }, other, { db, call }) => {
        await call(other.workspace.token, 'POST', '/agents', { email: agent.email })
        await db
          .updateTable('accounts')
          .set({ created_in: workspace.id })
          .where('id', '=', agent.id)
          .execute()
        return {
          method: 'PATCH',
          path: `/agents/${agent.id}`,
          body: { nickname: `${agent.nickname} elsewhere` },
        }
      },
      NICKNAME_TAKEN: ({ agent, admin }) => ({
        method: 'PATCH',
        path: `/agents/${agent.id}`,
        body: { nickname: admin.nickname },
      }),
    },
    withId: { path: (_, id) => ({ method: 'PATCH', path: `/agents/${id}`, body: { role: 'agent' } }) },
    foreign: { path: theAgent },
  },
  removeAgent: {
    limit: 30,
    events: ['agent.removed'],
    success: ({ agent }) => ({ method: 'DELETE', path: `/agents/${agent.id}` }),
    refusals: {
      AGENT_NOT_FOUND: ({ removed }) => ({ method: 'DELETE', path: `/agents/${removed.id}` }),
      AGENT_MANAGED: ({ aiId }) => ({ method: 'DELETE', path: `/agents/${aiId}` }),
      LAST_ADMIN: ({ admin }) => ({ method: 'DELETE', path: `/agents/${admin.id}` }),
    },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/agents/${id}` }) },
    foreign: { path: theAgent },
  },

  listContacts: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/contacts' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/contacts?pageSize=101' }) },
    withId: { tagId: (_, id) => ({ method: 'GET', path: `/contacts?sort=created&tagId=${id}` }) },
    foreign: { tagId: theTag },
  },
  getContact: {
    limit: 100,
    success: ({ contact }) => ({ method: 'GET', path: `/contacts/${contact.id}` }),
    refusals: { CONTACT_NOT_FOUND: () => ({ method: 'GET', path: `/contacts/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/contacts/${id}` }) },
    foreign: { path: theContact },
  },
  eraseContact: {
    limit: 30,
    success: ({ contact }) => ({ method: 'DELETE', path: `/contacts/${contact.id}?mode=erase` }),
    refusals: {
      VALIDATION_ERROR: ({ contact }) => ({ method: 'DELETE', path: `/contacts/${contact.id}` }),
      CONTACT_NOT_FOUND: () => ({ method: 'DELETE', path: `/contacts/${nobody}?mode=erase` }),
    },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/contacts/${id}?mode=anonymise` }) },
    foreign: { path: theContact },
  },
  exportContact: {
    limit: 30,
    alsoScopes: ['contacts:read', 'conversations:read'],
    success: ({ contact }) => ({ method: 'POST', path: `/contacts/${contact.id}/exports` }),
    refusals: { CONTACT_NOT_FOUND: () => ({ method: 'POST', path: `/contacts/${nobody}/exports` }) },
    withId: { path: (_, id) => ({ method: 'POST', path: `/contacts/${id}/exports` }) },
    foreign: { path: theContact },
  },
  getContactExport: {
    limit: 100,
    alsoScopes: ['contacts:read', 'conversations:read'],
    success: ({ contact, contactExportId }) => ({
      method: 'GET',
      path: `/contacts/${contact.id}/exports/${contactExportId}`,
    }),
    refusals: {
      EXPORT_NOT_FOUND: ({ contact }) => ({
        method: 'GET',
        path: `/contacts/${contact.id}/exports/${nobody}`,
      }),
    },
    withId: { path: ({ contact }, id) => ({ method: 'GET', path: `/contacts/${contact.id}/exports/${id}` }) },
    foreign: { path: ({ contactExportId }) => contactExportId },
  },
  getErasure: {
    limit: 100,
    success: ({ erasureId }) => ({ method: 'GET', path: `/erasures/${erasureId}` }),
    refusals: { ERASURE_NOT_FOUND: () => ({ method: 'GET', path: `/erasures/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/erasures/${id}` }) },
    foreign: { path: ({ erasureId }) => erasureId },
  },
  updateContact: {
    limit: 30,
    events: ['contact.updated'],
    success: ({ contact, name }) => ({
      method: 'PATCH',
      path: `/contacts/${contact.id}`,
      body: { name: `${name} renamed` },
    }),
    refusals: {
      VALIDATION_ERROR: ({ contact }) => ({ method: 'PATCH', path: `/contacts/${contact.id}`, body: {} }),
      CONTACT_NOT_FOUND: () => ({ method: 'PATCH', path: `/contacts/${nobody}`, body: { name: 'x' } }),
    },
    withId: { path: (_, id) => ({ method: 'PATCH', path: `/contacts/${id}`, body: { name: 'x' } }) },
    foreign: { path: theContact },
  },
  replaceContactTags: {
    limit: 30,
    events: ['contact.updated'],
    success: ({ contact, tagId }) => ({
      method: 'PUT',
      path: `/contacts/${contact.id}/tags`,
      body: { tagIds: [tagId] },
    }),
    refusals: {
      VALIDATION_ERROR: ({ contact }) => ({
        method: 'PUT',
        path: `/contacts/${contact.id}/tags`,
        body: { tagIds: [nobody] },
      }),
      CONTACT_NOT_FOUND: () => ({ method: 'PUT', path: `/contacts/${nobody}/tags`, body: { tagIds: [] } }),
    },
    withId: {
      path: (_, id) => ({ method: 'PUT', path: `/contacts/${id}/tags`, body: { tagIds: [] } }),
      tagIds: ({ contact }, id) => ({
        method: 'PUT',
        path: `/contacts/${contact.id}/tags`,
        body: { tagIds: [id] },
      }),
    },
    foreign: { path: theContact, tagIds: (other) => other.tagId },
  },
  changeContactTags: {
    limit: 30,
    events: ['contact.updated'],
    success: ({ contact, tagId }) => ({
      method: 'POST',
      path: `/contacts/${contact.id}/tags`,
      body: { add: [tagId] },
    }),
    refusals: {
      VALIDATION_ERROR: ({ contact }) => ({
        method: 'POST',
        path: `/contacts/${contact.id}/tags`,
        body: { add: [nobody] },
      }),
      CONTACT_NOT_FOUND: () => ({ method: 'POST', path: `/contacts/${nobody}/tags`, body: { add: [] } }),
    },
    withId: {
      path: (_, id) => ({ method: 'POST', path: `/contacts/${id}/tags`, body: { add: [] } }),
      add: ({ contact }, id) => ({
        method: 'POST',
        path: `/contacts/${contact.id}/tags`,
        body: { add: [id] },
      }),
      remove: ({ contact }, id) => ({
        method: 'POST',
        path: `/contacts/${contact.id}/tags`,
        body: { remove: [id] },
      }),
    },
    foreign: { path: theContact, add: theTag, remove: theTag },
  },
  lookUpContact: {
    limit: 30,
    success: ({ contact }) => ({ method: 'GET', path: `/contacts/lookup?email=${contact.email}` }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'GET', path: '/contacts/lookup' }),
      CONTACT_NOT_FOUND: () => ({ method: 'GET', path: '/contacts/lookup?externalId=nobody' }),
    },
  },
  upsertContact: {
    limit: 30,
    events: ['contact.created'],
    success: ({ name }) => ({
      method: 'POST',
      path: '/contacts/upsert',
      body: { match: { externalId: `crm-${name}` }, set: { name: `${name} upserted` } },
    }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/contacts/upsert', body: { match: {} } }),
      CONTACT_NOT_FOUND: () => ({
        method: 'POST',
        path: '/contacts/upsert',
        body: { match: { externalId: 'nobody' }, create: false },
      }),
      CONTACT_CONFLICT: async ({ contact, workspace }, _, app) => {
        const ctx = app.ctxOf(workspace.id)
        await upsertContact(ctx, { match: { externalId: 'crm-1' } })
        return {
          method: 'POST',
          path: '/contacts/upsert',
          body: { match: { externalId: 'crm-1', email: contact.email } },
        }
      },
    },
    withId: {
      addTagIds: ({ name }, id) => ({
        method: 'POST',
        path: '/contacts/upsert',
        body: { match: { externalId: `crm-${name}` }, set: { addTagIds: [id] } },
      }),
    },
    foreign: { addTagIds: theTag },
  },

  listContactFields: { limit: 100, success: () => ({ method: 'GET', path: '/contact-fields' }) },
  listChannels: { limit: 100, success: () => ({ method: 'GET', path: '/channels' }) },

  listTags: { limit: 100, success: () => ({ method: 'GET', path: '/tags' }) },
  createTag: {
    limit: 30,
    events: ['tag.created'],
    success: () => ({ method: 'POST', path: '/tags', body: { name: 'Lead', color: '#00aa00' } }),
    refusals: {
      VALIDATION_ERROR: ({ name }) => ({
        method: 'POST',
        path: '/tags',
        body: { name: `${name} TAG`, color: '#00aa00' },
      }),
    },
  },
  updateTag: {
    limit: 30,
    events: ['tag.updated'],
    success: ({ tagId }) => ({ method: 'PATCH', path: `/tags/${tagId}`, body: { color: '#00aa00' } }),
    refusals: {
      VALIDATION_ERROR: ({ tagId }) => ({
        method: 'PATCH',
        path: `/tags/${tagId}`,
        body: { color: 'green' },
      }),
      TAG_NOT_FOUND: () => ({ method: 'PATCH', path: `/tags/${nobody}`, body: { color: '#00aa00' } }),
    },
    withId: { path: (_, id) => ({ method: 'PATCH', path: `/tags/${id}`, body: { name: 'Mine' } }) },
    foreign: { path: theTag },
  },
  deleteTag: {
    limit: 30,
    events: ['tag.deleted'],
    success: ({ tagId }) => ({ method: 'DELETE', path: `/tags/${tagId}` }),
    refusals: { TAG_NOT_FOUND: () => ({ method: 'DELETE', path: `/tags/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/tags/${id}` }) },
    foreign: { path: theTag },
  },

  addNote: {
    limit: 30,
    events: ['note.created'],
    success: ({ conversation }) => ({
      method: 'POST',
      path: '/notes',
      body: { body: 'Call back', conversationId: conversation.id },
    }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/notes', body: { body: 'Call back' } }),
      CONVERSATION_NOT_FOUND: () => ({
        method: 'POST',
        path: '/notes',
        body: { body: 'x', conversationId: nobody },
      }),
      CONTACT_NOT_FOUND: () => ({
        method: 'POST',
        path: '/notes',
        body: { body: 'x', phone: '+34600000001' },
      }),
    },
    withId: {
      conversationId: (_, id) => ({
        method: 'POST',
        path: '/notes',
        body: { body: 'x', conversationId: id },
      }),
    },
    foreign: { conversationId: theConversation },
  },

  listNotes: {
    limit: 100,
    success: ({ contact }) => ({ method: 'GET', path: `/notes?contactId=${contact.id}` }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'GET', path: '/notes' }),
      CONTACT_NOT_FOUND: () => ({ method: 'GET', path: `/notes?contactId=${nobody}` }),
    },
    withId: { contactId: (_, id) => ({ method: 'GET', path: `/notes?contactId=${id}` }) },
    foreign: { contactId: theContact },
  },
  updateNote: {
    limit: 30,
    events: ['note.updated'],
    success: ({ noteId }) => ({ method: 'PATCH', path: `/notes/${noteId}`, body: { body: 'Call tomorrow' } }),
    refusals: {
      VALIDATION_ERROR: ({ noteId }) => ({ method: 'PATCH', path: `/notes/${noteId}`, body: { body: ' ' } }),
      NOTE_NOT_FOUND: () => ({ method: 'PATCH', path: `/notes/${nobody}`, body: { body: 'x' } }),
      FORBIDDEN: async (world, _, app) => ({
        method: 'PATCH',
        path: `/notes/${await writeNote(app, world, world.agent.id)}`,
        body: { body: 'x' },
      }),
    },
    withId: { path: (_, id) => ({ method: 'PATCH', path: `/notes/${id}`, body: { body: 'x' } }) },
    foreign: { path: theNote },
  },
  deleteNote: {
    limit: 30,
    events: ['note.deleted'],
    success: ({ noteId }) => ({ method: 'DELETE', path: `/notes/${noteId}` }),
    refusals: {
      NOTE_NOT_FOUND: () => ({ method: 'DELETE', path: `/notes/${nobody}` }),
      FORBIDDEN: async (world, _, app) => ({
        method: 'DELETE',
        path: `/notes/${await writeNote(app, world, world.agent.id)}`,
      }),
    },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/notes/${id}` }) },
    foreign: { path: theNote },
  },

  listConversations: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/conversations' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/conversations?limit=0' }) },
    withId: {
      agentId: (_, id) => ({ method: 'GET', path: `/conversations?agentId=${id}` }),
      contactId: (_, id) => ({ method: 'GET', path: `/conversations?contactId=${id}` }),
      tagId: (_, id) => ({ method: 'GET', path: `/conversations?tagId=${id}` }),
    },
    foreign: { agentId: theAgent, contactId: theContact, tagId: theTag },
  },
  createConversation: {
    limit: 30,
    events: ['contact.created', 'conversation.created'],
    success: ({ name }) => ({
      method: 'POST',
      path: '/conversations',
      body: { email: `fresh@${name}.example`, channel: 'web' },
    }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/conversations', body: {} }),
      CHANNEL_NOT_CONNECTED: ({ name }) => ({
        method: 'POST',
        path: '/conversations',
        body: { email: `fresh@${name}.example`, channel: 'email' },
      }),
    },
  },
  getConversation: {
    limit: 100,
    success: ({ conversation }) => ({ method: 'GET', path: `/conversations/${conversation.id}` }),
    refusals: { CONVERSATION_NOT_FOUND: () => ({ method: 'GET', path: `/conversations/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/conversations/${id}` }) },
    foreign: { path: theConversation },
  },
  listConversationMessages: {
    limit: 100,
    success: ({ conversation }) => ({ method: 'GET', path: `/conversations/${conversation.id}/messages` }),
    refusals: {
      VALIDATION_ERROR: ({ conversation }) => ({
        method: 'GET',
        path: `/conversations/${conversation.id}/messages?limit=x`,
      }),
      CONVERSATION_NOT_FOUND: () => ({ method: 'GET', path: `/conversations/${nobody}/messages` }),
    },
    withId: { path: (_, id) => ({ method: 'GET', path: `/conversations/${id}/messages` }) },
    foreign: { path: theConversation },
  },
  assignConversation: {
    limit: 60,
    events: ['conversation.assigned'],
    success: ({ conversation, agent }) =>
      onConversation('assign', { agentId: agent.id })({} as World, conversation.id),
    refusals: {
      VALIDATION_ERROR: ({ conversation }) => onConversation('assign', {})({} as World, conversation.id),
      CONVERSATION_NOT_FOUND: (world) => onConversation('assign', { agentId: 'ai' })(world, nobody),
      INVALID_AGENT: (world) =>
        onConversation('assign', { agentId: world.removed.id })(world, world.conversation.id),
      INVALID_TEAM: (world) =>
        onConversation('assign', { agentId: 'ai', teamId: nobody })(world, world.conversation.id),
      COMPANY_MISMATCH: (world, other) =>
        onConversation('assign', { agentId: other.agent.id })(world, world.conversation.id),
    },
    withId: {
      path: onConversation('assign', { agentId: 'ai' }),
      teamId: ({ conversation }, teamId) =>
        onConversation('assign', { agentId: 'ai', teamId })({} as World, conversation.id),
    },
    foreign: { path: theConversation, teamId: theTeam },
  },
  moveConversationToTeam: {
    limit: 60,
    events: ['conversation.team_changed'],
    success: ({ conversation, teamId }) => onConversation('team', { teamId })({} as World, conversation.id),
    refusals: {
      VALIDATION_ERROR: ({ conversation }) => onConversation('team', {})({} as World, conversation.id),
      CONVERSATION_NOT_FOUND: (world) => onConversation('team', { teamId: world.teamId })(world, nobody),
      INVALID_TEAM: (world) => onConversation('team', { teamId: nobody })(world, world.conversation.id),
    },
    withId: {
      path: onConversation('team', { teamId: null }),
      teamId: ({ conversation }, teamId) => onConversation('team', { teamId })({} as World, conversation.id),
    },
    foreign: { path: theConversation, teamId: theTeam },
  },
  sendMessage: {
    limit: 60,
    events: ['message.created'],
    success: ({ conversation }) =>
      onConversation('messages', { body: 'Hello' })({} as World, conversation.id),
    refusals: {
      VALIDATION_ERROR: (world) => onConversation('messages', { body: '  ' })(world, world.conversation.id),
      CONVERSATION_NOT_FOUND: (world) => onConversation('messages', { body: 'Hello' })(world, nobody),
      CHANNEL_NOT_SUPPORTED: (world) =>
        onConversation('messages', { body: 'Hello' })(world, world.onTelegram.id),
      WHATSAPP_SERVICE_WINDOW_CLOSED: (world) =>
        onConversation('messages', { body: 'Hello' })(world, world.onWhatsapp.id),
    },
    withId: {
      path: onConversation('messages', { body: 'Hello' }),
      attachmentIds: ({ conversation }, id) =>
        onConversation('messages', { attachmentIds: [id] })({} as World, conversation.id),
    },
    foreign: { path: theConversation, attachmentIds: ({ uploadId }) => uploadId },
  },
  createAttachment: {
    limit: 60,
    ignoresKey: true,
    success: () => ({ method: 'POST', path: '/attachments', body: formOf(FILE_NAME) }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/attachments', body: new FormData() }),
      UPLOAD_QUOTA_EXCEEDED: async ({ workspace }, _, { db }) => {
        await db
          .updateTable('workspaces')
          .set({ upload_quota_bytes: 0 })
          .where('id', '=', workspace.id)
          .execute()
        return { method: 'POST', path: '/attachments', body: formOf(FILE_NAME) }
      },
    },
  },
  getAttachment: {
    limit: 100,
    success: ({ attachmentId }) => ({ method: 'GET', path: `/attachments/${attachmentId}` }),
    refusals: { ATTACHMENT_NOT_FOUND: () => ({ method: 'GET', path: `/attachments/${nobody}` }) },
    withId: {
      path: (_, id) => ({ method: 'GET', path: `/attachments/${id}` }),
    },
    foreign: { path: ({ attachmentId }) => attachmentId },
  },
  markConversationRead: {
    limit: 60,
    events: ['conversation.read'],
    success: ({ conversation }) => onConversation('read', {})({} as World, conversation.id),
    refusals: {
      VALIDATION_ERROR: (world) => onConversation('read', { upToMessageId: 7 })(world, world.conversation.id),
      CONVERSATION_NOT_FOUND: (world) => onConversation('read', {})(world, nobody),
    },
    withId: {
      path: onConversation('read', {}),
      upToMessageId: ({ conversation }, id) =>
        onConversation('read', { upToMessageId: id })({} as World, conversation.id),
    },
    foreign: { path: theConversation, upToMessageId: theConversation },
  },
  unassignConversation: {
    limit: 60,
    events: ['conversation.unassigned'],
    before: ({ conversation, agent }) =>
      onConversation('assign', { agentId: agent.id })({} as World, conversation.id),
    success: ({ conversation }) => onConversation('unassign')({} as World, conversation.id),
    refusals: { CONVERSATION_NOT_FOUND: (world) => onConversation('unassign')(world, nobody) },
    withId: { path: onConversation('unassign') },
    foreign: { path: theConversation },
  },
  snoozeConversation: {
    limit: 60,
    events: ['conversation.snoozed'],
    success: ({ conversation }) => onConversation('snooze', {})({} as World, conversation.id),
    refusals: {
      VALIDATION_ERROR: (world) =>
        onConversation('snooze', { until: '2001-01-01T00:00:00.000Z' })(world, world.conversation.id),
      CONVERSATION_NOT_FOUND: (world) => onConversation('snooze', {})(world, nobody),
    },
    withId: { path: onConversation('snooze', {}) },
    foreign: { path: theConversation },
  },
  unsnoozeConversation: {
    limit: 60,
    events: ['conversation.unsnoozed'],
    before: ({ conversation }) => onConversation('snooze', {})({} as World, conversation.id),
    success: ({ conversation }) => onConversation('unsnooze')({} as World, conversation.id),
    refusals: { CONVERSATION_NOT_FOUND: (world) => onConversation('unsnooze')(world, nobody) },
    withId: { path: onConversation('unsnooze') },
    foreign: { path: theConversation },
  },
  changeConversationTags: {
    limit: 30,
    events: ['conversation.updated'],
    success: ({ conversation, tagId }) =>
      onConversation('tags', { add: [tagId] })({} as World, conversation.id),
    refusals: {
      VALIDATION_ERROR: (world) => onConversation('tags', { add: [nobody] })(world, world.conversation.id),
      CONVERSATION_NOT_FOUND: (world) => onConversation('tags', { add: [] })(world, nobody),
    },
    withId: {
      path: onConversation('tags', { add: [] }),
      add: ({ conversation }, id) => onConversation('tags', { add: [id] })({} as World, conversation.id),
      remove: ({ conversation }, id) =>
        onConversation('tags', { remove: [id] })({} as World, conversation.id),
    },
    foreign: { path: theConversation, add: theTag, remove: theTag },
  },
  changeConversations: {
    limit: 30,
    events: ['conversation.closed'],
    success: ({ conversation }) => ({
      method: 'POST',
      path: '/conversations/bulk',
      body: { ids: [conversation.id], action: 'close' },
    }),
    refusals: {
      VALIDATION_ERROR: ({ conversation }) => ({
        method: 'POST',
        path: '/conversations/bulk',
        body: { ids: [conversation.id], action: 'assign' },
      }),
    },
  },
  closeConversation: {
    limit: 60,
    events: ['conversation.closed'],
    success: ({ conversation }) => onConversation('close')({} as World, conversation.id),
    refusals: { CONVERSATION_NOT_FOUND: (world) => onConversation('close')(world, nobody) },
    withId: { path: onConversation('close') },
    foreign: { path: theConversation },
  },
  reopenConversation: {
    limit: 60,
    events: ['conversation.reopened'],
    before: ({ conversation }) => ({ method: 'POST', path: `/conversations/${conversation.id}/close` }),
    success: ({ conversation }) => onConversation('reopen')({} as World, conversation.id),
    refusals: { CONVERSATION_NOT_FOUND: (world) => onConversation('reopen')(world, nobody) },
    withId: { path: onConversation('reopen') },
    foreign: { path: theConversation },
  },

  listMessages: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/messages' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/messages?direction=sideways' }) },
    withId: {
      conversationId: (_, id) => ({ method: 'GET', path: `/messages?conversationId=${id}` }),
      contactId: (_, id) => ({ method: 'GET', path: `/messages?contactId=${id}` }),
    },
    foreign: { conversationId: theConversation, contactId: theContact },
  },
  listAuditLog: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/audit-log' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/audit-log?action=token.eaten' }) },
  },
  createExport: {
    limit: 30,
    alsoScopes: ['conversations:read', 'contacts:read', 'agents:read', 'groups:read'],
    success: () => ({ method: 'POST', path: '/exports', body: {} }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/exports', body: { resources: ['secrets'] } }),
      EXPORT_RUNNING: async ({ workspace }, _, { db }) => {
        await db
          .updateTable('exports')
          .set({ status: 'running' })
          .where('workspace_id', '=', workspace.id)
          .where('contact_id', 'is', null)
          .execute()
        return { method: 'POST', path: '/exports', body: {} }
      },
    },
  },
  listExports: { limit: 100, success: () => ({ method: 'GET', path: '/exports' }) },
  getExport: {
    limit: 100,
    alsoScopes: ['contacts:read'],
    success: ({ exportId }) => ({ method: 'GET', path: `/exports/${exportId}` }),
    refusals: { EXPORT_NOT_FOUND: () => ({ method: 'GET', path: `/exports/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/exports/${id}` }) },
    foreign: { path: ({ exportId }) => exportId },
  },
  deleteExport: {
    limit: 30,
    alsoScopes: ['contacts:read'],
    success: ({ exportId }) => ({ method: 'DELETE', path: `/exports/${exportId}` }),
    refusals: { EXPORT_NOT_FOUND: () => ({ method: 'DELETE', path: `/exports/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/exports/${id}` }) },
    foreign: { path: ({ exportId }) => exportId },
  },
  listWhatsappTemplates: { limit: 100, success: () => ({ method: 'GET', path: '/whatsapp/templates' }) },
  sendWhatsappTemplate: {
    limit: 60,
    events: ['contact.created', 'conversation.created', 'message.created'],
    success: () => sendTemplate(),
    refusals: {
      VALIDATION_ERROR: () => sendTemplate({ parameters: [] }),
      WHATSAPP_NOT_CONNECTED: async (world, _, app) => {
        await disconnectWhatsapp(world, app)
        return sendTemplate()
      },
      WHATSAPP_SENDER_AMBIGUOUS: async ({ workspace, name }, _, { make }) => {
        await make.channelAccount(workspace.id, 'whatsapp', {
          settings: { phoneNumberId: `${name}-2`, businessAccountId: name, apiUrl: NO_PROVIDER },
        })
        return sendTemplate()
      },
      WHATSAPP_TEMPLATE_NOT_FOUND: () => sendTemplate({ language: 'de' }),
    },
    withId: {
      from: (_, id) => sendTemplate({ from: id }),
      headerAttachmentId: (_, id) => sendTemplate({ headerAttachmentId: id }),
    },
    foreign: { from: (other) => other.whatsapp, headerAttachmentId: ({ uploadId }) => uploadId },
  },
  sendGroupBroadcast: {
    limit: 10,
    events: ['broadcast.started'],
    success: ({ groupId }) => groupBroadcast(groupId),
    refusals: {
      VALIDATION_ERROR: ({ groupId }) => groupBroadcast(groupId, { parameters: [] }),
      NO_WHATSAPP_RECIPIENTS: async ({ workspace }, _, { make }) =>
        groupBroadcast(await make.group(workspace.id)),
      WHATSAPP_NOT_CONNECTED: async (world, _, app) => {
        await disconnectWhatsapp(world, app)
        return groupBroadcast(world.groupId)
      },
      WHATSAPP_TEMPLATE_NOT_FOUND: ({ groupId }) => groupBroadcast(groupId, { language: 'de' }),
      CONTACT_GROUP_NOT_FOUND: () => groupBroadcast(nobody),
    },
    withId: {
      path: (_, id) => groupBroadcast(id),
      headerAttachmentId: ({ groupId }, id) => groupBroadcast(groupId, { headerAttachmentId: id }),
    },
    foreign: { path: theGroup, headerAttachmentId: ({ uploadId }) => uploadId },
  },
  sendBroadcast: {
    limit: 10,
    events: ['broadcast.started'],
    success: ({ contact }) => broadcast({ type: 'contacts', contactIds: [contact.id] }),
    refusals: {
      VALIDATION_ERROR: () => broadcast({ type: 'everybody' }),
      NO_WHATSAPP_RECIPIENTS: () => broadcast({ type: 'contacts', contactIds: [nobody] }),
      WHATSAPP_NOT_CONNECTED: async (world, _, app) => {
        await disconnectWhatsapp(world, app)
        return broadcast({ type: 'contacts', contactIds: [world.contact.id] })
      },
      WHATSAPP_TEMPLATE_NOT_FOUND: ({ contact }) =>
        broadcast({ type: 'contacts', contactIds: [contact.id] }, { templateName: 'unknown' }),
      CONTACT_GROUP_NOT_FOUND: () => broadcast({ type: 'group', groupId: nobody }),
    },
    withId: {
      groupId: (_, id) => broadcast({ type: 'group', groupId: id }),
      contactIds: (_, id) => broadcast({ type: 'contacts', contactIds: [id] }),
      tagIds: (_, id) => broadcast({ type: 'filter', filter: { tagIds: [id] } }),
      headerAttachmentId: ({ contact }, id) =>
        broadcast({ type: 'contacts', contactIds: [contact.id] }, { headerAttachmentId: id }),
    },
    foreign: {
      groupId: theGroup,
      contactIds: theContact,
      tagIds: (other) => other.tagId,
      headerAttachmentId: ({ uploadId }) => uploadId,
    },
  },
  listBroadcasts: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/broadcasts' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/broadcasts?limit=0' }) },
  },
  getBroadcast: {
    limit: 100,
    success: ({ broadcastId }) => ({ method: 'GET', path: `/broadcasts/${broadcastId}` }),
    refusals: { BROADCAST_NOT_FOUND: () => ({ method: 'GET', path: `/broadcasts/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/broadcasts/${id}` }) },
    foreign: { path: (other) => other.broadcastId },
  },
  listContactGroups: { limit: 100, success: () => ({ method: 'GET', path: '/contact-groups' }) },

  listFlows: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/flows' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/flows?state=running' }) },
  },
  getFlow: {
    limit: 100,
    success: ({ flow }) => ({ method: 'GET', path: `/flows/${flow.id}` }),
    refusals: { FLOW_NOT_FOUND: () => ({ method: 'GET', path: `/flows/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/flows/${id}` }) },
    foreign: { path: theFlow },
  },
  listFlowRuns: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/flow-runs' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/flow-runs?cursor=x' }) },
    withId: {
      flowId: (_, id) => ({ method: 'GET', path: `/flow-runs?flowId=${id}` }),
      conversationId: (_, id) => ({ method: 'GET', path: `/flow-runs?conversationId=${id}` }),
      contactId: (_, id) => ({ method: 'GET', path: `/flow-runs?contactId=${id}` }),
    },
    foreign: { flowId: theFlow, conversationId: theConversation, contactId: theContact },
  },
  getFlowRun: {
    limit: 100,
    success: ({ runId }) => ({ method: 'GET', path: `/flow-runs/${runId}` }),
    refusals: { FLOW_RUN_NOT_FOUND: () => ({ method: 'GET', path: `/flow-runs/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/flow-runs/${id}` }) },
    foreign: { path: theRun },
  },
  listEvents: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/events?from=oldest' }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'GET', path: '/events?types=nonsense' }),
      CURSOR_EXPIRED: ({ expiredCursor }) => ({ method: 'GET', path: `/events?cursor=${expiredCursor}` }),
    },
    withId: {
      conversationId: (_, id) => ({ method: 'GET', path: `/events?from=oldest&conversationId=${id}` }),
      contactId: (_, id) => ({ method: 'GET', path: `/events?from=oldest&contactId=${id}` }),
    },
    foreign: { conversationId: theConversation, contactId: theContact },
  },
  getEvent: {
    limit: 100,
    success: ({ eventId }) => ({ method: 'GET', path: `/events/${eventId}` }),
    refusals: { EVENT_NOT_FOUND: () => ({ method: 'GET', path: `/events/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/events/${id}` }) },
    foreign: { path: ({ eventId }) => eventId },
  },
  /** With this cursor it ends at once. */
  followEvents: {
    limit: 100,
    success: ({ expiredCursor }) => ({ method: 'GET', path: `/events/stream?cursor=${expiredCursor}` }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/events/stream?cursor=x' }) },
  },
  listEventTypes: { limit: 100, success: () => ({ method: 'GET', path: '/event-types' }) },
  startFlowRun: {
    limit: 30,
    success: ({ flow, conversation }) => startRun(flow.id, { conversationId: conversation.id }),
    refusals: {
      VALIDATION_ERROR: ({ flow }) => startRun(flow.id, {}),
      FLOW_NOT_FOUND: ({ conversation }) => startRun(nobody, { conversationId: conversation.id }),
      FLOW_NOT_LIVE: async ({ flow, conversation }, _, { db }) => {
        await db.updateTable('flows').set({ state: 'paused' }).where('id', '=', flow.id).execute()
        return startRun(flow.id, { conversationId: conversation.id })
      },
      FLOW_IS_RUNNING: async ({ flow, conversation, runId }, _, { db }) => {
        await db
          .updateTable('flow_runs')
          .set({ conversation_id: conversation.id, is_dialog: true })
          .where('id', '=', runId)
          .execute()
        return startRun(flow.id, { conversationId: conversation.id })
      },
      CONVERSATION_WITH_PERSON: async ({ flow, conversation, agent }, _, { db }) => {
        await db
          .updateTable('conversations')
          .set({ agent_id: agent.id })
          .where('id', '=', conversation.id)
          .execute()
        return startRun(flow.id, { conversationId: conversation.id })
      },
      CONVERSATION_NOT_FOUND: ({ flow }) => startRun(flow.id, { contactId: nobody }),
    },
    withId: {
      path: ({ conversation }, id) => startRun(id, { conversationId: conversation.id }),
      conversationId: ({ flow }, id) => startRun(flow.id, { conversationId: id }),
      contactId: ({ flow }, id) => startRun(flow.id, { contactId: id }),
    },
    foreign: { path: theFlow, conversationId: theConversation, contactId: theContact },
  },
  cancelFlowRun: {
    limit: 30,
    success: ({ runId }) => ({ method: 'POST', path: `/flow-runs/${runId}/cancel` }),
    refusals: { FLOW_RUN_NOT_FOUND: () => ({ method: 'POST', path: `/flow-runs/${nobody}/cancel` }) },
    withId: { path: (_, id) => ({ method: 'POST', path: `/flow-runs/${id}/cancel` }) },
    foreign: { path: theRun },
  },

  listArticles: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/knowledge/articles' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/knowledge/articles?limit=0' }) },
  },
  getArticle: {
    limit: 100,
    success: ({ articleId }) => ({ method: 'GET', path: `/knowledge/articles/${articleId}` }),
    refusals: { ARTICLE_NOT_FOUND: () => ({ method: 'GET', path: `/knowledge/articles/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/knowledge/articles/${id}` }) },
    foreign: { path: (other) => other.articleId },
  },
  saveArticle: {
    limit: 60,
    success: () => ({ method: 'POST', path: '/knowledge/articles', body: HELP }),
    refusals: {
      VALIDATION_ERROR: () => ({
        method: 'POST',
        path: '/knowledge/articles',
        body: { ...HELP, title: ' ' },
      }),
      KNOWLEDGE_CHANGED: () => ({ method: 'POST', path: '/knowledge/articles', body: STALE_HELP }),
    },
    withId: {
      tagIds: (_, id) => ({
        method: 'POST',
        path: '/knowledge/articles',
        body: { ...HELP, audience: { tagIds: [id] } },
      }),
    },
    foreign: { tagIds: (other) => other.tagId },
  },
  replaceArticle: {
    limit: 60,
    success: ({ articleId }) => ({ method: 'PUT', path: `/knowledge/articles/${articleId}`, body: HELP }),
    refusals: {
      VALIDATION_ERROR: ({ articleId }) => ({
        method: 'PUT',
        path: `/knowledge/articles/${articleId}`,
        body: { ...HELP, language: '' },
      }),
      ARTICLE_NOT_FOUND: () => ({ method: 'PUT', path: `/knowledge/articles/${nobody}`, body: HELP }),
      KNOWLEDGE_CHANGED: ({ articleId }) => ({
        method: 'PUT',
        path: `/knowledge/articles/${articleId}`,
        body: STALE_HELP,
      }),
    },
    withId: { path: (_, id) => ({ method: 'PUT', path: `/knowledge/articles/${id}`, body: HELP }) },
    foreign: { path: (other) => other.articleId },
  },
  deleteArticle: {
    limit: 60,
    success: ({ articleId }) => ({ method: 'DELETE', path: `/knowledge/articles/${articleId}` }),
    refusals: { ARTICLE_NOT_FOUND: () => ({ method: 'DELETE', path: `/knowledge/articles/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/knowledge/articles/${id}` }) },
    foreign: { path: (other) => other.articleId },
  },
  listAnswers: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/knowledge/answers' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/knowledge/answers?limit=0' }) },
  },
  getAnswer: {
    limit: 100,
    success: ({ answerId }) => ({ method: 'GET', path: `/knowledge/answers/${answerId}` }),
    refusals: { ANSWER_NOT_FOUND: () => ({ method: 'GET', path: `/knowledge/answers/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'GET', path: `/knowledge/answers/${id}` }) },
    foreign: { path: (other) => other.answerId },
  },
  saveAnswer: {
    limit: 60,
    success: () => ({ method: 'POST', path: '/knowledge/answers', body: HELP }),
    refusals: {
      VALIDATION_ERROR: () => ({ method: 'POST', path: '/knowledge/answers', body: { ...HELP, title: ' ' } }),
      KNOWLEDGE_CHANGED: () => ({ method: 'POST', path: '/knowledge/answers', body: STALE_HELP }),
    },
    withId: {
      tagIds: (_, id) => ({
        method: 'POST',
        path: '/knowledge/answers',
        body: { ...HELP, audience: { tagIds: [id] } },
      }),
    },
    foreign: { tagIds: (other) => other.tagId },
  },
  replaceAnswer: {
    limit: 60,
    success: ({ answerId }) => ({ method: 'PUT', path: `/knowledge/answers/${answerId}`, body: HELP }),
    refusals: {
      VALIDATION_ERROR: ({ answerId }) => ({
        method: 'PUT',
        path: `/knowledge/answers/${answerId}`,
        body: { ...HELP, language: '' },
      }),
      ANSWER_NOT_FOUND: () => ({ method: 'PUT', path: `/knowledge/answers/${nobody}`, body: HELP }),
      KNOWLEDGE_CHANGED: ({ answerId }) => ({
        method: 'PUT',
        path: `/knowledge/answers/${answerId}`,
        body: STALE_HELP,
      }),
    },
    withId: { path: (_, id) => ({ method: 'PUT', path: `/knowledge/answers/${id}`, body: HELP }) },
    foreign: { path: (other) => other.answerId },
  },
  deleteAnswer: {
    limit: 60,
    success: ({ answerId }) => ({ method: 'DELETE', path: `/knowledge/answers/${answerId}` }),
    refusals: { ANSWER_NOT_FOUND: () => ({ method: 'DELETE', path: `/knowledge/answers/${nobody}` }) },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/knowledge/answers/${id}` }) },
    foreign: { path: (other) => other.answerId },
  },
  listKnowledgeSources: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/knowledge/sources' }),
    refusals: {},
  },
  addWebsite: {
    limit: 60,
    success: () => ({ method: 'POST', path: '/knowledge/sources', body: WEBSITE }),
    refusals: {
      VALIDATION_ERROR: () => ({
        method: 'POST',
        path: '/knowledge/sources',
        body: { ...WEBSITE, url: 'https://help.example.com:25/' },
      }),
    },
    withId: {
      tagIds: (_, id) => ({
        method: 'POST',
        path: '/knowledge/sources',
        body: { ...WEBSITE, audience: { tagIds: [id] } },
      }),
    },
    foreign: { tagIds: (other) => other.tagId },
  },
  readWebsite: {
    limit: 60,
    success: ({ sourceId }) => ({ method: 'POST', path: `/knowledge/sources/${sourceId}/read` }),
    refusals: {
      KNOWLEDGE_SOURCE_NOT_FOUND: () => ({ method: 'POST', path: `/knowledge/sources/${nobody}/read` }),
    },
    withId: { path: (_, id) => ({ method: 'POST', path: `/knowledge/sources/${id}/read` }) },
    foreign: { path: (other) => other.sourceId },
  },
  removeKnowledgeSource: {
    limit: 60,
    success: ({ sourceId }) => ({ method: 'DELETE', path: `/knowledge/sources/${sourceId}` }),
    refusals: {
      KNOWLEDGE_SOURCE_NOT_FOUND: () => ({ method: 'DELETE', path: `/knowledge/sources/${nobody}` }),
    },
    withId: { path: (_, id) => ({ method: 'DELETE', path: `/knowledge/sources/${id}` }) },
    foreign: { path: (other) => other.sourceId },
  },
  searchKnowledge: {
    limit: 100,
    success: () => ({ method: 'GET', path: '/knowledge/search?query=how%20do%20I%20write%20to%20you' }),
    refusals: { VALIDATION_ERROR: () => ({ method: 'GET', path: '/knowledge/search' }) },
    withId: { tagId: (_, id) => ({ method: 'GET', path: `/knowledge/search?query=help&tagId=${id}` }) },
    foreign: { tagId: (other) => other.tagId },
  },
  ...WEBHOOK_OPERATIONS,
}
