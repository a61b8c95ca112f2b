import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ensureFreshTemplate } from '../templates/refresh-templates.ts'
import { judgeAudience } from './audience-queries.ts'
import { readAudience } from './read-audience.ts'
import type { Audience } from './schema.ts'
import { sendersOf } from './start-broadcast.ts'

const SAMPLE_MAX = 50

export type AudiencePreview = {
  /** Everyone in the audience, each once, including unknown people. */
  total: number
  reachable: number
  leftOut: { reason: string; count: number }[]
  sample: { contactId: string; name: string; phone: string | null; reason: string | null }[]
}

/**
 * Previews an audience: who would receive the broadcast, and why others would not. Throws the same errors as starting
 * the broadcast, except for mistakes in the parameters and an empty audience.
 */
export const previewAudience = async (
  ctx: Ctx,
  input: { audience: Audience; templateName: string; language?: string },
): Promise<AudiencePreview> => {
  await ensureFreshTemplate(ctx, input)
  const { people, listedCount } = await readAudience(ctx, input.audience)
  const senders = await sendersOf(ctx, input)
  const { named, known, leftOut, sample } = await judgeAudience(ctx, people, [...senders.keys()], SAMPLE_MAX)
  const unknown = listedCount === null ? 0 : listedCount - named
  const reasons = [
    ...leftOut,
    ...(unknown > 0 ? [{ reason: 'UNKNOWN', count: unknown }] : []),
    ...(named > known ? [{ reason: 'DUPLICATE', count: named - known }] : []),
  ]
  const left = leftOut.reduce((sum, { count }) => sum + count, 0)
  return { total: known + unknown, reachable: known - left, leftOut: reasons, sample }
}
