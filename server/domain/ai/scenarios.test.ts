// The scenarios that are shipped, each played for real.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { allowOutbound } from '../../../channels/protocol/outbound.ts'
import { startSandbox } from '../../../sandbox/sandbox.ts'
import { startApp } from '../../../test/app.ts'
import { startCaller } from '../../jobs/call-actions.ts'
import { DELIVERY_TIMING } from '../../jobs/delivery-timing.ts'
import { checkOutcome, failuresIn } from './evaluation/check-outcome.ts'
import { readScenarios } from './evaluation/read-scenarios.ts'
import { startShop } from './testing/proposing.ts'
import { startStage } from './testing/staged.ts'

const KEY = 'sk-scenarios-4c1f7a90b2d83e65'
const FOLDER = new URL('scenarios/', import.meta.url)
const sandbox = await startSandbox({ modelKey: KEY })
const shop = await startShop()
const app = await startApp()
const { play, conductor, thinker } = startStage(app, { sandbox, shop, key: KEY })
const caller = await startCaller(
  { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false },
  { connectionString: app.database.connectionString, pollMs: 100 },
)
before(() => {
  allowOutbound(sandbox.url)
  allowOutbound(shop.url)
})
after(async () => {
  await caller.stop()
  await thinker.stop()
  await conductor.stop()
  await sandbox.stop()
})

const files = (await readdir(FOLDER)).filter((name) => name.endsWith('.json')).sort()
for (const file of files) {
  const scenarios = readScenarios(file, JSON.parse(await readFile(new URL(file, FOLDER), 'utf8')))
  for (const scenario of scenarios)
    test(`${file.replace('.json', '')}: ${scenario.name}`, async () => {
      const outcome = await play(scenario)
      assert.deepEqual(
        failuresIn(checkOutcome(scenario.expect, outcome)),
        [],
        JSON.stringify(outcome, null, 1),
      )
    })
}
