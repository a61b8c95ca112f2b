import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { QUIET_MS } from '../domain/ai/testing/assisted.ts'
import { SENDS_CODE, startVerifying } from '../domain/ai/testing/verifying.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 3)
const CONVERSATIONS = 5

const app = await startApp()
const { database, db } = app
const { codeIn, control, makeKnown, pass, thinker } = await startVerifying(app, { isCalling: false })

const progress = async (): Promise<string> =>
  JSON.stringify([
    await db.selectFrom('identity_codes').select(['id', 'sent_at']).orderBy('id').execute(),
    await db.selectFrom('automation_inputs').select('id').orderBy('id').execute(),
  ])

test('workers killed between the decision and the sending of codes send each customer one code', async () => {
  const places = []
  for (let index = 0; index < CONVERSATIONS; index++) places.push(await makeKnown())
  for (const there of places) {
    control.scriptModel([SENDS_CODE])
    await there.writes('Please cancel my order AB-12345.')
    await there.assign('ai')
  }
  await pass(QUIET_MS)
  await thinker.thinkDue()
  const isDone = async () => {
    const codes = await db.selectFrom('identity_codes').select('sent_at').execute()
    return codes.length === CONVERSATIONS && codes.every(({ sent_at }) => sent_at !== null)
  }
  for (let killed = 0; killed < KILLS && !(await isDone()); killed++) {
    const worker = await startKillable(database.connectionString)
    const before = await progress()
    await until(async () => (await progress()) !== before || (await isDone()), 'a step', 120_000)
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await until(isDone, 'all codes to be sent', 180_000)
  await kill(last)
  for (const { codes, mails, thread } of places) {
    assert.equal((await codes()).length, 1)
    assert.equal((await thread()).filter((line) => line.includes('six-digit code')).length, 1)
    // One that was being sent may come twice: the same email.
    const sent = mails()
    assert.ok(sent.length >= 1)
    assert.equal(new Set(sent.map(codeIn)).size, 1)
    assert.equal(new Set(sent.map(({ text }) => /^Message-ID: .*$/im.exec(text)![0])).size, 1)
  }
})
