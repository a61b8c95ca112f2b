import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { DEFAULT_GUIDANCE } from './default-guidance.ts'
import { findLive } from './queries.ts'
import type { Guidance } from './schema.ts'

export type LiveGuidance = {
  /** Null: nothing was published. */
  version: number | null
  guidance: Guidance
}

/** What the AI agent is told now. Tags, flows and actions in it may have been deleted since it was published. */
export const findGuidance = async (ctx: Pick<Ctx, 'db' | 'workspaceId'>): Promise<LiveGuidance> =>
  (await findLive(ctx)) ?? { version: null, guidance: DEFAULT_GUIDANCE }
