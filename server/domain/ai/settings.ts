// Where the AI agent replies, and the switch that stops it at once.
import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { findAgent, getAiAccount } from '../agents/queries.ts'
import { addStopInputs } from '../automation/stop-inputs.ts'
import { listSpending } from './budgets/queries.ts'
import { DEFAULT_SETTINGS } from './default-settings.ts'
import type { AiSettings, AiSettingsAnswer, AiSettingsBody } from './schema.ts'
import { findSettings, saveSettingsRow } from './settings-queries.ts'

/**
 * Replaces the settings; what is left out gets its default, and whether it is stopped stays. If it may no longer reply somewhere, the conversations that
 * it has there go to people at once, each with a word to the customer.
 */
export const saveAiSettings = (ctx: Ctx, body: AiSettingsBody): Promise<AiSettings> =>
  inTransaction(ctx, async (ctx) =>
    save(ctx, {
      ...DEFAULT_SETTINGS,
      ...body,
      audience: { ...DEFAULT_SETTINGS.audience, ...body.audience },
      isStopped: (await findSettings(ctx)).isStopped,
    }),
  )

/**
 * Stops the AI agent, or lets it reply again; the other settings stay. Stopping hands its conversations to people. It
 * succeeds without a change if it is so already.
 */
export const setAiStopped = (ctx: Ctx, { isStopped }: { isStopped: boolean }): Promise<AiSettings> =>
  inTransaction(ctx, async (ctx) => save(ctx, { ...(await findSettings(ctx)), isStopped }))

export const getAiSettings = async (ctx: Ctx): Promise<AiSettingsAnswer> => ({
  settings: await findSettings(ctx),
  isEnabled: (await findAgent(ctx, 'ai')) !== undefined,
  spending: await listSpending(ctx),
})

const save = (ctx: Ctx, settings: AiSettings): Promise<AiSettings> =>
  inTransaction(ctx, async (ctx) => {
    const { id } = await getAiAccount(ctx)
    await saveSettingsRow(ctx, settings, actorId(ctx.actor))
    // The conductor looks at each of its conversations with the new settings.
    await addStopInputs(ctx, id)
    await record(ctx, { type: 'agent.updated', data: { agentId: id } })
    return settings
  })
