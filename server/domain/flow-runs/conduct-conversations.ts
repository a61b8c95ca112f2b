// The conductor: decides who speaks next in conversations, and does it, in one transaction for many of them.
import { sql } from 'kysely'
import { recordedActor } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { isOutage } from '../../platform/db/failures.ts'
import { eventsInsert } from '../../platform/events/record.ts'
import { isTracing, type OpenSpan, startSpan } from '../../platform/tracing.ts'
import { withheldSave } from '../ai/drafts/withheld-queries.ts'
import { saveOutcomes } from '../ai/outcome-queries.ts'
import { proposalsSave } from '../ai/proposals/queries.ts'
import { draftsSave, type Turn, type TurnOutcome, turnsSave } from '../ai/turn-queries.ts'
import { inputsDelete } from '../automation/inputs.ts'
import { statesSave } from '../automation/save-states.ts'
import { handOut } from '../conversations/hand-out.ts'
import { systemEntriesInsert } from '../conversations/queries.ts'
import { codesSave } from '../identity-codes/queries.ts'
import { type Applied, applyActs } from './apply-acts.ts'
import { EffectRefused } from './effect-refused.ts'
import { failConversation } from './fail-conversation.ts'
import { type Place, type Run, type StepRow, traceOf } from './place.ts'
import { planConversation } from './plan-conversation.ts'
import { readPlaces } from './read-places.ts'
import { countsAdd, runsSave, type StepCount, stepsInsert } from './write-queries.ts'

/** Things that seem to be there and are refused, one after the other, before the conversation counts as failed. */
const REFUSALS_MAX = 5

export type Conducted = {
  /** Sprints of runs. */
  sprints: number
  /** Conversations that somebody else was writing to. */
  busy: string[]
  /** Those that may have more inputs than are taken at once. */
  more: string[]
  /** Conversations that couldn't be decided, and were left to people. */
  failed: number
  /** The AI agent's turns that ended, from when they were due. */
  aiTurns: { outcome: TurnOutcome; tookMs: number }[]
}

/**
 * Takes the inputs of the conversations, and their runs whose time has come. What is decided is written at once: after a
 * crash either all of it is there or nothing, and the inputs still are. If one conversation fails, the others don't:
 * each is conducted alone then, and one that fails alone is left to people. Throws only while the database is out.
 */
export const conductConversations = async (
  ctx: Ctx,
  conversationIds: readonly string[],
): Promise<Conducted> => {
  try {
    return await conductBatch(ctx, conversationIds, new Set())
  } catch (error) {
    if (isOutage(error)) throw error
    if (conversationIds.length === 1) return conductAlone(ctx, conversationIds[0]!, error)
    const all: Conducted = { sprints: 0, busy: [], more: [], failed: 0, aiTurns: [] }
    for (const id of conversationIds) {
      const one = await conductConversations(ctx, [id])
      all.sprints += one.sprints
      all.busy.push(...one.busy)
      all.more.push(...one.more)
      all.failed += one.failed
      all.aiTurns.push(...one.aiTurns)
    }
    return all
  }
}

/** Without what was refused, and else not at all. */
const conductAlone = async (ctx: Ctx, conversationId: string, first: unknown): Promise<Conducted> => {
  const excluded = new Set<string>()
  let error = first
  while (error instanceof EffectRefused && excluded.size < REFUSALS_MAX && !excluded.has(error.what)) {
    excluded.add(error.what)
    try {
      return await conductBatch(ctx, [conversationId], excluded)
    } catch (next) {
      if (isOutage(next)) throw next
      error = next
    }
  }
  ctx.log.error(
    { err: error, workspaceId: ctx.workspaceId, conversationId },
    'automation failed in a conversation, which was left to people',
  )
  await failConversation(ctx, conversationId)
  return { sprints: 0, busy: [], more: [], failed: 1, aiTurns: [] }
}

const conductBatch = (
  ctx: Ctx,
  conversationIds: readonly string[],
  excluded: ReadonlySet<string>,
): Promise<Conducted> =>
  inTransaction(ctx, async (ctx) => {
    const { world, places, held } = await readPlaces(ctx, conversationIds, excluded)
    const spans = openSpans(ctx, places)
    try {
      for (const place of places) await planConversation({ world, place })
      await carryOut(ctx, places)
    } finally {
      for (const span of spans) span.end()
    }
    const taken = new Set([...places.map(({ conversation }) => conversation.id), ...held])
    return {
      sprints: places.reduce((sum, { sprints }) => sum + sprints, 0),
      busy: conversationIds.filter((id) => !taken.has(id)),
      more: places.filter(({ hasMore }) => hasMore).map(({ conversation }) => conversation.id),
      failed: 0,
      aiTurns: places.flatMap(({ turns }) => endedTurns(world.now, [...turns.values()])),
    }
  })

const carryOut = async (ctx: Ctx, places: readonly Place[]): Promise<void> => {
  const applied = await applyActs(ctx, places)
  await write(ctx, places, applied)
  await saveOutcomes(
    ctx,
    places.filter(concernsAi).map(({ conversation }) => conversation.id),
  )
  await handOut(
    ctx,
    places.filter(isLeftToPeople).map(({ conversation }) => conversation),
  )
}

/** One in each trace that brought something: the batch as a whole belongs to none. */
const openSpans = ({ workspaceId }: Ctx, places: readonly Place[]): OpenSpan[] =>
  isTracing()
    ? places.flatMap((place) => {
        const parent = traceOf(place)
        const attributes = {
          'foyer.workspace_id': workspaceId,
          'foyer.conversation_id': place.conversation.id,
          'foyer.batch': places.length,
        }
        return parent ? [startSpan('conduct conversation', { kind: 'consumer', parent, attributes })] : []
      })
    : []

/** The customer wrote, or automation is done with something: a team's conversation may be somebody's now. */
const isLeftToPeople = ({ conversation, inputs, acts, runs }: Place): boolean =>
  conversation.teamId !== null &&
  (inputs.some(({ message }) => message !== null) ||
    acts.some(({ is }) => is === 'pause' || is === 'assign' || is === 'team') ||
    runs.some(({ isChanged, status }) => isChanged && status !== 'running'))

const endedTurns = (now: number, turns: readonly Turn[]): Conducted['aiTurns'] =>
  turns.flatMap(({ outcome, dueAt }) => (outcome === null ? [] : [{ outcome, tookMs: now - dueAt }]))

/** Where the AI agent does something, and where it has: people, customers and time may change what became of that. */
const concernsAi = ({ hasOutcomes, turns, acts }: Place): boolean =>
  hasOutcomes || turns.size > 0 || acts.some((act) => act.is === 'line' && act.ai)

/** All that the batch leaves behind but outcomes, in one statement. */
const write = async (ctx: Ctx, places: readonly Place[], { sentBy, lines }: Applied): Promise<void> => {
  const runs = places.flatMap((place) =>
    [...place.runs, ...place.otherRuns.values()]
      .filter(({ isChanged }) => isChanged)
      .map((run) => ({ place, run })),
  )
  const states = places.filter(({ isStateChanged }) => isStateChanged).map(savedState)
  const inputs = places.flatMap((place) => place.inputs)
  const steps = places.flatMap((place) => place.steps)
  const counts = countSteps(steps)
  const turns = places.flatMap((place) =>
    [...place.turns.values()].map((turn) => ({ ...turnPlace(place), turn })),
  )
  const drafts = places.flatMap((place) =>
    place.wantsDraftAt === null
      ? []
      : [{ ...turnPlace(place), id: ctx.newId(), dueAt: new Date(place.wantsDraftAt) }],
  )
  const proposals = places.flatMap(({ conversation, changedProposals }) =>
    [...changedProposals].map((proposal) => ({ conversationId: conversation.id, proposal })),
  )
  const withheld = places.flatMap(({ conversation, handedDraft }) =>
    handedDraft ? [{ id: ctx.newId(), conversation, ...handedDraft }] : [],
  )
  const codes = places.flatMap(({ code, isCodeChanged }) => (code && isCodeChanged ? [code] : []))
  const parts = [
    ...(runs.length > 0 ? [runsSave(ctx, runs), eventsInsert(ctx, runs.map(updatedEvent))] : []),
    ...(lines.length > 0 ? [systemEntriesInsert(ctx, lines)] : []),
    ...(states.length > 0 ? [statesSave(ctx, states)] : []),
    ...(inputs.length > 0 ? [inputsDelete(ctx, inputs)] : []),
    ...(turns.length > 0 ? [turnsSave(ctx, turns)] : []),
    ...(drafts.length > 0 ? [draftsSave(ctx, drafts)] : []),
    ...(withheld.length > 0
      ? [withheldSave(ctx, withheld), eventsInsert(ctx, withheld.map(draftedEvent))]
      : []),
    ...(proposals.length > 0 ? [proposalsSave(ctx, proposals)] : []),
    ...(codes.length > 0 ? [codesSave(ctx, codes)] : []),
    ...(steps.length > 0 ? [stepsInsert(ctx, withMessages(steps, sentBy))] : []),
    ...(counts.length > 0 ? [countsAdd(ctx, counts)] : []),
  ]
  if (parts.length === 0) return
  const named = parts.map((part, at) => sql`${sql.ref(`part${at}`)} as (${part})`)
  await sql`with ${sql.join(named)} select`.execute(ctx.db)
}

/** A turn is about what the customer wrote last. */
const turnPlace = (place: Place) => {
  const asked = place.inputs.findLast(({ message, traceparent }) => message !== null && traceparent)
  return { conversationId: place.conversation.id, traceparent: asked?.traceparent ?? traceOf(place) }
}

const updatedEvent = ({ place, run: { id: runId, flowId, status } }: { place: Place; run: Run }) => ({
  type: 'flow_run.updated' as const,
  conversationId: place.conversation.id,
  contactId: place.conversation.contactId,
  traceparent: traceOf(place),
  actor: recordedActor({ type: 'flow', flowId, runId }),
  data: { runId, flowId, status },
})

const draftedEvent = ({ conversation: { id: conversationId } }: Pick<Place, 'conversation'>) => ({
  type: 'reply_draft.updated' as const,
  conversationId,
  actor: recordedActor({ type: 'system' }),
  data: { conversationId },
})

const savedState = ({ conversation, state }: Place) => {
  const { guards, silence, silenceDueAt, ai, addressAskedAt } = state
  return {
    conversationId: conversation.id,
    guards: {
      ...guards,
      ...(silence && { silence }),
      ...(ai && { ai }),
      ...(addressAskedAt !== null && { addressAskedAt }),
    },
    silenceDueAt: silenceDueAt === null ? null : new Date(silenceDueAt),
  }
}

/** The last line that a step wrote has its message. */
const withMessages = (steps: readonly StepRow[], sentBy: Applied['sentBy']) => {
  const left = new Map<Run, Map<string, string>>([...sentBy].map(([run, own]) => [run, new Map(own)]))
  return steps
    .toReversed()
    .map(({ run, ...step }) => {
      const messageId = (step.stepId !== null && left.get(run)?.get(step.stepId)) || null
      if (messageId !== null) left.get(run)!.delete(step.stepId!)
      return { ...step, runId: run.id, messageId }
    })
    .toReversed()
}

/** For the funnel, without tests. */
const countSteps = (steps: readonly StepRow[]): StepCount[] => {
  const counts = new Map<string, StepCount>()
  for (const { run, stepId, outcome } of steps) {
    if (run.isTest || stepId === null) continue
    const { flowId, version } = run
    const key = `${flowId} ${version} ${stepId} ${outcome}`
    const known = counts.get(key)
    if (known) known.count++
    else counts.set(key, { flowId, version, stepId, outcome, count: 1 })
  }
  return [...counts.values()]
}
