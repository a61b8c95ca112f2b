// A turn of the AI agent that writes a draft: thought about like a reply, with internal knowledge, and shown to people.
// Nothing is sent or changed from here, so there is nothing for the conductor to decide.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { record } from '../../../platform/events/record.ts'
import { getAiAccount } from '../../agents/queries.ts'
import { searchKnowledge } from '../../knowledge/search-knowledge.ts'
import { findGuidance } from '../guidance/find-guidance.ts'
import { quoteOf } from '../quote.ts'
import { findSettings } from '../settings-queries.ts'
import type { Decision, Search, Source, Thought } from '../think.ts'
import { findComposer } from '../turn/find-composer.ts'
import { findSituation } from '../turn/situation-queries.ts'
import { languageOf, TRIES_MAX } from '../turn/take-turn.ts'
import type { ClaimedTurn } from '../turn-queries.ts'
import { endDraftTurn, listInternal } from './queries.ts'
import { thinkDraft } from './think-draft.ts'

type Drafted = { thought: Thought; lastMessageId: string | null }

const NEVER = new AbortController().signal

/** `signal`: the process ends. Throws TurnOver if nobody waits for the draft any more. */
export const takeDraft = async (ctx: Ctx, turn: ClaimedTurn, signal = NEVER): Promise<void> => {
  const isGivenUp = turn.tries > TRIES_MAX || turn.kind !== 'draft'
  await finish(ctx, turn, isGivenUp ? without('failed') : await draft(ctx, turn, signal))
}

/** It can't be thought about. A summary or another text is never taken up again: whoever asked for it has been told. */
export const giveUpDraft = (ctx: Ctx, turn: ClaimedTurn): Promise<void> =>
  finish(ctx, turn, without('failed'))

const without = (reason: 'failed' | 'stopped'): Drafted => ({
  thought: { question: '', decision: { is: 'handOver', reason } },
  lastMessageId: null,
})

const draft = async (ctx: Ctx, turn: ClaimedTurn, signal: AbortSignal): Promise<Drafted> => {
  const { conversationId } = turn
  const [row, { isStopped }] = await Promise.all([findSituation(ctx, conversationId), findSettings(ctx)])
  if (isStopped || ctx.isAiOff) return without('stopped')
  if (!row) return without('failed')
  const language = languageOf(row)
  const search: Search = (query) =>
    searchKnowledge(ctx, { query, asker: { conversationId, language }, includeInternal: true })
  const messages = row.messages.toReversed().map(({ body, metadata, fileCount }) => ({
    text: metadata?.deletedAt ? '' : body,
    hasFiles: fileCount > 0,
  }))
  const live = await findGuidance(ctx)
  const composer = await findComposer(ctx, { turn, language, search, live, task: null, signal })
  return { thought: await thinkDraft(messages, search, composer), lastMessageId: row.lastId }
}

/** One that came too late changes nothing. */
const finish = (ctx: Ctx, turn: ClaimedTurn, { thought, lastMessageId }: Drafted): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    const proposed = proposedIn(thought.decision)
    const itemIds = proposed.flatMap(({ sources }) => sources.map(({ id }) => id))
    const internal = await listInternal(ctx, itemIds)
    const ended = await endDraftTurn(ctx, turn, {
      thought,
      outcome: OUTCOMES[thought.decision.is],
      lastMessageId,
      drafts: proposed.map(({ text, sources }) => ({
        id: ctx.newId(),
        text: text.replaceAll('\0', '').toWellFormed(),
        sources: sources.map(({ type, id, title, url, text: words }) => ({
          type,
          id,
          title,
          url,
          quote: quoteOf(words, text).toWellFormed(),
          isInternal: internal.has(id),
        })),
      })),
      proposedBy: (await getAiAccount(ctx)).id,
    })
    if (!ended || turn.kind !== 'draft') return
    const { conversationId } = ended
    await record(ctx, { type: 'reply_draft.updated', conversationId, data: { conversationId } })
  })

const OUTCOMES = {
  answer: 'answered',
  offer: 'offered',
  ask: 'asked',
  // Never: a draft asks nobody.
  propose: 'asked',
  code: 'asked',
  say: 'answered',
  handOver: 'handed_over',
  silent: 'silent',
} as const satisfies Record<Decision['is'], string>

const proposedIn = (decision: Decision): { text: string; sources: readonly Source[] }[] => {
  if (decision.is === 'say') return [{ text: decision.text, sources: decision.sources }]
  const sources =
    decision.is === 'answer' ? [decision.source] : decision.is === 'offer' ? decision.sources : []
  return sources.map((source) => ({ text: source.text, sources: [source] }))
}
