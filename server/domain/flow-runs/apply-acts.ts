// Does what was decided for a batch of conversations. What flows do all the time (messages, lines, runs, steps) is
// written for the whole batch at once; the rest goes through the same operations as when people do it.
import { actorId, recordedActor } from '../../platform/ctx/actor.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Metadata } from '../../platform/db/tables.ts'
import { inTrace } from '../../platform/tracing.ts'
import { insertCalls, type NewCall } from '../actions/call-queries.ts'
import { AI_STEP } from '../ai/turn/take-turn.ts'
import { copyToMessages } from '../attachments/queries.ts'
import { pauseAutomation } from '../automation/states.ts'
import { claimProfile } from '../contacts/claim-profile.ts'
import { toE164 } from '../contacts/phone.ts'
import { replaceContactTags } from '../contacts/replace-contact-tags.ts'
import { CUSTOM_FIELDS_KEPT_MAX } from '../contacts/schema.ts'
import { updateContact } from '../contacts/update-contact.ts'
import { assignConversation, unassignConversation } from '../conversations/assign-conversation.ts'
import type { systemEntriesInsert } from '../conversations/queries.ts'
import { closeConversation } from '../conversations/set-conversation-status.ts'
import { automatedInsert, type PendingDelivery } from '../deliveries/automated-deliveries.ts'
import { requestCode } from '../identity-codes/request-code.ts'
import { choicesMetadata, readableBody, readableParts } from '../messages/choices.ts'
import { insertMessages, type NewMessage, placeIn, THEIR_IDS } from '../messages/insert-messages.ts'
import { addNote } from '../notes/add-note.ts'
import { recordRating } from '../ratings/record-rating.ts'
import { bigramsOf } from '../search/bigrams.ts'
import { sendTemplateIn } from '../templates/send-template-in.ts'
import { orRefused, tagOf } from './effect-refused.ts'
import { moveToTeam } from './move-to-team.ts'
import { type Act, type LineRun, type Place, type Run, traceOf } from './place.ts'

type Planned = {
  place: Place
  row: NewMessage
  delivery: PendingDelivery | null
  attachmentIds: readonly string[]
}
type Line = Parameters<typeof systemEntriesInsert>[1][number]
type Batch = {
  messages: Planned[]
  lines: Line[]
  calls: NewCall[]
  /** The message of each step that sent one. */
  sentBy: Map<Run, Map<string, string>>
}

export type Applied = Pick<Batch, 'sentBy' | 'lines'>

export const applyActs = async (ctx: Ctx, places: readonly Place[]): Promise<Applied> => {
  const batch: Batch = { messages: [], lines: [], calls: [], sentBy: new Map() }
  for (const place of places) {
    const fields: Fields = { run: null, name: null, email: null, phone: null, custom: new Map() }
    await inTrace(traceOf(place), async () => {
      for (const act of place.acts) await applyAct(ctx, batch, place, act, fields)
      await applyFields(ctx, place, fields)
    })
  }
  await storeMessages(ctx, batch)
  await insertCalls(ctx, batch.calls)
  return batch
}

const onBehalfOf = (ctx: Ctx, run: Run | null): Ctx => ({
  ...ctx,
  actor: run ? { type: 'flow', flowId: run.flowId, runId: run.id } : { type: 'system' },
})

/** The AI agent speaks as the member that has the conversation. */
const asAgent = (ctx: Ctx, { conversation }: Place): Ctx =>
  conversation.agentId === null ? ctx : { ...ctx, actor: { type: 'ai', accountId: conversation.agentId } }

const applyAct = async (ctx: Ctx, batch: Batch, place: Place, act: Act, fields: Fields): Promise<void> => {
  const { id: conversationId, contactId } = place.conversation
  if (act.is === 'line') {
    batch.lines.push(lineOf(ctx, place, act))
    return
  }
  const own = onBehalfOf(ctx, 'run' in act ? act.run : null)
  switch (act.is) {
    case 'message':
      planMessage(act.by && !act.by.isAutomation ? asAgent(own, place) : own, batch, place, act)
      return
    case 'template':
      // Templates are stored one by one, so what comes before them has to be there already.
      await storeMessages(ctx, batch)
      await sendTemplate(own, place, act)
      return
    case 'assign':
      await assign(own, place, act)
      return
    case 'team':
      await moveToTeam(own, place, act.teamId)
      return
    case 'tags':
      await orRefused(
        tagOf(act.tagIds),
        replaceContactTags(act.run ? own : asAgent(own, place), contactId, act.tagIds),
      )
      return
    case 'field':
      noteField(place, fields, act)
      if (act.run) await recordRating(own, { ...act, runId: act.run.id, conversationId })
      return
    case 'note':
      await addNote(act.run ? own : asAgent(own, place), { conversationId, body: act.text })
      return
    case 'close':
      await closeConversation(own, conversationId)
      return
    case 'pause':
      await pauseAutomation(own, [conversationId], {
        reason: act.reason,
        by: actorId(own.actor),
        until: act.until,
      })
      return
    case 'call': {
      const { token, actionId, parameters } = act.effect
      batch.calls.push({ conversationId, runId: act.run.id, token, actionId, parameters })
      return
    }
    case 'code':
      await requestCode(own, act.code)
      return
    case 'proposedCall': {
      const { id: proposalId, actionId, parameters } = act.proposal
      batch.calls.push({ conversationId, proposalId, actionId, parameters })
    }
  }
}

const metadataOf = (run: LineRun & Pick<Run, 'version'>, stepId: string): Metadata => ({
  flow: { flowId: run.flowId, runId: run.id, stepId, version: run.version, name: run.flowName },
})

// Messages --------------------------------------------------------------------------------------------------------

const planMessage = (ctx: Ctx, batch: Batch, place: Place, act: Extract<Act, { is: 'message' }>): void => {
  const { run, by, stepId, text, choices } = act
  const from = run ? { runId: run.id, stepId } : by?.turn ? { runId: by.turn.id, stepId: AI_STEP } : null
  const offered = choices && from && { ...choices, ...from }
  const parts = offered && readableParts(ctx, place.conversation.channel, text, offered)
  const metadata = { ...(run && metadataOf(run, stepId)), ...(by && { ai: by.metadata }) }
  if (parts) for (const body of parts) planBody(ctx, batch, place, act, { body, metadata })
  else if (offered)
    planBody(ctx, batch, place, act, {
      body: readableBody(text, offered),
      metadata: { ...metadata, choices: choicesMetadata(text, offered) },
    })
  else planBody(ctx, batch, place, act, { body: text, metadata })
}

const planBody = (
  ctx: Ctx,
  { messages, sentBy }: Batch,
  place: Place,
  { run, by, stepId, attachmentIds }: Extract<Act, { is: 'message' }>,
  { body, metadata }: { body: string; metadata: Metadata },
): void => {
  const { conversation } = place
  const { delivery } = ctx.channels[conversation.channel]
  const row: NewMessage = {
    ...placeIn(ctx, conversation),
    senderType: ctx.actor.type === 'ai' ? 'agent' : 'automation',
    senderId: actorId(ctx.actor),
    actor: recordedActor(ctx.actor),
    traceparent: traceOf(place),
    status: delivery === 'stored' ? 'sent' : 'queued',
    body,
    metadata: Object.keys(metadata).length > 0 ? metadata : null,
    hasAttachments: attachmentIds.length > 0,
    grams: bigramsOf(body),
  }
  place.conversation = { ...conversation, lastMessageId: row.id }
  if (by?.turn) place.turns.set(by.turn.id, { ...by.turn, messageId: row.id })
  if (run) sentBy.set(run, (sentBy.get(run) ?? new Map<string, string>()).set(stepId, row.id))
  const { conversationId, channelAccountId } = row
  messages.push({
    place,
    row,
    delivery:
      delivery === 'sent'
        ? { messageId: row.id, conversationId, channelAccountId, traceparent: traceOf(place) }
        : null,
    attachmentIds,
  })
}

/** Stores the messages that were planned so far, with their deliveries, in one statement. */
const storeMessages = async (ctx: Ctx, batch: Batch): Promise<void> => {
  const { messages } = batch
  if (messages.length === 0) return
  batch.messages = []
  const deliveries = messages.flatMap(({ delivery }) => (delivery ? [delivery] : []))
  await insertMessages(
    ctx,
    // Whoever the conversation was assigned to meanwhile.
    messages.map(({ place, row }) => ({ ...row, agentId: place.conversation.agentId })),
    {
      answer: THEIR_IDS,
      ...(deliveries.length > 0 && { along: automatedInsert(ctx, deliveries) }),
    },
  )
  await copyToMessages(
    ctx,
    messages.flatMap(({ row, attachmentIds }) =>
      attachmentIds.map((fromId) => ({ fromId, id: ctx.newId(), messageId: row.id })),
    ),
  )
}

const sendTemplate = async (
  ctx: Ctx,
  place: Place,
  { run, effect }: Extract<Act, { is: 'template' }>,
): Promise<void> => {
  const { name, language, parameters, stepId } = effect
  const sent = sendTemplateIn(ctx, {
    conversationId: place.conversation.id,
    templateName: name,
    language,
    parameters,
    metadata: metadataOf(run, stepId),
  })
  await orRefused(`template ${name}`, sent)
}

/** One line for each sprint, which opens to its steps. */
const lineOf = (
  ctx: Ctx,
  place: Place,
  { run, says, parts = [says], steps, ai }: Extract<Act, { is: 'line' }>,
): Line => ({
  id: ctx.newId(),
  conversation: place.conversation,
  body: run ? `${run.flowName}: ${says}` : says,
  metadata: {
    event: 'flow',
    ...(run && { flowId: run.flowId, runId: run.id, flowName: run.flowName }),
    says,
    ...(run && { parts }),
    steps,
    ...(ai && { ai }),
  },
})

const assign = async (
  ctx: Ctx,
  place: Place,
  { agentId, because, lineId }: Extract<Act, { is: 'assign' }>,
): Promise<void> => {
  const conversationId = place.conversation.id
  if (agentId === null) {
    await unassignConversation(ctx, { conversationId })
    place.conversation = { ...place.conversation, agentId: null }
    return
  }
  const assigned = assignConversation(ctx, { conversationId, agentId, because, lineId })
  const { assignment } = await orRefused(`agent ${agentId}`, assigned)
  place.conversation = { ...place.conversation, agentId: assignment.agentId }
}

// The contact -----------------------------------------------------------------------------------------------------

type Fields = {
  run: Run | null
  name: string | null
  email: string | null
  phone: string | null
  custom: Map<string, string | null>
}

/** Several changes are made at once. A contact's language is their field of that name. */
const noteField = (place: Place, fields: Fields, { run, field, value }: Extract<Act, { is: 'field' }>) => {
  const key = field.replace(/^fields\./, '')
  fields.run = run
  if (field === 'name') fields.name = value
  else if (field === 'email') fields.email = value?.toLowerCase() ?? null
  else if (field === 'phone') fields.phone = value === null ? null : toE164(value)
  // A field too many is left out: the flow goes on.
  else if (value === null || countWith(place, key) <= CUSTOM_FIELDS_KEPT_MAX) fields.custom.set(key, value)
}

const countWith = ({ contact }: Place, key: string): number =>
  new Set([...Object.keys(contact.fields), key]).size

/** What a customer says of themselves never replaces an address that is known, and identifies nobody. */
const applyFields = async (ctx: Ctx, place: Place, fields: Fields): Promise<void> => {
  const { run, name, email, phone, custom } = fields
  const own = run ? onBehalfOf(ctx, run) : asAgent(onBehalfOf(ctx, null), place)
  const { contactId } = place.conversation
  if (name !== null || custom.size > 0)
    await updateContact(own, contactId, {
      ...(name !== null && { name }),
      customFields: Object.fromEntries(custom),
    })
  if (email !== null || phone !== null)
    await claimProfile(own, { contactId, name: null, email, phone, placeholder: '' })
}
