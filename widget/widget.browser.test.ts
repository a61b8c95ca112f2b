// The widget in a real browser against an in-memory API: what visitors can rely on.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import type { FakeServer } from './testing/fake-server.ts'
import {
  bubbles,
  composer,
  hostOf,
  launcher,
  openChat,
  test,
  texts,
  until,
  untilListening,
  untilTexts,
  visit,
  write,
} from './testing/visit.ts'

test('a visitor writes, sees the reply live, and the agent sees that it was read', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Do you ship to Norway?')
    await untilTexts(page, ['Do you ship to Norway?'])
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    const answer = server.say('Yes, within four days.')
    await untilTexts(page, ['Do you ship to Norway?', 'Yes, within four days.'])
    await until('the answer is reported as read', () => server.reads.includes(answer.id))
    assert.equal(server.sends.length, 1)
    const messageId = [...server.visitors.values()].flatMap(({ messages }) => messages)[0]!.id
    server.publish('reaction', { messageId, emoji: '👍' })
    await page.locator('.own .reaction', { hasText: '👍' }).waitFor()
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}-widget.png` })
    server.publish('reaction', { messageId, emoji: null })
    await page.locator('.reaction').waitFor({ state: 'detached' })
  }))

test('a reload keeps the thread, the draft and the open panel', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'First')
    await page.getByText('Sent').waitFor()
    server.say('Second')
    await untilTexts(page, ['First', 'Second'])
    await composer(page).fill('half a thou')
    await page.reload()
    await untilTexts(page, ['First', 'Second'])
    assert.equal(await composer(page).inputValue(), 'half a thou')
    assert.equal(server.visitors.size, 1)
  }))

test('a dropped connection resumes without losses or duplicates', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    server.say('one')
    await untilTexts(page, ['Hello', 'one'])
    server.refuseStreams(true)
    server.say('two')
    await page.getByText('Connection lost. Trying again…').waitFor()
    server.say('three')
    server.refuseStreams(false)
    await untilTexts(page, ['Hello', 'one', 'two', 'three'])
    await page.getByText('Connection lost').waitFor({ state: 'hidden' })
    server.say('four')
    await untilTexts(page, ['Hello', 'one', 'two', 'three', 'four'])
  }))

test('a stream that has been silent for 45 s, as after sleep, is reopened', () =>
  visit(async ({ server, shop, page }) => {
    await page.clock.install()
    await page.goto(hostOf(shop))
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    server.say('one')
    await untilTexts(page, ['Hello', 'one'])
    const opened = () => server.paths.filter((path) => path.endsWith('/events')).length
    const before = opened()
    await page.clock.runFor(40_000)
    assert.equal(opened(), before)
    await page.clock.runFor(15_000)
    await until('a new stream', () => opened() > before)
    await untilListening(server)
    server.say('two')
    await untilTexts(page, ['Hello', 'one', 'two'])
  }))

test('replies still arrive behind a proxy that buffers the stream', () =>
  visit(async ({ server, shop, page }) => {
    await page.clock.install()
    await page.goto(hostOf(shop))
    server.muteStreams()
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    server.say('one')
    await page.clock.runFor(60_000)
    await untilTexts(page, ['Hello', 'one'])
  }))

test('a page in the background closes its stream after a minute and catches up when it is shown again', () =>
  visit(async ({ server, shop, page }) => {
    await page.clock.install()
    await page.goto(hostOf(shop))
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    server.say('one')
    await untilTexts(page, ['Hello', 'one'])
    const setVisibility = (state: string) =>
      page.evaluate((state) => {
        Object.defineProperty(document, 'visibilityState', { value: state, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, state)
    await setVisibility('hidden')
    await page.clock.runFor(61_000)
    await until('the stream is closed', () => server.streamCount() === 0)
    const unseen = server.say('two')
    await setVisibility('visible')
    await untilTexts(page, ['Hello', 'one', 'two'])
    await page.clock.runFor(1_000)
    await until('it is reported as read', () => server.reads.includes(unseen.id))
  }))

test('a message written before the first connection is sent once connected', () =>
  visit(async ({ server, context, page }) => {
    const loaded = page.waitForResponse('**/widget/chat.js')
    await launcher(page).hover()
    await loaded
    await context.setOffline(true)
    await openChat(page)
    await write(page, 'First words')
    await page.getByText('Connection lost. Trying again…').waitFor()
    await untilTexts(page, ['First words'])
    await context.setOffline(false)
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['First words'])
    assert.equal(server.sends.length, 1)
  }))

test('messages that failed while offline are sent automatically after reconnecting', () =>
  visit(async ({ server, context, page }) => {
    await openChat(page)
    await untilListening(server)
    await context.setOffline(true)
    await write(page, 'Written in a tunnel')
    await page.getByText('Not sent.').waitFor()
    await page.getByText('Connection lost. Trying again…').waitFor()
    await context.setOffline(false)
    await page.getByText('Sent', { exact: false }).filter({ hasNotText: 'Not' }).first().waitFor()
    await untilTexts(page, ['Written in a tunnel'])
    await until('stored once', () => [...server.visitors.values()][0]!.messages.length === 1)
  }))

test('messages from a gap that the stream can’t replay arrive with a new session', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    server.say('one')
    await untilTexts(page, ['Hello', 'one'])
    server.refuseStreams(true)
    server.say('two')
    server.forgetEvents()
    server.refuseStreams(false)
    await untilListening(server)
    const before = server.sessionCount()
    server.publish('reset', {})
    await untilTexts(page, ['Hello', 'one', 'two'])
    assert.equal(server.sessionCount(), before + 1)
  }))

test('a send whose response was lost is retried with the same client id and shown once', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    server.failSends('after')
    await write(page, 'Only once')
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['Only once'])
    assert.equal(server.sends.length, 2)
    assert.equal(server.sends[0]!.clientId, server.sends[1]!.clientId)
  }))

test('returning takes one session call', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    await composer(page).press('Escape')
    const before = server.sessionCount()
    await page.reload()
    await untilTexts(page, ['Hello'])
    server.say('one')
    await untilTexts(page, ['Hello', 'one'])
    assert.equal(server.sessionCount(), before + 1)
  }))

test('a message’s text is rendered once, however its state changes', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    server.failSends('before', 'before')
    await write(page, 'Spoken once')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await bubbles(page).evaluate((node) => node.setAttribute('data-marked', ''))
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Sent').waitFor()
    assert.equal(await page.locator('.bubble[data-marked]').count(), 1)
    assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
  }))

test('a reply that arrives before the confirmation of its question is shown below it', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    server.failSends('after')
    await write(page, 'Question')
    await until('the question is stored', () => server.sends.length === 1)
    server.say('Answer')
    await untilTexts(page, ['Question', 'Answer'])
  }))

test('a failed send says so, and "Try again" sends it with the same client id', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    server.failSends('before', 'before')
    await write(page, 'Please arrive')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['Please arrive'])
    assert.equal(server.sends.length, 3)
    assert.equal(new Set(server.sends.map((send) => send.clientId)).size, 1)
  }))

test('an unsent message survives a reload and is sent with the same client id', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    server.failSends('before', 'before')
    await write(page, 'Still here')
    await page.getByRole('button', { name: 'Try again' }).waitFor()
    await page.reload()
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['Still here'])
    assert.equal(new Set(server.sends.map((send) => send.clientId)).size, 1)
  }))

test('two tabs show the same thread, each message once, in order', () =>
  visit(async ({ server, shop, context, page }) => {
    await openChat(page)
    await write(page, 'From the first tab')
    await page.getByText('Sent').waitFor()
    const other = await context.newPage()
    await other.goto(hostOf(shop))
    await until('both listen', () => server.streamCount() === 2)
    await openChat(other)
    await write(other, 'From the second tab')
    await untilTexts(page, ['From the first tab', 'From the second tab'])
    server.failSends('after')
    await write(page, 'Again from the first')
    const expected = ['From the first tab', 'From the second tab', 'Again from the first']
    await untilTexts(page, expected)
    await untilTexts(other, expected)
    assert.equal(server.visitors.size, 1)
  }))

test('an unknown token leads to a new session, and the message is still sent', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Before')
    await page.getByText('Sent').waitFor()
    server.forgetVisitors()
    await write(page, 'After')
    await untilTexts(page, ['After'])
    await page.getByText('Sent').waitFor()
    assert.equal(server.sends.at(-1)!.clientId, server.sends.at(-2)!.clientId)
  }))

test('the closed launcher counts unread replies, and opening clears the count', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Hi')
    await page.getByText('Sent').waitFor()
    await composer(page).press('Escape')
    assert.equal(
      await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className),
      'launcher',
    )
    await page.reload()
    await untilListening(server)
    server.say('one')
    server.say('two')
    await page.getByRole('button', { name: 'Open chat, 2 unread messages' }).waitFor()
    assert.deepEqual(server.reads, [])
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Open chat, 2 unread messages' }).waitFor()
    server.say('three')
    await page.getByRole('button', { name: 'Mara three' }).click()
    await composer(page).waitFor()
    await page.getByRole('button', { name: 'Close chat', exact: true }).first().waitFor()
    await until('the count is gone', async () => (await page.locator('.badge').isVisible()) === false)
  }))

const optionsOf = (titles: string[]) =>
  titles.map((title, index) => ({ number: index + 1, title, description: null }))
const ask = (server: FakeServer, text: string, titles: string[]) =>
  server.say({
    senderType: 'automation',
    body: [text, ...titles.map((title, index) => `${index + 1}. ${title}`)].join('\n'),
    choices: { text, options: optionsOf(titles) },
  })
const option = (page: Page, title: string) => page.getByRole('button', { name: title, exact: true })
const isChosen = (page: Page, title: string) =>
  option(page, title).evaluate((node) => node.ariaCurrent === 'true')

test('a tap on an option is sent as a choice, and the options stay, with the chosen one marked, after a reload', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    const question = ask(server, 'What is it about?', ['An order', 'A return'])
    await composer(page).fill('half a thou')
    await option(page, 'A return').click()
    await untilTexts(page, ['What is it about?', 'A return'])
    await page.getByText('Sent').waitFor()
    assert.deepEqual(
      server.sends.map(({ choice, body }) => [choice, body]),
      [[{ messageId: question.id, number: 2 }, undefined]],
    )
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await option(page, 'A return').waitFor()
      assert.deepEqual([await isChosen(page, 'An order'), await isChosen(page, 'A return')], [false, true])
      assert.equal(await composer(page).inputValue(), 'half a thou')
    }
    await option(page, 'An order').click()
    await untilTexts(page, ['What is it about?', 'A return', 'An order'])
    await until('the newer choice is marked', () => isChosen(page, 'An order'))
    assert.equal(await isChosen(page, 'A return'), false)
  }))

test('options are reached and tapped with the keyboard, and keep the focus', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    ask(server, 'Which?', ['Red', 'Blue'])
    await option(page, 'Blue').waitFor()
    assert.equal(await page.getByRole('group', { name: 'Options' }).getByRole('button').count(), 2)
    await page.getByRole('region', { name: 'Conversation' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Sent').waitFor()
    assert.equal(server.sends[0]?.choice?.number, 2)
    assert.equal(await option(page, 'Blue').evaluate((node) => node.matches(':focus')), true)
  }))

test('a double click is one message, also when the response was lost', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    ask(server, 'Which?', ['Red', 'Blue'])
    server.failSends('after')
    await option(page, 'Blue').dblclick()
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['Which?', 'Blue'])
    assert.equal(new Set(server.sends.map(({ clientId }) => clientId)).size, 1)
    assert.equal([...server.visitors.values()][0]!.messages.length, 2)
  }))

test('a tap without a connection is sent after a reload, once', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    ask(server, 'Which?', ['Red', 'Blue'])
    server.failSends('before', 'before')
    await option(page, 'Red').click()
    await page.getByText('Not sent.').waitFor()
    assert.equal(await isChosen(page, 'Red'), false)
    await page.reload()
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['Which?', 'Red'])
    assert.equal(await isChosen(page, 'Red'), true)
    assert.equal(new Set(server.sends.map(({ clientId }) => clientId)).size, 1)
    assert.equal([...server.visitors.values()][0]!.messages.length, 2)
  }))

test('the same tap in two tabs is one message, and both mark it', () =>
  visit(async ({ server, shop, context, page }) => {
    await openChat(page)
    await untilListening(server)
    ask(server, 'Which?', ['Red', 'Blue'])
    await option(page, 'Red').waitFor()
    const other = await context.newPage()
    await other.goto(hostOf(shop))
    await openChat(other)
    await option(other, 'Red').waitFor()
    server.failSends('before')
    await option(page, 'Red').click()
    await option(other, 'Red').click()
    for (const tab of [page, other]) {
      await tab.getByText('Sent').waitFor()
      await untilTexts(tab, ['Which?', 'Red'])
      assert.equal(await isChosen(tab, 'Red'), true)
    }
    assert.equal([...server.visitors.values()][0]!.messages.length, 2)
  }))

test('a long list shows its first options, and the rest on request', () =>
  visit(
    async ({ server, page }) => {
      const titles = Array.from({ length: 30 }, (_, index) => `Country ${index + 1}`)
      titles[3] = 'W'.repeat(60)
      await openChat(page)
      await untilListening(server)
      ask(server, 'Where do you live?', titles)
      await option(page, 'Country 1').waitFor()
      assert.equal(await option(page, 'Country 7').isVisible(), false)
      await option(page, 'Show 24 more').click()
      assert.equal(await option(page, 'Country 7').evaluate((node) => node.matches(':focus')), true)
      const { scroller, widest } = await page.locator('.scroller').evaluate((node) => ({
        scroller: node.clientWidth,
        widest: node.scrollWidth,
      }))
      assert.equal(widest, scroller, 'nothing is wider than the panel')
      await option(page, 'Country 30').click()
      await page.getByText('Sent').waitFor()
      await page.reload()
      await option(page, 'Country 30').waitFor()
      assert.equal(await isChosen(page, 'Country 30'), true)
      await option(page, 'Show 23 more').waitFor()
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  ))

test('hostile text is shown as text and runs nothing', () =>
  visit(async ({ server, page }) => {
    const hostile = [
      '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
      'javascript:window.hacked=1 and data:text/html,<script>window.hacked=1</script>',
      '</textarea></style></script><svg onload=window.hacked=1>',
    ]
    await openChat(page)
    await untilListening(server)
    for (const body of hostile) server.say({ body, sender: { nickname: '<b onclick=window.hacked=1>x</b>' } })
    server.say({
      body: 'https://example.com/a?b=1#c). https://bank.example@evil.example/ http://ok.example',
      attachments: [
        {
          id: 'a',
          type: 'file',
          name: 'x.html',
          mimeType: 'text/html',
          size: 10,
          url: 'javascript:window.hacked=1',
        },
        { id: 'b', type: 'image', name: 'x.svg', mimeType: 'image/svg+xml', size: 10, url: '/files/x.svg' },
      ],
    })
    const [title, description] = hostile
    server.say({ choices: { text: hostile[0]!, options: [{ number: 1, title: title!, description }] } })
    await until('everything is shown', async () => (await bubbles(page).count()) === 5)
    assert.deepEqual((await texts(page)).slice(0, 3), hostile)
    assert.equal((await texts(page)).at(-1), hostile[0])
    assert.equal(await page.locator('.option').textContent(), `${title}${description}`)
    const links = page.locator('.bubble a, a.file')
    assert.deepEqual(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href'))), [
      'https://example.com/a?b=1#c',
      'http://ok.example',
      `${server.baseUrl}/files/x.svg`,
    ])
    assert.equal(
      await links.evaluateAll((all) =>
        all.every((link) => link.getAttribute('rel') === 'noopener noreferrer nofollow'),
      ),
      true,
    )
    assert.equal(await page.locator('.bubble img, .bubble svg, .bubble script, .picture').count(), 0)
    assert.equal(await page.evaluate(() => 'hacked' in window), false)
  }))

test('the token never appears in a URL', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    await page.reload()
    await untilListening(server)
    const [token] = server.visitors.keys()
    assert.ok(server.paths.length > 3)
    assert.equal(
      server.paths.some((path) => path.includes(token!) || path.includes('?')),
      false,
    )
  }))

test('the host page can’t restyle the widget or see key events, and keeps its own look', () =>
  visit(async ({ page }) => {
    await openChat(page)
    await composer(page).pressSequentially('abc')
    await composer(page).press('Shift+Enter')
    await composer(page).pressSequentially('d')
    await composer(page).press('Enter')
    await untilTexts(page, ['abc\nd'])
    assert.equal(await page.evaluate(() => (window as { hostKeys?: number }).hostKeys ?? 0), 0)
    const style = await page.locator('.panel').evaluate((panel) => {
      const { display, fontFamily, textTransform, letterSpacing } = getComputedStyle(panel)
      return { display, isHostFont: fontFamily.includes('Comic'), textTransform, letterSpacing }
    })
    assert.deepEqual(style, {
      display: 'flex',
      isHostFont: false,
      textTransform: 'none',
      letterSpacing: 'normal',
    })
    const hostText = page.locator('body > p.bubble')
    assert.equal(await hostText.evaluate((node) => getComputedStyle(node).borderTopLeftRadius), '0px')
  }))

test('a host page with a strict content security policy only needs to allow the API and one nonce', () =>
  visit(async ({ server, shop, page }) => {
    const violations: string[] = []
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text())) violations.push(message.text())
    })
    await page.goto(`${hostOf(shop)}/strict`)
    violations.length = 0
    await openChat(page)
    await write(page, 'Hello')
    await page.getByText('Sent').waitFor()
    assert.equal(await page.locator('.panel').evaluate((node) => getComputedStyle(node).position), 'fixed')
    assert.equal(server.sends.length, 1)
    assert.deepEqual(violations, [])
  }))

test('data-open opens without taking focus, and not again after the visitor closed it', () =>
  visit(async ({ shop, page }) => {
    await page.goto(`${hostOf(shop)}/open`)
    await composer(page).waitFor()
    assert.equal(await page.evaluate(() => document.activeElement === document.body), true)
    await page.getByRole('dialog').getByRole('button', { name: 'Close chat' }).click()
    const loaded = page.waitForResponse('**/session')
    await page.reload()
    await loaded
    assert.equal(await composer(page).isVisible(), false)
  }))

test('a closed conversation says so until the visitor writes again', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await write(page, 'Thanks')
    await page.getByText('Sent').waitFor()
    await untilListening(server)
    server.publish('conversation', { id: 'c', status: 'closed' })
    await page.getByText('This conversation is closed.').waitFor()
    await write(page, 'One more thing')
    await page.getByText('This conversation is closed.').waitFor({ state: 'hidden' })
  }))

test('a rejected message can be removed and doesn’t come back after a reload', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await untilListening(server)
    server.failSends('refuse')
    await write(page, 'Unwanted')
    await page.getByRole('button', { name: 'Remove' }).click()
    await untilTexts(page, [])
    await page.reload()
    await untilListening(server)
    await untilTexts(page, [])
    assert.equal(server.sends.length, 1)
  }))

test('the launcher weighs at most 5 kB and the panel at most 25 kB, compressed', () => {
  const weigh = (file: string) =>
    gzipSync(readFileSync(new URL(`../dist/widget/${file}`, import.meta.url))).length
  assert.ok(weigh('widget.js') <= 5_000)
  assert.ok(weigh('chat.js') <= 25_000)
})

test('the script tag’s accent colour is used, with legible text on it', () =>
  visit(async ({ server, page }) => {
    await page.goto(`${server.ownUrl}/demo`)
    const colors = await launcher(page).evaluate((node) => {
      const { color, backgroundColor } = getComputedStyle(node)
      return { color, backgroundColor }
    })
    assert.deepEqual(colors, { color: 'rgb(255, 255, 255)', backgroundColor: 'rgb(47, 93, 80)' })
  }))

test('at most 2000 code points can be sent, and the counter says how many are left', () =>
  visit(async ({ server, page }) => {
    await openChat(page)
    await composer(page).fill('😀'.repeat(2001))
    await page.getByText('1 character over the limit').waitFor()
    await composer(page).press('Enter')
    assert.equal(await page.getByRole('button', { name: 'Send' }).isDisabled(), true)
    await composer(page).fill('😀'.repeat(2000))
    await page.getByText('0 characters left').waitFor()
    await composer(page).press('Enter')
    await page.getByText('Sent').waitFor()
    assert.equal([...server.sends[0]!.body].length, 2000)
    assert.equal(server.sends.length, 1)
  }))

test('on a phone the panel fills the screen, keeps focus and can be closed', () =>
  visit(
    async ({ page }) => {
      await openChat(page)
      const box = await page.locator('.panel').boundingBox()
      assert.deepEqual(box, { x: 0, y: 0, width: 390, height: 844 })
      assert.equal(await launcher(page).isVisible(), false)
      assert.equal(await composer(page).evaluate((node) => getComputedStyle(node).fontSize), '16px')
      for (let presses = 0; presses < 6; presses++) {
        await page.keyboard.press('Tab')
        assert.equal(await page.evaluate(() => document.activeElement?.id), 'foyer-chat')
      }
      await page.getByRole('button', { name: 'Close chat' }).click()
      assert.equal(await launcher(page).isVisible(), true)
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ))

test('without storage the chat works until the page is closed', () =>
  visit(async ({ server, shop, context }) => {
    const page = await context.newPage()
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('blocked', 'SecurityError')
          },
        })
      }
    })
    await page.goto(hostOf(shop))
    await openChat(page)
    await untilListening(server)
    server.failSends('before', 'before')
    await write(page, 'No storage')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Sent').waitFor()
    await untilTexts(page, ['No storage'])
  }))

test('a channel that does not exist is reported once and not requested again', () =>
  visit(async ({ server, shop, page }) => {
    await page.goto(`${hostOf(shop)}/unknown`)
    await launcher(page).click()
    await page.getByText('Chat isn’t available right now.').waitFor()
    assert.equal(server.paths.filter((path) => path.includes('nowhere')).length, 3)
    assert.equal(await composer(page).isDisabled(), true)
  }))
