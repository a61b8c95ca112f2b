import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { inTransaction } from '../ctx/ctx.ts'
import { addJob } from './add-job.ts'

const { ctxOf, database, make } = await startApp()
const { id: workspaceId } = await make.workspace()
const ctx = ctxOf(workspaceId)

const keys = async (): Promise<string[]> => {
  const { rows } = await database.pool.query('select key from graphile_worker.jobs order by key')
  return rows.map(({ key }) => key)
}

test('a job is there once when its transaction commits, and never was when it does not', async () => {
  const failing = inTransaction(ctx, async (ctx) => {
    await addJob(ctx, 'fetch_media', { workspaceId, attachmentId: 'lost' })
    await addJob(ctx, 'announce_broadcast', [{ workspaceId, broadcastId: 'lost' }])
    throw new Error('no')
  })
  await assert.rejects(failing, /no/)
  assert.deepEqual(await keys(), [])
  await inTransaction(ctx, async (ctx) => {
    for (let n = 0; n < 3; n++) await addJob(ctx, 'fetch_media', { workspaceId, attachmentId: 'one' })
    const ids = ['one', 'two']
    await addJob(
      ctx,
      'announce_broadcast',
      ids.map((broadcastId) => ({ workspaceId, broadcastId })),
    )
    assert.deepEqual(await keys(), [], 'seen before the commit')
  })
  assert.deepEqual(await keys(), ['announce_broadcast:one:', 'announce_broadcast:two:', 'fetch_media:one'])
})
