// A hundred conversations in the inbox, by keyboard alone: how many keys each usual thing takes.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { saveReply } from '../server/domain/saved-replies/saved-replies.ts'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, LOOKS } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true, worker: true })
const { ctxOf, db, make } = testApp
const { id: w } = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const jane = await make.agent(w, { nickname: 'Jane', role: 'admin' })
const refund = await make.tag(w, { name: 'Refund' })
const webId = await make.channelAccount(w, 'web')
const { test, visit } = browseConsole(testApp, w, robin)
await saveReply(
  ctxOf(w),
  { id: newId(), ownerId: null },
  {
    name: 'Thanks',
    shortcut: 'thanks',
    folder: null,
    body: 'Thank you for writing!',
    channels: [],
    tagIds: [],
    assigneeId: null,
    closes: true,
  },
)

const COUNT = 100
const ids: string[] = []
for (let n = COUNT; n >= 1; n--) {
  const { conversationId } = await receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: webId,
    from: { identity: { kind: 'visitor', value: `visitor${n}`, verified: true }, name: `Customer ${n}` },
    body: `Question ${n}`,
    externalId: null,
    sentAt: new Date(),
  })
  ids[n] = conversationId
}
const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (LOOK) await page.screenshot({ path: `${LOOK}-${name}.png` })
}
const head = (page: Page, n: number) =>
  page.locator('.convo-head__name', { hasText: new RegExp(`^Customer ${n}$`) })
const stateOf = (n: number) =>
  db
    .selectFrom('conversations')
    .select(['status', 'agent_id', 'snoozed_until', 'priority'])
    .where('id', '=', ids[n]!)
    .executeTakeFirstOrThrow()
const tagsOf = async (n: number): Promise<string[]> =>
  (
    await db.selectFrom('conversation_tags').select('tag_id').where('conversation_id', '=', ids[n]!).execute()
  ).map(({ tag_id }) => tag_id)

/** Presses keys, and counts them; a chord is one. */
const press = async (page: Page, ...keys: string[]): Promise<number> => {
  for (const key of keys) await page.keyboard.press(key)
  return keys.length
}

/** The first key opens a picker, whose code may have to be loaded. */
const pick = async (page: Page, key: string, label: string, ...keys: string[]): Promise<number> => {
  await press(page, key)
  await page.getByRole('combobox', { name: label }).waitFor()
  await page.getByRole('option').first().waitFor()
  return 1 + (await press(page, ...keys))
}

test('a hundred conversations are worked through by keyboard with at most three keys each', async () => {
  await db.updateTable('accounts').set({ undo_seconds: 0 }).where('id', '=', robin.id).execute()
  await visit('/inbox/open', async (page) => {
    await page.locator('.convo').first().waitFor()
    await press(page, 'j')
    await head(page, 1).waitFor()
    const counted: Record<string, number[]> = {}
    const count = (what: string, keys: number): void => {
      counted[what] = [...(counted[what] ?? []), keys]
    }
    for (let n = 1; n <= COUNT; n++) {
      await head(page, n).waitFor()
      const turn = n % 5
      if (turn === 1) count('close', await press(page, 'e'))
      if (turn === 2) count('snooze', await pick(page, 'z', 'Snooze until', 'Enter'))
      if (turn === 3) count('assign', await pick(page, 'a', 'Assign to', 'j', 'Enter'))
      if (turn === 4) {
        count('tag', await pick(page, 'l', 'Tags', 'r', 'Enter'))
        await until(async () => (await tagsOf(n)).includes(refund), `conversation ${n} to be tagged`)
        await page.getByRole('combobox', { name: 'Tags' }).waitFor({ state: 'detached' })
        await press(page, 'j')
      }
      if (turn === 0) {
        const keys = await pick(page, ';', 'Saved replies', 'Enter')
        await page.getByText('After sending: close').waitFor()
        count('saved reply', keys + (await press(page, 'Enter')))
      }
      if (n < COUNT) await head(page, n + 1).waitFor()
    }
    for (const [what, keys] of Object.entries(counted))
      assert.ok(Math.max(...keys) <= 3, `${what}: ${Math.max(...keys)} keys`)
    assert.deepEqual(Object.keys(counted).sort(), ['assign', 'close', 'saved reply', 'snooze', 'tag'])
  })
  const done = async (n: number) => stateOf(n)
  await until(async () => (await done(100)).status === 'closed', 'the last to be closed')
  for (let n = 1; n <= COUNT; n++) {
    const { status, agent_id, snoozed_until } = await done(n)
    const turn = n % 5
    assert.equal(status, turn === 1 || turn === 0 ? 'closed' : 'open', String(n))
    assert.equal(snoozed_until !== null, turn === 2, String(n))
    assert.equal(agent_id, turn === 3 ? jane.id : null, String(n))
  }
})

test('several are selected by keyboard, changed together, and one undo takes all of it back', () =>
  visit('/inbox/open', async (page) => {
    await page.locator('.convo').first().waitFor()
    const names = await page.locator('.convo__name').allTextContents()
    const numbers = names.slice(0, 3).map((name) => Number(name.split(' ')[1]))
    await press(page, 'j')
    await head(page, numbers[0]!).waitFor()
    // The code of these keys is loaded after the list.
    await until(async () => {
      await press(page, 'x')
      return (await page.locator('.convo--selected').count()) === 1
    }, 'the first to be selected')
    await page.getByText('1 selected').waitFor()
    await press(page, 'Shift+J')
    await head(page, numbers[1]!).waitFor()
    await press(page, 'Shift+J')
    await page.getByText('3 selected').waitFor()
    await assertAccessible(page, 'selected conversations')
    await picture(page, 'selected')
    await press(page, 'p')
    const picker = page.getByRole('combobox', { name: 'Priority' })
    await picker.waitFor()
    await picture(page, 'priority')
    await press(page, 'Enter')
    await until(
      async () => (await Promise.all(numbers.map(stateOf))).every(({ priority }) => priority === 3),
      'all to be urgent',
    )
    await page.getByText('Priority: urgent · 3 conversations').waitFor()
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await until(
      async () => (await Promise.all(numbers.map(stateOf))).every(({ priority }) => priority === 0),
      'all to have no priority',
    )
  }))

test('a snoozed conversation says so, is found among the snoozed, and comes back by undo', () =>
  visit('/inbox/open', async (page) => {
    await page.locator('.convo').first().waitFor()
    const before = await page.locator('.convo').count()
    await press(page, 'j')
    const name = (await page.locator('.convo-head__name').textContent())!
    const number = Number(name.split(' ')[1])
    await press(page, 'z')
    await page.getByRole('option', { name: 'Until they reply' }).waitFor()
    await assertAccessible(page, 'times to snooze until')
    await picture(page, 'snooze')
    await press(page, 'ArrowUp', 'ArrowUp', 'Enter')
    await until(
      async () => (await stateOf(number)).snoozed_until?.startsWith('9999') === true,
      'it to be snoozed',
    )
    await page
      .locator('.toast', { hasText: 'Snoozed until they reply' })
      .getByRole('button', { name: 'Undo' })
      .click()
    await until(async () => (await stateOf(number)).snoozed_until === null, 'it to be back')
    await head(page, number).waitFor()
    await press(page, 'Escape', 'g', 'z')
    await page.waitForURL('**/inbox/snoozed')
    await until(async () => (await page.locator('.convo').count()) >= 5, 'the snoozed ones')
    await page
      .getByText(/^Until /)
      .first()
      .waitFor()
    await picture(page, 'snoozed')
    await press(page, 'g', 'o')
    await page.waitForURL('**/inbox/open')
    await until(async () => (await page.locator('.convo').count()) === before, 'the open ones')
  }))

test('a view is saved with its filter, counts what it has, and is renamed and deleted', async () => {
  for (const { width, colorScheme } of LOOKS)
    await visit(
      `/inbox/open?tag=${refund}`,
      async (page) => {
        await page.locator('.convo').first().waitFor()
        await page.locator('.convo__tag', { hasText: 'Refund' }).first().waitFor()
        await page.getByRole('button', { name: 'Other views' }).click()
        await page.getByRole('menuitem', { name: 'Save this view…' }).click()
        await page.getByLabel('Name', { exact: true }).fill(`Refunds ${width}`)
        await assertAccessible(page, 'saving a view')
        await page.getByRole('button', { name: 'Save view' }).click()
        await page.getByText('View saved').waitFor()
        await page.goto(new URL('/inbox/all', page.url()).href)
        await page.locator('.convo').first().waitFor()
        await page.getByRole('button', { name: /other views/ }).click()
        const item = page.getByRole('menuitem', { name: new RegExp(`Refunds ${width}`) })
        await item.getByText('20', { exact: true }).waitFor()
        await picture(page, `views-${width}`)
        await item.click()
        await page.waitForURL(`**/inbox/open?tag=${refund}`)
        await page.getByRole('button', { name: 'Other views' }).click()
        await page.getByRole('menuitem', { name: 'Manage saved views…' }).click()
        await page.getByLabel(`Name of Refunds ${width}`).fill('Money back')
        await page.keyboard.press('Tab')
        await page.getByLabel('Name of Money back').waitFor()
        await assertAccessible(page, 'saved views')
        await picture(page, `manage-${width}`)
        await page.getByRole('button', { name: 'Delete Money back' }).click()
        await page.getByLabel('Name of Money back').waitFor({ state: 'detached' })
      },
      { viewport: { width, height: 900 }, colorScheme },
    )
})

test('who waits longest comes first, and each row says how long', () =>
  visit('/inbox/open?order=waiting', async (page) => {
    await page.locator('.convo').first().waitFor()
    const numbers = (await page.locator('.convo__name').allTextContents()).map((name) =>
      Number(name.split(' ')[1]),
    )
    // Customer 100 wrote first; those with a reply, and those that are snoozed or closed, are not here.
    assert.deepEqual(numbers.slice(0, 3), [99, 98, 94])
    await page
      .getByText(/^Waiting \d+ min$/)
      .first()
      .waitFor()
  }))
