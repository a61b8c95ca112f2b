// Reads everything that decides what happens in a batch of conversations, in a number of statements that does not grow
// with them.
import type { ContactFacts, Referral, SendingFacts } from '../../../flow-engine/contract.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { CustomFields, Metadata } from '../../platform/db/tables.ts'
import { isAuthenticated } from '../ai/identity/identity.ts'
import type { Memory } from '../ai/think.ts'
import { AI_STEP } from '../ai/turn/take-turn.ts'
import { findVersions, liveFlowsOf, versionKey } from '../automation/live-flows.ts'
import { ownNameOf } from '../contacts/placeholder-name.ts'
import { MESSAGE_BODY_MAX } from '../conversations/schema.ts'
import { readChoiceToken } from '../messages/choice-token.ts'
import { readOwnWords } from '../messages/own-words.ts'
import type { Excluded } from './existing.ts'
import {
  type ContactRow,
  findWorkspaceFacts,
  INPUTS_MAX,
  type InputRow,
  type LastWords,
  type LockedPlace,
  listContacts,
  listInputs,
  listRuns,
  lockPlaces,
  type RunRow,
} from './fact-queries.ts'
import { type Guards, NO_GUARDS } from './guards.ts'
import type { InboundMessage, Place, PlaceInput, PlaceState, Run, World } from './place.ts'
import type { Silence } from './silence.ts'
import { emptyWorld, worldOf } from './world.ts'

const HOUR_MS = 3_600_000
const LANGUAGE = /^[a-z]{2,3}([-_][A-Za-z0-9]{2,8})*$/

/**
 * The conversations that nobody else is writing to, locked, with what is known of them. `held`: those in which a person
 * is about to reply. What automation has there waits until the reply is sent or undone.
 */
export const readPlaces = async (
  ctx: Ctx,
  conversationIds: readonly string[],
  excluded: Excluded,
): Promise<{ world: World; places: Place[]; held: string[] }> => {
  const rows = withoutRepeats(await lockPlaces(ctx, conversationIds))
  if (rows.length === 0) return { world: emptyWorld(ctx), places: [], held: [] }
  const ids = rows.map(({ id }) => id)
  const inputs = Map.groupBy(await listInputs(ctx, ids), ({ conversationId }) => conversationId)
  const withTaps = new Map([...inputs].map(([id, own]) => [id, own.map((row) => toInput(ctx, row))]))
  const workspace = await findWorkspaceFacts(ctx)
  const live = await liveFlowsOf(ctx, workspace.automationRevision)
  const runRows = await listRuns(ctx, ids, [...withTaps.values()].flat().flatMap(runsNamed))
  const runs = await toRuns(ctx, runRows)
  const tapped = [...withTaps.values()].flat().flatMap(turnsTapped)
  const contacts = await listContacts(ctx, rows, { flowIds: [...live.flows.keys()], turnIds: tapped })
  const ofContact = new Map(contacts.map((row) => [row.conversationId, row]))
  const isHeld = ({ id }: LockedPlace): boolean => ofContact.get(id)!.isReplyHeld
  const open = rows.filter((row) => !isHeld(row))
  const places = open.map((row): Place => {
    const own = runs.get(row.id) ?? []
    return {
      ...placeOf(ctx, row, ofContact.get(row.id)!),
      inputs: withTaps.get(row.id) ?? [],
      hasMore: withTaps.get(row.id)?.length === INPUTS_MAX,
      runs: own.filter(({ status }) => status === 'running'),
      otherRuns: new Map(own.filter(({ status }) => status !== 'running').map((run) => [run.id, run])),
    }
  })
  const held = rows.filter(isHeld).map(({ id }) => id)
  return { world: worldOf(ctx, workspace, live, excluded), places, held }
}

/** Two conversations of a contact would each not see what the other changes; the second comes with the next batch. */
const withoutRepeats = (rows: readonly LockedPlace[]): LockedPlace[] => {
  const seen = new Set<string>()
  return rows.filter(({ contactId }) => !seen.has(contactId) && seen.add(contactId))
}

const runsNamed = ({ message, ...input }: PlaceInput): string[] => {
  if (message?.tapped) return [message.tapped.runId]
  if (input.kind === 'event') return input.data.runId === null ? [] : [input.data.runId]
  return input.kind === 'interrupted' ? input.data.runIds : []
}

/** Of the AI agent's buttons. */
const turnsTapped = ({ message }: PlaceInput): string[] =>
  message?.tapped?.stepId === AI_STEP ? [message.tapped.runId] : []

// Messages --------------------------------------------------------------------------------------------------------

const toInput = (
  ctx: Ctx,
  { body, metadata, messageAt, isFirst, attachments, ...input }: InputRow,
): PlaceInput => {
  if (input.kind !== 'message' || messageAt === null || metadata?.deletedAt)
    return { ...input, message: null }
  const message: InboundMessage = {
    id: input.messageId,
    text: readOwnWords(body ?? '', metadata, attachments ?? []),
    at: Date.parse(messageAt),
    isFirst: isFirst === true,
    isReopening: input.data?.isReopening === true,
    isAutomatic: metadata?.automatic !== undefined && metadata.automatic !== null,
    isSenderVerified: isAuthenticated(metadata),
    attachments: (attachments ?? []).flatMap(({ id, type, name }) =>
      isFile(type) ? [{ id, type, name }] : [],
    ),
    referral: referralOf(metadata),
    ...tapOf(ctx, metadata),
  }
  return { ...input, message }
}

const REFERRAL_PARTS = ['headline', 'sourceType', 'sourceUrl', 'ref'] as const satisfies (keyof Referral)[]

/** The ad or link that the customer came from, as far as the provider told of it. */
const referralOf = (metadata: Metadata | null): Referral | null => {
  const told = metadata?.referral as Record<string, unknown> | null | undefined
  const parts = REFERRAL_PARTS.flatMap((part) =>
    typeof told?.[part] === 'string' ? [[part, told[part]]] : [],
  )
  return parts.length > 0 ? Object.fromEntries(parts) : null
}

type FileType = InboundMessage['attachments'][number]['type']
const FILES: ReadonlySet<string> = new Set<FileType>(['image', 'audio', 'video', 'file', 'sticker'])
/** Locations and contact cards are no files that a flow could ask for. */
const isFile = (type: string): type is FileType => FILES.has(type)

/** A tap on a choice of ours has its token; what another button carries is what triggers look for. */
const tapOf = (
  { seal, workspaceId }: Ctx,
  metadata: Metadata | null,
): Pick<InboundMessage, 'choice' | 'tapped'> => {
  const choice = metadata?.choice as { id?: unknown } | undefined
  const id = typeof choice?.id === 'string' ? choice.id : null
  const tapped = readChoiceToken(seal, workspaceId, id)
  return { tapped, choice: tapped ? null : id }
}

// Runs ------------------------------------------------------------------------------------------------------------

const toRuns = async (ctx: Ctx, rows: readonly RunRow[]): Promise<Map<string, Run[]>> => {
  const versions = await findVersions(
    ctx,
    rows.flatMap(({ flowId, version }) => (version === null ? [] : [{ flowId, version }])),
  )
  const runs = rows.map((row) => ({ conversationId: row.conversationId, run: toRun(row, versions) }))
  const grouped = Map.groupBy(runs, ({ conversationId }) => conversationId)
  return new Map([...grouped].map(([id, own]) => [id, own.map(({ run }) => run)]))
}

const toRun = (row: RunRow, versions: Awaited<ReturnType<typeof findVersions>>): Run => {
  const { version, startedAt, cause, state, endReason } = row
  return {
    id: row.id,
    flowId: row.flowId,
    flowName: row.flowName,
    version: version ?? 0,
    definition: (version !== null && versions.get(versionKey({ flowId: row.flowId, version }))) || null,
    isDialog: row.isDialog,
    isTest: row.isTest,
    startedAt: new Date(startedAt),
    cause: cause ?? { on: 'api', by: 'api', trigger: null, messageId: null, passedOver: [], chain: 1 },
    // Whoever interrupts a run ends its row only.
    state: state && row.status !== 'running' ? { ...state, status: row.status, endReason } : state,
    status: row.status,
    parentRunId: row.parentRunId,
    stepsLogged: row.stepsLogged,
    isNew: false,
    isChanged: false,
  }
}

// Places ----------------------------------------------------------------------------------------------------------

const placeOf = (
  ctx: Ctx,
  row: LockedPlace,
  contact: ContactRow,
): Omit<Place, 'inputs' | 'hasMore' | 'runs' | 'otherRuns'> => {
  const {
    id,
    channel,
    channelAccountId,
    contactId,
    status,
    agentId,
    teamId,
    lastMessageId,
    automationRevision,
    teamRevision,
    isSnoozed,
    isDisconnected,
  } = row
  const isOwed = contact.lastWords?.of === 'customer'
  return {
    conversation: {
      id,
      channel,
      channelAccountId,
      contactId,
      status,
      agentId,
      teamId,
      lastMessageId,
      automationRevision,
      teamRevision,
      isSnoozed,
      isDisconnected,
    },
    subject: row.subject,
    openedAt: Date.parse(row.createdAt),
    isFirstConversation: row.conversationCount <= 1,
    isAnswerDue: isOwed && row.lastSenderType === 'customer',
    agent: agentId === null ? null : { id: agentId, name: row.agentName ?? '', isAi: row.isAi === true },
    contact: contactFactsOf(row, contact),
    sending: sendingOf(ctx, row, contact),
    state: stateOf(contact),
    lastStartedAt: contact.lastStarts ?? {},
    turn: contact.turn,
    turns: new Map(),
    proposals: contact.proposals,
    changedProposals: new Set(),
    code: contact.code,
    isCodeChanged: false,
    hasOutcomes: contact.hasOutcomes,
    lastAsked: contact.lastAsked,
    owesReply: isOwed,
    wantsDraftAt: null,
    handedDraft: null,
    acts: [],
    steps: [],
    sprints: 0,
    isStateChanged: false,
  }
}

const contactFactsOf = (row: LockedPlace, { tags, locale }: ContactRow): ContactFacts => ({
  id: row.contactId,
  name: ownNameOf(row),
  email: row.email,
  phone: row.phone,
  language: languageOf(row.customFields) ?? languageOf({ language: locale ?? '' }),
  country: row.countryIso,
  fields: Object.fromEntries(Object.entries(row.customFields).map(([key, value]) => [key, String(value)])),
  tags,
})

/** A contact's language is their field `language`, where people see it and programs may set it. */
const languageOf = ({ language }: CustomFields): string | null =>
  typeof language === 'string' && LANGUAGE.test(language) ? language.replaceAll('_', '-') : null

const sendingOf = (
  ctx: Ctx,
  { channel }: LockedPlace,
  { unreachable, lastInboundAt }: ContactRow,
): SendingFacts => {
  const { replyWindow, bodyMax, delivery, isClosedToApi } = ctx.channels[channel]
  const closesAt =
    lastInboundAt === null ? 0 : Date.parse(lastInboundAt) + (replyWindow?.hours ?? 0) * HOUR_MS
  const refusal = isClosedToApi ? unreachable : null
  return {
    bodyMax: bodyMax ?? MESSAGE_BODY_MAX,
    windowClosesAt: replyWindow ? closesAt : null,
    refusal: delivery === 'none' ? 'channel_unavailable' : refusal,
  }
}

const stateOf = (state: ContactRow): PlaceState => {
  const {
    silence = null,
    ai = null,
    addressAskedAt = null,
    ...guards
  } = (state.guards ?? {}) as Partial<
    Guards & Pick<PlaceState, 'addressAskedAt'> & { silence: Silence; ai: Memory }
  >
  const { pausedAt, pausedUntil, pauseReason } = state
  return {
    pausedAt: pausedAt ? new Date(pausedAt) : null,
    pausedUntil: pausedUntil ? new Date(pausedUntil) : null,
    pauseReason,
    guards: { ...NO_GUARDS, ...guards },
    silence: silenceOf(silence, state.lastWords),
    silenceDueAt: state.silenceDueAt ? Date.parse(state.silenceDueAt) : null,
    ai,
    addressAskedAt,
  }
}

/** Begins with the last words of a person or program; what is automatic changes nothing. */
const silenceOf = (before: Silence | null, last: LastWords | null): Silence | null => {
  if (!last) return before
  const since = Date.parse(last.at)
  if (before?.since === since) return before
  return { of: last.of === 'customer' ? 'team' : 'customer', since, firedMs: 0 }
}
