import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import type { WorkspaceApi } from './api.ts'
import { patchMessageStatus, putMessage, timelineQuery } from './timeline.ts'
import type { Message } from './types.ts'

const message = (status: string): Message =>
  ({
    id: 'm1',
    conversationId: 't1',
    status,
    createdAt: '2026-11-22T10:00:00.000Z',
    metadata: null,
  }) as unknown as Message

/** A thread whose requests are answered by the test. */
const makeThread = () => {
  const client = new QueryClient()
  const asked: ((status: string) => void)[] = []
  const api = {
    workspaceId: 'w1',
    get: () =>
      new Promise((answer) => {
        asked.push((status) =>
          answer({ entries: [{ kind: 'message', message: message(status) }], nextCursor: null }),
        )
      }),
  } as unknown as WorkspaceApi
  const query = timelineQuery(client, api, 't1')
  return {
    client,
    /** Requests the thread; the result is its answer, which is read when it is called. */
    request: () => {
      const fetched = client.fetchQuery({ ...query, staleTime: 0 })
      return async (status: string): Promise<void> => {
        asked.shift()!(status)
        await fetched
      }
    },
    hear: (status: string) => patchMessageStatus(client, 'w1', 't1', 'm1', status),
    status: () => {
      const [entry] = client.getQueryData(query.queryKey)?.rows ?? []
      return entry?.kind === 'message' ? entry.message.status : null
    },
  }
}

test('a status that arrives while an older answer is on its way is kept', async () => {
  const { client, request, hear, status } = makeThread()
  await request()('sent')
  const answer = request()
  assert.equal(hear('delivered'), true)
  assert.equal(status(), 'delivered')
  await answer('sent')
  assert.equal(status(), 'delivered')
  putMessage(client, 'w1', message('sent'))
  assert.equal(status(), 'delivered')
  await request()('read')
  assert.equal(status(), 'read')
})

test('a status of a message that isn’t loaded asks for the thread again', async () => {
  const { request, hear, status } = makeThread()
  assert.equal(hear('delivered'), false)
  await request()('sent')
  assert.equal(hear('sent'), true)
  assert.equal(status(), 'sent')
})

test('a message that failed may start again, and one that was sent may fail', async () => {
  const { client, request, status } = makeThread()
  await request()('sent')
  await request()('failed')
  assert.equal(status(), 'failed')
  putMessage(client, 'w1', message('queued'))
  assert.equal(status(), 'queued')
})
