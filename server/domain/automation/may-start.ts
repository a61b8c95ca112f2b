// Whether a customer's message may start anything. Most don't, and cost a busy workspace nothing more than this.
import { mayMatch } from '../../../flow-engine/triggers.ts'
import { wantsPerson } from '../../../flow-engine/wants-person.ts'
import type { ChannelName, Metadata } from '../../platform/db/tables.ts'
import type { LiveFlows } from './live-flows.ts'
import type { AiModes } from './live-queries.ts'

type ArrivedMessage = {
  channel: ChannelName
  channelAccountId: string
  body: string
  metadata: Metadata | null
  /** Of its conversation. */
  isFirst: boolean
  isReopening: boolean
}

/**
 * False: the conductor would do nothing with it in a conversation that neither a run nor the AI agent has. A tap may
 * start its run again, a wish for a person is always granted, and silence begins with any message.
 */
export const mayStartSomething = (
  { prepared, aiModes }: LiveFlows,
  { channel, channelAccountId, body, metadata, isFirst, isReopening }: ArrivedMessage,
): boolean => {
  const events = [
    'message' as const,
    ...(isFirst ? (['opened'] as const) : []),
    ...(isReopening ? (['reopened'] as const) : []),
  ]
  return (
    Boolean(metadata?.choice) ||
    prepared.byEvent.has('team_silent') ||
    prepared.byEvent.has('customer_silent') ||
    mayMatch(prepared, events, { channel, accountId: channelAccountId, isFirst, text: body, choice: null }) ||
    mayStartAi(aiModes[channel], isFirst || isReopening) ||
    wantsPerson(body)
  )
}

/** The AI agent takes new conversations, or looks at all that are left to people. */
const mayStartAi = (mode: AiModes[ChannelName], isNew: boolean): boolean =>
  mode === 'drafts' || mode === 'silent' || (isNew && (mode === 'new' || mode === 'new_closed'))
