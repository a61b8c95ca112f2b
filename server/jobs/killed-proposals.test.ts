import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { startProposing } from '../domain/ai/testing/proposing.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 3)
const CONVERSATIONS = 10

const app = await startApp()
const { database, db } = app
const { offered, shop, tapOn } = await startProposing(app, { isCalling: false })
/** How far each proposal and its call is: any change is a step of some process. */
const progress = async (): Promise<string> => {
  const proposals = await db.selectFrom('ai_proposals').select('state').orderBy('id').execute()
  const calls = await db.selectFrom('action_calls').select(['state', 'tries']).orderBy('id').execute()
  return JSON.stringify([proposals, calls])
}

test('workers killed between a tap and “Done.” call nothing twice, and say what came of it once', async () => {
  const places = []
  for (let index = 0; index < CONVERSATIONS; index++) places.push(await offered())
  for (const { workspaceId, proposals, writes } of places)
    await writes('Yes', tapOn(workspaceId, (await proposals())[0]!.turn_id))
  const isDone = async () => {
    const proposals = await db.selectFrom('ai_proposals').select('state').execute()
    return proposals.every(({ state }) => state !== 'offered' && state !== 'confirmed')
  }
  for (let killed = 0; killed < KILLS && !(await isDone()); killed++) {
    const worker = await startKillable(database.connectionString)
    const before = await progress()
    await until(async () => (await progress()) !== before || (await isDone()), 'a step', 120_000)
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await until(isDone, 'all proposals to end', 180_000)
  await kill(last)
  for (const { proposals, thread } of places) {
    const { id, state } = (await proposals())[0]!
    const times = shop.called.filter(({ key }) => key === id).length
    const said = (await thread()).at(-1)!
    // A call whose worker died isn't repeated, and a person finds out.
    assert.match(
      said,
      state === 'done' ? /^agent: Done\./ : /^agent: I couldn’t make sure that this worked\./,
    )
    assert.ok(state === 'done' ? times === 1 : state === 'unknown' && times <= 1)
    assert.equal((await thread()).length, 4)
  }
})
