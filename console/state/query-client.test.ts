import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryObserver } from '@tanstack/react-query'
import { FreshQueryClient } from './query-client.ts'

const KEY = ['list']

/** A list whose first request is answered by the test. */
const makeList = () => {
  const client = new FreshQueryClient({ defaultOptions: { queries: { staleTime: 60_000 } } })
  const first = Promise.withResolvers<string[]>()
  let asked = 0
  const options = { queryKey: KEY, queryFn: () => (asked++ === 0 ? first.promise : ['new', 'old']) }
  return { client, options, answerFirst: () => first.resolve(['old']), asked: () => asked }
}

test('what changes during a first fetch is fetched', async () => {
  const { client, options, answerFirst, asked } = makeList()
  const leave = new QueryObserver(client, options).subscribe(() => {})
  const invalidated = client.invalidateQueries({ queryKey: KEY })
  answerFirst()
  await invalidated
  assert.deepEqual(client.getQueryData(KEY), ['new', 'old'])
  assert.equal(asked(), 2)
  leave()
  client.clear()
})

test('what changes while it is fetched ahead is stale when it is shown', async () => {
  const { client, options, answerFirst, asked } = makeList()
  const ahead = client.prefetchQuery(options)
  const invalidated = client.invalidateQueries({ queryKey: KEY })
  answerFirst()
  await Promise.all([ahead, invalidated])
  assert.equal(asked(), 1)
  const leave = new QueryObserver(client, options).subscribe(() => {})
  assert.equal(asked(), 2)
  leave()
  client.clear()
})
