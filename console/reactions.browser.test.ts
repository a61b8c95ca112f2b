// Reacting to customers' messages, what a colleague sees of that and of everything else, and the tabs of a phone.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { startApp } from '../test/app.ts'
import { signIn } from '../test/console.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'
import { until } from '../test/until.ts'

const testApp = await startApp({ stream: true })
const { db, make } = testApp
const { id: w } = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const janesAccount = await make.agent(w, { nickname: 'Jane', role: 'admin' })
const jane = await signIn(testApp, w, janesAccount.id)
const { test, visit } = browseConsole(testApp, w, robin)

const asked = async (channel: 'web' | 'telegram' | 'email', name: string) => {
  const contact = await make.contact(w, { name })
  const conversation = await make.conversation(w, { channel, contactId: contact.id })
  const body = `Thank you, the bowl has arrived! ${name}`
  const message = await make.message(w, conversation, { body, externalId: `${contact.id}:1` })
  return { id: conversation.id, messageId: message.id, path: `/inbox/open/${conversation.id}` }
}
const shot = async (page: Page, name: string): Promise<void> => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}-${name}.png` })
}
const chip = (page: Page) => page.locator('.reactions__one')

test('a reaction is given, replaced and taken away, and says whose it is', async () => {
  const { path, messageId } = await asked('web', 'Ann Customer')
  await visit(path, async (page) => {
    await page.getByText('the bowl has arrived').first().hover()
    await button(page, 'React').click()
    await button(page, 'React with 👍').waitFor()
    await shot(page, 'picker-1440')
    await assertAccessible(page, 'choosing a reaction')
    await button(page, 'React with 👍').click()
    await button(page, 'Take away 👍: Robin reacted').waitFor()
    await chip(page).hover()
    await page.locator('.tooltip', { hasText: 'Robin reacted' }).waitFor()
    await shot(page, 'given-1440')
    // A colleague's replaces it.
    await jane.call('PUT', `/messages/${messageId}/reaction`, { emoji: '🎉' })
    await button(page, 'Take away 🎉: Jane reacted').waitFor()
    assert.equal(await chip(page).count(), 1)
    await button(page, 'Take away 🎉: Jane reacted').click()
    await chip(page).waitFor({ state: 'detached' })
  })
})

test('a reaction that was not sent says why, a channel’s own emoji are offered, and email has none', async () => {
  const { path, messageId } = await asked('telegram', 'Tim Customer')
  const reaction = {
    ...{ by: 'business', emoji: '🔥', at: new Date().toISOString(), name: 'Jane', status: 'failed' },
    error: { code: '400', message: 'Telegram rejected the message.' },
  }
  await db
    .updateTable('messages')
    .set({ metadata: JSON.stringify({ reactions: [reaction, { ...reaction, by: 'customer', emoji: '❤️' }] }) })
    .where('id', '=', messageId)
    .execute()
  for (const { colorScheme, width } of LOOKS)
    await visit(
      path,
      async (page) => {
        await page.getByRole('img', { name: '❤️ Tim Customer reacted' }).waitFor()
        await button(page, 'Take away 🔥: Not sent: Telegram rejected the message.').waitFor()
        await assertAccessible(page, `a reaction that failed, ${width}`)
        await page.getByText('the bowl has arrived').first().hover()
        await button(page, 'React').click()
        await page.getByRole('option', { name: 'thumbs down' }).waitFor()
        await page.getByRole('combobox', { name: 'Search emoji' }).fill('robot')
        await page.getByText('No results.').waitFor()
        await page.getByRole('combobox', { name: 'Search emoji' }).fill('')
        await shot(page, `failed-${width}`)
      },
      { colorScheme, viewport: { width, height: 844 }, hasTouch: width < 500 },
    )
  const email = await asked('email', 'Eve Customer')
  await visit(email.path, async (page) => {
    await page.getByText('the bowl has arrived').first().hover()
    await page.getByRole('textbox', { name: 'Reply' }).waitFor()
    assert.equal(await button(page, 'React').count(), 0)
  })
})

test('what one person does in a conversation shows at the other, in the thread, the list and the badge', async () => {
  const { id, path, messageId } = await asked('web', 'Uma Customer')
  await visit(path, async (page) => {
    const row = page.locator('.list__rows .convo', { hasText: 'Uma Customer' }).first()
    await row.waitFor()
    await page.getByRole('textbox', { name: 'Reply' }).waitFor()
    const took: [string, number][] = []
    const shows = async (what: string, act: () => Promise<unknown>, see: () => Promise<unknown>) => {
      await act()
      const from = performance.now()
      await see()
      took.push([what, Math.round(performance.now() - from)])
    }
    const at = `/conversations/${id}`
    const inThread = (text: string) => page.locator('.thread').getByText(text).first().waitFor()
    await shows(
      'reply',
      () => jane.call('POST', `${at}/messages`, { body: 'Lovely!' }),
      () => inThread('Lovely!'),
    )
    await row.getByText('Lovely!').waitFor()
    await shows(
      'note',
      () => jane.call('POST', '/notes', { conversationId: id, body: 'Ask for a photo' }),
      () => inThread('Ask for a photo'),
    )
    await shows(
      'reaction',
      () => jane.call('PUT', `/messages/${messageId}/reaction`, { emoji: '🙏' }),
      () => button(page, 'Take away 🙏: Jane reacted').waitFor(),
    )
    const tag = (await jane.call('POST', '/tags', { name: 'Delighted', color: '#336699' })).body.tag
    await shows(
      'tag',
      () => jane.call('POST', '/conversations/bulk', { ids: [id], action: 'tag', addTagIds: [tag.id] }),
      () => row.getByText('Delighted').waitFor(),
    )
    await shows(
      'assignment',
      () => jane.call('POST', `${at}/assign`, { agentId: robin.id }),
      () => inThread('Jane assigned this to Robin'),
    )
    // It is mine now, and the badge counts what its customer writes.
    const badge = page.locator('.rail__place .count')
    assert.equal(await badge.count(), 0)
    await shows(
      'close',
      () => jane.call('POST', `${at}/close`),
      () => inThread('Jane closed'),
    )
    await until(
      async () =>
        (await row.count()) === 0 || /Closed/.test(String(await page.locator('.convo-head').textContent())),
      'the list to know',
    )
    if (process.env.SHOTS) console.log(took)
  })
})

test('on a phone every tab is in view, and no count covers an icon', async () => {
  for (let n = 0; n < 12; n++) {
    const { id } = await asked('web', `Caller ${n}`)
    await db
      .updateTable('conversations')
      .set({ unread_count: 1, inbound_seq: 1, agent_id: robin.id })
      .where('id', '=', id)
      .execute()
  }
  for (const width of [390, 320])
    await visit(
      '/inbox/open',
      async (page) => {
        await page.getByText('Caller 3').first().waitFor()
        const count = page.locator('.rail__place .count')
        await count.waitFor()
        await shot(page, `phone-${width}`)
        const edges = await page
          .locator('.views__view, .rail__places a:visible, .rail__more')
          .evaluateAll((all) =>
            all.map((one) => {
              const { left, right } = one.getBoundingClientRect()
              return left >= 0 && right <= innerWidth && one.scrollWidth <= one.clientWidth + 1
            }),
          )
        assert.ok(edges.length >= 7 && edges.every(Boolean), JSON.stringify(edges))
        const [badge, icon] = await Promise.all([
          count.boundingBox(),
          page.locator('.rail__place:has(.count) svg').boundingBox(),
        ])
        assert.ok(badge && icon && badge.x >= icon.x + icon.width, JSON.stringify({ badge, icon }))
        await button(page, 'Other views').click()
        await page
          .getByRole('menuitem', { name: /Snoozed/ })
          .first()
          .waitFor()
      },
      { viewport: { width, height: 844 }, colorScheme: width === 390 ? 'dark' : 'light', hasTouch: true },
    )
})
