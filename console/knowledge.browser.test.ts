// Knowledge in a real browser against the real server, from pasted text to what the AI agent would say.
import assert from 'node:assert/strict'
import { newIdAfter } from '../server/platform/db/id.ts'
import { startApp } from '../test/app.ts'
import { makeMember } from '../test/console.ts'
import { assertAccessible, browseConsole, button, field, LOOKS } from '../test/console-visit.ts'

const testApp = await startApp({ stream: true })
const { call, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await makeMember(testApp, workspace.id, [])
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const PASTED = `# Help
## How long does shipping take?
Two to four days.

## How do I return a mug?
Write to us within 30 days.

## Care
${'Everything is safe in the dishwasher. '.repeat(20)}`

test('pasted text is split, checked and published, and the agent answers from it at once', () =>
  visit('/knowledge', async (page) => {
    await page.getByText('No answers yet').waitFor()
    await page.keyboard.press('p')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.insertText(PASTED)
    await button(page, 'Continue').press('Enter')
    await page.getByText('3 parts found').waitFor()
    await assertAccessible(page, 'parts of pasted text')
    await button(page, 'Publish 3').press('Enter')
    await page.getByRole('link', { name: 'How do I return a mug?' }).waitFor()
    await page.getByRole('link', { name: 'Care' }).waitFor()

    await field(page, 'Question').fill('how can i return my mug')
    await page.keyboard.press('Enter')
    await page.getByText('The AI agent would reply:').waitFor()
    await page.getByText('Write to us within 30 days.').waitFor()
    await field(page, 'Question').fill('qwertz')
    await page.keyboard.press('Enter')
    await page.getByText('would hand over to the team').waitFor()

    await field(page, 'Search answers and articles').fill('shipping')
    await page.getByRole('link', { name: 'How do I return a mug?' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'How long does shipping take?' }).waitFor()
  }))

test('what is written survives a reload, refusals are told at their field, and Ctrl+Enter publishes', () =>
  visit('/knowledge/answers/new', async (page) => {
    await field(page, 'Title').fill('Gift wrapping')
    await field(page, 'Reply').fill('Yes, for 3 €.')
    await page.reload()
    await page.getByText('Your unsaved changes have been restored.').waitFor()
    assert.equal(await field(page, 'Reply').inputValue(), 'Yes, for 3 €.')
    await page.getByText('Who it’s for').click()
    await field(page, 'Countries').fill('Germany')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Must be an ISO 3166 code such as "DE".').waitFor()
    await field(page, 'Countries').fill('de, AT')
    await field(page, 'How customers ask for it').fill('Do you wrap gifts?\n\nGift wrap?')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('link', { name: 'Gift wrapping' }).waitFor()
    const { body } = await call(workspace.token, 'GET', '/knowledge/answers?search=gift')
    const [saved] = body.answers
    assert.deepEqual(saved.phrasings, ['Do you wrap gifts?', 'Gift wrap?'])
    assert.deepEqual(saved.audience.countries, ['DE', 'AT'])
  }))

test('two people who change the same article see it, and nobody’s text is lost', async () => {
  const article = { title: 'Glazes', language: 'en', body: 'We use **two** glazes.', externalId: 'help-7' }
  const created = await call(workspace.token, 'POST', '/knowledge/articles', article)
  const path = `/knowledge/articles/${created.body.article.id}`
  await visit(path, async (page) => {
    await field(page, 'Text').fill(
      'We use **three** glazes.\n\n<b>No HTML</b>\n\n[Never](javascript:alert(1))',
    )
    await page.getByRole('tab', { name: 'Preview' }).click()
    await page.locator('.markdown strong', { hasText: 'three' }).waitFor()
    assert.equal(await page.locator('.markdown :is(a, b)').count(), 0)

    const theirs = await call(workspace.token, 'PUT', path, { ...article, body: 'We use four glazes.' })
    assert.equal(theirs.status, 200)
    await button(page, 'Save').click()
    await page.getByText('Someone else changed this article').waitFor()
    await assertAccessible(page, 'article changed by two')
    await button(page, 'Keep mine').click()
    await button(page, 'Save').click()
    await page.getByRole('link', { name: 'Glazes' }).waitFor()
    const { body } = await call(workspace.token, 'GET', path)
    assert.match(body.article.body, /three/)
    assert.equal(body.article.externalId, 'help-7')

    await page.getByRole('link', { name: 'Glazes' }).click()
    await button(page, 'Delete').click()
    await button(page, 'Delete article').click()
    await page.getByText('Article deleted').waitFor()
    assert.equal((await call(workspace.token, 'GET', path)).status, 404)
  })
})

test('people without the permission read knowledge and try questions, but change nothing', () =>
  visit(
    '/knowledge',
    async (page) => {
      await page.getByRole('link', { name: 'Gift wrapping' }).click()
      await page.getByRole('heading', { name: 'Gift wrapping' }).waitFor()
      assert.equal(await field(page, 'Title').isDisabled(), true)
      assert.equal(await page.getByRole('button', { name: /Save|Publish|Delete/ }).count(), 0)
      assert.equal(await page.getByRole('link', { name: 'Knowledge', exact: true }).count(), 1)
    },
    { person: jane },
  ))

for (const { colorScheme, width } of LOOKS)
  test(`knowledge is accessible and fits ${width} pixels, ${colorScheme}`, () =>
    visit(
      '/knowledge',
      async (page) => {
        await page.getByRole('link', { name: 'Gift wrapping' }).waitFor()
        await assertAccessible(page, `${width} knowledge`)
        await page.getByRole('link', { name: 'Gift wrapping' }).click()
        await field(page, 'Countries').waitFor()
        await assertAccessible(page, `${width} answer`)
      },
      { colorScheme, viewport: { width, height: 844 } },
    ))

test('an unanswered question becomes an answer with what a person replied, and is gone from the list', async () => {
  const conversation = await make.conversation(workspace.id)
  const at = new Date()
  await testApp.db
    .insertInto('ai_turns')
    .values({
      workspace_id: workspace.id,
      id: newIdAfter(),
      conversation_id: conversation.id,
      state: 'ended',
      outcome: 'handed_over',
      question: 'Do you engrave rings?',
      decision: JSON.stringify({ is: 'handOver', reason: 'no_knowledge' }),
      due_at: at,
      created_at: at,
      ended_at: at,
    })
    .execute()
  await make.message(workspace.id, conversation, { senderType: 'agent', body: 'Yes, for 20 euros.' })
  await visit('/knowledge', async (page) => {
    await page.getByRole('link', { name: 'Unanswered questions' }).click()
    await page.getByText('Your team replied: Yes, for 20 euros.').waitFor()
    await assertAccessible(page, 'unanswered questions')
    await page.getByRole('link', { name: 'Write answer' }).click()
    await field(page, 'Reply').waitFor()
    assert.equal(await field(page, 'Reply').inputValue(), 'Yes, for 20 euros.')
    assert.equal(await field(page, 'How customers ask for it').inputValue(), 'Do you engrave rings?')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('link', { name: 'Do you engrave rings?' }).waitFor()
    await page.getByRole('link', { name: 'Unanswered questions' }).click()
    await page.getByText('No unanswered questions').waitFor()
  })
})
