// Sends what the visitor wrote: one message at a time, in order, each until it is stored or refused.
import { ApiFailure, isFinal, isUnauthorized } from './api.ts'
import type { Chatting } from './chatting.ts'
import { createClientId } from './client-id.ts'
import type { Outgoing } from './thread.ts'
import type { Attachment, Choice } from './types.ts'

const attemptsMax = 2
/** Limits the new sessions per message, so a broken server doesn't cause endless requests. */
const renewalsMax = 2
const retryMs = 1_000
const rateLimitWaitMaxMs = 30_000

export const createOutbox = (
  { api, thread, stored, visitor, render, emit, isOver }: Chatting,
  renewSession: () => void,
) => {
  let isSending = false
  let renewals = 0

  const deliver = async ({ clientId, body, choice, files = [] }: Outgoing): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const { message } = await api.sendMessage(
          visitor.token ?? '',
          choice
            ? { clientId, choice }
            : {
                clientId,
                ...(body && { body }),
                ...(files.length > 0 && { fileIds: files.map(({ id }) => id) }),
              },
        )
        if (isOver()) return
        thread.settle(clientId, message)
        stored.removeFromOutbox(clientId)
        renewals = 0
        // A customer's message reopens a closed conversation.
        visitor.conversation = { id: message.conversationId, status: 'open' }
        emit('sent', { id: message.id, body: message.body, createdAt: message.createdAt })
        return
      } catch (error) {
        if (isOver()) return
        if (isUnauthorized(error) && renewals < renewalsMax) {
          renewals++
          visitor.isReady = false
          renewSession()
          return
        }
        if (isRefusal(error) || attempt >= attemptsMax || !navigator.onLine) {
          thread.fail(clientId, isRefusal(error))
          return
        }
        const askedMs = error instanceof ApiFailure ? error.retryAfterMs : 0
        await delay(Math.min(Math.max(askedMs, retryMs), rateLimitWaitMaxMs))
        if (isOver()) return
      }
    }
  }

  return {
    add: (body: string, choice?: Choice, files?: Attachment[]): void => {
      const clientId = choice ? thread.tapIdOf(choice) : createClientId()
      const item: Outgoing = {
        clientId,
        body,
        createdAt: new Date().toISOString(),
        ...(choice && { choice }),
        ...(files && files.length > 0 && { files }),
      }
      stored.addToOutbox(item)
      thread.enqueue(item)
    },
    flush: async (): Promise<void> => {
      if (isSending || !visitor.isReady || isOver()) return
      isSending = true
      try {
        for (let item = thread.nextToSend(); item && visitor.isReady; item = thread.nextToSend()) {
          await deliver(item)
          if (isOver()) return
          render()
        }
      } finally {
        isSending = false
      }
    },
  }
}

/** The server understood the message and rejected it; retrying automatically would not help. */
const isRefusal = (error: unknown): boolean =>
  isFinal(error) ||
  (error instanceof ApiFailure &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 408 &&
    error.status !== 429)

const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
