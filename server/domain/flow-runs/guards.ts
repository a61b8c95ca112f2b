// Keeps automation from running away: programs that answer each other, floods of messages, flows that start each other.
// Pure; what is remembered is stored with the conversation (automation_states.guards).
import { crc32 } from 'node:zlib'
import { foldText } from '../../../flow-engine/fold-text.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Automated messages in a conversation since a person last wrote there. */
export const MESSAGES_PER_HOUR_MAX = 20
export const MESSAGES_PER_DAY_MAX = 60
/** Dialogs started in a conversation, and of one flow. */
export const STARTS_PER_HOUR_MAX = 10
export const STARTS_OF_FLOW_PER_HOUR_MAX = 3
/** The other side counts as a program if it writes the same text this often. Answers to questions don't count. */
export const EQUAL_TEXTS_MAX = 3
export const EQUAL_TEXTS_WITHIN_MS = 2 * MINUTE_MS
/** Or if it replies to an automated message within this time, this often. Taps don't count: people tap fast. */
export const QUICK_REPLIES_MAX = 6
export const QUICK_REPLIES_WITHIN_MS = 90_000
export const QUICK_REPLY_MS = 2_000
/** What automation does may start background flows, which may start others. It never starts dialogs. */
export const CAUSE_CHAIN_MAX = 3
/**
 * Sprints of all runs of a conversation at once. A run has 500 steps, each of which may start a part that ends at once and
 * go on after it, so that its own limit comes first, as in the simulator.
 */
export const SPRINTS_MAX = 1_200

const HEARD_MAX = 8

type Heard = { at: number; hash: number; isQuick: boolean }

/** Times are in milliseconds. */
export type Guards = {
  /** When automated messages were sent, since a person last wrote and within a day. */
  sent: readonly number[]
  /** Dialogs started within an hour. */
  starts: readonly { flowId: string; at: number }[]
  /** The latest messages of the customer that were typed. */
  heard: readonly Heard[]
}

export const NO_GUARDS: Guards = { sent: [], starts: [], heard: [] }

/** A customer's message, before anything is made of it. */
export const heardMessage = (
  guards: Guards,
  { at, text, isTap }: { at: number; text: string; isTap: boolean },
): Guards => {
  if (isTap) return guards
  const lastSentAt = guards.sent.at(-1)
  const isQuick = lastSentAt !== undefined && at >= lastSentAt && at - lastSentAt < QUICK_REPLY_MS
  const heard = { at, hash: crc32(foldText(text)), isQuick }
  return { ...guards, heard: [...guards.heard, heard].slice(-HEARD_MAX) }
}

/** The latest message was the answer to a question: the same answer to several questions is nothing unusual. */
export const wasAnswer = (guards: Guards): Guards => {
  const last = guards.heard.at(-1)
  return last ? { ...guards, heard: [...guards.heard.slice(0, -1), { ...last, hash: 0 }] } : guards
}

export const looksAutomated = ({ heard }: Guards): boolean => {
  const last = heard.at(-1)
  if (!last) return false
  const equal = heard.filter(
    ({ hash, at }) => hash !== 0 && hash === last.hash && last.at - at <= EQUAL_TEXTS_WITHIN_MS,
  )
  const quick = heard.filter(({ isQuick, at }) => isQuick && last.at - at <= QUICK_REPLIES_WITHIN_MS)
  return equal.length >= EQUAL_TEXTS_MAX || quick.length >= QUICK_REPLIES_MAX
}

export const maySend = ({ sent }: Guards, now: number, count: number): boolean =>
  sent.filter((at) => now - at < HOUR_MS).length + count <= MESSAGES_PER_HOUR_MAX &&
  sent.filter((at) => now - at < DAY_MS).length + count <= MESSAGES_PER_DAY_MAX

export const sentMessages = (guards: Guards, now: number, count: number): Guards =>
  count === 0
    ? guards
    : {
        ...guards,
        sent: [
          ...guards.sent.filter((at) => now - at < DAY_MS),
          ...Array.from({ length: count }, () => now),
        ].slice(-MESSAGES_PER_DAY_MAX),
      }

export const mayStart = ({ starts }: Guards, flowId: string, now: number): boolean => {
  const recent = starts.filter(({ at }) => now - at < HOUR_MS)
  return (
    recent.length < STARTS_PER_HOUR_MAX &&
    recent.filter((start) => start.flowId === flowId).length < STARTS_OF_FLOW_PER_HOUR_MAX
  )
}

export const startedDialog = (guards: Guards, flowId: string, now: number): Guards => ({
  ...guards,
  starts: [...guards.starts.filter(({ at }) => now - at < HOUR_MS), { flowId, at: now }].slice(
    -STARTS_PER_HOUR_MAX,
  ),
})

/** A person of the team wrote: what came before was no loop. */
export const personWrote = (guards: Guards): Guards => ({ ...guards, sent: [], heard: [] })
