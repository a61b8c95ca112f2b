// A turn of the AI agent: reads what there is to reply to, thinks, and leaves the decision to the conductor.

import { foldText } from '../../../../flow-engine/fold-text.ts'
import { baseOf } from '../../../../flow-engine/language.ts'
import { matchOption } from '../../../../flow-engine/match-option.ts'
import { PERSON_OPTION } from '../../../../flow-engine/read-reply.ts'
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import type { Metadata } from '../../../platform/db/tables.ts'
import { addInputs } from '../../automation/inputs.ts'
import { lockConversation } from '../../conversations/queries.ts'
import { searchKnowledge } from '../../knowledge/search-knowledge.ts'
import { readChoiceToken } from '../../messages/choice-token.ts'
import { findGuidance } from '../guidance/find-guidance.ts'
import { saysHelped } from '../texts.ts'
import { isAnswer, NEW_MEMORY, type Search, type Tapped, type Task, type Thought, think } from '../think.ts'
import { type ClaimedTurn, storeThought } from '../turn-queries.ts'
import type { Asking } from './ask-model.ts'
import { inLanguage } from './customer-language.ts'
import { findComposer } from './find-composer.ts'
import { findOfferedTurn, findSituation, type OfferedTurn, type SituationRow } from './situation-queries.ts'

/** The step that the agent's buttons name, with the turn in place of a run. */
export const AI_STEP = 'sai'
/** The number of the button that says that an answer helped; what it offers counts from 1, and a person is 0. */
export const HELPED_OPTION = 99
/** After so many tries it hands over: something kills whoever thinks about it. */
export const TRIES_MAX = 3

/**
 * Thinks about a claimed turn and hands the decision to the conductor. Makes no change but that. Throws TurnOver if
 * the thought is no longer wanted.
 */
export const takeTurn = async (ctx: Ctx, turn: ClaimedTurn, following: Following = ALONE): Promise<void> => {
  const thought = turn.tries > TRIES_MAX ? BROKEN : await thinkAbout(ctx, turn, following)
  await finishTurn(ctx, turn, thought)
}

/** `signal`: the process ends. */
type Following = Pick<Asking, 'signal' | 'onAsked' | 'requestMaxMs'>

const ALONE: Following = { signal: new AbortController().signal }

const BROKEN: Thought = { question: '', decision: { is: 'handOver', reason: 'failed' } }

/** The turn can't be thought about: people take the conversation. */
export const giveUpTurn = (ctx: Ctx, turn: ClaimedTurn): Promise<void> => finishTurn(ctx, turn, BROKEN)

/** Stores the thought with the input that brings it to the conductor. One that came too late changes nothing. */
const finishTurn = (ctx: Ctx, turn: ClaimedTurn, thought: Thought): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const { conversationId } = turn
    if (!(await lockConversation(ctx, conversationId))) return
    if (!(await storeThought(ctx, turn, thought))) return
    const data = { turnId: turn.id, revision: turn.revision }
    await addInputs(ctx, [{ kind: 'thought', conversationId, data }])
  })

const thinkAbout = async (ctx: Ctx, turn: ClaimedTurn, following: Following): Promise<Thought> => {
  const { conversationId } = turn
  const [row, live] = await Promise.all([findSituation(ctx, conversationId), findGuidance(ctx)])
  if (!row) return BROKEN
  const messages = await Promise.all(
    row.messages.toReversed().map(async ({ body, metadata, fileCount }, at, all) => ({
      text: metadata?.deletedAt || isNoQuestion(ctx, metadata) ? '' : body,
      hasFiles: fileCount > 0,
      tapped: at === all.length - 1 ? await readTap(ctx, conversationId, row, { body, metadata }) : null,
    })),
  )
  const language = languageOf(row)
  const search: Search = (query) => searchKnowledge(ctx, { query, asker: { conversationId, language } })
  const thought = await think(
    {
      messages,
      memory: { ...NEW_MEMORY, ...row.memory },
      questionBefore: row.lastTurn?.question ?? null,
      earlier: row.earlier,
      topics: live.guidance.sensitiveTopics,
      hasKnowledge: row.hasKnowledge,
      hasTask: taskOf(row) !== null,
    },
    search,
    await findComposer(ctx, { turn, language, search, live, task: taskOf(row), ...following }),
  )
  const { earlier, memory } = row
  const texts = messages.map(({ text }) => text)
  return { ...thought, decision: inLanguage(thought.decision, { texts, earlier, memory, known: language }) }
}

const taskOf = ({ memory }: SituationRow): Task | null => {
  const { goal = '', collect = [], collected = {} } = memory?.run ?? {}
  return goal === '' && collect.length === 0 ? null : { goal, collect, collected }
}

/** What a customer tapped in a flow's menu is none, and neither is that an answer helped. */
const isNoQuestion = ({ seal, workspaceId }: Ctx, metadata: Metadata | null): boolean => {
  const token = readChoiceToken(seal, workspaceId, (metadata?.choice as { id?: unknown } | undefined)?.id)
  return token !== null && (token.stepId !== AI_STEP || token.number === HELPED_OPTION)
}

const LANGUAGE = /^[a-z]{2,3}/

/** The customer's, as they told it or as their browser does. */
export const languageOf = ({ customFields: { language }, locale }: SituationRow): string | null => {
  const told = typeof language === 'string' && language !== '' ? language : locale
  return told !== null && LANGUAGE.test(told) ? baseOf(told) : null
}

/** A tap on one of the agent's buttons, or its title or number typed in reply to the last message that had some. */
const readTap = async (
  ctx: Ctx,
  conversationId: string,
  { lastTurn }: SituationRow,
  { body, metadata }: { body: string; metadata: Metadata | null },
): Promise<Tapped | null> => {
  const choice = metadata?.choice as { id?: unknown } | undefined
  const token = readChoiceToken(ctx.seal, ctx.workspaceId, choice?.id)
  if (token?.stepId === AI_STEP) {
    const turn = await findOfferedTurn(ctx, conversationId, token.runId)
    return turn ? tapOn(turn, token.number) : null
  }
  if (!lastTurn || choice) return null
  if (foldText(body) === String(PERSON_OPTION)) return { is: 'person' }
  if (isAnswer(lastTurn.decision) && saysHelped(body)) return { is: 'helped' }
  const titles = lastTurn.decision.is === 'offer' ? lastTurn.decision.sources.map(({ title }) => title) : []
  const match = matchOption(
    body,
    titles.map((title, at) => ({ id: String(at), number: at + 1, title, also: [] })),
  )
  return match.kind === 'option' && match.isExact ? tapOn(lastTurn, match.option.number) : null
}

const tapOn = ({ question, decision }: OfferedTurn, number: number): Tapped | null => {
  if (number === PERSON_OPTION) return { is: 'person' }
  if (number === HELPED_OPTION && isAnswer(decision)) return { is: 'helped' }
  const source = decision.is === 'offer' ? decision.sources[number - 1] : undefined
  return source ? { is: 'item', id: source.id, question: question ?? source.title } : null
}
