// Shows that the AI agent is replying. Colleagues, and customers on websites, see it as soon as a turn waits; customers
// elsewhere once a model is asked, because without one the reply is there at once, and because WhatsApp marks their
// message as read with it. Nothing depends on it and nothing waits for it: a call that fails is not repeated, and says
// nothing about the provider.
import { setTimeout as delay } from 'node:timers/promises'
import type { Channel } from '../../channels/channel.ts'
import type { DueTurn } from '../domain/ai/turn-queries.ts'
import { findTypingAddress, listTypingPlaces, type TypingPlace } from '../domain/ai/typing-queries.ts'
import { findChannelAccount, openSecrets } from '../domain/channel-accounts/queries.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makeGate } from '../platform/queue/gate.ts'
import { circuitOf } from './account-circuit.ts'
import type { JobDeps } from './deps.ts'

/** The chat box hides it after ten seconds. */
const RENEW_MS = 5_000
/** Whether turns have ended is looked up at most this often. */
const LOOK_MS = 1_000
/** Beyond these, turns are thought about without it. */
const TURNS_MAX = 500
const CALLS_MAX = 16
const CALL_TIMEOUT_MS = 3_000

const calls = makeGate(CALLS_MAX)

type Followed = { workspaceId: string; id: string; place: TypingPlace | null; shownMs: number }

export type TurnTyping = {
  /** Shows it for these turns until they end. Returns at once. */
  follow: (waiting: readonly DueTurn[]) => void
}

export const makeTurnTyping = ({
  db,
  ephemeral,
  isAiOff,
  log,
}: Pick<JobDeps, 'db' | 'ephemeral' | 'isAiOff' | 'log'>): TurnTyping => {
  const followed = new Map<string, Followed>()
  let lookedMs = Number.NEGATIVE_INFINITY
  let hasNew = false
  let looking: Promise<void> | undefined

  const publish = (place: TypingPlace, isTyping: boolean): void => {
    const { workspaceId, conversationId, channel, agent } = place
    const state = isTyping ? 'typing' : 'left'
    ephemeral?.publish({ type: 'agent.at', workspaceId, conversationId, agent, state })
    if (channel !== 'web') return
    const { nickname } = agent
    ephemeral?.publish({ type: 'agent.typing', workspaceId, conversationId, nickname, isTyping })
  }

  const show = async (): Promise<void> => {
    const nowMs = performance.now()
    lookedMs = nowMs
    hasNew = false
    const turns = [...followed.values()]
    const places = await listTypingPlaces(db, turns)
    const placeOf = new Map(places.map((place) => [place.turnId, place]))
    for (const turn of turns) {
      const place = placeOf.get(turn.id)
      if (place && nowMs - turn.shownMs >= RENEW_MS) {
        publish(place, true)
        followed.set(turn.id, { ...turn, place, shownMs: nowMs })
      } else if (!place) {
        if (turn.place) publish(turn.place, false)
        followed.delete(turn.id)
      }
    }
    if (hasNew) await show()
  }

  return {
    follow: (waiting) => {
      if (!ephemeral || isAiOff) return
      for (const { workspaceId, id, isReply } of waiting) {
        if (!isReply || followed.has(id) || followed.size >= TURNS_MAX) continue
        followed.set(id, { workspaceId, id, place: null, shownMs: Number.NEGATIVE_INFINITY })
        hasNew = true
      }
      if (followed.size === 0 || looking) return
      if (!hasNew && performance.now() - lookedMs < LOOK_MS) return
      looking = show()
        .catch((error: unknown) => log.debug({ err: error }, 'typing could not be shown'))
        .finally(() => {
          looking = undefined
        })
    },
  }
}

export type ProviderTyping = {
  /** Shows it at the provider until it ends. Returns at once; the first call counts. */
  show: () => void
  end: () => void
}

/** `signal`: the process ends. */
export const makeProviderTyping = (ctx: Ctx, turnId: string, signal: AbortSignal): ProviderTyping => {
  const over = new AbortController()
  let isShown = false
  return {
    show: () => {
      if (!isShown) void showTyping(ctx, turnId, AbortSignal.any([signal, over.signal]))
      isShown = true
    },
    end: () => over.abort(),
  }
}

/** Until `signal` is aborted. Never throws. */
const showTyping = async (ctx: Ctx, turnId: string, signal: AbortSignal): Promise<void> => {
  try {
    const address = ctx.isAiOff ? undefined : await findTypingAddress(ctx, turnId)
    const account = address && (await findChannelAccount(ctx, address.channelAccountId))
    const channel: Channel | undefined = account && ctx.channels[account.channel]
    if (!address?.externalId || !channel?.typing) return
    const { typing } = channel
    const opened = { ...account!, secrets: openSecrets(ctx.seal, account!) }
    const to = { externalId: address.externalId, messageId: address.messageId }
    while (!signal.aborted) {
      // A provider that doesn't respond isn't asked for this.
      if (circuitOf(opened.id).isOpen() || calls.free() === 0) return
      await calls.through(() => typing.show(opened, to, { timeoutMs: CALL_TIMEOUT_MS, signal }))
      await delay(typing.renewMs, undefined, { signal, ref: false })
    }
  } catch (error) {
    if (!signal.aborted) ctx.log.debug({ err: error, turnId }, 'typing could not be shown at a provider')
  }
}
