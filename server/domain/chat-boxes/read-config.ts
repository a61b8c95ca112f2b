import { isOpen, isUsable, opensAt } from '../../../flow-engine/business-hours.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { listBusinessHours } from '../business-hours/queries.ts'
import { findMailbox, findUsualReplySeconds, listTeam } from './config-queries.ts'
import { type ChatConfig, TEAM_MAX } from './config-schema.ts'
import { findChatBox } from './queries.ts'

/** A usual reply that takes longer is not promised. */
const REPLY_MINUTES_MAX = 24 * 60

/** What the chat box of a channel is told. At most five statements. */
export const readConfig = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
  channelAccountId: string,
): Promise<ChatConfig> => {
  const { settings } = await findChatBox(ctx, channelAccountId)
  const {
    title,
    greeting,
    launcherLabel,
    color,
    theme,
    side,
    language,
    hasSound,
    acceptsFiles,
    askAfterMinutes,
  } = settings
  return {
    ...{
      title,
      greeting,
      launcherLabel,
      color,
      theme,
      side,
      language,
      hasSound,
      acceptsFiles,
      askAfterMinutes,
    },
    asksEmail: settings.asksEmail && (await findMailbox(ctx, settings.mailboxId)) !== undefined,
    ...(settings.showsHours ? await readHours(ctx) : { isOpen: null, opensAt: null, replyMinutes: null }),
    team: settings.showsTeam ? await listTeam(ctx, TEAM_MAX) : [],
  }
}

const readHours = async (
  ctx: Pick<Ctx, 'db' | 'workspaceId' | 'now'>,
): Promise<Pick<ChatConfig, 'isOpen' | 'opensAt' | 'replyMinutes'>> => {
  const hours = (await listBusinessHours(ctx)).find(({ isDefault }) => isDefault)
  const at = ctx.now().getTime()
  const isKnown = hours !== undefined && isUsable(hours)
  const open = isKnown ? isOpen(hours, at) : null
  const opening = isKnown && open === false ? opensAt(hours, at) : null
  const seconds = await findUsualReplySeconds(ctx)
  const minutes = seconds === null ? null : Math.max(1, Math.ceil(seconds / 60))
  return {
    isOpen: open,
    opensAt: opening === null ? null : new Date(opening).toISOString(),
    replyMinutes: minutes !== null && minutes <= REPLY_MINUTES_MAX ? minutes : null,
  }
}
