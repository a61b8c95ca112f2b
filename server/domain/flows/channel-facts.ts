import type { Channels } from '../../../channels/channel.ts'
import { DEFINITIONS } from '../../../channels/definitions.ts'
import type { FlowChannel } from '../../../flow-engine/contract.ts'
import type { ChannelFacts } from '../../../flow-engine/lint-contract.ts'
import { MESSAGE_BODY_MAX } from '../conversations/schema.ts'

/** What a channel makes of messages and options, for lint and tests. */
export const channelFactsOf = (channels: Channels, name: FlowChannel): ChannelFacts => {
  const { bodyMax = MESSAGE_BODY_MAX, replyWindow } = channels[name]
  return {
    name,
    bodyMax,
    replyWindowHours: replyWindow?.hours ?? null,
    choices: DEFINITIONS[name].choices,
    isSms: name === 'sms',
  }
}
