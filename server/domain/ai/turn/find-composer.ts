// Whether this workspace's agent has a model, and how a turn uses it.
import { ModelError } from '../../../../models/contract.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Guidance } from '../../../platform/db/tables.ts'
import { listActions } from '../../actions/queries.ts'
import { listLiveFlows } from '../../automation/live-flows.ts'
import { findCodeAddress } from '../../identity-codes/queries.ts'
import { listTags } from '../../tags/queries.ts'
import { languageOf } from '../guards/language.ts'
import type { LiveGuidance } from '../guidance/find-guidance.ts'
import { findProvider } from '../provider/find-provider.ts'
import type { Compose, Composed, Search, Task } from '../think.ts'
import type { ClaimedTurn } from '../turn-queries.ts'
import { type Asking, BudgetSpent, storedTurn } from './ask-model.ts'
import { compose } from './compose.ts'
import { findContext } from './known/context-queries.ts'
import { loadPictures } from './known/load-pictures.ts'
import { type Prepared, prepareTurn, type Usable } from './prepare-turn.ts'
import { customerTexts } from './transcript.ts'

/** Nobody waits longer for a reply. */
export const TURN_MAX_MS = 45_000
/** For its turn to come, where many write at once. */
const DELAY_MAX_MS = 40_000

type Given = {
  turn: ClaimedTurn
  language: string | null
  search: Search
  live: LiveGuidance
  /** Of the step of a flow that waits for the agent. */
  task: Task | null
} & Pick<Asking, 'signal' | 'onAsked' | 'requestMaxMs'>

/** Null without a model that can be used. */
export const findComposer = async (ctx: Ctx, given: Given): Promise<Compose | null> => {
  const provider = await findProvider(ctx)
  if (!provider) return null
  const { turn, language, search, live, task, signal, onAsked, requestMaxMs } = given
  const { conversationId } = turn
  return async (_, how) => {
    const context = await findContext(ctx, conversationId)
    // Gone: what is thought of it means nothing.
    if (!context) return { without: 'provider_down' }
    const pictures = provider.account.abilities?.pictures ? await loadPictures(ctx, context) : undefined
    const prepared = prepareTurn(ctx, {
      ...(pictures && { pictures }),
      conversationId,
      context,
      live,
      usable: await findUsable(ctx, live.guidance, conversationId),
      search,
      task,
      language: await languageOf(customerTexts(context), language),
      isDraft: turn.kind === 'draft',
      ...how,
    })
    const asking = {
      provider,
      turn: storedTurn(ctx, turn),
      conversationId,
      isLate: ctx.now().getTime() - Date.parse(turn.createdAt) > DELAY_MAX_MS,
      signal,
      onAsked,
      endsAtMs: performance.now() + TURN_MAX_MS,
      requestMaxMs,
    }
    return composeOrNot(prepared, asking, live.version)
  }
}

/** Throws TurnOver or TurnDelayed. */
export const composeOrNot = async (
  prepared: Prepared,
  asking: Asking,
  version: number | null,
): Promise<Composed> => {
  try {
    return { decision: await compose(prepared, asking), version }
  } catch (error) {
    if (error instanceof BudgetSpent) return { without: 'budget' }
    if (!(error instanceof ModelError)) throw error
    const { problem, status } = error
    const { log } = prepared.turn.ctx
    log.warn({ problem, status, turnId: asking.turn.id }, 'the AI agent’s model could not be used')
    // What a provider's filter won't read or say is for people; the knowledge may still have it word for word.
    return { without: problem === 'filtered' ? 'sensitive' : 'provider_down' }
  }
}

/**
 * What may have been deleted or switched off since the guidance was published is left out. Null: a rehearsal's
 * conversation.
 */
export const findUsable = async (
  ctx: Ctx,
  { tagIds, flowIds, actionIds }: Guidance,
  conversationId: string | null,
): Promise<Usable> => {
  const [tags, flows, actions] = await Promise.all([
    tagIds.length > 0 ? listTags(ctx) : [],
    flowIds.length > 0 ? listLiveFlows(ctx) : [],
    actionIds.length > 0 ? listActions(ctx) : [],
  ])
  const opened = actions.filter(({ id, tool }) => actionIds.includes(id) && (!tool || tool.state === 'on'))
  const needsCode = conversationId !== null && opened.some(({ needs }) => needs === 'verified')
  return {
    tags: tags.filter(({ id }) => tagIds.includes(id)),
    flows: flows.filter(({ id }) => flowIds.includes(id)),
    actions: opened,
    codeAddress: (needsCode && (await findCodeAddress(ctx, conversationId))) || null,
  }
}
