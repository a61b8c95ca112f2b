// Teams in the console: an admin makes one, people move conversations to it and find them there, and see what is due.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { saveTargets } from '../server/domain/teams/teams.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, field, LOOKS } from '../test/console-visit.ts'
import { makeFlow } from '../test/make-flow.ts'
import { makeTeam } from '../test/make-team.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { ctxOf, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const w = workspace.id
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
await make.agent(w, { nickname: 'Jane', role: 'admin' })
const account = await make.channelAccount(w)
const { test, visit } = browseConsole(testApp, w, robin)

const LOOK = process.env.LOOK_AT
const picture = async (page: Page, name: string): Promise<void> => {
  if (LOOK) await page.screenshot({ path: `${LOOK}-${name}.png`, fullPage: true })
}

const write = (name: string) =>
  receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: account,
    from: { identity: { kind: 'visitor', value: name, verified: true }, name },
    body: `${name} asks for help`,
    externalId: null,
    sentAt: new Date(),
  })

test('an admin makes a team that assigns by turn, and a conversation moved to it shows whose it is', async () => {
  await write('Ada Moreau')
  await visit('/settings/teams', async (page) => {
    await page.getByRole('link', { name: 'New team' }).first().click()
    await field(page, 'Name').fill('Support')
    await page.getByRole('checkbox', { name: 'Robin' }).check()
    await field(page, 'Assign conversations automatically').selectOption('round_robin')
    await field(page, 'First reply within (minutes)').fill('30')
    await button(page, 'Create team').click()
    await page.getByRole('link', { name: 'Support' }).waitFor()
    await page.goto(new URL('/inbox/open', page.url()).href)
    await page.locator('.convo', { hasText: 'Ada Moreau' }).click()
    await button(page, 'Assign').click()
    await picture(page, 'assign')
    await page.getByRole('option', { name: /^Support/ }).click()
    await page.locator('.convo', { hasText: 'Ada Moreau' }).getByText('You', { exact: true }).waitFor()
    await page
      .locator('.convo', { hasText: 'Ada Moreau' })
      .getByText(/^Due in/)
      .waitFor()
    await button(page, 'Other views').click()
    const mine = page.getByRole('menuitem', { name: /^My teams/ })
    await mine.getByText('1', { exact: true }).waitFor()
    await picture(page, 'views')
    await mine.click()
    await page.waitForURL(/team=own/)
    await page.locator('.list__filters').getByText('My teams').waitFor()
    await page.locator('.convo', { hasText: 'Ada Moreau' }).waitFor()
  })
  const row = await db
    .selectFrom('conversations')
    .select('agent_id')
    .where('workspace_id', '=', w)
    .executeTakeFirst()
  assert.equal(row?.agent_id, robin.id)
})

for (const { colorScheme, width } of LOOKS)
  test(`teams, response times, the away switch and what is overdue can be used by everyone: ${colorScheme}, ${width} px`, async () => {
    await saveTargets(ctxOf(w), {
      firstAnswerMinutes: 5,
      nextAnswerMinutes: 60,
      hoursId: null,
      aiCounts: true,
    })
    const { conversationId } = await write(`Late ${width}`)
    await db
      .updateTable('conversations')
      .set({ answer_due_at: new Date(Date.now() - 7 * 60_000) })
      .where('id', '=', conversationId)
      .execute()
    const look = { colorScheme, viewport: { width, height: 900 } }
    await visit(
      '/settings/teams',
      async (page) => {
        await button(page, 'Save response times').waitFor()
        await assertAccessible(page, 'teams')
        await picture(page, `teams-${width}`)
        await page.getByRole('link', { name: 'Support' }).click()
        await field(page, 'Limit of open conversations per person').waitFor()
        await assertAccessible(page, 'a team')
        await picture(page, `team-${width}`)
        await page.goto(new URL('/inbox/open?order=due', page.url()).href)
        await page
          .locator('.convo', { hasText: `Late ${width}` })
          .getByText('Overdue 7 min')
          .waitFor()
        await assertAccessible(page, 'what is due')
        await picture(page, `due-${width}`)
        await page.locator('.convo', { hasText: `Late ${width}` }).click()
        await page.locator('.convo-head').getByText('Overdue 7 min').waitFor()
        await assertAccessible(page, 'a conversation that is overdue')
        await picture(page, `head-${width}`)
      },
      look,
    )
  })

test('the steps of a flow and the AI agent’s hand-over offer the teams', async () => {
  const team = await makeTeam(testApp, w, { name: 'Sales' })
  await make.enableAi(w)
  const steps = [
    { id: 's1', type: 'assign' as const, to: 'nobody' },
    { id: 's2', type: 'people' as const },
  ]
  const flow = await makeFlow(testApp, w, {
    definition: {
      schema: 1,
      kind: 'dialog',
      language: 'en',
      triggers: [{ on: 'api' }],
      start: 'a',
      blocks: { a: { steps } },
    },
  })
  const draft = async () =>
    (await db.selectFrom('flows').select('draft').where('id', '=', flow.id).executeTakeFirstOrThrow()).draft
  const handsOverTo = async () =>
    (
      await db
        .selectFrom('ai_settings')
        .select('hand_over_team_id as id')
        .where('workspace_id', '=', w)
        .executeTakeFirst()
    )?.id
  await visit(`/flows/${flow.id}`, async (page) => {
    for (const [id, words] of [
      ['s1', 'Move to the team Sales'],
      ['s2', 'Hand over to the team Sales'],
    ]) {
      await page.locator(`[data-row="step ${id}"]`).click()
      await page.locator('.form-place').getByLabel('Team', { exact: true }).selectOption('Sales')
      await page.locator(`[data-row="step ${id}"]`).getByText(words!).waitFor()
    }
    await until(
      async () => JSON.stringify(await draft()).split(team).length === 3,
      'the draft with both teams',
    )
    await looks(page, 'step')
    await page.goto(new URL('/settings/ai-agent', page.url()).href)
    await field(page, 'Hand over to team').selectOption('Sales')
    await button(page, 'Save').click()
    await until(async () => (await handsOverTo()) === team, 'the saved team')
    await looks(page, 'hand-over')
  })
})

const looks = async (page: Page, name: string): Promise<void> => {
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await assertAccessible(page, `${name} at ${width}`)
    await picture(page, `${name}-${width}`)
  }
}

test('a person sets themselves to away in the account menu, and is back by the same', async () => {
  const isAway = async () =>
    (
      await db
        .selectFrom('memberships')
        .select('is_away')
        .where('account_id', '=', robin.id)
        .executeTakeFirst()
    )?.is_away
  await visit('/inbox/open', async (page) => {
    for (const expected of [true, false]) {
      await button(page, /account/i).click()
      await picture(page, 'account')
      await page.getByRole('menuitemcheckbox', { name: /^Away/ }).click()
      await page.getByText(expected ? /^You’re away/ : /^You’re back/).waitFor()
      assert.equal(await isAway(), expected)
    }
  })
})
