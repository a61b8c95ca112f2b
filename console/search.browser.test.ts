// Searching in a real browser: the inbox's results, matches in a thread, and the palette.
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Page } from 'playwright-core'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { addNote } from '../server/domain/notes/add-note.ts'
import { startApp } from '../test/app.ts'
import { makeMember, signIn } from '../test/console.ts'
import { assertAccessible, browseConsole, field, LOOKS } from '../test/console-visit.ts'
import { makeAttachments } from '../test/make-attachments.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true, worker: true })
const { call, ctxOf, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const { id: w } = workspace
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const jane = await makeMember(testApp, w, ['reply'])
const webId = await make.channelAccount(w, 'web')
const admin = await signIn(testApp, w, robin.id)
const { test, visit } = browseConsole(testApp, w, robin)

const write = async (name: string, body: string): Promise<{ id: string; messageId: string }> => {
  const { conversationId, message } = await receiveMessage(ctxOf(w), {
    channel: 'web',
    channelAccountId: webId,
    from: { identity: { kind: 'visitor', value: name, verified: true }, name },
    body,
    externalId: null,
    sentAt: new Date(),
  })
  return { id: conversationId, messageId: message.id }
}
const contactOf = async (conversationId: string): Promise<string> => {
  const { contact_id } = await db
    .selectFrom('conversations')
    .select('contact_id')
    .where('id', '=', conversationId)
    .executeTakeFirstOrThrow()
  return contact_id
}
const ok = async (answer: ReturnType<typeof admin.call>): Promise<void> => {
  const { status, body } = await answer
  assert.ok(status < 300, JSON.stringify(body))
}

const kiln = await write('José Müller', 'The kiln I ordered has a <b>cracked</b> lid')
const vase = await write('Lena Brandt', 'Is the vase dishwasher safe?')
const glaze = await write('Otto Weiss', 'Which glaze is lead-free?')
await ok(
  admin.call('PATCH', `/contacts/${await contactOf(kiln.id)}/addresses`, {
    phone: '+436601234567',
    email: 'jose@mueller.example',
  }),
)
await db
  .updateTable('identities')
  .set({ confirmed: false })
  .where('workspace_id', '=', w)
  .where('kind', '=', 'email')
  .where('value', '=', 'jose@mueller.example')
  .execute()
await addNote(ctxOf(w), { conversationId: vase.id, body: 'Refund approved by Ingrid' })
await makeAttachments(testApp, workspace, glaze.messageId)
await db
  .updateTable('attachments')
  .set({ name: 'Rückgabe-Formular.pdf' })
  .where('workspace_id', '=', w)
  .execute()
const tag = await admin.call('POST', '/tags', { name: 'Händler', color: '#336699' })
await ok(admin.call('PUT', `/contacts/${await contactOf(glaze.id)}/tags`, { tagIds: [tag.body.tag.id] }))
await ok(call(workspace.token, 'POST', `/conversations/${glaze.id}/close`))

/** A thread of 400 messages; some of them name a saucer. */
const SAUCERS = [5, 120, 121, 260, 399]
const long = await write('Long Customer', 'The latest of many')
await sql`
  insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status,
    created_at)
  select workspace_id, left(id, 12) || lpad(n::text, 13, '0'), conversation_id, channel_account_id, sender_type, sender_id,
    'Message ' || n || repeat(' and some more words', n % 7) || case when n = any (${SAUCERS}::integer[])
      then ' about a saucer' else '' end, 'read', created_at - interval '500 min' + n * interval '1 min'
  from messages, generate_series(1, 400) n where workspace_id = ${w} and id = ${long.messageId}`.execute(db)
for (let n = 1; n <= 40; n++) await write(`Buyer ${n}`, `I would like to buy mug number ${n}`)

const rows = (page: Page) => page.locator('.found')
const names = async (page: Page): Promise<string[]> => rows(page).locator('.convo__name').allTextContents()
const bubbles = (page: Page) => page.locator('.thread .bubble')
const current = (page: Page) => page.locator('.thread__row--found .bubble')
const searchField = (page: Page) => field(page, 'Search conversations')
const search = async (page: Page, text: string, expected: string[]): Promise<void> => {
  await searchField(page).fill(text)
  await until(
    async () => (await names(page)).join() === expected.join() && (await page.url().includes('q=')),
    `“${text}” to find ${expected}`,
  )
}
const marked = async (page: Page): Promise<string[]> => rows(page).locator('mark').allTextContents()
/** The whole of it can be seen, neither above nor below the thread’s edges. */
const isInView = (page: Page, text: string) =>
  until(
    () =>
      page.evaluate((text) => {
        const box = document.querySelector('.thread__scroller')?.getBoundingClientRect()
        if (!box) return false
        return [...document.querySelectorAll('.thread .bubble')].some((bubble) => {
          const { top, bottom } = bubble.getBoundingClientRect()
          return bubble.textContent!.startsWith(text) && top >= box.top && bottom <= box.bottom
        })
      }, text),
    `${text} to be in view`,
  )

test('words in any order, a number, a note, a file and a tag find a conversation, and its row shows why', () =>
  visit('/inbox/all', async (page) => {
    await page.keyboard.press('/')
    await search(page, 'cracked kiln', ['José Müller'])
    assert.deepEqual(await marked(page), ['kiln', 'cracked'])
    // What came from a customer is text.
    assert.match((await rows(page).textContent()) ?? '', /has a <b>cracked<\/b> lid/)
    await search(page, 'muller lid', ['José Müller'])
    await search(page, '0660 / 123 45 67', ['José Müller'])
    await rows(page).getByRole('img', { name: 'Found in the customer’s details' }).waitFor()
    await search(page, 'ingrid refund', ['Lena Brandt'])
    await rows(page).getByRole('img', { name: 'Found in a note' }).waitFor()
    assert.deepEqual(await marked(page), ['Refund', 'Ingrid'])
    await search(page, 'ruckgabe', ['Otto Weiss'])
    await rows(page).getByRole('img', { name: 'Found in a file’s name' }).waitFor()
    assert.deepEqual(await marked(page), ['Rückgabe'])
    await rows(page).getByText('Closed').waitFor()
    await search(page, 'handler', ['Otto Weiss'])
    await rows(page).getByRole('img', { name: 'Found in a tag' }).waitFor()
    // Enter right after typing goes to the first result, although it was not there yet.
    await searchField(page).fill('dishwasher')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('Lena Brandt'))
    await page.keyboard.press('Enter')
    await bubbles(page).locator('mark', { hasText: 'dishwasher' }).waitFor()
    // What becomes of a conversation shows in its row, which stays.
    await page.keyboard.press('Escape')
    await ok(call(workspace.token, 'POST', `/conversations/${vase.id}/close`))
    await rows(page).getByText('Closed').waitFor()
    await ok(call(workspace.token, 'POST', `/conversations/${vase.id}/reopen`))
    await rows(page).getByText('Closed').waitFor({ state: 'detached' })
  }))

test('a view with nothing says how much there is in the others, and pages follow each other', () =>
  visit('/inbox/open', async (page) => {
    await searchField(page).fill('glaze')
    await page.getByText('No results for “glaze” in Open').waitFor()
    await page.getByRole('link', { name: '1 in Closed', exact: true }).click()
    await page.waitForURL('**/inbox/closed?q=glaze')
    await until(async () => (await names(page)).join() === 'Otto Weiss', 'the closed conversation')
    await search(page, 'glaze', ['Otto Weiss'])
    await searchField(page).fill('nowhere-at-all')
    await page.getByText('We searched names, emails, phone numbers').waitFor()

    await page.getByRole('link', { name: /^Open/ }).click()
    await searchField(page).fill('mug')
    await page.getByText('30 or more results').waitFor({ state: 'attached' })
    await page.locator('.list__scroller').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.getByText('40 results').waitFor({ state: 'attached' })
    await page.locator('.list__scroller').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await rows(page).getByText('mug number 1', { exact: false }).last().waitFor()
  }))

test('a result opens at its match, and one goes from match to match and back to the end', () =>
  visit('/inbox/all?q=message%205%20saucer', async (page) => {
    await rows(page).first().click()
    await isInView(page, 'Message 5 ')
    await page.waitForURL(/find=.*at=/)
    const count = page.locator('.find-bar__count')
    await until(async () => /\d of \d/.test((await count.textContent()) ?? ''), 'the count of matches')
    // Only what is searched for here: the bar is a field of its own.
    const find = field(page, 'Find in conversation')
    await find.fill('saucer')
    await count.getByText('1 of 5').waitFor()
    await isInView(page, 'Message 399 ')
    assert.deepEqual(await current(page).locator('mark').allTextContents(), ['saucer'])
    await find.press('Enter')
    await count.getByText('2 of 5').waitFor()
    await isInView(page, 'Message 260 ')
    await page.getByRole('button', { name: 'Next match' }).click()
    await count.getByText('3 of 5').waitFor()
    await isInView(page, 'Message 121 ')
    await page.keyboard.press('Control+g')
    await count.getByText('4 of 5').waitFor()
    await isInView(page, 'Message 120 ')
    await page.keyboard.press('Control+Shift+g')
    await count.getByText('3 of 5').waitFor()
    await find.press('Shift+Enter')
    await page.getByRole('button', { name: 'Previous match' }).click()
    await count.getByText('1 of 5').waitFor()
    await page.keyboard.press('Control+Shift+g')
    await count.getByText('5 of 5').waitFor()
    await isInView(page, 'Message 5 ')
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await isInView(page, 'The latest of many')
    await find.press('Escape')
    await find.waitFor({ state: 'detached' })
    assert.equal(await page.locator('.thread mark').count(), 0)
    assert.doesNotMatch(page.url(), /find=/)
    // It is also there without a search.
    await page.keyboard.press('Control+f')
    await find.waitFor()
    await page.keyboard.type('saucer')
    await count.getByText('1 of 5').waitFor()
  }))

test('an old match stays in place while messages arrive, and reading on from it reaches the end without a gap', () =>
  visit(
    `/inbox/all/${long.id}?find=saucer&at=${long.messageId.slice(0, 12)}${'120'.padStart(13, '0')}`,
    async (page) => {
      await isInView(page, 'Message 120 ')
      const place = () => current(page).evaluate((bubble) => Math.round(bubble.getBoundingClientRect().top))
      // Older and newer pages are loaded around it by now.
      await until(async () => (await page.locator('.thread__loading').count()) === 0, 'the pages around it')
      await page.waitForTimeout(1_000)
      const before = await place()
      await write('Long Customer', 'Something that arrived meanwhile')
      await page.getByRole('button', { name: 'New messages' }).waitFor()
      assert.ok(Math.abs((await place()) - before) <= 2)
      // It was not seen, so it is still unread.
      const { unread_count: unread } = await db
        .selectFrom('conversations')
        .select('unread_count')
        .where('id', '=', long.id)
        .executeTakeFirstOrThrow()
      assert.ok(unread > 0)
      const seen = new Set<number>()
      const thread = page.getByRole('log')
      for (let step = 0; step < 400; step++) {
        for (const text of await bubbles(page).allTextContents()) {
          const number = /^Message (\d+)/.exec(text)?.[1]
          if (number) seen.add(Number(number))
        }
        if ((await page.locator('.thread__down').count()) === 0) break
        await thread.evaluate((element) => element.scrollBy(0, element.clientHeight * 0.8))
        await page.waitForTimeout(40)
      }
      await isInView(page, 'Something that arrived meanwhile')
      for (let n = 120; n <= 400; n++) assert.ok(seen.has(n), `message ${n} was shown`)
      // Back at the end it is live again.
      await write('Long Customer', 'And one more')
      await isInView(page, 'And one more')
    },
  ))

test('the palette finds people, conversations and commands by keyboard', () =>
  visit('/inbox/open', async (page) => {
    await page.locator('.convo').first().waitFor()
    const options = page.getByRole('option')
    const ask = async (text: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).waitFor()
      await page.keyboard.type(text)
    }
    await ask('muller')
    const person = options.filter({ hasText: 'jose@mueller.example · +436601234567' }).first()
    await person.waitFor()
    await person.getByText('Unverified').waitFor()
    await person.getByRole('img', { name: 'Web chat' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/contacts/${await contactOf(kiln.id)}`)

    await ask('cracked')
    await options.filter({ hasText: 'The kiln I ordered' }).locator('mark', { hasText: 'cracked' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/inbox/all/${kiln.id}?find=cracked**`)
    await current(page).locator('mark', { hasText: 'cracked' }).waitFor()

    await ask('theme dark')
    await options.filter({ hasText: 'Theme: dark' }).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('html[data-theme="dark"]').waitFor()

    await ask('mug number')
    await options.filter({ hasText: 'Buyer 40' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/inbox\/all\?q=mug(\+|%20)number$/)
    await rows(page).first().waitFor()
  }))

test('an agent who sees only their own conversations finds nothing of the others', () =>
  visit(
    '/inbox/all?q=kiln',
    async (page) => {
      await page.getByText('No results for “kiln”').waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).waitFor()
      const answers = Promise.all(
        ['/search/people', '/search?'].map((path) =>
          page.waitForResponse(
            (response) => response.url().includes(path) && response.url().includes('muller'),
          ),
        ),
      )
      await page.keyboard.type('muller')
      await answers
      await page.getByRole('option', { name: 'Search all conversations for “muller”' }).waitFor()
      assert.equal(await page.getByRole('option').count(), 1)
      await page.keyboard.press('Escape')
      await ok(admin.call('POST', `/conversations/${kiln.id}/assign`, { agentId: jane.id }))
      await page.goto(page.url())
      await rows(page).getByText('José Müller').waitFor()
    },
    { person: jane },
  ))

test('searching has no serious accessibility violation, in light and dark, wide and narrow', async () => {
  for (const { colorScheme, width } of LOOKS)
    await visit(
      '/inbox/all?q=saucer',
      async (page) => {
        await rows(page).first().waitFor()
        await assertAccessible(page, `${width} results`)
        await rows(page).first().click()
        await page.locator('.find-bar__count').getByText('of 5').waitFor()
        await assertAccessible(page, `${width} matches`)
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search' }).waitFor()
        await page.keyboard.type('mu')
        await page.getByRole('option').filter({ hasText: 'jose@mueller' }).first().waitFor()
        await assertAccessible(page, `${width} palette`)
      },
      { viewport: { width, height: 844 }, colorScheme },
    )
})
