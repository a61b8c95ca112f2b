// Where the AI agent replies, and the switch that stops it at once.
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ChannelName } from '../../platform/db/tables.ts'
import { record } from '../../platform/events/record.ts'
import { findAgent, getAiAccount } from '../agents/queries.ts'
import { addStopInputs, raiseEpochs } from '../automation/stop-inputs.ts'
import { raiseAutomationRevision } from '../workspaces/queries.ts'
import { listSpending } from './budgets/queries.ts'
import { readHandOverTexts, refuseUnknownPlaceholder } from './hand-over-words.ts'
import type { AiSettings, AiSettingsAnswer, AiSettingsBody, Speaking } from './schema.ts'
import { findSettings, holdReplies, saveSettingsRow } from './settings-queries.ts'
import { endDraftTurns } from './turn-queries.ts'

/**
 * Changes what is given, by channel and field of it; whether it is stopped stays. If it may no longer reply somewhere, the
 * conversations that it has there go to people at once, each with a word to the customer. Throws VALIDATION_ERROR for a
 * placeholder that isn't one.
 */
export const updateAiSettings = async (
  ctx: Ctx,
  { speaking = {}, privacy, ...body }: AiSettingsBody,
): Promise<AiSettings> => {
  const handOverTexts = body.handOverTexts && readHandOverTexts(body.handOverTexts)
  if (body.expectation) refuseUnknownPlaceholder('expectation', body.expectation)
  return change(ctx, (before) => ({
    ...before,
    ...body,
    ...(handOverTexts && { handOverTexts }),
    handOver: { ...before.handOver, ...body.handOver },
    privacy: { ...before.privacy, ...privacy },
    speaking: withChanges(before.speaking, speaking),
  }))
}

const withChanges = (
  before: AiSettings['speaking'],
  given: NonNullable<AiSettingsBody['speaking']>,
): AiSettings['speaking'] => {
  const of = (channel: ChannelName): Speaking => ({
    ...before[channel],
    ...given[channel],
    audience: { ...before[channel].audience, ...given[channel]?.audience },
  })
  return {
    web: of('web'),
    email: of('email'),
    whatsapp: of('whatsapp'),
    facebook: of('facebook'),
    telegram: of('telegram'),
    sms: of('sms'),
  }
}

/**
 * Stops the AI agent, or lets it reply again; the other settings stay. Stopping hands its conversations to people, and
 * withdraws what it said and wasn't sent yet. It succeeds without a change if it is so already.
 */
export const setAiStopped = (ctx: Ctx, { isStopped }: { isStopped: boolean }): Promise<AiSettings> =>
  change(ctx, (before) => ({ ...before, isStopped }))

/** Whoever runs the server has turned it off: the conductor hands over what it has. */
export const handOverAll = async (ctx: Ctx): Promise<void> => {
  const ai = await findAgent(ctx, 'ai')
  if (ai) await addStopInputs(ctx, ai.id)
}

export const getAiSettings = async (ctx: Ctx): Promise<AiSettingsAnswer> => ({
  settings: await findSettings(ctx),
  isEnabled: (await findAgent(ctx, 'ai')) !== undefined,
  isOff: ctx.isAiOff === true,
  spending: await listSpending(ctx),
})

/** One change after the other: none undoes another that it hasn't seen, such as a stop. */
const change = (ctx: Ctx, to: (before: AiSettings) => AiSettings): Promise<AiSettings> =>
  inTransaction(ctx, async (ctx) => {
    const { id } = await getAiAccount(ctx)
    await holdReplies(ctx)
    const settings = to(await findSettings(ctx))
    await saveSettingsRow(ctx, settings, actorId(ctx.actor))
    await raiseAutomationRevision(ctx, false)
    if (settings.isStopped) await raiseEpochs(ctx, id)
    // The conductor looks at each of its conversations with the new settings.
    await addStopInputs(ctx, id)
    if (settings.isStopped) await endDraftTurns(ctx)
    await record(ctx, { type: 'agent.updated', data: { agentId: id } })
    return settings
  })
