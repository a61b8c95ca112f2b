import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient, type QueryKey } from '@tanstack/react-query'
import { workspaceApi } from './api.ts'
import { apply } from './apply-event.ts'
import type { ServerEvent } from './event-stream.ts'
import { keys } from './query-keys.ts'

const api = workspaceApi('w1')

/** How long each waits after an event. */
const waitsAfter = (event: Partial<ServerEvent>): Map<string, number> => {
  const waits = new Map<string, number>()
  const refresh = (key: QueryKey, waitMs: number) => void waits.set(JSON.stringify(key), waitMs)
  apply(new QueryClient(), api, refresh, {
    conversationId: null,
    contactId: 'k1',
    data: {},
    ...event,
  } as ServerEvent)
  return waits
}

test('a colleague sees a tag in the list and in the conversation as soon as a message in its thread', () => {
  const soon = waitsAfter({ type: 'message.created', conversationId: 'c1' }).get(
    JSON.stringify(keys.timeline('w1', 'c1')),
  )
  assert.ok(soon && soon < 200)
  const ofConversation = waitsAfter({ type: 'conversation.tagged', conversationId: 'c1' })
  for (const key of [keys.conversationLists('w1'), keys.details('w1', 'c1')])
    assert.equal(ofConversation.get(JSON.stringify(key)), soon, JSON.stringify(key))
  const ofContact = waitsAfter({ type: 'contact.updated', data: { changed: ['tags'], tagIdsAdded: ['t1'] } })
  for (const key of [keys.conversationLists('w1'), ['w', 'w1', 'conversation']])
    assert.equal(ofContact.get(JSON.stringify(key)), soon, JSON.stringify(key))
  const ofName = waitsAfter({ type: 'contact.updated', data: { changed: ['name'] } })
  assert.ok(ofName.get(JSON.stringify(keys.conversationLists('w1')))! > soon)
})
