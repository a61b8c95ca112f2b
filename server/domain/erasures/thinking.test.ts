// A customer who is erased while the AI agent thinks about what they wrote: the answer of the model comes afterwards, and
// brings nothing back.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { allowOutbound } from '../../../channels/protocol/outbound.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { startApp } from '../../../test/app.ts'
import { until } from '../../../test/until.ts'
import type { ErasureMode } from '../../platform/db/tables.ts'
import { startAssisting } from '../ai/testing/assisted.ts'
import { runErasure } from './run-erasure.ts'

const KEY = 'sk-erased-5b0d2c81f7e94a36'
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())
const app = await startApp()
before(() => allowOutbound(sandbox.url))
const { call, ctxOf, db, make } = app
const { conductor, pass, place, settle, thinker } = startAssisting(app)

const WORDS = 'How much is shipping for marmalade?'

type There = Awaited<ReturnType<typeof place>>

const isAsked = async ({ workspaceId }: There): Promise<boolean> =>
  (await db.selectFrom('ai_usage').select('id').where('workspace_id', '=', workspaceId).execute()).length > 0

const eraseIn = async (there: There, mode: ErasureMode): Promise<void> => {
  const { id: contactId } = (await there.send('GET', '')).body.conversation.contact
  const { body } = await call(there.token, 'DELETE', `/contacts/${contactId}?mode=${mode}`)
  assert.equal(await runErasure(ctxOf(there.workspaceId), body.erasure.id, { isStopping: () => false }), true)
}

/** `change`: done while the model takes its time, before the customer is erased. */
const eraseWhileThinking = async (mode: ErasureMode, change: (there: There) => Promise<unknown>) => {
  const there = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-facts' } })
  await there.writes(WORDS)
  await there.assign()
  await pass(11_000)
  sandbox.control.addModelFault({ kind: 'slow', times: 1, delayMs: 1_500 })
  const thinking = thinker.thinkDue()
  await until(() => isAsked(there), 'the model to be asked')
  await change(there)
  await eraseIn(there, mode)
  await thinking
  await settle()
  for (const table of ['ai_turns', 'ai_requests', 'messages', 'automation_inputs', 'automation_states']) {
    const { rows } = await sql<{ line: string }>`
      select t::text as line from ${sql.table(table)} t where workspace_id = ${there.workspaceId}`.execute(db)
    const found = rows.filter(({ line }) => /marmalade/i.test(line))
    assert.deepEqual(found, [], `${table} after ${mode}`)
  }
  assert.deepEqual(await there.requests(), [], mode)
}

for (const mode of ['erase', 'anonymise'] as const) {
  test(`what a customer wrote isn’t stored again when the model answers after mode ${mode}`, () =>
    eraseWhileThinking(mode, async () => {}))

  test(`nor when the turn was over by then, after mode ${mode}`, () =>
    eraseWhileThinking(mode, async (there) => {
      const anna = await make.agent(there.workspaceId)
      await there.send('POST', '/assign', { agentId: anna.id })
      await conductor.conductDue()
      assert.deepEqual(
        (await there.turns()).map(({ state }) => state),
        ['ended'],
      )
    }))
}
