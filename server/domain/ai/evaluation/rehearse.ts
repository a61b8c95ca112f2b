// Plays a test of the AI agent with the workspace's own model, guidance and knowledge, and without a conversation: it is
// thought about as for real, but what would be said and changed only becomes the outcome. The workspace keeps nothing of
// it but what its model cost.
import { setTimeout as wait } from 'node:timers/promises'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { StoredAction } from '../../actions/queries.ts'
import { MESSAGES_IN_A_ROW_MAX } from '../../flow-runs/plan-ai.ts'
import { remembered } from '../../flow-runs/remembered.ts'
import { searchKnowledge } from '../../knowledge/search-knowledge.ts'
import { languageOf } from '../guards/language.ts'
import type { LiveGuidance } from '../guidance/find-guidance.ts'
import type { Provider } from '../provider/find-provider.ts'
import { findSettings } from '../settings-queries.ts'
import { disclosure } from '../texts.ts'
import {
  type Compose,
  type Decision,
  isAnswer,
  type Memory,
  NEW_MEMORY,
  type Search,
  type Tapped,
  think,
} from '../think.ts'
import { type Asking, TurnDelayed } from '../turn/ask-model.ts'
import { inLanguage } from '../turn/customer-language.ts'
import { composeOrNot, findUsable, TURN_MAX_MS } from '../turn/find-composer.ts'
import type { Context } from '../turn/known/context-queries.ts'
import { prepareTurn } from '../turn/prepare-turn.ts'
import { customerTexts } from '../turn/transcript.ts'
import { handOverText, textOf } from './decision-text.ts'
import { searchIn } from './find-in-items.ts'
import { NOT_TRIED, NotTried } from './not-tried.ts'
import { kindOf, type Outcome } from './outcome.ts'
import { findSurroundings } from './queries.ts'
import type { Scenario, Turn } from './scenario.ts'
import { storedAction } from './scenario-action.ts'

export type Given = { provider: Provider | null; live: LiveGuidance; signal: AbortSignal }

type Rehearsal = {
  ctx: Ctx
  given: Given
  context: Context
  /** How it introduces itself. */
  name: string | null
  hasKnowledge: boolean
  search: Search
  openedTags: readonly string[]
  /** Null: the workspace's own. */
  actions: StoredAction[] | null
  memory: Memory
  earlier: string[]
  questionBefore: string | null
  last: { question: string; decision: Decision } | null
  outcome: Outcome
}

/** A limit of the moment is waited for, but not for ever. */
const WAIT_MAX_MS = 5 * 60_000

export const rehearse = async (ctx: Ctx, scenario: Scenario, given: Given): Promise<Outcome> => {
  const rehearsal = await prepare(ctx, scenario, given)
  for (const turn of scenario.turns) {
    if (rehearsal.outcome.has !== 'ai') break
    await take(rehearsal, scenario, turn)
  }
  return rehearsal.outcome
}

const prepare = async (ctx: Ctx, scenario: Scenario, given: Given): Promise<Rehearsal> => {
  const { channel = 'web', contact = {}, subject = null, knowledge } = scenario
  const { hasKnowledge, ...surroundings } = await findSurroundings(ctx)
  const asker = { channel, country: contact.country ?? null, language: null, tagIds: [] }
  const items = knowledge?.filter(({ isElsewhere }) => isElsewhere !== true)
  const elsewhere = knowledge?.filter(({ isElsewhere }) => isElsewhere === true) ?? []
  const { guidance } = given.live
  return {
    ctx,
    given: {
      ...given,
      live: scenario.guidance
        ? { version: null, guidance: { ...guidance, ...scenario.guidance } }
        : given.live,
    },
    context: {
      ...surroundings,
      contactId: ctx.newId(),
      name: contact.name ?? null,
      country: contact.country ?? null,
      customFields: contact.fields ?? {},
      // No test says them, so what needs one isn't called.
      addresses: { externalId: null, email: null, phone: null },
      tags: (contact.tags ?? []).map((name) => ({ id: name, name })),
      channel,
      subject,
      messages: [],
      episodes: [],
      actions: [],
      code: null,
    },
    name: (await findSettings(ctx)).name,
    hasKnowledge: items
      ? items.some(({ state, isInternal }) => state !== 'draft' && isInternal !== true)
      : hasKnowledge,
    search: items
      ? searchIn(ctx, { items, elsewhere }, asker)
      : (query) => searchKnowledge(ctx, { query, asker }),
    openedTags: scenario.tags ?? [],
    actions: scenario.actions?.map((action) => storedAction(ctx, action)) ?? null,
    memory: { ...NEW_MEMORY },
    earlier: [],
    questionBefore: null,
    last: null,
    outcome: {
      has: 'ai',
      reason: null,
      decision: null,
      messages: [],
      drafts: [],
      notes: [],
      sources: [],
      fields: contact.fields ?? {},
      tags: contact.tags ?? [],
      calls: 0,
      proposal: 'none',
      requests: [],
    },
  }
}

const take = async (rehearsal: Rehearsal, scenario: Scenario, turn: Turn): Promise<void> => {
  if (!('customer' in turn || 'tap' in turn)) return
  const texts = 'tap' in turn ? [turn.tap] : [turn.customer].flat()
  const file = 'customer' in turn ? turn.file : undefined
  const { context, ctx, memory, earlier, questionBefore, last, hasKnowledge, search, given } = rehearsal
  for (const body of texts)
    context.messages.push({
      senderType: 'customer',
      body,
      metadata:
        scenario.channel === 'email' && scenario.identity !== 'claimed'
          ? { senderVerification: 'verified' }
          : null,
      files: file === undefined ? [] : [{ type: 'file', name: file }],
      createdAt: ctx.now().toISOString(),
    })
  const isTap = 'tap' in turn
  if (isTap) memory.inARow = 0
  else if (memory.inARow >= MESSAGES_IN_A_ROW_MAX)
    return carryOut(rehearsal, { is: 'handOver', reason: 'loop' }, '')
  const { question, decision: decided } = await think(
    {
      messages: texts.map((text, at) => ({
        text: isTap ? '' : text,
        hasFiles: file !== undefined,
        tapped: isTap && at === texts.length - 1 ? tapOn(last, text) : null,
      })),
      memory,
      questionBefore,
      earlier,
      topics: given.live.guidance.sensitiveTopics,
      hasKnowledge,
    },
    search,
    composerOf(rehearsal),
  )
  const decision = inLanguage(decided, { texts: isTap ? [] : texts, earlier, memory, known: null })
  rehearsal.earlier.unshift(...texts.toReversed())
  rehearsal.questionBefore = question
  rehearsal.last = { question, decision }
  carryOut(rehearsal, decision, question)
}

const tapOn = (last: Rehearsal['last'], title: string): Tapped => {
  const { question, decision } = last ?? { question: '', decision: null }
  const source = decision?.is === 'offer' ? decision.sources.find((one) => one.title === title) : undefined
  if (source) return { is: 'item', id: source.id, question: question || source.title }
  return decision && isAnswer(decision) ? { is: 'helped' } : { is: 'person' }
}

/** Null without a model. */
const composerOf = (rehearsal: Rehearsal): Compose | null => {
  const { ctx, given, context, search, outcome } = rehearsal
  const { provider, live, signal } = given
  if (!provider) return null
  return async (_, how) => {
    const conversationId = ctx.newId()
    const usable = await findUsable(ctx, live.guidance, null)
    const prepared = prepareTurn(ctx, {
      conversationId,
      context,
      live,
      usable: {
        ...usable,
        // By name, as the test knows them.
        tags: [...usable.tags.map(({ name }) => name), ...rehearsal.openedTags].map((name) => ({
          id: name,
          name,
        })),
        // Nothing is looked up elsewhere for a customer who doesn't exist.
        actions: rehearsal.actions ?? usable.actions.filter(({ risk }) => risk !== 'read'),
      },
      search,
      task: null,
      language: await languageOf(customerTexts(context), null),
      isDraft: false,
      ...how,
    })
    const asking: Asking = {
      provider,
      turn: {
        id: ctx.newId(),
        keep: async () => !signal.aborted,
        store: async ({ request }) => {
          outcome.requests.push(JSON.stringify(request))
        },
      },
      conversationId: null,
      isLate: false,
      signal,
      endsAtMs: performance.now() + TURN_MAX_MS,
    }
    const waitsUntilMs = performance.now() + WAIT_MAX_MS
    for (;;)
      try {
        const composed = await composeOrNot(prepared, asking, live.version)
        if ('without' in composed && composed.without !== 'sensitive')
          throw new NotTried(NOT_TRIED[composed.without])
        return composed
      } catch (error) {
        if (!(error instanceof TurnDelayed)) throw error
        if (performance.now() > waitsUntilMs) throw new NotTried('the model was busy with customers')
        await wait(error.afterMs, undefined, { signal })
        asking.endsAtMs = performance.now() + TURN_MAX_MS
      }
  }
}

const carryOut = (rehearsal: Rehearsal, decision: Decision, question: string): void => {
  const { outcome, context, memory } = rehearsal
  outcome.decision = kindOf(decision)
  if (decision.is === 'silent') return
  if ('effects' in decision) change(rehearsal, decision.effects ?? [])
  if (decision.is === 'handOver') {
    outcome.has = 'team'
    outcome.reason = decision.reason
    outcome.messages.push(handOverText(decision))
    outcome.notes.push([decision.summary ?? '', question].filter((text) => text !== '').join('\n\n'))
    return
  }
  if (decision.is === 'propose') outcome.proposal = 'offered'
  const text = `${introductionTo(rehearsal, decision)}${textOf(decision, { workspaceName: context.workspaceName, name: rehearsal.name, isFirst: !memory.isIntroduced })}`
  outcome.messages.push(text)
  if (decision.is === 'propose' && decision.proposed.confirm === 'person') {
    outcome.has = 'team'
    outcome.reason = 'approval'
  }
  outcome.sources =
    decision.is === 'answer'
      ? [decision.source.title]
      : 'sources' in decision
        ? decision.sources.map(({ title }) => title)
        : []
  context.messages.push({
    senderType: 'agent',
    body: text,
    metadata: { ai: {} },
    files: [],
    createdAt: rehearsal.ctx.now().toISOString(),
  })
  rehearsal.memory = {
    ...memory,
    ...remembered(memory, decision),
    isIntroduced: true,
    inARow: memory.inARow + 1,
  }
}

const introductionTo = ({ memory, context, name }: Rehearsal, decision: Decision): string => {
  if (memory.isIntroduced) return ''
  const spoken =
    decision.is === 'propose' ? decision.proposed.language : 'language' in decision ? decision.language : null
  const language = spoken ?? (decision.is === 'answer' ? decision.source.language : null)
  return `${disclosure(language ?? 'en', { name, workspace: context.workspaceName })}\n\n`
}

const change = (
  { outcome }: Rehearsal,
  effects: NonNullable<Extract<Decision, { effects: unknown }>['effects']>,
): void => {
  for (const effect of effects) {
    if (effect.is === 'field') outcome.fields = { ...outcome.fields, [effect.field]: effect.value }
    if (effect.is !== 'tags') continue
    const { add, remove } = effect
    outcome.tags = [...new Set([...outcome.tags.filter((tag) => !remove.includes(tag)), ...add])]
  }
}
