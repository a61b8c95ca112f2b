// What chat boxes are told, kept for a moment: every page of a site asks for it.
import type { ChatConfig } from '../../domain/chat-boxes/config-schema.ts'
import { readConfig } from '../../domain/chat-boxes/read-config.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'

const KEPT_MS = 15_000
const CHANNELS_MAX = 1_000

export const makeConfigs = () => {
  const kept = new Map<string, { until: number; config: Promise<ChatConfig> }>()
  return (ctx: Ctx, channelAccountId: string): Promise<ChatConfig> => {
    const now = ctx.now().getTime()
    const known = kept.get(channelAccountId)
    if (known && known.until > now && known.until <= now + KEPT_MS) return known.config
    const config = readConfig(ctx, channelAccountId)
    kept.delete(channelAccountId)
    kept.set(channelAccountId, { until: now + KEPT_MS, config })
    config.catch(() => kept.delete(channelAccountId))
    if (kept.size > CHANNELS_MAX) kept.delete(kept.keys().next().value!)
    return config
  }
}
