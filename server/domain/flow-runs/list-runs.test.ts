// Runs as programs read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NEW_RUN } from '../../../flow-engine/sprint.ts'
import { startApp } from '../../../test/app.ts'
import { GREETING, makeFlow, makeFlowRun } from '../../../test/make-flow.ts'

const app = await startApp()
const { make, db, call } = app

const makeRuns = async (count: number) => {
  const workspace = await make.workspace()
  const flow = await makeFlow(app, workspace.id)
  const conversation = await make.conversation(workspace.id)
  const ids: string[] = []
  for (let at = 0; at < count; at++) ids.unshift(await makeFlowRun(app, workspace.id, flow, conversation))
  return { ...workspace, flow, conversation, ids }
}

const idsOf = (body: { runs: { id: string }[] }): string[] => body.runs.map(({ id }) => id)

test('runs are listed newest first, page by page, whatever their status', async () => {
  const { token, flow, conversation, ids } = await makeRuns(7)
  await db.updateTable('flow_runs').set({ status: 'failed' }).where('id', 'in', [ids[1]!, ids[4]!]).execute()
  await db.updateTable('flow_runs').set({ status: 'completed' }).where('id', '=', ids[5]!).execute()
  for (const filter of [
    `flowId=${flow.id}`,
    `conversationId=${conversation.id}`,
    `contactId=${conversation.contactId}`,
  ]) {
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more: string = cursor && `&cursor=${cursor}`
      const { body } = await call(token, 'GET', `/flow-runs?${filter}&limit=3${more}`)
      seen.push(...idsOf(body))
      cursor = body.nextCursor
    }
    assert.deepEqual(seen, ids, filter)
  }
  assert.deepEqual(idsOf((await call(token, 'GET', '/flow-runs')).body), ids)
  const failed = await call(token, 'GET', `/flow-runs?flowId=${flow.id}&status=failed`)
  assert.deepEqual(idsOf(failed.body), [ids[1], ids[4]])
})

test('a cursor belongs to its own list', async () => {
  const { token, flow } = await makeRuns(2)
  const { body } = await call(token, 'GET', '/flow-runs?limit=1')
  const other = await call(token, 'GET', `/flow-runs?flowId=${flow.id}&cursor=${body.nextCursor}`)
  assert.equal(other.body.error.details[0].field, 'cursor')
})

test('a run shows what it collected but for private variables, its steps, and in words why it ended', async () => {
  const { id: workspaceId, token, ids } = await makeRuns(1)
  const [runId] = ids
  const secretive = await makeFlow(app, workspaceId, {
    definition: {
      ...GREETING,
      variables: { order: { type: 'text' }, pin: { type: 'text', isPrivate: true } },
    },
  })
  await db
    .updateTable('flow_runs')
    .set({
      flow_id: secretive.id,
      status: 'cancelled',
      end_reason: 'no_answer',
      completed_at: new Date(),
      state: JSON.stringify({ ...NEW_RUN, variables: { order: 'AB-1', pin: '4711' } }),
    })
    .where('id', '=', runId!)
    .execute()
  await db
    .insertInto('flow_run_steps')
    .values({
      workspace_id: workspaceId,
      run_id: runId!,
      seq: 1,
      step_id: 's1',
      type: 'ask',
      outcome: 'asked',
      detail: '{}',
      message_id: null,
      created_at: new Date(),
    })
    .execute()
  const { body, text } = await call(token, 'GET', `/flow-runs/${runId}`)
  assert.deepEqual(body.run.variables, { order: 'AB-1' })
  assert.ok(!text.includes('4711'))
  assert.equal(body.run.endMessage, 'The customer didn’t reply in time')
  assert.deepEqual(
    body.run.steps.map(({ stepId, outcome }: { stepId: string; outcome: string }) => [stepId, outcome]),
    [['s1', 'asked']],
  )
})

test('a run of a version that is gone shows no variables, because nobody knows which are private', async () => {
  const { token, ids } = await makeRuns(1)
  await db
    .updateTable('flow_runs')
    .set({ version: 9, state: JSON.stringify({ ...NEW_RUN, variables: { pin: '4711' } }) })
    .where('id', '=', ids[0]!)
    .execute()
  const { body } = await call(token, 'GET', `/flow-runs/${ids[0]}`)
  assert.deepEqual(body.run.variables, {})
})
