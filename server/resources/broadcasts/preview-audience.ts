import type { Ctx } from '../../ctx.ts'
import { freshenTemplate } from '../templates/refresh-templates.ts'
import { judgeAudience } from './audience-queries.ts'
import { readAudience } from './read-audience.ts'
import type { Audience } from './schema.ts'
import { sendersOf } from './start-broadcast.ts'

const SAMPLE_MAX = 50

export type AudiencePreview = {
  /** Everybody who is meant, each once; who is not known counts too. */
  total: number
  reachable: number
  leftOut: { reason: string; count: number }[]
  sample: { contactId: string; name: string; phone: string | null; reason: string | null }[]
}

/**
 * What would become of an audience now: who is reached, and why others are not. Throws what starting the broadcast
 * would, but for mistakes in the parameters and for an audience of nobody.
 */
export const previewAudience = async (
  ctx: Ctx,
  input: { audience: Audience; templateName: string; language?: string },
): Promise<AudiencePreview> => {
  await freshenTemplate(ctx, input)
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
