// The calls that runs wait for: each outcome reaches its run once, whatever dies, and a host that hangs holds up no other.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { startApp, TEST_SECRET_KEY } from '../../test/app.ts'
import { atTheEnd } from '../../test/at-the-end.ts'
import { until } from '../../test/until.ts'
import { claimCall, insertCalls, type NewRunCall } from '../domain/actions/call-queries.ts'
import { finishCall } from '../domain/actions/finish-call.ts'
import { createAction } from '../domain/actions/save-action.ts'
import type { NewAction } from '../domain/actions/schema.ts'
import { inTransaction } from '../platform/ctx/ctx.ts'
import { newId } from '../platform/db/id.ts'
import { PER_HOST_MAX, startCaller } from './call-actions.ts'
import { DELIVERY_TIMING } from './delivery-timing.ts'
import { releaseAbandonedCalls, releaseCallsOf } from './release-calls.ts'

const testApp = await startApp()
const { app, clock, ctxOf, database, db, deps, make } = testApp
const { connectionString } = database
const jobDeps = { ...deps, log: app.log, timing: DELIVERY_TIMING, isStopping: () => false }

const startHost = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const keys: string[] = []
const shop = await startHost((request, response) => {
  keys.push(String(request.headers['idempotency-key']))
  const status = request.url!.startsWith('/gone') ? 404 : 200
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"status":"sent"}')
})

const ACTION: NewAction = {
  name: 'Look up',
  method: 'GET',
  url: `${shop}/orders/{{number}}`,
  headers: [],
  parameters: [{ name: 'number', type: 'string', isRequired: true }],
  keep: [{ name: 'status', path: 'status' }],
  timeoutMs: 2_000,
  isRepeatable: true,
  risk: 'read',
  needs: 'none',
  confirm: 'none',
}

const { id: workspaceId } = await make.workspace()
const ctx = ctxOf(workspaceId)

/** A running run that waits for a call. */
const makeRun = async (change: { status?: 'running' | 'cancelled' } = {}) => {
  const conversation = await make.conversation(workspaceId)
  const { contact_id } = await db
    .selectFrom('conversations')
    .select('contact_id')
    .where('id', '=', conversation.id)
    .executeTakeFirstOrThrow()
  const runId = newId()
  await db
    .insertInto('flow_runs')
    .values({
      workspace_id: workspaceId,
      id: runId,
      flow_id: newId(),
      flow_name: 'Orders',
      contact_id,
      conversation_id: conversation.id,
      status: change.status ?? 'running',
      started_at: new Date(),
    })
    .execute()
  return { conversationId: conversation.id, runId }
}

const wait = async (
  actionId: string,
  change: Partial<NewRunCall> = {},
  run = makeRun(),
): Promise<NewRunCall> => {
  const call = { ...(await run), token: 1, actionId, parameters: { number: 'A-1' }, ...change }
  await inTransaction(ctx, (ctx) => insertCalls(ctx, [call]))
  return call
}

let actions = 0
const define = async (change: Partial<NewAction> = {}): Promise<string> =>
  (await createAction(ctx, { ...ACTION, name: `Action ${++actions}`, ...change })).id

const callOf = ({ runId, token }: NewRunCall) =>
  db
    .selectFrom('action_calls')
    .selectAll()
    .where('run_id', '=', runId)
    .where('token', '=', token)
    .executeTakeFirstOrThrow()
const ended = (call: NewRunCall, what: string) =>
  until(async () => (await callOf(call)).state === 'ended', what).then(() => callOf(call))
const inputsOf = ({ runId }: NewRunCall) =>
  db.selectFrom('automation_inputs').select(['kind', 'data']).where('run_id', '=', runId).execute()

/** While it works, this process makes calls. */
const calling = async <T>(work: () => Promise<T>): Promise<T> => {
  const caller = await startCaller(jobDeps, { connectionString, pollMs: 50 })
  try {
    return await work()
  } finally {
    await caller.stop()
  }
}

test('a stored call is made, and its outcome and kept fields reach the run as one input', async () => {
  const found = await wait(await define())
  const gone = await wait(await define({ url: `${shop}/gone/{{number}}` }))
  await calling(async () => {
    const call = await ended(found, 'the call')
    assert.deepEqual(
      [call.outcome, call.status, call.kept, call.problem, call.parameters, call.tries],
      ['done', 200, { status: 'sent' }, null, null, 1],
    )
    assert.ok(keys.includes(`${found.runId}.1`))
    assert.deepEqual(await inputsOf(found), [
      { kind: 'call', data: { token: 1, outcome: 'done', kept: { status: 'sent' } } },
    ])
    await ended(gone, 'the call that finds nothing')
    assert.deepEqual(await inputsOf(gone), [
      { kind: 'call', data: { token: 1, outcome: 'notFound', kept: null } },
    ])
  })
})

test('a call is stored with its sprint or not at all, and once for each wait', async () => {
  const actionId = await define()
  const run = await makeRun()
  const call = { ...run, token: 1, actionId, parameters: { number: 'A' } }
  const failing = inTransaction(ctx, async (ctx) => {
    await insertCalls(ctx, [call])
    throw new Error('the sprint failed')
  })
  await assert.rejects(failing, /the sprint failed/)
  const { rows } = await database.pool.query('select from action_calls where run_id = $1', [run.runId])
  assert.equal(rows.length, 0)
  await insertCalls(ctx, [call, { ...call, token: 2 }])
  await assert.rejects(insertCalls(ctx, [call]), /action_calls_workspace_id_run_id_token_key/)
})

test('a call whose action was deleted, or whose run has ended, is not made', async () => {
  const missing = await wait(newId())
  const over = await wait(await define(), {}, makeRun({ status: 'cancelled' }))
  await calling(async () => {
    assert.equal((await ended(missing, 'the call of nothing')).problem!.code, 'ACTION_MISSING')
    assert.equal((await ended(over, 'the call of a run that is over')).problem!.code, 'NOT_AWAITED')
  })
  assert.ok(![missing, over].some(({ runId }) => keys.includes(`${runId}.1`)))
})

test('a try that fails is repeated once where that does no harm, with the same key', async () => {
  let tries: string[] = []
  const flaky = await startHost((request, response) => {
    tries.push(String(request.headers['idempotency-key']))
    if (tries.length % 2 === 1) return void response.destroy()
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"sent"}')
  })
  const repeatable = await wait(await define({ url: `${flaky}/{{number}}` }))
  await calling(async () => {
    assert.deepEqual([(await ended(repeatable, 'the second try')).outcome, tries.length], ['done', 2])
    assert.equal(new Set(tries).size, 1)
    tries = []
    const once = await wait(await define({ url: `${flaky}/{{number}}`, method: 'POST', isRepeatable: false }))
    const call = await ended(once, 'the only try')
    assert.deepEqual([call.outcome, call.problem!.code, tries.length], ['unknown', 'CONNECTION_LOST', 1])
  })
})

test('a host that hangs has a few calls at a time, and holds up no other host', async () => {
  let open = 0
  let most = 0
  const hanging = await startHost((_, response) => {
    open += 1
    most = Math.max(most, open)
    response.on('close', () => {
      open -= 1
    })
  })
  const slow = await define({ url: `${hanging}/{{number}}`, isRepeatable: false, timeoutMs: 1_500 })
  const fast = await define()
  const stuck = await Promise.all(Array.from({ length: PER_HOST_MAX * 2 }, () => wait(slow)))
  await calling(async () => {
    await until(() => open === PER_HOST_MAX, 'the host’s limit')
    const call = await ended(await wait(fast), 'the call of the other host')
    assert.equal(call.outcome, 'done')
    assert.equal(open, PER_HOST_MAX)
    for (const one of stuck) {
      const { outcome, problem } = await ended(one, 'each call of the host that hangs')
      assert.deepEqual([outcome, problem!.code], ['unknown', 'TIMEOUT'])
    }
  })
  assert.equal(most, PER_HOST_MAX)
})

const abandon = async (call: NewRunCall, claimant: string): Promise<void> => {
  const { id } = await callOf(call)
  assert.ok(await claimCall(ctx, id))
  await db.updateTable('action_calls').set({ claimed_by: claimant }).where('id', '=', id).execute()
}

test('what a dead process was calling is called again only if that does no harm', async () => {
  const read = await wait(await define())
  const write = await wait(await define({ method: 'POST', isRepeatable: false }))
  for (const call of [read, write]) await abandon(call, 'a dead process')
  await releaseCallsOf(jobDeps, ['another process'])
  assert.equal((await callOf(read)).state, 'calling')
  await releaseCallsOf(jobDeps, ['a dead process'])
  assert.equal((await callOf(read)).state, 'pending')
  const lost = await callOf(write)
  assert.deepEqual([lost.state, lost.outcome, lost.problem!.code], ['ended', 'unknown', 'WORKER_LOST'])
  assert.deepEqual(await inputsOf(write), [
    { kind: 'call', data: { token: 1, outcome: 'unknown', kept: null } },
  ])
})

test('a claim that was lost on its way is made after all, and one of a silent process is released in time', async () => {
  const actionId = await define({ method: 'POST', isRepeatable: false })
  const mine = await wait(actionId)
  const theirs = await wait(actionId)
  assert.ok(await claimCall(ctx, (await callOf(mine)).id))
  await abandon(theirs, 'a silent process')
  await releaseAbandonedCalls(jobDeps)
  assert.deepEqual([(await callOf(mine)).state, (await callOf(theirs)).state], ['calling', 'calling'])
  const real = clock.now
  clock.now = () => new Date(real().getTime() + 60_000)
  await releaseAbandonedCalls({ ...jobDeps, now: clock.now })
  clock.now = real
  assert.deepEqual([(await callOf(mine)).state, (await callOf(theirs)).outcome], ['pending', 'unknown'])
})

test('a try that is over can’t end the call, so a run gets one outcome', async () => {
  const call = await wait(await define())
  const { id } = await callOf(call)
  const claimed = (await claimCall(ctx, id))!
  const done = { outcome: 'done', status: 200, kept: null, problem: null } as const
  const results = await Promise.all([
    finishCall(ctx, claimed, done),
    finishCall(ctx, claimed, { ...done, outcome: 'failed' }),
    finishCall(ctx, { ...claimed, tries: claimed.tries + 1 }, done),
  ])
  assert.equal(results.filter(Boolean).length, 1)
  assert.equal((await inputsOf(call)).length, 1)
  assert.equal(await claimCall(ctx, id), undefined)
})

test('processes killed in the middle of calls lose none, and repeat only what may be repeated', async () => {
  const arrived = new Map<string, number>()
  let isHanging = true
  const host = await startHost((request, response) => {
    const key = String(request.headers['idempotency-key'])
    arrived.set(key, (arrived.get(key) ?? 0) + 1)
    if (!isHanging) response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"sent"}')
  })
  const start = async (): Promise<ChildProcess> => {
    const script = new URL('./testing/worker-process.ts', import.meta.url).pathname
    const child = spawn(process.execPath, [script, connectionString, TEST_SECRET_KEY, '{}'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    atTheEnd(() => void child.kill('SIGKILL'))
    await once(child.stdout!, 'data')
    return child
  }
  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const url = `${host}/{{number}}`
  const read = await define({ url, timeoutMs: 10_000 })
  const write = await define({ url, timeoutMs: 10_000, method: 'POST', isRepeatable: false })
  const reads = await Promise.all(Array.from({ length: 12 }, () => wait(read)))
  const writes = await Promise.all(Array.from({ length: 12 }, () => wait(write)))
  const first = await start()
  await until(() => arrived.size === PER_HOST_MAX, 'the first calls')
  await kill(first)
  isHanging = false
  const second = await start()
  const outcomes = async (calls: NewRunCall[]) =>
    Promise.all(calls.map(async (call) => (await ended(call, 'a call after the kill')).outcome))
  assert.deepEqual(new Set(await outcomes(reads)), new Set(['done']))
  const written = await outcomes(writes)
  await kill(second)
  assert.deepEqual(
    written,
    writes.map(({ runId, token }, at) => {
      assert.equal(arrived.get(`${runId}.${token}`), 1)
      return written[at] === 'unknown' ? 'unknown' : 'done'
    }),
  )
  const repeats = [...arrived.values()].filter((count) => count > 1).length
  const unknown = written.filter((outcome) => outcome === 'unknown').length
  assert.equal(repeats + unknown, PER_HOST_MAX)
})
