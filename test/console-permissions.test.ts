// Who may do what in the console: every operation of it, tried by somebody who is signed out, by a member of another
// workspace, by an admin, by members with and without what it needs, and by a restricted agent on a conversation of their
// own and on one that is not. A route that is missing from the table fails here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PermissionEnum } from '../server/domain/accounts/schema.ts'
import { createAction } from '../server/domain/actions/save-action.ts'
import type { NewAction } from '../server/domain/actions/schema.ts'
import { DEFAULT_GUIDANCE, FOR_ALL } from '../server/domain/ai/guidance/default-guidance.ts'
import { saveProvider } from '../server/domain/ai/provider/save-provider.ts'
import { createBusinessHours } from '../server/domain/business-hours/business-hours.ts'
import { saveAnswer } from '../server/domain/knowledge/answers.ts'
import { saveArticle } from '../server/domain/knowledge/articles.ts'
import { saveTools } from '../server/domain/mcp-servers/queries.ts'
import { connectMcpServer } from '../server/domain/mcp-servers/save-server.ts'
import { mergeByHand } from '../server/domain/people/merge-by-hand.ts'
import { saveReply } from '../server/domain/saved-replies/saved-replies.ts'
import { saveView } from '../server/domain/saved-views/saved-views.ts'
import { NO_TARGETS } from '../server/domain/teams/queries.ts'
import { PERMISSIONS, type Permission } from '../server/platform/ctx/actor.ts'
import type { Needed } from '../server/platform/ctx/permissions.ts'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from './app.ts'
import { callConsole, makeMember, signIn } from './console.ts'
import { makeAttachments } from './make-attachments.ts'
import { makeErasure } from './make-erasure.ts'
import { makeExport } from './make-export.ts'
import { GREETING, makeFlow, makeFlowRun } from './make-flow.ts'
import { makeSources } from './make-source.ts'
import { makeTeam, PLAIN_TEAM } from './make-team.ts'
import { makeWebhook } from './make-webhook.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Call = { method: Method; path: string; body?: unknown }

type Declared = { method: string; url: string; needs: readonly Needed[]; ids: string[] }
const declared = new Map<string, Declared>()
const PREFIX = '/console/api/workspaces/:workspaceId'

type Schema = { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] }

/** Where a body or a query takes ids, as "audience.tagIds". Those that callers choose themselves aren't ours. */
const idsIn = (schema: unknown, path = ''): string[] => {
  const { properties = {}, items, anyOf = [] } = (schema ?? {}) as Schema
  return [
    ...Object.entries(properties).flatMap(([name, one]) => [
      ...(/(Id|Ids|^ids?)$/.test(name) && !/^(client|external)Id$/.test(name) ? [`${path}${name}`] : []),
      ...idsIn(one, `${path}${name}.`),
    ]),
    ...(items ? idsIn(items, path) : []),
    ...anyOf.flatMap((one) => idsIn(one, path)),
  ]
}

const app = await startApp({
  deps: {
    decorate: (instance) => {
      instance.addHook('onRoute', ({ url, method, schema, config }) => {
        if (!url.startsWith(PREFIX) || !schema?.operationId || method === 'HEAD') return
        declared.set(schema.operationId, {
          method: String(method),
          url: url.slice(PREFIX.length),
          needs: [config?.permission ?? []].flat(),
          ids: [...new Set([...idsIn(schema.body), ...idsIn(schema.querystring, '?')])],
        })
      })
    },
  },
})
const { make, db } = app

/** A contact with a conversation, messages and a note, all of which bear the name. */
const makeThread = async (workspaceId: string, name: string, agentId: string | null, whatsapp: string) => {
  const contact = await make.contact(workspaceId, {
    name: `${name} customer`,
    email: `${newId()}@${name}.example`,
  })
  const conversation = await make.conversation(workspaceId, {
    contactId: contact.id,
    agentId,
    subject: `${name} subject`,
    channel: 'whatsapp',
    channelAccountId: whatsapp,
  })
  const asked = await make.message(workspaceId, conversation, {
    body: `${name} asks`,
    externalId: `wamid.${name}`,
  })
  const failed = await make.message(workspaceId, conversation, {
    body: `${name} answer`,
    senderType: 'agent',
    senderId: 'api:nobody',
    status: 'failed',
  })
  const reply = await make.message(workspaceId, conversation, {
    body: `${name} reply`,
    senderType: 'agent',
    senderId: newId(),
  })
  await db
    .updateTable('conversations')
    .set({ unread_count: 1, last_inbound_at: new Date() })
    .where('id', '=', conversation.id)
    .execute()
  const noteId = newId()
  await db
    .insertInto('notes')
    .values({
      workspace_id: workspaceId,
      id: noteId,
      contact_id: contact.id,
      conversation_id: conversation.id,
      author_id: 'api:nobody',
      body: `${name} note`,
      created_at: new Date(),
    })
    .execute()
  const flow = { id: newId(), name: `${name} flow`, version: 1 }
  const runId = await makeFlowRun(app, workspaceId, flow, conversation)
  const turnId = await makeTurn(workspaceId, name, conversation.id)
  const draftId = newId()
  await db
    .insertInto('reply_drafts')
    .values({
      workspace_id: workspaceId,
      id: draftId,
      conversation_id: conversation.id,
      turn_id: turnId,
      proposed_by: 'api:nobody',
      asked_by: null,
      text: `${name} draft`,
      sources: '[]',
      last_message_id: failed.id,
      created_at: new Date(),
    })
    .execute()
  const episodeId = await makeAssumed(workspaceId, conversation.id)
  const proposalId = await makeProposal(workspaceId, conversation.id, turnId)
  const { attachmentId } = await makeAttachments(app, { id: workspaceId, tokenId: 'none' }, failed.id)
  return {
    contactId: contact.id,
    conversationId: conversation.id,
    messageId: failed.id,
    askedId: asked.id,
    replyId: reply.id,
    attachmentId,
    runId,
    turnId,
    draftId,
    episodeId,
    proposalId,
    mergeId: await makeMerge(workspaceId, contact.id),
    noteId,
  }
}

const makeMerge = async (workspaceId: string, contactId: string): Promise<string> => {
  const other = await make.contact(workspaceId)
  return (await mergeByHand(app.ctxOf(workspaceId), contactId, { contactId: other.id })).merge.id
}

/** An episode of the AI agent that ended a week ago, for people to check. */
const makeAssumed = async (workspaceId: string, conversationId: string): Promise<string> => {
  const firstId = newId()
  const at = new Date(Date.now() - 7 * 24 * 3_600_000)
  await db
    .insertInto('ai_outcomes')
    .values({
      workspace_id: workspaceId,
      conversation_id: conversationId,
      first_id: firstId,
      started_by: 'opened',
      started_at: at,
      ended_at: at,
      quiet_at: at,
      turns: 1,
      answered: 1,
      asked: 0,
      hand_over_reason: null,
      confirmed_by: null,
      is_assumed: true,
      wrong: 0,
      input_tokens: 0,
      cached_tokens: 0,
      output_tokens: 0,
      cost: 0,
      first_reply_ms: null,
      hand_over_ms: null,
    })
    .execute()
  return firstId
}

/** A turn of the AI agent that asked a model. */
const makeTurn = async (workspaceId: string, name: string, conversationId: string): Promise<string> => {
  const id = newId()
  const at = new Date()
  await db
    .insertInto('ai_turns')
    .values({
      workspace_id: workspaceId,
      id,
      conversation_id: conversationId,
      state: 'ended',
      outcome: 'asked',
      question: `${name} question`,
      decision: JSON.stringify({ is: 'ask', why: 'unclear' }),
      due_at: at,
      created_at: at,
      ended_at: at,
    })
    .execute()
  await db
    .insertInto('ai_requests')
    .values({
      workspace_id: workspaceId,
      turn_id: id,
      id: newId(),
      model: 'sandbox',
      request: JSON.stringify({ system: `${name} system` }),
      problem: null,
      provider_request_id: null,
      tries: 1,
      duration_ms: 1,
      created_at: at,
    })
    .execute()
  return id
}

const makeProposal = async (workspaceId: string, conversationId: string, turnId: string): Promise<string> => {
  const id = newId()
  await db
    .insertInto('ai_proposals')
    .values({
      workspace_id: workspaceId,
      id,
      conversation_id: conversationId,
      turn_id: turnId,
      action_id: newId(),
      action_name: 'Cancel order',
      parameters: '{}',
      fingerprint: '',
      confirm: 'person',
      identity: 'claimed',
      language: null,
      state: 'offered',
      confirmed_by: null,
      expires_at: new Date(Date.now() + 3_600_000),
      created_at: new Date(),
    })
    .execute()
  return id
}

type Thread = Awaited<ReturnType<typeof makeThread>>

const SAVED_REPLY = {
  name: 'Thanks',
  shortcut: null,
  folder: null,
  body: 'Thank you!',
  channels: [],
  tagIds: [],
  assigneeId: null,
  closes: false,
}
const SAVED_VIEW = { name: 'Waiting', filter: { view: 'open' as const, order: 'waiting' as const } }
const OFFICE_HOURS = { name: 'Office', isDefault: false, timeZone: 'UTC', weekly: {}, exceptions: [] }

const ACTION: NewAction = {
  name: 'Look up an order',
  method: 'GET',
  url: 'http://127.0.0.1:9999/orders',
  headers: [],
  parameters: [],
  keep: [],
  timeoutMs: 1_000,
  isRepeatable: true,
  risk: 'read',
  needs: 'none',
  confirm: 'none',
}

/** Nobody listens there. */
const MCP_SERVER = { name: 'Shop', url: 'http://127.0.0.1:9999/mcp' }

const TOOL_APPROVAL = {
  ...{ tool: 'get_order', hash: 'h', name: 'Shop: get order', description: null },
  ...{ risk: 'read', needs: 'none', confirm: 'none' },
}

const makeMcpServer = async (workspaceId: string): Promise<string> => {
  const ctx = app.ctxOf(workspaceId)
  const { server } = await connectMcpServer(ctx, MCP_SERVER)
  const { tool: name, hash } = TOOL_APPROVAL
  const tool = { name, hash, title: null, description: '', parameters: [], omitted: [], unusable: null }
  await saveTools(ctx, server.id, [tool])
  return server.id
}

const HELP = { title: 'Help', language: 'en', body: 'Write to us.' }

const MODEL = { kind: 'messages', baseUrl: 'http://127.0.0.1:1025', model: 'm' } as const

/** A draft that can be published, and a live version with a number that no other workspace has. */
const makeGuidance = async (workspaceId: string): Promise<number> => {
  const by = { workspace_id: workspaceId, guidance: JSON.stringify(DEFAULT_GUIDANCE) }
  await db
    .insertInto('ai_versions')
    .values({ ...by, number: worlds, published_by: 'system', published_at: new Date() })
    .execute()
  const draft = JSON.stringify({ ...DEFAULT_GUIDANCE, style: 'Dry.' })
  await db
    .insertInto('ai_guidance')
    .values({
      workspace_id: workspaceId,
      draft,
      live_version: worlds,
      updated_by: 'system',
      updated_at: new Date(),
    })
    .execute()
  return worlds
}

const OWN_TEST = {
  name: 'Says the price',
  channel: 'web',
  contact: {},
  turns: [{ customer: ['How much is shipping?'] }],
  expect: { has: 'ai' },
} as const

/** A test of the AI agent, and a run that is over. */
const makeAiTest = async (workspaceId: string): Promise<{ aiTest: string; aiTestRun: string }> => {
  const [aiTest, aiTestRun] = [newId(), newId()]
  const at = new Date()
  await db
    .insertInto('ai_tests')
    .values({
      workspace_id: workspaceId,
      id: aiTest,
      scenario: JSON.stringify(OWN_TEST),
      created_by: 'system',
      created_at: at,
      updated_at: at,
    })
    .execute()
  await db
    .insertInto('ai_test_runs')
    .values({
      workspace_id: workspaceId,
      id: aiTestRun,
      state: 'ended',
      live: JSON.stringify(DEFAULT_GUIDANCE),
      started_by: 'system',
      started_at: at,
      ended_at: at,
    })
    .execute()
  return { aiTest, aiTestRun }
}

let worlds = 0
const SCENARIO = { name: 'Greets', turns: [{ say: 'hi' }] }

const makeWorld = async () => {
  const name = `w${++worlds}`
  const workspace = await make.workspace({ name })
  const w = workspace.id
  const admin = await make.agent(w, { role: 'admin', email: `admin@${name}.example` })
  const restricted = await make.agent(w)
  const businessAccountId = `${name}-business`
  const whatsapp = await make.channelAccount(w, 'whatsapp', {
    settings: { phoneNumberId: `${name}-1`, businessAccountId, apiUrl: 'http://127.0.0.1:9' },
  })
  await make.template(w, businessAccountId, {
    name: 'order_ready',
    components: [{ type: 'BODY', text: 'Your order {{1}} is ready.' }],
  })
  const web = await make.channelAccount(w)
  const mailbox = await make.channelAccount(w, 'email')
  const letter = await make.conversation(w, { channel: 'email', channelAccountId: mailbox })
  const letterId = (await make.message(w, letter, { body: 'Dear shop' })).id
  const own = await makeThread(w, 'mine', restricted.id, whatsapp)
  const hidden = await makeThread(w, 'hidden', null, whatsapp)
  await make.channelAccount(w, 'web')
  const tagId = await make.tag(w)
  const groupId = await make.group(w, { contactIds: [own.contactId] })
  const roleId = newId()
  await db
    .insertInto('roles')
    .values({ workspace_id: w, id: roleId, name: 'Spare', permissions: [], created_at: new Date() })
    .execute()
  await db
    .insertInto('webhook_leftovers')
    .values({
      workspace_id: w,
      channel_account_id: whatsapp,
      hash: Buffer.alloc(32),
      reason: 'field',
      raw: '{}',
      created_at: new Date(),
    })
    .execute()
  const broadcastId = newId()
  await db
    .insertInto('broadcasts')
    .values({
      workspace_id: w,
      id: broadcastId,
      audience_type: 'contacts',
      template_name: 'order_ready',
      template_language: 'en_US',
      sender_type: 'agent',
      sender_id: admin.id,
      created_at: new Date(),
    })
    .execute()
  const { id: hoursId } = await createBusinessHours(app.ctxOf(w), OFFICE_HOURS)
  const { id: actionId } = await createAction(app.ctxOf(w), ACTION)
  const { id: articleId } = (await saveArticle(app.ctxOf(w), null, HELP)).article
  const { id: answerId } = (await saveAnswer(app.ctxOf(w), null, HELP)).answer
  const mcpServerId = await makeMcpServer(w)
  const teamId = await makeTeam(app, w, { memberIds: [restricted.id] })
  const savedViewId = newId()
  await saveView(app.ctxOf(w), { id: savedViewId, ownerId: null }, SAVED_VIEW)
  const savedReplyId = newId()
  await saveReply(app.ctxOf(w), { id: savedReplyId, ownerId: null }, SAVED_REPLY)
  const rows = { tagId, groupId, roleId, broadcastId, hoursId, actionId, articleId, answerId, mcpServerId }
  await saveProvider(app.ctxOf(w), MODEL)
  const aiVersion = await makeGuidance(w)
  const { aiTest, aiTestRun } = await makeAiTest(w)
  const sources = await makeSources(app, w, 'help')
  const webhook = await makeWebhook(app, w, 'help')
  const exportId = await makeExport(app, w)
  const contactExport = { contactId: own.contactId, id: await makeExport(app, w, own.contactId) }
  const erasureId = await makeErasure(app, w)
  const flow = await makeFlow(app, w, { name: 'Live' })
  const draft = await makeFlow(app, w, { name: 'Draft', state: 'draft' })
  const uploadId = newId()
  await db
    .insertInto('attachments')
    .values({
      workspace_id: w,
      id: uploadId,
      type: 'file',
      name: 'help.txt',
      mime_type: 'text/plain',
      size: 4,
      storage_key: `${w}/${uploadId}`,
      uploaded_by: admin.id,
      created_at: new Date(),
    })
    .execute()
  const testId = newId()
  await db
    .insertInto('flow_tests')
    .values({
      workspace_id: w,
      flow_id: flow.id,
      id: testId,
      name: 'Greets',
      scenario: JSON.stringify(SCENARIO),
      created_at: new Date(),
    })
    .execute()
  return {
    ...workspace,
    flow,
    draft,
    testId,
    uploadId,
    admin,
    restricted,
    whatsapp,
    web,
    mailbox,
    letter: { conversationId: letter.id, messageId: letterId },
    own,
    hidden,
    aiVersion,
    aiTest,
    aiTestRun,
    sources,
    webhook,
    exportId,
    contactExport,
    erasureId,
    savedReplyId,
    savedViewId,
    teamId,
    ...rows,
  }
}

type World = Awaited<ReturnType<typeof makeWorld>>

const onWebhook =
  (method: Method, verb = '', body?: unknown) =>
  ({ webhook }: World): Call => ({
    method,
    path: `/webhook-endpoints/${webhook.endpointId}${verb}`,
    ...(body !== undefined && { body }),
  })

type Operation = {
  /** What it is called with; the thread matters to what is about a conversation or a contact. */
  call: (world: World, thread: Thread) => Call
  /** About one conversation or contact: another's is not found. */
  isOfThread?: true
  /** A permission that is asked for by what the operation finds, not by the route. */
  alsoNeeds?: { onOwn: false; permission: Permission }
  /** Needs more of the world outside than a test has; to be let in is enough. */
  mayFail?: true
  /** Only its author may; in these worlds that is nobody. */
  isAuthors?: true
}

const get =
  (path: string): Operation['call'] =>
  () => ({ method: 'GET', path })
const on =
  (method: Method, verb: string, body?: unknown): Operation['call'] =>
  (_, { conversationId }) => ({
    method,
    path: `/conversations/${conversationId}${verb}`,
    ...(body !== undefined && { body }),
  })
const onFlow =
  (method: Method, verb: string, body?: unknown): Operation['call'] =>
  ({ flow }) => ({ method, path: `/flows/${flow.id}${verb}`, ...(body !== undefined && { body }) })
const onMcpServer =
  (method: Method, verb: string, body?: unknown): Operation['call'] =>
  ({ mcpServerId }) => ({
    method,
    path: `/mcp-servers/${mcpServerId}${verb}`,
    ...(body !== undefined && { body }),
  })
const handsOver = { onOwn: false, permission: 'assign_conversations' } as const

const OPERATIONS: Record<string, Operation> = {
  listAgents: { call: get('/agents') },
  listTeams: { call: get('/teams') },
  addAgent: {
    call: ({ name }) => ({ method: 'POST', path: '/agents', body: { email: `new@${name}.example` } }),
  },
  getAgent: { call: ({ admin }) => ({ method: 'GET', path: `/agents/${admin.id}` }) },
  updateAgent: {
    call: ({ restricted }) => ({
      method: 'PATCH',
      path: `/agents/${restricted.id}`,
      body: { role: 'agent' },
    }),
  },
  removeAgent: { call: ({ restricted }) => ({ method: 'DELETE', path: `/agents/${restricted.id}` }) },
  listContacts: { call: get('/contacts') },
  getContact: {
    isOfThread: true,
    call: (_, { contactId }) => ({ method: 'GET', path: `/contacts/${contactId}` }),
  },
  updateContact: {
    isOfThread: true,
    call: (_, { contactId }) => ({
      method: 'PATCH',
      path: `/contacts/${contactId}`,
      body: { name: 'Renamed' },
    }),
  },
  replaceContactTags: {
    isOfThread: true,
    call: ({ tagId }, { contactId }) => ({
      method: 'PUT',
      path: `/contacts/${contactId}/tags`,
      body: { tagIds: [tagId] },
    }),
  },
  changeContactTags: {
    isOfThread: true,
    call: ({ tagId }, { contactId }) => ({
      method: 'POST',
      path: `/contacts/${contactId}/tags`,
      body: { add: [tagId] },
    }),
  },
  listTags: { call: get('/tags') },
  addNote: {
    isOfThread: true,
    call: (_, { conversationId }) => ({
      method: 'POST',
      path: '/notes',
      body: { body: 'Call', conversationId },
    }),
  },
  consoleListMentionable: { isOfThread: true, call: on('GET', '/mentionable') },
  consoleUpdateNote: {
    isOfThread: true,
    isAuthors: true,
    call: (_, { noteId }) => ({ method: 'PATCH', path: `/notes/${noteId}`, body: { body: 'Changed' } }),
  },
  consoleDeleteNote: {
    isOfThread: true,
    isAuthors: true,
    call: (_, { noteId }) => ({ method: 'DELETE', path: `/notes/${noteId}` }),
  },
  listConversations: { call: get('/conversations') },
  consoleListContactConversations: {
    isOfThread: true,
    call: (_, { contactId }) => ({ method: 'GET', path: `/contacts/${contactId}/conversations` }),
  },
  getConversation: { isOfThread: true, call: on('GET', '') },
  consoleGetConversationAutomation: { isOfThread: true, call: on('GET', '/automation') },
  consolePauseAutomation: { isOfThread: true, call: on('POST', '/automation/pause') },
  consoleGiveBack: { isOfThread: true, call: on('POST', '/automation/give-back') },
  listConversationMessages: { isOfThread: true, call: on('GET', '/messages') },
  listMessages: { call: get('/messages?direction=all') },
  createConversation: {
    call: ({ name }) => ({
      method: 'POST',
      path: '/conversations',
      body: { email: `fresh@${name}.example`, channel: 'web' },
    }),
  },
  assignConversation: {
    isOfThread: true,
    alsoNeeds: handsOver,
    call: ({ admin }, thread) => on('POST', '/assign', { agentId: admin.id })({} as World, thread),
  },
  moveConversationToTeam: {
    isOfThread: true,
    alsoNeeds: handsOver,
    call: ({ teamId }, thread) => on('POST', '/team', { teamId })({} as World, thread),
  },
  sendMessage: { isOfThread: true, call: on('POST', '/messages', { body: 'Hello' }) },
  closeConversation: { isOfThread: true, call: on('POST', '/close') },
  reopenConversation: { isOfThread: true, call: on('POST', '/reopen') },
  listContactGroups: { call: get('/contact-groups') },
  listWhatsappTemplates: { call: get('/whatsapp/templates') },
  sendWhatsappTemplate: {
    call: () => ({
      method: 'POST',
      path: '/whatsapp/messages',
      body: { to: '+351912345678', templateName: 'order_ready', parameters: ['1'] },
    }),
  },
  listBroadcasts: { call: get('/broadcasts') },
  getBroadcast: { call: ({ broadcastId }) => ({ method: 'GET', path: `/broadcasts/${broadcastId}` }) },
  consolePreviewBroadcast: {
    mayFail: true,
    call: () => ({
      method: 'POST',
      path: '/broadcasts/preview',
      body: { templateName: 'hello', audience: { type: 'filter', filter: {} } },
    }),
  },
  consoleTestBroadcast: {
    mayFail: true,
    call: ({ own }) => ({
      method: 'POST',
      path: '/broadcasts/test',
      body: { templateName: 'order_ready', parameters: ['1'], contactIds: [own.contactId] },
    }),
  },
  consoleCheckHeader: {
    mayFail: true,
    call: ({ uploadId }) => ({
      method: 'POST',
      path: '/broadcasts/check-header',
      body: { headerAttachmentId: uploadId, type: 'image' },
    }),
  },
  consoleListRecipients: {
    call: ({ broadcastId }) => ({ method: 'GET', path: `/broadcasts/${broadcastId}/recipients` }),
  },
  consoleGetBroadcastResults: {
    call: ({ broadcastId }) => ({ method: 'GET', path: `/broadcasts/${broadcastId}/results` }),
  },
  consolePauseBroadcast: {
    mayFail: true,
    call: ({ broadcastId }) => ({ method: 'POST', path: `/broadcasts/${broadcastId}/pause` }),
  },
  consoleResumeBroadcast: {
    mayFail: true,
    call: ({ broadcastId }) => ({ method: 'POST', path: `/broadcasts/${broadcastId}/resume` }),
  },
  consoleCancelBroadcast: {
    mayFail: true,
    call: ({ broadcastId }) => ({ method: 'POST', path: `/broadcasts/${broadcastId}/cancel` }),
  },
  // Its answer is no JSON; what it holds is the list's.
  consoleExportRecipients: {
    mayFail: true,
    call: ({ broadcastId }) => ({ method: 'GET', path: `/broadcasts/${broadcastId}/recipients.csv` }),
  },
  sendBroadcast: {
    mayFail: true,
    call: ({ own }) => ({
      method: 'POST',
      path: '/broadcasts',
      body: {
        templateName: 'order_ready',
        parameters: ['1'],
        audience: { type: 'contacts', contactIds: [own.contactId] },
      },
    }),
  },
  sendGroupBroadcast: {
    mayFail: true,
    call: ({ groupId }) => ({
      method: 'POST',
      path: `/contact-groups/${groupId}/broadcasts`,
      body: { templateName: 'order_ready', parameters: ['1'] },
    }),
  },
  consoleCountConversations: { call: get('/conversation-counts') },
  consoleListFilterChoices: { call: get('/filter-choices') },
  consoleChooseUnread: {
    call: () => ({ method: 'PUT', path: '/unread-choice', body: { includesUnassigned: true } }),
  },
  consoleSearch: { call: get('/search?q=hello') },
  consoleCountFound: { call: get('/search/counts?q=hello') },
  consoleSearchPeople: { call: get('/search/people?q=hello') },
  consoleListThreadMatches: { isOfThread: true, call: on('GET', '/matches?q=hello') },
  consoleGetConversationDetails: { isOfThread: true, call: on('GET', '/details') },
  consoleListTimeline: { isOfThread: true, call: on('GET', '/timeline') },
  consoleMarkRead: { isOfThread: true, call: on('POST', '/read', {}) },
  consoleMarkUnread: { isOfThread: true, call: on('POST', '/unread') },
  consoleUnassignConversation: { isOfThread: true, alsoNeeds: handsOver, call: on('POST', '/unassign') },
  consoleSendTemplate: {
    isOfThread: true,
    call: on('POST', '/template', { templateName: 'order_ready', parameters: ['1'] }),
  },
  consoleListOutbox: { call: get('/outbox') },
  consoleUndoSend: { mayFail: true, call: () => ({ method: 'POST', path: `/outbox/${newId()}/undo` }) },
  consoleSendHeld: { mayFail: true, call: () => ({ method: 'POST', path: `/outbox/${newId()}/send` }) },
  consoleSetUndoSeconds: {
    call: () => ({ method: 'PUT', path: '/undo-seconds', body: { undoSeconds: 5 } }),
  },
  consoleSetPresence: { isOfThread: true, call: on('POST', '/presence', { state: 'viewing' }) },
  consoleRetryMessage: {
    isOfThread: true,
    call: (_, { messageId }) => ({ method: 'POST', path: `/messages/${messageId}/retry` }),
  },
  getAttachment: {
    isOfThread: true,
    call: (_, { attachmentId }) => ({ method: 'GET', path: `/attachments/${attachmentId}` }),
  },
  consoleGetMessage: {
    isOfThread: true,
    call: (_, { messageId }) => ({ method: 'GET', path: `/messages/${messageId}` }),
  },
  consoleReact: {
    isOfThread: true,
    call: (_, { askedId }) => ({
      method: 'PUT',
      path: `/messages/${askedId}/reaction`,
      body: { emoji: '👍' },
    }),
  },
  consoleGetEmailContent: {
    isOfThread: true,
    call: (_, { messageId }) => ({ method: 'GET', path: `/messages/${messageId}/email` }),
  },
  consoleListContactTags: {
    isOfThread: true,
    call: (_, { contactId }) => ({ method: 'GET', path: `/contacts/${contactId}/tags` }),
  },
  consoleSetAddresses: {
    isOfThread: true,
    call: ({ name }, { contactId }) => ({
      method: 'PATCH',
      path: `/contacts/${contactId}/addresses`,
      body: { email: `${contactId}@${name}.example` },
    }),
  },
  // With another one: server/domain/people/merge-by-hand.test.ts.
  consoleMergeContacts: {
    isOfThread: true,
    mayFail: true,
    call: (_, { contactId }) => ({
      method: 'POST',
      path: `/contacts/${contactId}/merges`,
      body: { contactId },
    }),
  },
  consoleImportContactRows: {
    call: ({ name }) => ({
      method: 'POST',
      path: '/contacts/import-rows',
      body: { columns: [{ to: 'email' }], rows: [[`listed@${name}.example`]] },
    }),
  },
  consoleListMerges: {
    isOfThread: true,
    call: (_, { contactId }) => ({ method: 'GET', path: `/contacts/${contactId}/merges` }),
  },
  consoleUndoMerge: {
    isOfThread: true,
    call: (_, { contactId, mergeId }) => ({
      method: 'POST',
      path: `/contacts/${contactId}/merges/${mergeId}/undo`,
    }),
  },
  consoleGetVisit: {
    isOfThread: true,
    call: (_, { contactId }) => ({ method: 'GET', path: `/contacts/${contactId}/visit` }),
  },
  consoleGetVisitorBlock: {
    isOfThread: true,
    call: (_, { contactId }) => ({ method: 'GET', path: `/contacts/${contactId}/block` }),
  },
  consoleSetVisitorBlock: {
    isOfThread: true,
    call: (_, { contactId }) => ({
      method: 'PUT',
      path: `/contacts/${contactId}/block`,
      body: { visitor: false },
    }),
  },
  // An endless answer: console-streams.test.ts follows it, and tries who may.
  consoleFollowEvents: { mayFail: true, call: get('/events') },
  createAttachment: { mayFail: true, call: () => ({ method: 'POST', path: '/attachments' }) },

  consoleListMembers: { call: get('/members') },
  consoleSetMemberRole: {
    call: ({ restricted, roleId }) => ({
      method: 'PATCH',
      path: `/members/${restricted.id}/role`,
      body: { roleId },
    }),
  },
  consoleSignOutMember: {
    call: ({ restricted }) => ({ method: 'POST', path: `/members/${restricted.id}/sign-out` }),
  },
  consoleRenameSelf: {
    mayFail: true,
    call: () => ({ method: 'PATCH', path: '/membership', body: { nickname: 'Robin' } }),
  },
  consoleSeeMembership: { call: () => ({ method: 'POST', path: '/membership/seen' }) },
  // The only admin cannot.
  consoleLeaveWorkspace: { mayFail: true, call: () => ({ method: 'DELETE', path: '/membership' }) },
  consoleGetAiAgent: { call: get('/ai-agent') },
  consoleSetAiAgent: { call: () => ({ method: 'PUT', path: '/ai-agent', body: { enabled: true } }) },
  consoleGetAiSettings: { call: get('/ai-settings') },
  consoleUpdateAiSettings: {
    call: () => ({ method: 'PATCH', path: '/ai-settings', body: { name: 'Juno' } }),
  },
  consoleStopAi: {
    call: () => ({ method: 'PUT', path: '/ai-settings/stopped', body: { isStopped: true } }),
  },
  consoleGetAiProvider: { call: get('/ai-provider') },
  consoleSaveAiProvider: {
    call: () => ({ method: 'PUT', path: '/ai-provider', body: { ...MODEL, model: 'n' } }),
  },
  consoleCheckAiProvider: { call: () => ({ method: 'POST', path: '/ai-provider/check' }) },
  consoleRemoveAiProvider: { call: () => ({ method: 'DELETE', path: '/ai-provider' }) },
  consoleGetAiGuidance: { call: get('/ai-guidance') },
  consoleSaveAiGuidanceDraft: {
    call: () => ({
      method: 'PUT',
      path: '/ai-guidance/draft',
      body: { guidance: { ...DEFAULT_GUIDANCE, instructions: 'Be brief.' }, revision: 1 },
    }),
  },
  consolePublishAiGuidance: {
    call: () => ({ method: 'POST', path: '/ai-guidance/publish', body: { revision: 1 } }),
  },
  consoleGetAiGuidanceVersion: {
    call: ({ aiVersion }) => ({ method: 'GET', path: `/ai-guidance/versions/${aiVersion}` }),
  },
  consoleRestoreAiGuidanceVersion: {
    call: ({ aiVersion }) => ({ method: 'POST', path: `/ai-guidance/versions/${aiVersion}/restore` }),
  },
  consoleReviewAiGuidance: { call: get('/ai-guidance/review') },
  consoleListAiTests: { call: get('/ai-tests') },
  consoleCreateAiTest: {
    call: () => ({ method: 'POST', path: '/ai-tests', body: { scenario: OWN_TEST } }),
  },
  consoleGetAiTest: { call: ({ aiTest }) => ({ method: 'GET', path: `/ai-tests/${aiTest}` }) },
  consoleUpdateAiTest: {
    call: ({ aiTest }) => ({ method: 'PUT', path: `/ai-tests/${aiTest}`, body: { scenario: OWN_TEST } }),
  },
  consoleDeleteAiTest: { call: ({ aiTest }) => ({ method: 'DELETE', path: `/ai-tests/${aiTest}` }) },
  consoleProposeAiTest: {
    isOfThread: true,
    call: (_, { turnId }) => ({ method: 'GET', path: `/ai-turns/${turnId}/test` }),
  },
  consoleStartAiTestRun: {
    // One at a time.
    mayFail: true,
    call: ({ aiTest }) => ({
      method: 'POST',
      path: '/ai-test-runs',
      body: { guidance: ['live'], testIds: [aiTest] },
    }),
  },
  consoleCancelAiTestRun: {
    call: ({ aiTestRun }) => ({ method: 'POST', path: `/ai-test-runs/${aiTestRun}/cancel` }),
  },
  consoleGetAiReport: { call: get('/ai-report') },
  consoleListAiEpisodes: { call: get('/ai-report/episodes') },
  consoleGetReport: { call: get('/reports?from=2026-01-01&to=2026-01-31') },
  consoleListReportEntries: {
    call: get('/reports/entries?from=2026-01-01&to=2026-01-31&figure=inbound'),
  },
  // Its answer is no JSON; what it holds is the report's.
  consoleExportReport: {
    mayFail: true,
    call: get('/reports/table.csv?from=2026-01-01&to=2026-01-31&table=people'),
  },
  consoleSetReportTimeZone: {
    call: () => ({ method: 'PUT', path: '/reports/time-zone', body: { timeZone: 'UTC' } }),
  },
  consoleGetAiSample: { call: get('/ai-report/sample') },
  consoleJudgeAiEpisode: {
    isOfThread: true,
    call: (_, { conversationId, episodeId }) => ({
      method: 'PUT',
      path: `/ai-report/sample/${conversationId}/${episodeId}`,
      body: { isRight: true },
    }),
  },
  consoleListProposals: { isOfThread: true, call: on('GET', '/proposals') },
  consoleConfirmProposal: {
    isOfThread: true,
    call: (_, { conversationId, proposalId }) => ({
      method: 'POST',
      path: `/conversations/${conversationId}/proposals/${proposalId}/confirm`,
    }),
    mayFail: true,
  },
  consoleDeclineProposal: {
    isOfThread: true,
    call: (_, { conversationId, proposalId }) => ({
      method: 'POST',
      path: `/conversations/${conversationId}/proposals/${proposalId}/decline`,
    }),
    mayFail: true,
  },
  consoleGetAiTurn: {
    isOfThread: true,
    call: (_, { turnId }) => ({ method: 'GET', path: `/ai-turns/${turnId}` }),
  },
  consoleListAiRequests: {
    isOfThread: true,
    call: (_, { turnId }) => ({ method: 'GET', path: `/ai-turns/${turnId}/requests` }),
  },
  consoleMarkAiTurn: {
    isOfThread: true,
    call: (_, { turnId }) => ({ method: 'PUT', path: `/ai-turns/${turnId}/mark`, body: { isWrong: true } }),
  },
  consoleListReplyDrafts: { isOfThread: true, call: on('GET', '/reply-drafts') },
  // The AI agent is off, and there is no model that could be reached.
  consoleAskForReplyDraft: { isOfThread: true, mayFail: true, call: on('POST', '/reply-drafts') },
  consoleSummarizeConversation: {
    isOfThread: true,
    mayFail: true,
    call: on('POST', '/summary', { language: 'en' }),
  },
  consoleRewriteReply: {
    isOfThread: true,
    mayFail: true,
    call: on('POST', '/rewrite', { text: 'Yes, it is.', as: 'shorten' }),
  },
  consoleDismissReplyDraft: {
    isOfThread: true,
    call: (_, { draftId }) => ({ method: 'POST', path: `/reply-drafts/${draftId}/dismiss` }),
  },
  consoleListChannels: { call: get('/channels') },
  consoleListLeftovers: { call: get('/leftovers') },
  consoleRetryLeftover: {
    call: ({ whatsapp }) => ({
      method: 'POST',
      path: '/leftovers/retry',
      body: { leftoverId: `${whatsapp}-${'0'.repeat(64)}` },
    }),
  },
  consoleDismissLeftovers: {
    call: ({ whatsapp }) => ({
      method: 'POST',
      path: '/leftovers/dismiss',
      body: { leftoverIds: [`${whatsapp}-${'0'.repeat(64)}`] },
    }),
  },
  consoleAddChannel: {
    call: () => ({ method: 'POST', path: '/channels', body: { channel: 'web', name: 'Shop' } }),
  },
  consoleUpdateChannel: {
    mayFail: true,
    call: ({ whatsapp }) => ({ method: 'PATCH', path: `/channels/${whatsapp}`, body: { name: 'Main' } }),
  },
  consoleGetChatBox: {
    call: ({ web }) => ({ method: 'GET', path: `/channels/${web}/chat-box` }),
  },
  consoleUpdateChatBox: {
    call: ({ web }) => ({
      method: 'PATCH',
      path: `/channels/${web}/chat-box`,
      body: { side: 'left' },
    }),
  },
  consoleRotateIdentitySecret: {
    call: ({ web }) => ({ method: 'POST', path: `/channels/${web}/identity-secret`, body: {} }),
  },
  consoleRemoveIdentitySecret: {
    call: ({ web }) => ({ method: 'DELETE', path: `/channels/${web}/identity-secret` }),
  },
  consoleCheckChannel: {
    mayFail: true,
    call: ({ whatsapp }) => ({ method: 'POST', path: `/channels/${whatsapp}/check` }),
  },
  consoleRegisterWebhook: {
    mayFail: true,
    call: ({ whatsapp }) => ({ method: 'POST', path: `/channels/${whatsapp}/webhook` }),
  },
  consolePreviewChannelRemoval: {
    call: ({ whatsapp }) => ({ method: 'GET', path: `/channels/${whatsapp}/removal` }),
  },
  consoleRemoveChannel: {
    call: ({ whatsapp }) => ({
      method: 'POST',
      path: `/channels/${whatsapp}/remove`,
      body: { conversations: 'keep' },
    }),
  },
  consoleSetChannelTeam: {
    call: ({ whatsapp, teamId }) => ({ method: 'PUT', path: `/channels/${whatsapp}/team`, body: { teamId } }),
  },
  consoleGetRetention: {
    call: ({ whatsapp }) => ({ method: 'GET', path: `/channels/${whatsapp}/retention` }),
  },
  consolePreviewRetention: {
    call: ({ whatsapp }) => ({
      method: 'POST',
      path: `/channels/${whatsapp}/retention/preview`,
      body: { closeAfterDays: 30, deleteAfterDays: null },
    }),
  },
  consoleSaveRetention: {
    call: ({ whatsapp }) => ({
      method: 'PUT',
      path: `/channels/${whatsapp}/retention`,
      body: { closeAfterDays: 30, deleteAfterDays: null },
    }),
  },
  consoleListGroupSummaries: { call: get('/contact-group-summaries') },
  consoleCreateGroup: { call: () => ({ method: 'POST', path: '/contact-groups', body: { name: 'New' } }) },
  consoleUpdateGroup: {
    call: ({ groupId }) => ({ method: 'PATCH', path: `/contact-groups/${groupId}`, body: { name: 'Other' } }),
  },
  consoleDeleteGroup: { call: ({ groupId }) => ({ method: 'DELETE', path: `/contact-groups/${groupId}` }) },
  consoleListGroupMembers: {
    call: ({ groupId }) => ({ method: 'GET', path: `/contact-groups/${groupId}/members` }),
  },
  consoleAddGroupMembers: {
    call: ({ groupId, hidden }) => ({
      method: 'POST',
      path: `/contact-groups/${groupId}/members`,
      body: { contactIds: [hidden.contactId] },
    }),
  },
  consoleRemoveGroupMembers: {
    call: ({ groupId, own }) => ({
      method: 'POST',
      path: `/contact-groups/${groupId}/members/remove`,
      body: { contactIds: [own.contactId] },
    }),
  },
  consoleListRoles: { call: get('/roles') },
  consoleCreateRole: {
    call: () => ({ method: 'POST', path: '/roles', body: { name: 'Lead', permissions: ['manage_tags'] } }),
  },
  consoleUpdateRole: {
    call: ({ roleId }) => ({ method: 'PATCH', path: `/roles/${roleId}`, body: { name: 'Other' } }),
  },
  consoleDeleteRole: { call: ({ roleId }) => ({ method: 'DELETE', path: `/roles/${roleId}` }) },
  consoleListTemplates: { call: get('/templates') },
  createTag: {
    call: () => ({ method: 'POST', path: '/tags', body: { name: 'New', color: '#aa0000' } }),
  },
  updateTag: {
    call: ({ tagId }) => ({ method: 'PATCH', path: `/tags/${tagId}`, body: { name: 'Other' } }),
  },
  deleteTag: { call: ({ tagId }) => ({ method: 'DELETE', path: `/tags/${tagId}` }) },
  listAuditLog: { call: get('/audit-log') },
  consoleListTokens: { call: get('/tokens') },
  consoleCreateToken: { call: () => ({ method: 'POST', path: '/tokens', body: { name: 'CRM' } }) },
  consoleRevokeToken: { call: ({ tokenId }) => ({ method: 'POST', path: `/tokens/${tokenId}/revoke` }) },
  consoleRotateToken: {
    call: ({ tokenId }) => ({ method: 'POST', path: `/tokens/${tokenId}/rotate`, body: { overlapHours: 1 } }),
  },
  consoleListTeams: { call: get('/managed-teams') },
  consoleCreateTeam: {
    call: () => ({ method: 'POST', path: '/managed-teams', body: { ...PLAIN_TEAM, name: 'Sales' } }),
  },
  consoleUpdateTeam: {
    call: ({ teamId }) => ({ method: 'PUT', path: `/managed-teams/${teamId}`, body: PLAIN_TEAM }),
  },
  consoleRemoveTeam: { call: ({ teamId }) => ({ method: 'DELETE', path: `/managed-teams/${teamId}` }) },
  consoleGetAnswerTargets: { call: get('/answer-targets') },
  consoleSaveAnswerTargets: { call: () => ({ method: 'PUT', path: '/answer-targets', body: NO_TARGETS }) },
  consoleGetAway: { call: get('/away') },
  consoleSetAway: { call: () => ({ method: 'PUT', path: '/away', body: { isAway: true } }) },
  consoleListBusinessHours: { call: get('/business-hours') },
  consoleCreateBusinessHours: {
    call: () => ({ method: 'POST', path: '/business-hours', body: { ...OFFICE_HOURS, name: 'Night' } }),
  },
  consoleUpdateBusinessHours: {
    call: ({ hoursId }) => ({ method: 'PUT', path: `/business-hours/${hoursId}`, body: OFFICE_HOURS }),
  },
  consoleDeleteBusinessHours: {
    call: ({ hoursId }) => ({ method: 'DELETE', path: `/business-hours/${hoursId}` }),
  },
  listArticles: { call: get('/knowledge/articles') },
  getArticle: { call: ({ articleId }) => ({ method: 'GET', path: `/knowledge/articles/${articleId}` }) },
  saveArticle: { call: () => ({ method: 'POST', path: '/knowledge/articles', body: HELP }) },
  replaceArticle: {
    call: ({ articleId }) => ({
      method: 'PUT',
      path: `/knowledge/articles/${articleId}`,
      body: { ...HELP, title: 'New' },
    }),
  },
  deleteArticle: {
    call: ({ articleId }) => ({ method: 'DELETE', path: `/knowledge/articles/${articleId}` }),
  },
  listAnswers: { call: get('/knowledge/answers') },
  getAnswer: { call: ({ answerId }) => ({ method: 'GET', path: `/knowledge/answers/${answerId}` }) },
  saveAnswer: { call: () => ({ method: 'POST', path: '/knowledge/answers', body: HELP }) },
  replaceAnswer: {
    call: ({ answerId }) => ({
      method: 'PUT',
      path: `/knowledge/answers/${answerId}`,
      body: { ...HELP, title: 'New' },
    }),
  },
  deleteAnswer: { call: ({ answerId }) => ({ method: 'DELETE', path: `/knowledge/answers/${answerId}` }) },
  searchKnowledge: { call: get('/knowledge/search?query=help') },
  consoleListGaps: { call: get('/knowledge/gaps') },
  consoleGetGapOfReply: {
    isOfThread: true,
    call: (_, { replyId }) => ({ method: 'GET', path: `/knowledge/gaps/of-reply/${replyId}` }),
  },
  consoleCloseGap: {
    call: (_, { turnId }) => ({
      method: 'POST',
      path: '/knowledge/gaps/close',
      body: { turnIds: [turnId], answerId: null },
    }),
  },
  listKnowledgeSources: { call: get('/knowledge/sources') },
  addWebsite: {
    call: () => ({
      method: 'POST',
      path: '/knowledge/sources',
      body: { type: 'page', url: 'https://help.example.com/', language: 'en' },
    }),
  },
  readWebsite: {
    call: ({ sources }) => ({ method: 'POST', path: `/knowledge/sources/${sources.sourceId}/read` }),
  },
  removeKnowledgeSource: {
    call: ({ sources }) => ({ method: 'DELETE', path: `/knowledge/sources/${sources.sourceId}` }),
  },
  consoleAddKnowledgeFile: {
    mayFail: true,
    call: () => ({
      method: 'POST',
      path: '/knowledge/files',
      body: { attachmentId: 'none', language: 'en' },
    }),
  },
  consoleReplaceKnowledgeFile: {
    mayFail: true,
    call: ({ sources }) => ({
      method: 'PUT',
      path: `/knowledge/files/${sources.fileSourceId}`,
      body: { attachmentId: 'none' },
    }),
  },
  consoleGetKnowledgeSource: {
    call: ({ sources }) => ({ method: 'GET', path: `/knowledge/sources/${sources.sourceId}` }),
  },
  consoleChangeKnowledgeSource: {
    call: ({ sources }) => ({
      method: 'PATCH',
      path: `/knowledge/sources/${sources.sourceId}`,
      body: { name: 'Help' },
    }),
  },
  consoleGetPageChange: {
    call: ({ sources }) => ({
      method: 'GET',
      path: `/knowledge/sources/${sources.sourceId}/pages/${sources.pageId}/change`,
    }),
  },
  consoleReviewPageChange: {
    call: ({ sources }) => ({
      method: 'POST',
      path: `/knowledge/sources/${sources.sourceId}/pages/${sources.pageId}/change`,
      body: { decision: 'publish', changedAt: sources.changedAt },
    }),
  },
  // One of another workspace has a result of its own; see server/console-api/triage.test.ts.
  consoleChangeConversations: {
    call: (_, { conversationId }) => ({
      method: 'POST',
      path: '/conversations/bulk',
      body: { ids: [conversationId], action: 'close' },
    }),
  },
  consoleFollowUp: {
    isOfThread: true,
    call: (_, { conversationId }) => ({
      method: 'POST',
      path: `/conversations/${conversationId}/follow-up`,
      body: { tagIds: [], assigneeId: null, closes: true },
    }),
  },
  consoleListSavedReplies: { call: get('/saved-replies') },
  consoleSaveOwnReply: {
    call: () => ({ method: 'PUT', path: `/saved-replies/own/${newId()}`, body: SAVED_REPLY }),
  },
  consoleDeleteOwnReply: { call: () => ({ method: 'DELETE', path: `/saved-replies/own/${newId()}` }) },
  consoleSaveSharedReply: {
    call: ({ savedReplyId }) => ({
      method: 'PUT',
      path: `/saved-replies/shared/${savedReplyId}`,
      body: { ...SAVED_REPLY, name: 'Renamed' },
    }),
  },
  consoleDeleteSharedReply: {
    call: ({ savedReplyId }) => ({ method: 'DELETE', path: `/saved-replies/shared/${savedReplyId}` }),
  },
  consoleMoveOwnFolder: {
    call: () => ({ method: 'PUT', path: '/saved-reply-folders/own', body: { from: 'Shipping', to: null } }),
  },
  consoleMoveSharedFolder: {
    call: () => ({
      method: 'PUT',
      path: '/saved-reply-folders/shared',
      body: { from: 'Shipping', to: null },
    }),
  },
  consoleUseSavedReply: {
    isOfThread: true,
    call: ({ savedReplyId }, { conversationId }) => ({
      method: 'POST',
      path: `/conversations/${conversationId}/saved-replies/${savedReplyId}/use`,
    }),
  },
  consoleListMailProviders: { call: get('/mailbox-sign-in') },
  consoleStartMailboxSignIn: {
    mayFail: true,
    call: () => ({ method: 'POST', path: '/mailbox-sign-in', body: { provider: 'google' } }),
  },
  consoleFinishMailboxSignIn: {
    mayFail: true,
    call: () => ({ method: 'POST', path: '/mailbox-sign-in/finish', body: { search: 'code=x&state=y' } }),
  },
  consoleListSenders: { call: get('/new-conversation/senders') },
  consoleStartConversation: {
    mayFail: true,
    call: ({ whatsapp }) => ({
      method: 'POST',
      path: '/new-conversation',
      body: { channelId: whatsapp, body: 'Hello', phone: '+14155550123' },
    }),
  },
  consoleGetOwnSignature: { call: get('/signature') },
  consoleSetOwnSignature: { call: () => ({ method: 'PUT', path: '/signature', body: { body: 'Jane' } }) },
  consoleFillNewSignature: {
    call: ({ mailbox }) => ({ method: 'GET', path: `/new-conversation/senders/${mailbox}/signature` }),
  },
  consoleFillSignature: {
    isOfThread: true,
    call: (_, { conversationId }) => ({ method: 'GET', path: `/conversations/${conversationId}/signature` }),
  },
  consoleGetMailboxSignature: {
    call: ({ mailbox }) => ({ method: 'GET', path: `/channels/${mailbox}/signature` }),
  },
  consoleSetMailboxSignature: {
    call: ({ mailbox }) => ({
      method: 'PUT',
      path: `/channels/${mailbox}/signature`,
      body: { body: 'Us' },
    }),
  },
  consoleListSavedViews: { call: get('/saved-views') },
  consoleCountListed: { call: get('/listed-count') },
  consoleSaveOwnView: {
    call: () => ({ method: 'PUT', path: `/saved-views/own/${newId()}`, body: SAVED_VIEW }),
  },
  consoleDeleteOwnView: { call: () => ({ method: 'DELETE', path: `/saved-views/own/${newId()}` }) },
  consoleOrderOwnViews: { call: () => ({ method: 'PUT', path: '/saved-view-order/own', body: { ids: [] } }) },
  consoleSaveSharedView: {
    call: ({ savedViewId }) => ({
      method: 'PUT',
      path: `/saved-views/shared/${savedViewId}`,
      body: { ...SAVED_VIEW, name: 'Renamed' },
    }),
  },
  consoleDeleteSharedView: {
    call: ({ savedViewId }) => ({ method: 'DELETE', path: `/saved-views/shared/${savedViewId}` }),
  },
  consoleOrderSharedViews: {
    call: ({ savedViewId }) => ({
      method: 'PUT',
      path: '/saved-view-order/shared',
      body: { ids: [savedViewId] },
    }),
  },
  consoleListMcpServers: { call: get('/mcp-servers') },
  consoleConnectMcpServer: {
    call: () => ({ method: 'POST', path: '/mcp-servers', body: { ...MCP_SERVER, name: 'Other' } }),
  },
  consoleGetMcpServer: { call: onMcpServer('GET', '') },
  consoleUpdateMcpServer: { call: onMcpServer('PUT', '', { name: 'Renamed' }) },
  consoleCheckMcpServer: { call: onMcpServer('POST', '/check') },
  consoleRemoveMcpServer: { call: onMcpServer('DELETE', '') },
  consoleSwitchToolOn: { call: onMcpServer('POST', '/switch-on', TOOL_APPROVAL) },
  consoleSwitchToolOff: { call: onMcpServer('POST', '/switch-off', { tool: 'get_order' }) },
  listWebhookEndpoints: { call: get('/webhook-endpoints') },
  createWebhookEndpoint: {
    call: () => ({ method: 'POST', path: '/webhook-endpoints', body: { url: 'http://127.0.0.1:1024/new' } }),
  },
  getWebhookEndpoint: { call: onWebhook('GET') },
  updateWebhookEndpoint: { call: onWebhook('PATCH', '', { name: 'CRM' }) },
  deleteWebhookEndpoint: { call: onWebhook('DELETE') },
  enableWebhookEndpoint: { call: onWebhook('POST', '/enable', { backlog: 'send' }) },
  pauseWebhookEndpoint: { call: onWebhook('POST', '/pause') },
  disableWebhookEndpoint: { call: onWebhook('POST', '/disable') },
  rotateWebhookSecret: { call: onWebhook('POST', '/rotate-secret', {}) },
  testWebhookEndpoint: { call: onWebhook('POST', '/test', {}) },
  replayWebhookEvents: { call: onWebhook('POST', '/replay', { from: 1 }) },
  listWebhookDeliveries: { call: onWebhook('GET', '/deliveries') },
  getWebhookDelivery: {
    call: ({ webhook }) => ({ method: 'GET', path: `/webhook-deliveries/${webhook.deliveryId}` }),
  },
  retryWebhookDelivery: {
    call: ({ webhook }) => ({ method: 'POST', path: `/webhook-deliveries/${webhook.deliveryId}/retry` }),
  },
  eraseContact: {
    call: (_, { contactId }) => ({ method: 'DELETE', path: `/contacts/${contactId}?mode=anonymise` }),
  },
  getErasure: { call: ({ erasureId }) => ({ method: 'GET', path: `/erasures/${erasureId}` }) },
  exportContact: { call: (_, { contactId }) => ({ method: 'POST', path: `/contacts/${contactId}/exports` }) },
  getContactExport: {
    call: ({ contactExport: { contactId, id } }) => ({
      method: 'GET',
      path: `/contacts/${contactId}/exports/${id}`,
    }),
  },
  listExports: { call: get('/exports') },
  createExport: { call: () => ({ method: 'POST', path: '/exports', body: {} }) },
  getExport: { call: ({ exportId }) => ({ method: 'GET', path: `/exports/${exportId}` }) },
  deleteExport: { call: ({ exportId }) => ({ method: 'DELETE', path: `/exports/${exportId}` }) },
  consoleListActions: { call: get('/actions') },
  consoleGetAction: { call: ({ actionId }) => ({ method: 'GET', path: `/actions/${actionId}` }) },
  consoleCreateAction: {
    call: () => ({ method: 'POST', path: '/actions', body: { ...ACTION, name: 'Cancel an order' } }),
  },
  consoleUpdateAction: {
    call: ({ actionId }) => ({ method: 'PUT', path: `/actions/${actionId}`, body: ACTION }),
  },
  consoleDeleteAction: { call: ({ actionId }) => ({ method: 'DELETE', path: `/actions/${actionId}` }) },
  consoleTryAction: {
    call: ({ actionId }) => ({ method: 'POST', path: `/actions/${actionId}/try`, body: { parameters: {} } }),
  },
  listFlows: { call: get('/flows') },
  listFlowRuns: { call: get('/flow-runs') },
  getFlowRun: { isOfThread: true, call: (_, { runId }) => ({ method: 'GET', path: `/flow-runs/${runId}` }) },
  cancelFlowRun: {
    isOfThread: true,
    call: (_, { runId }) => ({ method: 'POST', path: `/flow-runs/${runId}/cancel` }),
  },
  startFlowRun: {
    isOfThread: true,
    call: ({ flow }, { conversationId }) => ({
      method: 'POST',
      path: `/flows/${flow.id}/runs`,
      body: { conversationId },
    }),
  },
  consoleGetFlow: { call: onFlow('GET', '') },
  consoleCreateFlow: { call: () => ({ method: 'POST', path: '/flows', body: { name: 'New' } }) },
  consoleRenameFlow: { call: onFlow('PATCH', '', { name: 'Other' }) },
  consoleSaveFlowDraft: { call: onFlow('PUT', '/draft', { definition: GREETING, revision: 1 }) },
  consolePublishFlow: {
    call: ({ draft }) => ({
      method: 'POST',
      path: `/flows/${draft.id}/publish`,
      body: { revision: 1, acceptWarnings: true },
    }),
  },
  consoleGetFlowVersion: { call: onFlow('GET', '/versions/1') },
  consoleRestoreFlowVersion: { call: onFlow('POST', '/versions/1/restore') },
  consolePauseFlow: { call: onFlow('POST', '/pause', { runs: 'finish' }) },
  consoleArchiveFlow: { call: onFlow('POST', '/archive', { runs: 'cancel' }) },
  consoleResumeFlow: { call: onFlow('POST', '/resume') },
  consoleRestoreFlow: { call: onFlow('POST', '/restore') },
  consoleReorderFlows: {
    call: ({ draft }) => ({ method: 'PUT', path: '/flows/order', body: { ids: [draft.id] } }),
  },
  consoleDuplicateFlow: { call: onFlow('POST', '/duplicate') },
  consoleDeleteFlow: { call: ({ draft }) => ({ method: 'DELETE', path: `/flows/${draft.id}` }) },
  consoleListFlowTests: { call: onFlow('GET', '/tests') },
  consoleAddFlowTest: { call: onFlow('POST', '/tests', { scenario: SCENARIO }) },
  consoleReplaceFlowTest: {
    call: ({ flow, testId }) => ({
      method: 'PUT',
      path: `/flows/${flow.id}/tests/${testId}`,
      body: { scenario: SCENARIO },
    }),
  },
  consoleDeleteFlowTest: {
    call: ({ flow, testId }) => ({ method: 'DELETE', path: `/flows/${flow.id}/tests/${testId}` }),
  },
  consoleCheckFlow: { call: onFlow('POST', '/check') },
  consoleBacktestFlow: { call: onFlow('POST', '/backtest') },
  consoleGetFlowFunnel: { call: onFlow('GET', '/funnel') },
  consoleExportFlow: { call: onFlow('GET', '/export') },
  consoleImportFlow: { call: () => ({ method: 'POST', path: '/flows/import', body: { file: GREETING } }) },
  consoleGetWorkspace: { call: get('/workspace') },
  consoleRenameWorkspace: {
    call: () => ({ method: 'PATCH', path: '/workspace', body: { name: 'Renamed' } }),
  },
}

test('the table names every operation of the console', () => {
  assert.deepEqual([...declared.keys()].sort(), Object.keys(OPERATIONS).sort())
})

test('the permissions of a session are those that a role can have', () => {
  assert.deepEqual((PermissionEnum as unknown as { enum: string[] }).enum, [...PERMISSIONS])
})

type Caller = Awaited<ReturnType<typeof signIn>>

const send = (caller: Caller, { method, path, body }: Call) => caller.call(method, path, body)

/** Everything that a write could have changed in a workspace. */
const snapshot = async (workspaceId: string): Promise<string> => {
  const tables = [
    'conversations',
    'messages',
    'notes',
    'contacts',
    'contact_tags',
    'memberships',
    'roles',
    'tags',
  ]
  const rows = await Promise.all(
    [
      ...tables,
      'ai_settings',
      'automation_states',
      'attachments',
      'broadcasts',
      'contact_groups',
      'contact_group_members',
      'flows',
      'flow_versions',
      'flow_tests',
      'flow_runs',
      'api_tokens',
      'channel_accounts',
      'deliveries',
      'business_hours',
      'actions',
      'mcp_servers',
      'mcp_tools',
      'knowledge_items',
      'knowledge_chunks',
      'ai_guidance',
      'ai_versions',
      'ai_providers',
      'ai_turns',
      'ai_requests',
      'ai_proposals',
      'ai_outcomes',
      'ai_judgements',
      'knowledge_sources',
      'knowledge_pages',
      'reply_drafts',
      'held_messages',
      'conversation_tags',
      'saved_replies',
      'signatures',
      'saved_views',
      'teams',
      'team_members',
    ].map((table) =>
      app.database.pool.query(`select * from ${table} where workspace_id = $1 order by 1, 2, 3`, [
        workspaceId,
      ]),
    ),
  )
  return JSON.stringify(rows.map(({ rows }) => rows))
}

const nothing = (): Thread => ({
  contactId: newId(),
  conversationId: newId(),
  messageId: newId(),
  askedId: newId(),
  replyId: newId(),
  attachmentId: newId(),
  runId: newId(),
  turnId: newId(),
  draftId: newId(),
  episodeId: newId(),
  proposalId: newId(),
  mergeId: newId(),
  noteId: newId(),
})

const member = async ({ id }: World, permissions: readonly string[]): Promise<Caller> =>
  signIn(app, id, (await makeMember(app, id, [...permissions])).id)

/** A world that nobody changes: for calls that are refused, or only read. */
let quiet: Promise<World> | undefined
const quietWorld = (): Promise<World> => {
  quiet ??= makeWorld()
  return quiet
}

/** Asserts that the calls change nothing in a world, which the next test can then use as well. */
const changesNothing = async (world: World, work: () => Promise<void>): Promise<void> => {
  const before = await snapshot(world.id)
  const isQuiet = world === (await quiet)
  if (isQuiet) quiet = undefined
  await work()
  assert.equal(await snapshot(world.id), before)
  if (isQuiet) quiet = Promise.resolve(world)
}

/** Of each world and set of permissions, one. */
const callers = new Map<string, Promise<Caller>>()
const callerWith = (world: World, permissions: readonly string[]): Promise<Caller> => {
  const key = `${world.id} ${permissions.join()}`
  const caller = callers.get(key) ?? member(world, permissions)
  callers.set(key, caller)
  return caller
}

/** A member of another workspace only, who names this one. */
const strangers = new Map<string, Promise<Caller>>()
const strangerTo = (workspaceId: string): Promise<Caller> => {
  const make = async () => signIn(app, workspaceId, (await stranger).id)
  const caller = strangers.get(workspaceId) ?? make()
  strangers.set(workspaceId, caller)
  return caller
}
const stranger = make.workspace().then(({ id }) => make.agent(id, { role: 'admin' }))
const NOWHERE = newId()

const isIn = (answer: { status: number; text: string }, { mayFail, isAuthors }: Operation): void => {
  if (isAuthors) assert.match(answer.text, /Only its author/)
  else if (mayFail) assert.ok(![401, 403, 404, 500].includes(answer.status), answer.text)
  else assert.equal(answer.status, 200, answer.text)
}

for (const [operationId, operation] of Object.entries(OPERATIONS)) {
  const route = declared.get(operationId)
  if (!route) continue
  const { needs } = route
  /** A world that this call leaves as it is, if it may succeed. */
  const worldToCall = () => (route.method === 'GET' ? quietWorld() : makeWorld())
  const isStream = operationId === 'consoleFollowEvents'

  test(`${operationId} is for members of the workspace alone`, async () => {
    const world = await quietWorld()
    const call = operation.call(world, world.own)
    assert.equal(call.method, route.method)
    const path = `/workspaces/${world.id}${call.path}`
    await changesNothing(world, async () => {
      const signedOut = await callConsole(app, null, call.method, path, call.body)
      assert.equal(signedOut.status, 401, signedOut.text)
      assert.equal(signedOut.body.error.code, 'SIGNED_OUT')

      const foreign = await send(await strangerTo(world.id), call)
      const missing = await send(await strangerTo(NOWHERE), call)
      assert.equal(foreign.status, 404, foreign.text)
      assert.equal(foreign.text, missing.text)

      if (call.method !== 'GET') {
        const admin = await signIn(app, world.id, world.admin.id)
        const unproven = await admin.call(call.method, call.path, call.body, {
          headers: { 'x-foyer-console': '' },
        })
        assert.equal(unproven.status, 403, unproven.text)
      }
    })
  })

  test(`${operationId} is an admin's to do${needs.length > 0 ? `, and of who has ${needs.join(' or ')}` : ''}`, async () => {
    if (isStream) return
    if (needs.length > 0) {
      const world = await quietWorld()
      const call = operation.call(world, world.own)
      const without = await callerWith(
        world,
        PERMISSIONS.filter((permission) => !needs.includes(permission)),
      )
      const restricted = await signIn(app, world.id, world.restricted.id)
      await changesNothing(world, async () => {
        for (const caller of [without, restricted]) {
          const refused = await send(caller, call)
          assert.equal(refused.status, 403, refused.text)
          assert.equal(refused.body.error.code, 'FORBIDDEN')
        }
      })
    }
    for (const permission of needs.filter((needed) => needed !== 'admin')) {
      const world = await worldToCall()
      isIn(
        await send(
          await callerWith(world, ['see_all_conversations', permission]),
          operation.call(world, world.own),
        ),
        operation,
      )
    }
    const world = await worldToCall()
    isIn(
      await send(await signIn(app, world.id, world.admin.id), operation.call(world, world.hidden)),
      operation,
    )
  })

  // What a role must allow first; then there is still what its holder may see.
  const granted = needs.filter((needed) => needed !== 'admin').slice(0, 1)
  if (needs.includes('admin') || needs.includes('see_all_conversations') || isStream) continue

  if (operation.isOfThread)
    test(`${operationId} finds a restricted agent's own conversation, and no other`, async () => {
      const world = granted.length > 0 ? await makeWorld() : await worldToCall()
      const caller = await signIn(app, world.id, world.restricted.id)
      if (granted.length > 0)
        await db
          .updateTable('roles')
          .set({ permissions: granted })
          .where('workspace_id', '=', world.id)
          .where('is_default', '=', true)
          .execute()
      await changesNothing(world, async () => {
        const hidden = await send(caller, operation.call(world, world.hidden))
        const missing = await send(caller, operation.call(world, nothing()))
        assert.equal(hidden.status, 404, hidden.text)
        assert.equal(hidden.text, missing.text)
      })
      isIn(await send(caller, operation.call(world, world.own)), operation)
    })
  else if (route.method === 'GET' && granted.length === 0)
    test(`${operationId} shows a restricted agent nothing of other conversations`, async () => {
      const world = await quietWorld()
      const caller = await signIn(app, world.id, world.restricted.id)
      const answer = await send(caller, operation.call(world, world.own))
      assert.equal(answer.status, 200, answer.text)
      for (const trace of ['hidden', ...Object.values(world.hidden)])
        assert.ok(!answer.text.includes(trace), `${trace} in ${answer.text}`)
    })

  if (operation.alsoNeeds)
    test(`${operationId} takes ${operation.alsoNeeds.permission} for what is not one's own`, async () => {
      const world = await makeWorld()
      const seeing = await member(world, ['see_all_conversations'])
      const before = await snapshot(world.id)
      const refused = await send(seeing, operation.call(world, world.hidden))
      assert.equal(refused.status, 403, refused.text)
      assert.equal(await snapshot(world.id), before)
      const allowed = await member(world, ['see_all_conversations', operation.alsoNeeds!.permission])
      isIn(await send(allowed, operation.call(world, world.hidden)), operation)
    })
}

let theirs: Promise<World> | undefined
const theirWorld = (): Promise<World> => {
  theirs ??= makeWorld()
  return theirs
}

for (const [operationId, { method, url }] of declared)
  if (method === 'GET' && url.includes(':'))
    test(`${operationId}: what belongs to another workspace, or to nothing, is not found`, async () => {
      const [world, theirs] = [await quietWorld(), await theirWorld()]
      const caller = await signIn(app, world.id, world.admin.id)
      const foreign = OPERATIONS[operationId]!.call(theirs, theirs.hidden)
      assert.ok(foreign.path.split('/').length > 2, foreign.path)
      const answer = await send(caller, foreign)
      const nothing = await caller.call('GET', url.replace(/:\w+/g, newId()))
      assert.equal(answer.status, 404, answer.text)
      assert.equal(answer.text, nothing.text)
    })

const forTag = (tagId: string) => ({ audience: { tagIds: [tagId] } })
const inBody =
  (method: Method, path: string | ((world: World) => string), body: (id: string) => unknown) =>
  (world: World, id: string): Call => ({
    method,
    path: typeof path === 'string' ? path : path(world),
    body: body(id),
  })
const inQuery =
  (path: string) =>
  (_: World, id: string): Call => ({ method: 'GET', path: `${path}${id}` })

/** `tells`: what the specification has it say. */
type Linked = { of: (their: World) => string; call: (world: World, id: string) => Call; tells?: RegExp }

const TO_SOMEBODY = { to: [{ address: 'somebody@example.com' }] }

const ofTag = (call: Linked['call']): Linked => ({ of: ({ tagId }) => tagId, call })
const ofAudience = (method: Method, path: string | ((world: World) => string), item: object): Linked =>
  ofTag(inBody(method, path, (id) => ({ ...item, ...forTag(id) })))
const ofHidden = (name: keyof Thread, call: Linked['call']): Linked => ({
  of: ({ hidden }) => hidden[name],
  call,
})
const savedReplies = (kind: 'own' | 'shared'): Record<string, Linked> => {
  const saving = (change: (id: string) => object) =>
    inBody(
      'PUT',
      () => `/saved-replies/${kind}/${newId()}`,
      (id) => ({ ...SAVED_REPLY, ...change(id) }),
    )
  return {
    tagIds: ofTag(saving((id) => ({ tagIds: [id] }))),
    assigneeId: { of: ({ restricted }) => restricted.id, call: saving((assigneeId) => ({ assigneeId })) },
  }
}
/** What follows a reply; `wrapped` puts it into the body. */
const followUps = (
  path: string,
  prefix: string,
  wrapped: (after: object) => object,
): Record<string, Linked> => {
  const following = (change: (id: string) => object) =>
    inBody(
      'POST',
      ({ own }) => `/conversations/${own.conversationId}/${path}`,
      (id) => wrapped({ tagIds: [], assigneeId: null, closes: false, ...change(id) }),
    )
  return {
    [`${prefix}tagIds`]: ofTag(following((id) => ({ tagIds: [id] }))),
    [`${prefix}assigneeId`]: {
      of: ({ restricted }) => restricted.id,
      call: following((assigneeId) => ({ assigneeId })),
    },
  }
}
const bulk =
  (change: (id: string) => object): Linked['call'] =>
  ({ own }, id) => ({
    method: 'POST',
    path: '/conversations/bulk',
    body: { ids: [own.conversationId], ...change(id) },
  })
const ofUpload = (path: string | ((world: World) => string), more: object): Linked => ({
  of: ({ uploadId }) => uploadId,
  call: inBody('POST', path, (headerAttachmentId) => ({
    templateName: 'order_ready',
    parameters: ['1'],
    headerAttachmentId,
    ...more,
  })),
})
const broadcasts = (path: string): Record<string, Linked> => {
  const to = (audience: (id: string) => object) =>
    inBody('POST', path, (id) => ({
      templateName: 'order_ready',
      parameters: ['1'],
      audience: audience(id),
    }))
  return {
    'audience.groupId': { of: ({ groupId }) => groupId, call: to((groupId) => ({ type: 'group', groupId })) },
    'audience.contactIds': ofHidden(
      'contactId',
      to((id) => ({ type: 'contacts', contactIds: [id] })),
    ),
    'audience.filter.tagIds': ofTag(to((id) => ({ type: 'filter', filter: { tagIds: [id] } }))),
    ...(path === '/broadcasts' && {
      headerAttachmentId: ofUpload(path, {
        audience: { type: 'filter', filter: { country: 'DE' } },
      }),
    }),
  }
}
const guided = (guidance: (id: string) => object): Linked['call'] =>
  inBody('PUT', '/ai-guidance/draft', (id) => ({
    guidance: { ...DEFAULT_GUIDANCE, ...guidance(id) },
    revision: 1,
  }))
const settings = (change: (id: string) => object) => inBody('PATCH', '/ai-settings', change)
const flowWith = (step: (id: string) => object): Linked['call'] =>
  inBody(
    'PUT',
    ({ flow }) => `/flows/${flow.id}/draft`,
    (id) => ({
      definition: {
        ...GREETING,
        blocks: { ...GREETING.blocks, more: { steps: [{ id: 'linked', ...step(id) }] } },
      },
      revision: 1,
    }),
  )
const toContacts = (verb: string): Linked =>
  ofHidden(
    'contactId',
    inBody(
      'POST',
      ({ groupId }) => `/contact-groups/${groupId}/members${verb}`,
      (id) => ({ contactIds: [id] }),
    ),
  )
const LEFTOVER = '0'.repeat(64)

/** Where a body or a query takes an id: which one of another workspace, and how it is sent. */
const filterLinks = (
  method: Method,
  path: (world: World) => string,
  body: object,
): Record<string, Linked> => ({
  'filter.agentIds': {
    of: ({ restricted }) => restricted.id,
    call: inBody(method, path, (id) => ({ ...body, filter: { agentIds: [id] } })),
  },
  'filter.tagIds': ofTag(inBody(method, path, (id) => ({ ...body, filter: { tagIds: [id] } }))),
})

const teams = (method: Method, path: (world: World) => string): Record<string, Linked> => ({
  memberIds: {
    of: ({ restricted }) => restricted.id,
    call: inBody(method, path, (id) => ({ ...PLAIN_TEAM, name: 'Sales', memberIds: [id] })),
  },
  hoursId: {
    of: ({ hoursId }) => hoursId,
    call: inBody(method, path, (hoursId) => ({ ...PLAIN_TEAM, name: 'Sales', hoursId })),
  },
})

const ofStranger = (call: Linked['call']): Linked => ({ of: ({ admin }) => admin.id, call })

const ofMailbox = (call: Linked['call']): Linked => ({ of: ({ mailbox }) => mailbox, call })

const searchLinks = (path: string): Record<string, Linked> => ({
  '?agentId': ofStranger(inQuery(`${path}?q=hello&agentId=`)),
  '?ownTagId': ofTag(inQuery(`${path}?q=hello&ownTagId=`)),
  '?channelAccountId': ofMailbox(inQuery(`${path}?q=hello&channelAccountId=`)),
  '?teamId': { of: ({ teamId }) => teamId, call: inQuery(`${path}?q=hello&teamId=`) },
})

const LINKS: Record<string, Record<string, Linked>> = {
  consoleUpdateNote: {
    mentionedIds: ofStranger((world, id) => ({
      method: 'PATCH',
      path: `/notes/${world.own.noteId}`,
      body: { body: 'Call', mentionedIds: [id] },
    })),
  },
  changeContactTags: {
    add: ofTag(
      inBody(
        'POST',
        ({ own }) => `/contacts/${own.contactId}/tags`,
        (id) => ({ add: [id] }),
      ),
    ),
  },
  consoleMergeContacts: {
    contactId: ofHidden(
      'contactId',
      inBody(
        'POST',
        ({ own }) => `/contacts/${own.contactId}/merges`,
        (contactId) => ({ contactId }),
      ),
    ),
  },
  replaceContactTags: {
    tagIds: ofTag(
      inBody(
        'PUT',
        ({ own }) => `/contacts/${own.contactId}/tags`,
        (id) => ({ tagIds: [id] }),
      ),
    ),
  },
  addNote: {
    conversationId: ofHidden(
      'conversationId',
      inBody('POST', '/notes', (conversationId) => ({ body: 'Call', conversationId })),
    ),
    mentionedIds: ofStranger((world, id) => ({
      method: 'POST',
      path: '/notes',
      body: { body: 'Call', conversationId: world.own.conversationId, mentionedIds: [id] },
    })),
    attachmentIds: {
      of: ({ uploadId }) => uploadId,
      call: (world, id) => ({
        method: 'POST',
        path: '/notes',
        body: { body: 'Call', conversationId: world.own.conversationId, attachmentIds: [id] },
      }),
    },
  },
  listConversations: {
    '?agentId': { of: ({ admin }) => admin.id, call: inQuery('/conversations?agentId=') },
    '?teamId': { of: ({ teamId }) => teamId, call: inQuery('/conversations?teamId=') },
    '?contactId': ofHidden('contactId', inQuery('/conversations?contactId=')),
    '?tagId': ofTag(inQuery('/conversations?tagId=')),
    '?ownTagId': ofTag(inQuery('/conversations?ownTagId=')),
    '?channelAccountId': ofMailbox(inQuery('/conversations?channelAccountId=')),
  },
  listContacts: { '?tagId': ofTag(inQuery('/contacts?tagId=')) },
  listMessages: {
    '?conversationId': ofHidden('conversationId', inQuery('/messages?direction=all&conversationId=')),
    '?contactId': ofHidden('contactId', inQuery('/messages?direction=all&contactId=')),
  },
  assignConversation: {
    agentId: {
      of: ({ restricted }) => restricted.id,
      tells: /COMPANY_MISMATCH/,
      call: inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/assign`,
        (agentId) => ({ agentId }),
      ),
    },
    teamId: {
      of: ({ teamId }) => teamId,
      call: (world, teamId) => ({
        method: 'POST',
        path: `/conversations/${world.own.conversationId}/assign`,
        body: { agentId: world.admin.id, teamId },
      }),
    },
  },
  moveConversationToTeam: {
    teamId: {
      of: ({ teamId }) => teamId,
      call: inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/team`,
        (teamId) => ({ teamId }),
      ),
    },
  },
  consoleCreateTeam: teams('POST', () => '/managed-teams'),
  consoleUpdateTeam: teams('PUT', ({ teamId }) => `/managed-teams/${teamId}`),
  consoleUpdateChatBox: {
    mailboxId: ofMailbox(
      inBody(
        'PATCH',
        ({ web }) => `/channels/${web}/chat-box`,
        (mailboxId) => ({ mailboxId }),
      ),
    ),
  },
  consoleSetChannelTeam: {
    teamId: {
      of: ({ teamId }) => teamId,
      call: inBody(
        'PUT',
        ({ whatsapp }) => `/channels/${whatsapp}/team`,
        (teamId) => ({ teamId }),
      ),
    },
  },
  consoleSaveAnswerTargets: {
    hoursId: {
      of: ({ hoursId }) => hoursId,
      call: inBody('PUT', '/answer-targets', (hoursId) => ({ ...NO_TARGETS, hoursId })),
    },
  },
  consoleChangeConversations: {
    ids: ofHidden(
      'conversationId',
      inBody('POST', '/conversations/bulk', (id) => ({ ids: [id], action: 'close' })),
    ),
    agentId: {
      of: ({ restricted }) => restricted.id,
      tells: /COMPANY_MISMATCH/,
      call: bulk((agentId) => ({ action: 'assign', agentId })),
    },
    teamId: { of: ({ teamId }) => teamId, call: bulk((teamId) => ({ action: 'team', teamId })) },
    addTagIds: ofTag(bulk((id) => ({ action: 'tag', addTagIds: [id] }))),
    removeTagIds: ofTag(bulk((id) => ({ action: 'tag', removeTagIds: [id] }))),
  },
  consoleFollowUp: followUps('follow-up', '', (after) => after),
  sendMessage: {
    ...followUps('messages', 'after.', (after) => ({ body: 'Hello', after })),
    attachmentIds: {
      of: ({ uploadId }) => uploadId,
      call: inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/messages`,
        (id) => ({ attachmentIds: [id] }),
      ),
    },
    'email.quote.messageId': ofHidden(
      'messageId',
      inBody(
        'POST',
        ({ letter }) => `/conversations/${letter.conversationId}/messages`,
        (messageId) => ({ body: 'Hello', email: { ...TO_SOMEBODY, quote: { messageId, as: 'reply' } } }),
      ),
    ),
    'email.quote.fileIds': {
      of: ({ uploadId }) => uploadId,
      call: ({ letter: { conversationId, messageId } }, id) => ({
        method: 'POST',
        path: `/conversations/${conversationId}/messages`,
        body: { email: { ...TO_SOMEBODY, quote: { messageId, as: 'forward', fileIds: [id] } } },
      }),
    },
    draftId: ofHidden(
      'draftId',
      inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/messages`,
        (draftId) => ({ body: 'Hello', draftId }),
      ),
    ),
    seenMessageId: ofHidden(
      'messageId',
      inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/messages`,
        (seenMessageId) => ({ body: 'Hello', seenMessageId }),
      ),
    ),
  },
  consoleStartMailboxSignIn: {
    channelId: {
      of: ({ mailbox }) => mailbox,
      call: inBody(
        'POST',
        () => '/mailbox-sign-in',
        (channelId) => ({ provider: 'google', channelId }),
      ),
    },
  },
  consoleStartConversation: {
    channelId: {
      of: ({ mailbox }) => mailbox,
      call: inBody(
        'POST',
        () => '/new-conversation',
        (channelId) => ({ channelId, body: 'Hello', email: TO_SOMEBODY }),
      ),
    },
    attachmentIds: {
      of: ({ uploadId }) => uploadId,
      call: ({ mailbox }, id) => ({
        method: 'POST',
        path: '/new-conversation',
        body: { channelId: mailbox, attachmentIds: [id], email: TO_SOMEBODY },
      }),
    },
  },
  consoleSendTemplate: {
    seenMessageId: ofHidden(
      'messageId',
      inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/template`,
        (seenMessageId) => ({ templateName: 'order_ready', parameters: ['1'], seenMessageId }),
      ),
    ),
    headerAttachmentId: ofUpload(({ own }) => `/conversations/${own.conversationId}/template`, {}),
  },
  sendWhatsappTemplate: { headerAttachmentId: ofUpload('/whatsapp/messages', { to: '+351912345678' }) },
  sendGroupBroadcast: {
    headerAttachmentId: ofUpload(({ groupId }) => `/contact-groups/${groupId}/broadcasts`, {}),
  },
  consoleTestBroadcast: {
    contactIds: ofHidden(
      'contactId',
      inBody('POST', '/broadcasts/test', (id) => ({
        templateName: 'order_ready',
        parameters: ['1'],
        contactIds: [id],
      })),
    ),
    headerAttachmentId: ofUpload('/broadcasts/test', { phones: ['+351912345678'] }),
  },
  consoleCheckHeader: {
    headerAttachmentId: {
      of: ({ uploadId }) => uploadId,
      call: inBody('POST', '/broadcasts/check-header', (headerAttachmentId) => ({
        headerAttachmentId,
        type: 'image',
      })),
    },
  },
  sendBroadcast: broadcasts('/broadcasts'),
  consolePreviewBroadcast: broadcasts('/broadcasts/preview'),
  listFlowRuns: {
    '?flowId': { of: ({ flow }) => flow.id, call: inQuery('/flow-runs?flowId=') },
    '?conversationId': ofHidden('conversationId', inQuery('/flow-runs?conversationId=')),
    '?contactId': ofHidden('contactId', inQuery('/flow-runs?contactId=')),
  },
  startFlowRun: {
    conversationId: ofHidden(
      'conversationId',
      inBody(
        'POST',
        ({ flow }) => `/flows/${flow.id}/runs`,
        (conversationId) => ({ conversationId }),
      ),
    ),
    contactId: ofHidden(
      'contactId',
      inBody(
        'POST',
        ({ flow }) => `/flows/${flow.id}/runs`,
        (contactId) => ({ contactId }),
      ),
    ),
  },
  consoleSearch: searchLinks('/search'),
  consoleCountFound: searchLinks('/search/counts'),
  consoleCountListed: {
    '?agentId': { of: ({ admin }) => admin.id, call: inQuery('/listed-count?agentId=') },
    '?teamId': { of: ({ teamId }) => teamId, call: inQuery('/listed-count?teamId=') },
    '?contactId': ofHidden('contactId', inQuery('/listed-count?contactId=')),
    '?tagId': ofTag(inQuery('/listed-count?tagId=')),
    '?ownTagId': ofTag(inQuery('/listed-count?ownTagId=')),
    '?channelAccountId': ofMailbox(inQuery('/listed-count?channelAccountId=')),
  },
  consoleOrderOwnViews: {
    ids: {
      of: ({ savedViewId }) => savedViewId,
      call: inBody('PUT', '/saved-view-order/own', (id) => ({ ids: [id] })),
    },
  },
  consoleOrderSharedViews: {
    ids: {
      of: ({ savedViewId }) => savedViewId,
      call: inBody('PUT', '/saved-view-order/shared', (id) => ({ ids: [id] })),
    },
  },
  consoleSaveOwnReply: savedReplies('own'),
  consoleSaveSharedReply: savedReplies('shared'),
  saveArticle: { 'audience.tagIds': ofAudience('POST', '/knowledge/articles', HELP) },
  replaceArticle: {
    'audience.tagIds': ofAudience('PUT', ({ articleId }) => `/knowledge/articles/${articleId}`, HELP),
  },
  saveAnswer: { 'audience.tagIds': ofAudience('POST', '/knowledge/answers', HELP) },
  replaceAnswer: {
    'audience.tagIds': ofAudience('PUT', ({ answerId }) => `/knowledge/answers/${answerId}`, HELP),
  },
  searchKnowledge: { '?tagId': ofTag(inQuery('/knowledge/search?query=help&tagId=')) },
  createWebhookEndpoint: filterLinks('POST', () => '/webhook-endpoints', { url: 'http://127.0.0.1:1024/' }),
  listWebhookDeliveries: {
    '?conversationId': ofHidden('conversationId', (world, id) => ({
      method: 'GET',
      path: `/webhook-endpoints/${world.webhook.endpointId}/deliveries?conversationId=${id}`,
    })),
  },
  updateWebhookEndpoint: filterLinks(
    'PATCH',
    ({ webhook }) => `/webhook-endpoints/${webhook.endpointId}`,
    {},
  ),
  addWebsite: {
    'audience.tagIds': ofAudience('POST', '/knowledge/sources', {
      type: 'page',
      url: 'https://help.example.com/',
      language: 'en',
    }),
  },
  consoleChangeKnowledgeSource: {
    'audience.tagIds': ofAudience('PATCH', ({ sources }) => `/knowledge/sources/${sources.sourceId}`, {}),
  },
  consoleAddKnowledgeFile: {
    attachmentId: {
      of: ({ uploadId }) => uploadId,
      call: inBody('POST', '/knowledge/files', (attachmentId) => ({ attachmentId, language: 'en' })),
    },
    'audience.tagIds': ofTag((world, id) => ({
      method: 'POST',
      path: '/knowledge/files',
      body: { attachmentId: world.uploadId, language: 'en', ...forTag(id) },
    })),
  },
  consoleReplaceKnowledgeFile: {
    attachmentId: {
      of: ({ uploadId }) => uploadId,
      call: inBody(
        'PUT',
        ({ sources }) => `/knowledge/files/${sources.fileSourceId}`,
        (attachmentId) => ({ attachmentId }),
      ),
    },
  },
  consoleMarkRead: {
    upToMessageId: ofHidden(
      'messageId',
      inBody(
        'POST',
        ({ own }) => `/conversations/${own.conversationId}/read`,
        (upToMessageId) => ({ upToMessageId }),
      ),
    ),
  },
  consoleSetMemberRole: {
    roleId: {
      of: ({ roleId }) => roleId,
      call: inBody(
        'PATCH',
        ({ restricted }) => `/members/${restricted.id}/role`,
        (roleId) => ({ roleId }),
      ),
    },
  },
  consoleUpdateAiSettings: {
    ...Object.fromEntries(
      ['web', 'email', 'whatsapp', 'facebook', 'telegram', 'sms'].map((channel) => [
        `speaking.${channel}.audience.tagIds`,
        ofTag(settings((id) => ({ speaking: { [channel]: forTag(id) } }))),
      ]),
    ),
    'handOver.agentId': {
      of: ({ restricted }) => restricted.id,
      call: settings((agentId) => ({ handOver: { agentId, tagId: null } })),
    },
    'handOver.teamId': {
      of: ({ teamId }) => teamId,
      call: settings((teamId) => ({ handOver: { agentId: null, teamId, tagId: null } })),
    },
    'handOver.tagId': ofTag(settings((tagId) => ({ handOver: { agentId: null, tagId } }))),
  },
  consoleSaveAiGuidanceDraft: {
    'guidance.rules.only.tagIds': ofTag(
      guided((id) => ({
        rules: [{ when: 'asked', action: 'never', text: 'x', only: { ...FOR_ALL, tagIds: [id] } }],
      })),
    ),
    'guidance.tagIds': ofTag(guided((id) => ({ tagIds: [id] }))),
    'guidance.flowIds': { of: ({ flow }) => flow.id, call: guided((id) => ({ flowIds: [id] })) },
    'guidance.actionIds': { of: ({ actionId }) => actionId, call: guided((id) => ({ actionIds: [id] })) },
  },
  consoleCreateAiTest: {
    turnId: ofHidden(
      'turnId',
      inBody('POST', '/ai-tests', (turnId) => ({ scenario: { ...OWN_TEST, name: newId() }, turnId })),
    ),
  },
  consoleStartAiTestRun: {
    testIds: {
      of: ({ aiTest }) => aiTest,
      call: inBody('POST', '/ai-test-runs', (id) => ({ guidance: ['live'], testIds: [id] })),
    },
  },
  consoleCloseGap: {
    turnIds: ofHidden(
      'turnId',
      inBody('POST', '/knowledge/gaps/close', (id) => ({ turnIds: [id], answerId: null })),
    ),
    answerId: {
      of: ({ answerId }) => answerId,
      call: ({ own }, answerId) => ({
        method: 'POST',
        path: '/knowledge/gaps/close',
        body: { turnIds: [own.turnId], answerId },
      }),
    },
  },
  consoleRetryLeftover: {
    leftoverId: {
      of: ({ whatsapp }) => `${whatsapp}-${LEFTOVER}`,
      call: inBody('POST', '/leftovers/retry', (leftoverId) => ({ leftoverId })),
    },
  },
  consoleDismissLeftovers: {
    leftoverIds: {
      of: ({ whatsapp }) => `${whatsapp}-${LEFTOVER}`,
      call: inBody('POST', '/leftovers/dismiss', (id) => ({ leftoverIds: [id] })),
    },
  },
  consoleCreateGroup: {
    contactIds: ofHidden(
      'contactId',
      inBody('POST', '/contact-groups', (id) => ({ name: newId(), contactIds: [id] })),
    ),
  },
  consoleAddGroupMembers: {
    contactIds: toContacts(''),
    'filter.tagIds': ofTag(
      inBody(
        'POST',
        ({ groupId }) => `/contact-groups/${groupId}/members`,
        (id) => ({ filter: { tagIds: [id] } }),
      ),
    ),
  },
  consoleRemoveGroupMembers: { contactIds: toContacts('/remove') },
  consoleReorderFlows: {
    ids: { of: ({ draft }) => draft.id, call: inBody('PUT', '/flows/order', (id) => ({ ids: [id] })) },
  },
  // Definitions have a schema of their own.
  consoleSaveFlowDraft: {
    tag: ofTag(flowWith((id) => ({ type: 'tag', add: [id] }))),
    agent: {
      of: ({ restricted }) => restricted.id,
      call: flowWith((id) => ({ type: 'assign', to: id })),
    },
    flow: {
      of: ({ flow }) => flow.id,
      call: flowWith((flowId) => ({ type: 'flow', flowId, as: 'instead' })),
    },
    action: {
      of: ({ actionId }) => actionId,
      call: flowWith((id) => ({ type: 'call', actionId: id, with: {} })),
    },
  },
}

test('every place of a body or a query that takes an id is tried with one of another workspace', () => {
  const untried = [...declared].flatMap(([operationId, { ids }]) =>
    ids.filter((place) => !LINKS[operationId]?.[place]).map((place) => `${operationId} ${place}`),
  )
  assert.deepEqual(untried, [])
})

/** The ids of its path, each replaced alone. */
const inPath = (operationId: string, mine: World, theirs: World): Linked[] => {
  const { call } = OPERATIONS[operationId]!
  const [own, their] = [call(mine, mine.own), call(theirs, theirs.hidden)]
  const parts = own.path.split('/')
  return their.path.split('/').flatMap((part, at) =>
    part === parts[at]
      ? []
      : [
          {
            of: () => part,
            call: (world: World, id: string): Call => {
              const here = call(world, world.own)
              return { ...here, path: here.path.split('/').with(at, id).join('/') }
            },
          },
        ],
  )
}

/** What two answers may differ in that say the same. */
const withoutIds = (text: string, id: string): string =>
  text
    .replaceAll(id, 'ID')
    .replace(/c[0-9a-z]{24}/g, 'ID')
    .replace(/"(w|Person )\d+"/g, '"NAME"')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')

/** Of the same form and time, of nothing. */
const idOfNothing = (id: string): string =>
  /^\d+$/.test(id) ? '987654' : id.replace(/(?<=^c.{8}).{16}/, newId().slice(9))

/** Two worlds that are alike: what is done in one is done in the other, with another id. */
let twins: Promise<[World, World]> | undefined
const twinWorlds = (): Promise<[World, World]> => {
  twins ??= Promise.all([makeWorld(), makeWorld()])
  return twins
}

/** Drafts are saved over the one that was read; here, always over the first. */
const resetRevisions = async (workspaceId: string): Promise<void> => {
  await db.updateTable('ai_guidance').set({ revision: 1 }).where('workspace_id', '=', workspaceId).execute()
  await db.updateTable('flows').set({ draft_revision: 1 }).where('workspace_id', '=', workspaceId).execute()
}

const timesIn = async ({ id: workspaceId }: World, id: string): Promise<number> =>
  (await snapshot(workspaceId)).split(id).length - 1

/** The answer, and how often the id is stored because of it; what isn't found stores nothing. */
const sendAs = async (world: World, call: Call, id: string) => {
  await resetRevisions(world.id)
  const isRead = call.method === 'GET' || call.path.includes(id)
  const before = isRead ? 0 : await timesIn(world, id)
  const { status, text } = await send(await signIn(app, world.id, world.admin.id), call)
  const stored = isRead ? 0 : (await timesIn(world, id)) - before
  return { status, text: withoutIds(text, id), stored }
}

for (const [operationId, { url }] of declared)
  if (LINKS[operationId] || url.includes(':'))
    test(`${operationId}: the id of another workspace does what one of nothing does`, async () => {
      const [mine, twin] = await twinWorlds()
      const theirs = await theirWorld()
      const before = await snapshot(theirs.id)
      for (const { of, call, tells } of [
        ...inPath(operationId, mine, theirs),
        ...Object.values(LINKS[operationId] ?? {}),
      ]) {
        const [foreign, none] = [of(theirs), idOfNothing(of(theirs))]
        const { stored, ...answer } = await sendAs(mine, call(mine, foreign), foreign)
        const { stored: storedOfNothing, ...expected } = await sendAs(twin, call(twin, none), none)
        if (tells) assert.match(answer.text, tells)
        else assert.deepEqual(answer, expected)
        assert.ok(stored <= storedOfNothing, 'an id of nothing is not stored')
      }
      assert.equal(await snapshot(theirs.id), before)
    })

test('no filter, search or page of a list leads a restricted agent to another conversation', async () => {
  const world = await makeWorld()
  const caller = await signIn(app, world.id, world.restricted.id)
  const paths = [
    ...[
      '',
      '?status=unassigned',
      '?status=open&channel=whatsapp',
      '?sort=created',
      '?unread=true',
      '?mine=true',
    ],
    ...['?q=hidden', '?q=hi', '?q=asks&unread=true', '?agentId=ai', `?contactId=${world.hidden.contactId}`],
  ].map((query) => `/conversations${query}`)
  const contacts = [
    '',
    '?search=hidden',
    '?search=hi',
    '?hasOpen=true',
    '?sort=created',
    '?sort=created&search=hidden',
  ]
  for (const path of [
    ...paths,
    ...contacts.map((query) => `/contacts${query}`),
    ...['inbound', 'outbound', 'all'].map((direction) => `/messages?direction=${direction}`),
  ]) {
    const { status, text } = await caller.call('GET', path)
    assert.equal(status, 200, text)
    for (const trace of ['hidden', ...Object.values(world.hidden)])
      assert.ok(!text.includes(trace), `${trace} at ${path}: ${text}`)
  }
  const { body } = await caller.call('GET', '/contacts')
  assert.equal(body.total, 1)
  assert.deepEqual(body.facets.channels, [{ platform: 'whatsapp', count: 1 }])
  assert.deepEqual((await caller.call('GET', '/conversation-counts')).body, {
    mine: 1,
    unassigned: 0,
    open: 1,
    snoozed: 0,
    unread: 1,
    includesUnassigned: false,
  })
})

test('of a contact whose other conversations are not theirs, a restricted agent sees their own part', async () => {
  const world = await makeWorld()
  const other = await make.conversation(world.id, { contactId: world.own.contactId, channel: 'telegram' })
  await db
    .insertInto('notes')
    .values({
      workspace_id: world.id,
      id: newId(),
      contact_id: world.own.contactId,
      conversation_id: other.id,
      author_id: 'api:nobody',
      body: 'about the other one',
      created_at: new Date(),
    })
    .execute()
  const caller = await signIn(app, world.id, world.restricted.id)
  const { contact, notes } = (await caller.call('GET', `/contacts/${world.own.contactId}`)).body
  assert.deepEqual([contact.conversationCount, contact.openCount, contact.channels], [1, 1, ['whatsapp']])
  assert.deepEqual(
    notes.map(({ body }: { body: string }) => body),
    ['mine note'],
  )
  const [row] = (await caller.call('GET', '/contacts')).body.contacts
  assert.deepEqual([row.conversationId, row.conversationCount], [world.own.conversationId, 1])
})

test('a restricted agent reaches another conversation neither by its number nor by reopening an older one', async () => {
  const world = await makeWorld()
  const caller = await signIn(app, world.id, world.restricted.id)
  await db
    .insertInto('identities')
    .values({
      workspace_id: world.id,
      kind: 'phone',
      value: '+351910000001',
      contact_id: world.hidden.contactId,
      created_at: new Date(),
    })
    .execute()
  const noteTo = (phone: string) => caller.call('POST', '/notes', { body: 'x', phone })
  const [hidden, missing] = [await noteTo('+351910000001'), await noteTo('+351910000002')]
  assert.deepEqual([hidden.status, hidden.text], [404, missing.text])

  const { conversationId, contactId } = world.own
  assert.equal((await caller.call('POST', `/conversations/${conversationId}/close`)).status, 200)
  await make.conversation(world.id, { contactId, channel: 'whatsapp', channelAccountId: world.whatsapp })
  const before = await snapshot(world.id)
  const template = { templateName: 'order_ready', parameters: ['1'] }
  for (const [verb, body] of [['reopen'], ['template', template]] as const)
    assert.equal((await caller.call('POST', `/conversations/${conversationId}/${verb}`, body)).status, 403)
  assert.equal(await snapshot(world.id), before)
})

test('a token that was made under an Idempotency-Key is not kept in the clear', async () => {
  const world = await makeWorld()
  const caller = await signIn(app, world.id, world.admin.id)
  const options = { headers: { 'idempotency-key': 'one' } }
  const { body } = await caller.call('POST', '/tokens', { name: 'CRM' }, options)
  assert.match(body.secret, /^foyer_/)
  const { rows } = await app.database.pool.query(
    'select response from idempotency_keys where workspace_id = $1',
    [world.id],
  )
  assert.ok(!JSON.stringify(rows).includes(body.secret))
})

test('what is handed over is gone at once, and a role that changes counts at the next request', async () => {
  const world = await makeWorld()
  const caller = await signIn(app, world.id, world.restricted.id)
  const { conversationId } = world.own
  assert.equal((await caller.call('POST', `/conversations/${conversationId}/unassign`)).status, 200)
  assert.equal((await caller.call('GET', `/conversations/${conversationId}`)).status, 404)
  const admin = await signIn(app, world.id, world.admin.id)
  const promoted = await admin.call('PATCH', `/agents/${world.restricted.id}`, { role: 'admin' })
  assert.equal(promoted.status, 200, promoted.text)
  assert.equal((await caller.call('GET', `/conversations/${conversationId}`)).status, 200)
  assert.equal((await admin.call('DELETE', `/agents/${world.restricted.id}`)).status, 200)
  assert.equal((await caller.call('GET', `/conversations/${conversationId}`)).status, 404)
})

test('the public document lists no route of the console', async () => {
  const { body } = await app.call(null, 'GET', '/openapi.json')
  assert.deepEqual(
    Object.keys(body.paths).filter((path) => path.includes('console')),
    [],
  )
  assert.ok(!JSON.stringify(body).includes('console/api'))
})
