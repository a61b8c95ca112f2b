import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeThreads, ThreadError } from './threads.ts'

const make = (more: { threadsMax?: number; waitingMax?: number } = {}) =>
  makeThreads<{ do: string; value?: number }, number>({
    module: new URL('./testing/thread-work.ts', import.meta.url),
    threadsMax: 1,
    heapMaxMb: 64,
    idleMs: 1_000,
    waitingMax: 10,
    ...more,
  })

const LONG_MS = 20_000

const failsAs = (reason: ThreadError['reason']) => (error: unknown) =>
  error instanceof ThreadError && error.reason === reason

test('tasks are answered one after the other, each with its own result', async () => {
  const threads = make()
  const results = await Promise.all([1, 2, 3].map((value) => threads.run({ do: 'answer', value }, LONG_MS)))
  assert.deepEqual(results, [2, 4, 6])
})

test('work without an end is ended when its time is up, and the next task is done', async () => {
  const threads = make()
  assert.equal(await threads.run({ do: 'answer', value: 1 }, LONG_MS), 2)
  await assert.rejects(threads.run({ do: 'loop' }, 100), failsAs('too_slow'))
  assert.equal(await threads.run({ do: 'answer', value: 2 }, LONG_MS), 4)
})

test('a failure is the task’s own, whether it throws or ends the thread', async () => {
  const threads = make()
  await assert.rejects(threads.run({ do: 'throw' }, LONG_MS), failsAs('failed'))
  await assert.rejects(threads.run({ do: 'exit' }, LONG_MS), failsAs('failed'))
  assert.equal(await threads.run({ do: 'answer', value: 3 }, LONG_MS), 6)
})

test('beyond what may wait, a task is refused at once', async () => {
  const threads = make({ waitingMax: 1 })
  const running = threads.run({ do: 'answer', value: 1 }, LONG_MS)
  const waiting = threads.run({ do: 'answer', value: 2 }, LONG_MS)
  await assert.rejects(threads.run({ do: 'answer' }, LONG_MS), failsAs('too_many'))
  assert.deepEqual(await Promise.all([running, waiting]), [2, 4])
})
