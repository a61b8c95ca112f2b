// How long the AI agent waits for the customer's next message before it replies to the ones that are there.
import type { ChannelName } from '../../platform/db/tables.ts'

/** By channel: people send short messages one after the other where that is the custom. Mail is one whole message. */
const DEBOUNCE_MS: Record<ChannelName, number> = {
  email: 0,
  web: 1_500,
  facebook: 2_500,
  telegram: 2_500,
  whatsapp: 4_000,
  sms: 4_000,
}
/** After the first message, however many follow. */
const DEBOUNCE_MAX_MS = 10_000

type Times = { at: number; createdAt: number; now: number }

/** When to reply to a message, in milliseconds; `createdAt`: when the turn began. */
export const dueAt = (channel: ChannelName, { at, createdAt, now }: Times): number =>
  Math.max(now, Math.min(at + DEBOUNCE_MS[channel], createdAt + DEBOUNCE_MAX_MS))
