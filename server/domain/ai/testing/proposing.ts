// A shop with actions, a model that proposes what the test says, and workers that call what was confirmed.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { type AnswerInput, startSandbox } from '../../../../sandbox/sandbox.ts'
import type { TestApp } from '../../../../test/app.ts'
import { until } from '../../../../test/until.ts'
import { startCaller } from '../../../jobs/call-actions.ts'
import { DELIVERY_TIMING } from '../../../jobs/delivery-timing.ts'
import type { NewAction } from '../../actions/schema.ts'
import { startConducting } from '../../flow-runs/testing/conducted.ts'
import { choiceToken } from '../../messages/choice-token.ts'
import { AI_STEP } from '../turn/take-turn.ts'
import { startAssisting } from './assisted.ts'

const KEY = 'sk-proposals-50c1f1a0'

type Called = { key: string; path: string; body: unknown }

/** What it was asked for. `answer`: its status and body, after `release` if it is told to wait. */
export const startShop = async () => {
  const shop = {
    url: '',
    called: [] as Called[],
    answer: { status: 200, body: { state: 'cancelled', refund: '20 EUR' } as object },
    waitFor: Promise.resolve(),
  }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    shop.called.push({
      key: String(request.headers['idempotency-key']),
      path: request.url!,
      body: text === '' ? null : JSON.parse(text),
    })
    await shop.waitFor
    const { status, body } = shop.answer
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  shop.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return shop
}

export const cancelOrder = (url: string, change: Partial<NewAction> = {}): NewAction => ({
  name: 'Cancel order',
  method: 'POST',
  url: `${url}/orders/{{number}}/cancel`,
  headers: [],
  parameters: [{ name: 'number', type: 'string', isRequired: true }],
  keep: [
    { name: 'state', path: 'state' },
    { name: 'refund', path: 'refund' },
  ],
  timeoutMs: 5_000,
  isRepeatable: false,
  risk: 'write',
  needs: 'none',
  confirm: 'customer',
  ...change,
})

export const proposes = (number = 'AB-12345'): AnswerInput => ({
  calls: [{ name: 'propose_1_cancel_order', arguments: { number } }],
})

export const QUESTION = 'Please cancel my order AB-12345.'

/** Starts everything that the tests of proposals need. `isCalling`: what is confirmed is called by this process. */
export const startProposing = async (app: TestApp, { isCalling = true } = {}) => {
  const assisting = startAssisting(app)
  const { conductor, place } = assisting
  const conducting = startConducting(app)
  const sandbox = await startSandbox({ modelKey: KEY })
  after(() => sandbox.stop())
  const shop = await startShop()
  before(() => {
    allowOutbound(sandbox.url)
    allowOutbound(shop.url)
  })
  const { control } = sandbox
  beforeEach(() => {
    control.clearModel()
    shop.called = []
    shop.answer = { status: 200, body: { state: 'cancelled', refund: '20 EUR' } }
    shop.waitFor = Promise.resolve()
  })
  if (isCalling) {
    const caller = await startCaller(
      { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false },
      { connectionString: app.database.connectionString, pollMs: 100 },
    )
    after(() => caller.stop())
  }

  type Options = NonNullable<Parameters<typeof place>[0]> & { action?: Partial<NewAction> }

  /** A customer, with the agent in their conversation. */
  const makePlace = async ({ action, ...options }: Options = {}) => {
    const there = await place({
      ...options,
      model: { url: sandbox.url, key: KEY, name: 'sandbox-script' },
      actions: [cancelOrder(shop.url, action)],
    })
    const { workspaceId } = there
    const calls = () =>
      app.db.selectFrom('action_calls').selectAll().where('workspace_id', '=', workspaceId).execute()
    return {
      ...there,
      calls,
      proposals: () =>
        app.db
          .selectFrom('ai_proposals')
          .selectAll()
          .where('workspace_id', '=', workspaceId)
          .orderBy('id')
          .execute(),
      /** Lets what was confirmed be called, and what follows happen. */
      finish: async () => {
        await until(async () => (await calls()).every(({ state }) => state === 'ended'), 'the calls to end')
        await conductor.conductDue()
      },
      last: async () => (await there.thread()).at(-1)!,
    }
  }

  /** The agent has just asked. */
  const offered = async (options: Options = {}) => {
    const there = await makePlace(options)
    control.scriptModel([proposes()])
    assert.match(await there.opens(QUESTION), /Cancel order: number AB-12345/)
    return there
  }

  /** What comes with a tap on a button, wherever it is tapped. */
  const tapOn = (workspaceId: string, turnId: string, number = 1) => {
    const id = choiceToken(app.seal, { workspaceId, runId: turnId, stepId: AI_STEP, number })
    return { metadata: { choice: { kind: 'button', id, title: 'Yes' } } }
  }

  /** Another customer of the workspace. */
  const neighborOf = async ({ workspaceId, token }: { workspaceId: string; token: string }) => {
    const there = await conducting.place({ workspaceId })
    await there.writes('Hello.')
    const path = `/conversations/${there.conversationId()}/assign`
    assert.equal((await app.call(token, 'POST', path, { agentId: 'ai' })).status, 200)
    await conductor.conductDue()
    return there
  }

  return { ...assisting, control, shop, makePlace, offered, tapOn, neighborOf }
}
