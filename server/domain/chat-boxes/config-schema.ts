// What the chat box on a site is told before anybody opens it.
import Type, { type Static } from 'typebox'
import { Moment, nullable } from '../schema.ts'
import { ChatBoxSettings } from './schema.ts'

/** How many of the team are shown. */
export const TEAM_MAX = 3

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
} = ChatBoxSettings.properties

export const ChatConfig = Type.Object({
  title,
  greeting,
  launcherLabel,
  color,
  theme,
  side,
  language,
  hasSound,
  asksEmail: Type.Boolean({
    description: 'Whether visitors are asked for an email address, and there is a mailbox to reply from.',
  }),
  askAfterMinutes,
  acceptsFiles,
  isOpen: nullable(
    Type.Boolean({ description: 'By the business hours; null without any, or if they are hidden.' }),
  ),
  opensAt: nullable(Moment),
  replyMinutes: nullable(Type.Integer({ description: 'The usual time to a first reply, if it is known.' })),
  team: Type.Array(Type.String(), { maxItems: TEAM_MAX, description: 'Display names of who replies.' }),
})
export type ChatConfig = Static<typeof ChatConfig>
