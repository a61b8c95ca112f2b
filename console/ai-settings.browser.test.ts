// The settings of the AI agent's model and what it is told, in a real browser against the real server and a model.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startSandbox } from '../sandbox/sandbox.ts'
import { DEFAULT_GUIDANCE } from '../server/domain/ai/guidance/default-guidance.ts'
import { publishGuidance, saveDraft } from '../server/domain/ai/guidance/edit-guidance.ts'
import { findGuidance } from '../server/domain/ai/guidance/find-guidance.ts'
import { findProvider } from '../server/domain/ai/provider/find-provider.ts'
import { findSettings } from '../server/domain/ai/settings-queries.ts'
import { startApp } from '../test/app.ts'
import { makeMember } from '../test/console.ts'
import { assertAccessible, browseConsole, button, field } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const KEY = 'sk-browser-4f9d2c81e7a6b350'
const testApp = await startApp({ stream: true })
const { make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await makeMember(testApp, workspace.id, ['manage_automation'])
await make.tag(workspace.id, { name: 'VIP' })
const ctx = testApp.ctxOf(workspace.id)
const { test, visit } = browseConsole(testApp, workspace.id, robin)
const sandbox = await startSandbox({ modelKey: KEY })
after(() => sandbox.stop())

const LOOKS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
]

test('a model is connected, checked and disconnected, and its key never comes back', () =>
  visit('/settings/ai-agent', async (page) => {
    await page.getByRole('link', { name: 'Model' }).click()
    await field(page, 'Address').fill('http://10.0.0.7:11434/v1')
    await field(page, 'Model').fill('sandbox-facts')
    await button(page, 'Connect model').click()
    await page.getByText(/^Must begin with https/).waitFor()
    await field(page, 'Address').fill(`${sandbox.url}/v1`)
    await field(page, 'API key').fill(KEY)
    await page.getByText('Prices', { exact: true }).click()
    await field(page, 'Input').fill('2,50')
    await field(page, 'Output').fill('10')
    await button(page, 'Connect model').click()
    await button(page, 'Check').click()
    await page.getByText('The agent can use this model.').waitFor()
    const provider = await findProvider(ctx)
    assert.deepEqual(
      [provider?.account.key, provider?.prices],
      [KEY, { input: 2_500_000, cached: 2_500_000, output: 10_000_000 }],
    )
    assert.ok(!(await page.content()).includes(KEY))
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `model at ${size.width}`)
    }
    await field(page, 'Address').fill('https://198.0.0.1/v1')
    await page.getByText('The stored key was entered for another address').waitFor()
    await button(page, 'Save').click()
    await page.getByText('Saved. Enter the key for this address').waitFor()
    assert.equal((await findProvider(ctx))?.account.key, null)
    await button(page, 'Disconnect').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
    await button(page, 'Connect model').waitFor()
    assert.equal(await findProvider(ctx), null)
  }))

test('on a narrow screen the current page is in view among the links, also once the window is made narrower', () =>
  visit('/settings/ai-agent', async (page) => {
    const here = page.locator('.side-pages__list [aria-current="page"]')
    await here.waitFor()
    await page.setViewportSize(LOOKS[1]!)
    const isInView = () =>
      here.evaluate((link) => {
        const { left, right } = link.getBoundingClientRect()
        return left >= 0 && right <= window.innerWidth
      })
    await until(isInView, 'the link to be in view')
    await page.reload()
    await until(isInView, 'the link to be in view again')
  }))

test('what customers read at a hand-over is written by language, and an address is asked for', () =>
  visit('/settings/ai-agent', async (page) => {
    await make.enableAi(workspace.id)
    await page.reload()
    await field(page, 'Message to the customer').fill('Thanks! {{name}}')
    await button(page, 'Add language').click()
    await field(page, 'Language').last().selectOption('de')
    await field(page, 'Message').fill('Danke! {{expectation}}')
    await page.getByRole('checkbox', { name: /^Ask for an email address/ }).check()
    await button(page, 'Save').click()
    await page
      .getByText('Has {{name}}, but only {{expectation}} and {{workspace}} can be filled in.')
      .waitFor()
    await field(page, 'Message to the customer').fill('Thanks! {{expectation}}')
    await button(page, 'Save').click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { expectation, handOverTexts, asksAddress } = await findSettings(ctx)
    assert.deepEqual(
      [expectation, handOverTexts, asksAddress],
      ['Thanks! {{expectation}}', { de: 'Danke! {{expectation}}' }, true],
    )
    for (const size of LOOKS) {
      await page.setViewportSize(size)
      await assertAccessible(page, `hand-over at ${size.width}`)
    }
    await button(page, 'Remove German').click()
    await button(page, 'Save').click()
    await until(
      async () => Object.keys((await findSettings(ctx)).handOverTexts).length === 0,
      'it to be saved',
    )
  }))

test('whoever may only manage automation sees that the model is for admins', () =>
  visit(
    '/settings/ai-agent/model',
    async (page) => {
      await page.getByText('Only admins can change this').waitFor()
      assert.equal(await field(page, 'API key').count(), 0)
    },
    { person: jane },
  ))

test('instructions and rules are saved as they are typed, published, compared and restored', () =>
  visit(
    '/settings/ai-agent',
    async (page) => {
      await page.getByRole('link', { name: 'Instructions and rules' }).click()
      await page
        .getByRole('textbox', { name: 'Instructions' })
        .fill('You help the customers of a pottery shop.')
      await page.getByText('Draft saved').waitFor()
      await page.getByRole('tab', { name: 'Rules' }).click()
      await button(page, 'Add rule').click()
      await field(page, 'When').fill('the customer asks for a discount')
      await button(page, 'Publish').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Rule 1 must not be empty.').waitFor()
      await field(page, 'Say').fill('There are no discounts.')
      await page.getByText('For all customers').click()
      await page.getByLabel('VIP').check()
      await button(page, 'Publish').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
      await page.getByText('Version 1 is live ·').waitFor()
      const { guidance } = await findGuidance(ctx)
      assert.equal(guidance.rules[0]?.only.tagIds.length, 1)
      for (const tab of ['Instructions', 'Rules', 'Access', 'Versions'])
        for (const size of LOOKS) {
          await page.setViewportSize(size)
          await page.getByRole('tab', { name: tab }).click()
          await assertAccessible(page, `${tab} at ${size.width}`)
        }
      await page.getByRole('tab', { name: 'Rules' }).click()
      await button(page, 'Remove rule 1').click()
      await page.getByRole('tab', { name: 'Versions' }).click()
      await page.getByText('Removed', { exact: true }).waitFor()
      await page
        .getByText('When the customer asks for a discount: Say: There are no discounts. (only: VIP)')
        .waitFor()
      await button(page, 'Restore into draft').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
      await page.getByText('No differences.').waitFor()
    },
    { person: jane },
  ))

test('a draft that someone else changed meanwhile is neither overwritten nor lost', () =>
  visit('/settings/ai-agent/instructions', async (page) => {
    await field(page, 'Style').waitFor()
    const { revision } = await testApp.db
      .selectFrom('ai_guidance')
      .select('revision')
      .where('workspace_id', '=', workspace.id)
      .executeTakeFirstOrThrow()
    await saveDraft(ctx, { guidance: { ...DEFAULT_GUIDANCE, instructions: 'Theirs.' }, revision })
    await field(page, 'Style').fill('Mine.')
    await page.getByText('Someone else changed this draft while you were editing it.').waitFor()
    await button(page, 'Keep mine').click()
    await page.getByText('Draft saved').waitFor()
    await publishGuidance(ctx, { revision: revision + 2 })
    assert.equal((await findGuidance(ctx)).guidance.style, 'Mine.')
  }))
