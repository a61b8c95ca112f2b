// Reports in a real browser: figures that open their conversations, charts with tables, periods and downloads.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { rollUpReports } from '../server/jobs/roll-up-reports.ts'
import { makePastIds } from '../server/platform/db/id.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'

const HOUR_MS = 3_600_000
const DAYS = 40

const testApp = await startApp()
const { app, database, db, deps, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const w = workspace.id
const robin = await make.agent(w, { nickname: 'Robin Hart', role: 'admin' })
const jane = await make.agent(w, { nickname: 'جين دو' })
const { test, visit } = browseConsole(testApp, w, robin)

const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (!LOOK) return
  const height = await page.evaluate("document.querySelector('.page__inside').scrollHeight + 80")
  const { width } = page.viewportSize()!
  await page.setViewportSize({ width, height: Number(height) })
  await page.screenshot({ path: `${LOOK}-${name}.png` })
}

const idAt = makePastIds()
const accounts = {
  web: await make.channelAccount(w, 'web'),
  whatsapp: await make.channelAccount(w, 'whatsapp'),
}

/** A question, a reply after some minutes, and usually a closing and a rating. */
const addThread = async (at: number, n: number): Promise<void> => {
  const channel = n % 3 === 0 ? 'whatsapp' : 'web'
  const isOpen = n % 9 === 0
  const contact = await make.contact(w, { name: `Clara ${n}` })
  const { id } = await make.conversation(w, {
    channel,
    id: idAt(at),
    at: new Date(at),
    contactId: contact.id,
    channelAccountId: accounts[channel],
    status: isOpen ? 'open' : 'closed',
  })
  const agent = n % 2 === 0 ? robin.id : jane.id
  const entries = [
    ['customer', contact.id, 0, null],
    ['agent', agent, (5 + (n % 50)) * 60_000, null],
    ['customer', contact.id, 2 * HOUR_MS, null],
    ['agent', agent, 2 * HOUR_MS + (2 + (n % 20)) * 60_000, null],
    ...(isOpen ? [] : [['system', 'system', 5 * HOUR_MS, { event: 'closed', by: agent }] as const]),
  ] as const
  for (const [senderType, senderId, after, metadata] of entries) {
    if (at + after > Date.now()) continue
    await db
      .insertInto('messages')
      .values({
        workspace_id: w,
        id: idAt(at + after),
        conversation_id: id,
        channel_account_id: accounts[channel],
        sender_type: senderType,
        sender_id: senderId,
        body: `${senderType} of Clara ${n}`,
        status: 'sent',
        metadata: metadata && JSON.stringify(metadata),
        created_at: new Date(at + after),
      })
      .execute()
  }
  for (const [kind, from, to] of [
    ['first', 0, 5 + (n % 50)],
    ['next', 120, 122 + (n % 20)],
  ] as const)
    await db
      .insertInto('waits')
      .values({
        workspace_id: w,
        id: idAt(at),
        conversation_id: id,
        kind,
        started_at: new Date(at + from * 60_000),
        due_at: new Date(at + (from + 30) * 60_000),
        ended_at: new Date(at + to * 60_000),
        answered_at: new Date(at + to * 60_000),
        answered_by: agent,
      })
      .execute()
  if (isOpen || n % 4 !== 1) return
  await db
    .insertInto('ratings')
    .values({
      workspace_id: w,
      run_id: idAt(at),
      conversation_id: id,
      agent_id: agent,
      rating: 1 + (n % 5),
      comment: n % 8 === 1 ? 'Friendly, but it took two days.' : null,
      created_at: new Date(at + 5.5 * HOUR_MS),
    })
    .execute()
}

const rollUp = () => {
  const { connectionString } = database
  return rollUpReports({ ...deps, connectionString, log: app.log, isStopping: () => false } as never)
}

test('with nothing to show, the screen says what to do', async () => {
  await rollUp()
  await visit('/reports', async (page) => {
    await page.getByRole('heading', { name: 'No conversations in this period' }).waitFor()
    await assertAccessible(page, 'no reports')
  })
})

test('figures open their conversations, tables have what the charts show, and the period is in the URL', async () => {
  const start = Date.now() - DAYS * 24 * HOUR_MS
  for (let n = 0; n < 120; n++) await addThread(start + n * 7.6 * HOUR_MS, n)
  await db
    .insertInto('answer_targets')
    .values({ workspace_id: w, first_answer_minutes: 30, next_answer_minutes: 30, hours_id: null })
    .execute()
  await db
    .insertInto('broadcasts')
    .values({
      workspace_id: w,
      id: idAt(Date.now() - 50 * HOUR_MS),
      audience_type: 'contacts',
      template_name: 'spring_sale',
      template_language: 'en',
      sender_type: 'agent',
      sender_id: robin.id,
      total_count: 3,
      sent_count: 3,
      created_at: new Date(Date.now() - 50 * HOUR_MS),
    })
    .execute()
  await rollUp()
  await visit(
    '/reports',
    async (page) => {
      await button(page, /^New conversations/).click()
      const dialog = page.getByRole('dialog', { name: 'New conversations' })
      await dialog.getByRole('link', { name: 'Clara 119' }).waitFor()
      await assertAccessible(page, 'entries')
      await dialog.getByRole('button', { name: 'Close', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('img', { name: /^Messages by day: \d+ from customers, \d+ sent/ }).waitFor()
      await page.getByText('Show as table').first().click()
      const cell = page.getByRole('button', {
        name: /^\d+, Messages from customers, .*: show conversations$/,
      })
      await cell.first().click()
      await page.getByRole('dialog').getByText('Clara').first().waitFor()
      await page.keyboard.press('Escape')
      // What was late opens at the reply.
      await button(page, /^\d+, Missed targets, First reply: show conversations$/).click()
      const late = page.getByRole('dialog', { name: 'Missed targets, First reply' })
      await late
        .getByText(/after \d+ min · \d+ min counted toward the target/)
        .first()
        .waitFor()
      await late.getByRole('link').first().click()
      await page.waitForURL(/\/inbox\/all\/.*at=/)
      await page.locator('.thread__row--found, .bubble', { hasText: 'agent of Clara' }).first().waitFor()
      await page.goBack()
      await page.getByRole('heading', { name: 'Response targets' }).waitFor()
      await page.getByLabel('Period', { exact: true }).selectOption('90')
      await page.waitForURL(/days=90/)
      await page.getByLabel('Channel', { exact: true }).selectOption('whatsapp')
      await page.waitForURL(/channel=whatsapp/)
      const people = page.locator('.section', { has: page.getByRole('heading', { name: 'People' }) })
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        people.getByRole('link', { name: 'CSV' }).click(),
      ])
      const lines = (await readFile((await download.path())!, 'utf8')).split('\r\n')
      assert.match(lines[0]!, /^\ufeffName,Messages,/)
      assert.equal(lines.length, 4)
      await page.getByLabel('Period', { exact: true }).selectOption('custom')
      await page.waitForURL(/from=/)
      await page.getByLabel('From', { exact: true }).waitFor()
    },
    { acceptDownloads: true },
  )
})

test('reports are accessible in both themes and widths, and there for those who may see them', async () => {
  for (const { colorScheme, width } of LOOKS)
    await visit(
      '/reports',
      async (page) => {
        await page.getByRole('heading', { name: 'Ratings' }).waitFor()
        await assertAccessible(page, `reports, ${colorScheme}, ${width} px`)
        await picture(page, `${colorScheme}-${width}`)
      },
      { colorScheme, viewport: { width, height: 900 } },
    )
  await visit(
    '/reports',
    async (page) => {
      await page.getByText('You don’t have access to this').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Reports' }).count(), 0)
    },
    { person: jane },
  )
})
