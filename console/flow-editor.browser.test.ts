// The editor of flows in a real browser against the real server.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { FlowDefinition } from '../flow-engine/schema.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await make.agent(workspace.id, { nickname: 'Jane', role: 'agent' })
const { base, test, visit } = browseConsole(testApp, workspace.id, robin)

/** The console's own API, as the page calls it. */
const call = (page: Page, method: string, path: string, body?: unknown) =>
  page.evaluate(
    async ([method, url, body]) => {
      const response = await fetch(url!, {
        method: method!,
        headers: { 'content-type': 'application/json', 'x-foyer-console': '1' },
        ...(body !== undefined && { body }),
      })
      const answer = await response.json()
      if (!response.ok) throw new Error(JSON.stringify(answer))
      return answer
    },
    [
      method,
      `/console/api/workspaces/${workspace.id}${path}`,
      body === undefined ? undefined : JSON.stringify(body),
    ],
  )
const row = (page: Page, name: string) => page.locator(`[data-row="${name}"]`)
const idIn = (page: Page): string => /\/flows\/(\w+)/.exec(page.url())![1]!
const draftOf = async (page: Page): Promise<FlowDefinition> =>
  (await call(page, 'GET', `/flows/${idIn(page)}`)).flow.draft
const isFocused = (page: Page, name: string) => () =>
  row(page, name).evaluate((it) => it === document.activeElement)
const press = async (page: Page, ...keys: string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}
const addStep = async (page: Page, after: string, search: string): Promise<void> => {
  await until(isFocused(page, after), `the focus on ${after}`)
  await press(page, 'a')
  await page.getByRole('combobox', { name: 'Step to add' }).waitFor()
  await page.keyboard.type(search)
  await press(page, 'Enter')
  await page.locator('.form-place :is(input, select, textarea):focus').waitFor()
}
const QUESTION: FlowDefinition = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'api' }],
  start: 'start',
  blocks: { start: { title: 'Start', steps: [{ id: 's1', type: 'ask', answer: 'text', text: 'Hello?' }] } },
}
const createFlow = async (page: Page, name: string, definition = QUESTION): Promise<string> =>
  (await call(page, 'POST', '/flows', { name, definition })).flow.id

const sizes: [number, 'light' | 'dark'][] = [
  [1440, 'light'],
  [390, 'dark'],
]

test('a flow that asks for the order number, looks it up and answers or hands over is built by keyboard alone and published', () =>
  visit('/flows', async (page) => {
    await call(page, 'POST', '/actions', {
      name: 'Look up order',
      method: 'GET',
      url: 'https://shop.example.com/orders/{{number}}',
      parameters: [{ name: 'number', type: 'string', isRequired: true }],
      keep: [{ name: 'status', path: 'status' }],
      headers: [],
      timeoutMs: 5_000,
      isRepeatable: true,
      risk: 'read',
      needs: 'none',
      confirm: 'none',
    })
    await page.reload()
    await page.getByRole('heading', { name: 'Flows', exact: true }).waitFor()
    await press(page, 'n')
    await until(
      () => page.getByRole('radio', { name: /^A template/ }).evaluate((it) => it === document.activeElement),
      'the focus on the first choice',
    )
    await press(page, 'ArrowDown')
    await until(
      () => page.getByLabel('Name', { exact: true }).evaluate((it) => it === document.activeElement),
      'the focus on the name',
    )
    await page.keyboard.type('Where is my order')
    await press(page, 'Enter')
    // A new flow opens in its first question.
    await row(page, 'step s1').waitFor()
    await until(
      () => page.getByLabel('Question').evaluate((it) => it === document.activeElement),
      'the focus on the question',
    )
    await page.keyboard.type('What is your order number?')
    await page.getByLabel('Save the reply as').focus()
    await page.keyboard.type('Order number')
    await press(page, 'Escape')
    await page.getByText('Ask “What is your order number?” → orderNumber').waitFor()

    await addStep(page, 'step s1', 'call')
    await page.keyboard.type('Look')
    await press(page, 'Escape')
    await addStep(page, 'step s2', 'send')
    await page.keyboard.type('It is ')
    await press(page, 'Tab', 'Enter')
    await page.getByRole('combobox', { name: 'Variables' }).waitFor()
    await page.keyboard.type('status')
    await press(page, 'Enter')
    // Typing goes on behind the variable.
    await until(
      () =>
        page
          .locator('.form-place textarea')
          .evaluate((it: HTMLTextAreaElement) => it === document.activeElement && it.selectionStart > 10),
      'the focus back in the text',
    )
    await page.keyboard.type('.')
    await page.getByText('It is {{call.lookUpOrder.status}}.').first().waitFor()
    await page.getByText('How channels show it').waitFor()
    await press(page, 'Escape')

    await until(async () => (await draftOf(page)).blocks.start?.steps.length === 3, 'the draft saved')
    const { steps } = (await draftOf(page)).blocks.start!
    const [ask, lookUp] = steps
    assert.ok(ask?.type === 'ask' && lookUp?.type === 'call')
    assert.deepEqual(lookUp.with, { number: { from: ask.store } })
    assert.deepEqual([lookUp.keep, lookUp.onFailed], ['lookUpOrder', 'people'])

    await press(page, 's')
    await page.getByPlaceholder('Write the first message').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('Hello')
    await press(page, 'Enter')
    await page.getByRole('button', { name: 'Show step s1 in the outline' }).waitFor()
    await page.keyboard.type('1207')
    await press(page, 'Enter')
    await page.getByRole('button', { name: 'Start again' }).and(page.locator(':focus')).waitFor()
    await press(page, 'Escape')
    await until(isFocused(page, 'step s3'), 'the focus back on the step')

    await press(page, 'p')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('No problems found').waitFor()
    await dialog.getByText('There are no conversations of the last 30 days to try it on.').waitFor()
    await press(page, 'Enter')
    await page.getByText('Live', { exact: true }).waitFor()
  }))

test('steps are moved, copied, deleted and brought back by keyboard, and each is saved', () =>
  visit('/flows', async (page) => {
    const say = (id: string) => ({ id, type: 'send' as const, text: `Text ${id}` })
    const flowId = await createFlow(page, 'Keys', {
      schema: 1,
      kind: 'dialog',
      language: 'en',
      triggers: [{ on: 'api' }],
      start: 'first',
      blocks: {
        first: { title: 'First', steps: [say('s1'), say('s2')], next: 'second' },
        second: { title: 'Second', steps: [say('s3')], next: 'end' },
      },
    })
    await page.goto(`${base()}/flows/${flowId}`)
    const order = () =>
      page
        .locator('[data-row^="step"]')
        .evaluateAll((rows) => rows.map((it) => (it as HTMLElement).dataset.row))
    await row(page, 'step s1').focus()
    await press(page, 'Alt+ArrowDown')
    await until(async () => (await order())[0] === 'step s2', 'the step moved')
    await until(isFocused(page, 'step s1'), 'the focus still on it')
    await press(page, 'Control+c', 'Control+v')
    await until(isFocused(page, 'step s4'), 'the copy')
    assert.deepEqual(await order(), ['step s2', 'step s1', 'step s4', 'step s3'])
    await press(page, 'ArrowUp', 'Delete')
    await until(async () => (await order()).length === 3, 'the step gone')
    await press(page, 'Control+z')
    await until(async () => (await order()).length === 4, 'the step back')
    await press(page, 'Control+z', 'Control+z', 'Control+Shift+z', 'Control+Shift+z')
    await until(
      async () => (await draftOf(page)).blocks.first?.steps.map(({ id }) => id).join() === 's2,s1,s4',
      'the draft saved',
    )
    // The link to a block moves there.
    await row(page, 'block first').focus()
    await page.getByRole('button', { name: 'Second', exact: true }).first().click()
    await until(isFocused(page, 'block second'), 'the focus on the block that the link leads to')
    await press(page, '?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const line of ['Move step up', 'Add step below', 'Undo', 'Paste below', 'Edit the row'])
      await help.getByText(line).waitFor()
  }))

test('where a flow continues is chosen by keyboard, and only the button adds a block', () =>
  visit('/flows', async (page) => {
    await page.goto(`${base()}/flows/${await createFlow(page, 'Targets')}`)
    await row(page, 'block start').press('Enter')
    const target = page.getByLabel('After the last step')
    await target.focus()
    // From the first option to the last, over all between them.
    for (let at = await target.locator('option').count(); at > 1; at--) await press(page, 'ArrowDown')
    await until(
      async () => (await draftOf(page)).blocks.start?.next === (await target.inputValue()),
      'the draft saved',
    )
    assert.deepEqual(Object.keys((await draftOf(page)).blocks), ['start'])
    await press(page, 'Tab', 'Enter')
    await row(page, 'block after-start').waitFor()
    assert.equal(await target.inputValue(), 'after-start')
  }))

test('options are typed one after the other with Enter', () =>
  visit('/flows', async (page) => {
    await page.goto(`${base()}/flows/${await createFlow(page, 'Options')}`)
    await row(page, 'step s1').press('Enter')
    await page.getByLabel('Reply', { exact: true }).selectOption('choice')
    const option = (number: number) => page.getByLabel(`Option ${number}`, { exact: true })
    await option(1).focus()
    for (const [at, title] of ['An order', 'A return', 'Something else'].entries()) {
      await page.keyboard.type(title)
      await press(page, 'Enter')
      await option(at + 2)
        .and(page.locator(':focus'))
        .waitFor()
    }
    await page.getByText('Ask “Hello?” (An order · A return · Something else)').first().waitFor()
  }))

test('two people’s changes to one flow are shown side by side, and neither is lost', () =>
  visit('/flows', async (page) => {
    const flowId = await createFlow(page, 'Together')
    await page.goto(`${base()}/flows/${flowId}`)
    await row(page, 'step s1').waitFor()
    const { flow } = await call(page, 'GET', `/flows/${flowId}`)
    const theirs = structuredClone(flow.draft) as FlowDefinition
    theirs.blocks.start!.title = 'Their title'
    await call(page, 'PUT', `/flows/${flowId}/draft`, { definition: theirs, revision: flow.draftRevision })

    await row(page, 'step s1').click()
    await page.getByLabel('Question').fill('My question?')
    await page.getByText('Someone else changed this draft').waitFor()
    await page.getByText('Title: Start → Their title').waitFor()
    // Leaving and coming back asks again.
    await page.reload()
    await page.getByText('Someone else changed this draft').waitFor()
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByText('Draft saved').waitFor()
    const ask = (await draftOf(page)).blocks.start!.steps[0]
    assert.ok(ask?.type === 'ask' && ask.text === 'My question?')
  }))

test('what was changed offline is saved once the server can be reached', () =>
  visit('/flows', async (page) => {
    const flowId = await createFlow(page, 'Offline')
    await page.goto(`${base()}/flows/${flowId}`)
    await row(page, 'step s1').click()
    await page.context().setOffline(true)
    await page.getByLabel('Question').fill('Written on a train')
    await page.getByText('kept in this browser').first().waitFor()
    await page.context().setOffline(false)
    await page.getByText('Draft saved').waitFor()
    const ask = (await draftOf(page)).blocks.start!.steps[0]
    assert.ok(ask?.type === 'ask' && ask.text === 'Written on a train')
  }))

test('the JSON can be edited, names the line of a problem, and is compared with what was published', () =>
  visit('/flows', async (page) => {
    const { flows } = await call(page, 'GET', '/flows')
    const { id } = flows.find(({ name }: { name: string }) => name === 'Where is my order')
    await page.goto(`${base()}/flows/${id}?tab=json`)
    const text = page.getByLabel('Definition')
    const before = await text.inputValue()
    await text.fill(before.replace('{', '{,'))
    await page.getByText('Not applied yet').waitFor()
    await text.fill(before.replace('"people"', '"nowhere"'))
    await page
      .getByText(/Line \d+:.*“nowhere”, which doesn’t exist/)
      .first()
      .waitFor()
    await text.fill(before.replace('What is your order number?', 'Which order?'))
    await page.getByText('Draft saved').waitFor()
    await page.getByRole('tab', { name: 'Versions' }).click()
    await page.getByText('Question: What is your order number? → Which order?').waitFor()
    await page.getByRole('button', { name: 'Restore into draft' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('No differences.').waitFor()
  }))

test('members without the permission see which flows there are, and can’t open or change them', () =>
  visit(
    '/flows',
    async (page) => {
      await page.getByText('Where is my order').waitFor()
      assert.equal(await page.getByRole('link', { name: 'Where is my order' }).count(), 0)
      assert.equal(await page.getByRole('button', { name: /New flow|Import|Move/ }).count(), 0)
    },
    { person: jane },
  ))

test('every part of a flow’s page is accessible, wide and narrow, in light and dark', async () => {
  for (const [width, colorScheme] of sizes)
    await visit(
      '/flows',
      async (page) => {
        const at = (part: string) => assertAccessible(page, `${part} ${width}`)
        await page.getByRole('link', { name: 'Where is my order' }).waitFor()
        await at('list')
        await page.getByRole('link', { name: 'Where is my order' }).click()
        await row(page, 'step s1').click()
        await page.getByLabel('Question').waitFor()
        await at('outline')
        await row(page, 'flow').click()
        await page.getByText('How often for the same customer').waitFor()
        await at('triggers')
        await page.getByRole('button', { name: 'Map', exact: true }).click()
        await page.locator('.flow-map__block').first().waitFor()
        await at('map')
        await page.getByRole('complementary', { name: 'Map' }).getByRole('button', { name: 'Close' }).click()
        for (const [tab, text] of [
          ['JSON', 'Definition'],
          ['Versions', 'Compare'],
          ['Runs', 'The last 30 days'],
        ] as const) {
          await page.getByRole('tab', { name: tab }).click()
          await page.getByText(text).first().waitFor()
          await at(tab)
        }
      },
      { colorScheme, viewport: { width, height: 844 } },
    )
})
