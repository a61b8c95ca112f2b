import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { createBusinessHours } from '../domain/business-hours/business-hours.ts'
import { startConducting } from '../domain/flow-runs/testing/conducted.ts'
import { ensureDemoFlows } from './demo-flows.ts'

const app = await startApp()
const { conductor, place } = startConducting(app)

/** The demo's flows in a workspace of a customer of that channel. */
const demoOn = async (channel: 'web' | 'whatsapp' | 'telegram' | 'email') => {
  const there = await place({ channel })
  const ctx = { ...there.ctx, actor: { type: 'operator' as const } }
  await createBusinessHours(ctx, {
    name: 'Shop hours',
    isDefault: true,
    timeZone: 'Europe/Lisbon',
    weekly: { tue: [{ from: '09:00', to: '18:00' }], wed: [{ from: '09:00', to: '18:00' }] },
    exceptions: [],
  })
  await ensureDemoFlows(ctx)
  const flows = () =>
    app.db
      .selectFrom('flows')
      .select(['name', 'state'])
      .where('workspace_id', '=', there.workspaceId)
      .orderBy('position')
      .execute()
  return { ...there, ctx, flows }
}

test('three flows are live, and a later start leaves them as people made them', async () => {
  const { ctx, workspaceId, flows } = await demoOn('web')
  assert.deepEqual(await flows(), [
    { name: 'Out of hours', state: 'live' },
    { name: 'Welcome menu', state: 'live' },
    { name: 'Satisfaction after closing', state: 'live' },
  ])
  await app.db
    .deleteFrom('flows')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', 'Out of hours')
    .execute()
  await app.db
    .updateTable('flows')
    .set({ state: 'paused' })
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', 'Welcome menu')
    .execute()
  await ensureDemoFlows(ctx)
  assert.deepEqual(await flows(), [
    { name: 'Welcome menu', state: 'paused' },
    { name: 'Satisfaction after closing', state: 'live' },
  ])
})

test('new customers on the website and on WhatsApp get the menu, those on Telegram nothing', async () => {
  for (const channel of ['web', 'whatsapp'] as const) {
    const { says, thread } = await demoOn(channel)
    await says('Hello')
    const [, menu] = await thread()
    assert.match(menu ?? '', /^automation: Hi Maria, you’ve reached Hollow & Kiln/, channel)
  }
  const { says, thread } = await demoOn('telegram')
  await says('Hello')
  assert.deepEqual(await thread(), ['customer: Hello'])
})

test('mail is answered while the shop is closed, and only then', async () => {
  const open = Date.UTC(2026, 10, 24, 12)
  const { clock } = app
  const now = clock.now
  for (const [at, replies] of [
    [open, 0],
    [open + 11 * 3_600_000, 1],
  ] as const) {
    clock.now = () => new Date(at)
    const { says, thread } = await demoOn('email')
    await says('Do you ship to Austria?')
    const replied = (await thread()).filter((line) => line.startsWith('automation'))
    assert.equal(replied.length, replies)
    if (replies > 0) assert.match(replied[0]!, /will be back tomorrow at 9:00/)
  }
  clock.now = now
  await conductor.stop()
})
