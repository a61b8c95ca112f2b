// The console in a real browser against the real server, from the sign-in link to the reply that a customer sees.
import assert from 'node:assert/strict'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createSignInLink } from '../server/domain/accounts/create-sign-in-link.ts'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, LOOKS } from '../test/console-visit.ts'
import { openProxy } from '../test/cuttable-proxy.ts'
import { serveShop } from '../test/shop-page.ts'
import { until } from '../test/until.ts'

/** Compressed with gzip: what has to be there before the list is drawn. */
const LIST_MAX_BYTES = 150_000
/** With a conversation open, as browsers get it, with Brotli. */
const CONVERSATION_MAX_BYTES = 160_000
const waitMaxMs = 45_000
/** Less than the server keeps a connection that nobody uses. */
const FORGOTTEN_MAX_MS = 30_000

const testApp = await startApp({ stream: true, worker: true })
const { app, call, ctxOf, db, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await make.agent(workspace.id, { nickname: 'Jane', role: 'admin' })
const { base, browser, test, visit: visitPage } = browseConsole(testApp, workspace.id, robin)

const shop = await serveShop(() => ({ base: base(), channelId: webId }))
const webId = await make.channelAccount(workspace.id, 'web', { settings: { allowedOrigins: [shop] } })

const linkOf = async (person: { email: string }): Promise<string> => {
  const { url } = await createSignInLink(
    { ...ctxOf(workspace.id), publicUrl: base() },
    { email: person.email },
  )
  return url
}

type Tab = { page: Page; context: BrowserContext }

/** Opens a browser at the inbox. */
const visit = (
  person: { email: string },
  work: (tab: Tab) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> =>
  visitPage('/inbox/open', (page) => work({ page, context: page.context() }), { person, ...options })

const row = (page: Page, text: string) => page.locator('.convo', { hasText: text })
const bubbles = (page: Page) => page.locator('.thread .bubble')
const composer = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const open = async (page: Page, text: string): Promise<void> => {
  await row(page, text).first().click()
  await composer(page).waitFor()
}

/** A web chat conversation started by the customer. */
const someoneWrites = async (name: string, body = 'Hello'): Promise<string> => {
  const { conversationId } = await receiveMessage(ctxOf(workspace.id), {
    channel: 'web',
    channelAccountId: webId,
    from: { identity: { kind: 'visitor', value: name, verified: true }, name },
    body,
    externalId: null,
    sentAt: new Date(),
  })
  return conversationId
}
const say = async (conversationId: string, body: string): Promise<void> => {
  const { status } = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
    body,
  })
  assert.equal(status, 200)
}

test('a sign-in link works once, leaves no secret in the URL, and returns to the requested page', async () => {
  const context = await browser().newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(waitMaxMs)
  const id = await someoneWrites('Linked Customer')
  await page.goto(`${base()}/inbox/all/${id}`)
  await page.getByRole('heading', { name: 'Sign in to Foyer' }).waitFor()
  assert.match(page.url(), /\/sign-in\?to=/)
  await assertAccessible(page, 'sign-in')

  const link = await linkOf(robin)
  await page.goto(link)
  await page.waitForURL('**/inbox/open')
  assert.doesNotMatch(page.url(), /#/)
  const cookies = await context.cookies()
  assert.ok(cookies.some(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Lax'))

  const stranger = await (await browser().newContext()).newPage()
  // This also works when the page is already open.
  await stranger.goto(`${base()}/sign-in`)
  await stranger.goto(link)
  await stranger.getByText('This link has expired or was already used').waitFor()
  await stranger.context().close()
  await context.close()
})

test('an agent and a web chat customer see each other’s messages live', () =>
  visit(robin, async ({ page, context }) => {
    const customer = await context.newPage()
    const said = (text: string) => customer.locator('#foyer-chat .bubble', { hasText: text })
    const write = async (text: string) => {
      await customer.locator('#foyer-chat textarea').fill(text)
      await customer.keyboard.press('Enter')
    }
    await customer.goto(shop)
    await customer.locator('#foyer-chat .launcher').click()
    await write('Is the blue one in stock?')

    // It appears without a reload, unread; opening it marks it read.
    await row(page, 'Is the blue one in stock?').waitFor()
    await row(page, 'Is the blue one in stock?').getByText('1 unread').waitFor()
    // The browser doesn't render pages behind the customer's tab.
    await page.bringToFront()
    await page.keyboard.press('j')
    await composer(page).waitFor()
    await row(page, 'Is the blue one').getByText('1 unread').waitFor({ state: 'detached' })

    await page.keyboard.press('r')
    await page.keyboard.type('Yes, three left.')
    await page.keyboard.press('Enter')
    await said('Yes, three left.').waitFor()
    await page.locator('.message--ours .delivery', { hasText: 'Read' }).waitFor()

    await write('Great, I take two')
    await bubbles(page).getByText('Great, I take two').waitFor()
    assert.deepEqual(await bubbles(page).allTextContents(), [
      'Is the blue one in stock?',
      'Yes, three left.',
      'Great, I take two',
    ])

    // A file is sent with its own message, and its name is shown.
    await page.locator('.composer input[type=file]').setInputFiles({
      name: 'glaze list.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('Celadon'),
    })
    await page.locator('.upload', { hasText: 'glaze list.txt' }).getByText('7 B').waitFor()
    await page.getByRole('link', { name: 'Contacts' }).first().click()
    await page.waitForURL('**/contacts')
    await page.goBack()
    await page.locator('.upload', { hasText: 'glaze list.txt' }).getByText('7 B').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const file = page.getByRole('link', { name: /Download\s+glaze list\.txt/ })
    await file.waitFor()
    assert.match((await file.getAttribute('href')) ?? '', /\/files\//)

    // Adding a note, assigning and closing by keyboard; the customer sees none of it.
    await page.keyboard.press('Escape')
    await page.keyboard.press('n')
    await page.keyboard.type('Reserve two')
    await page.keyboard.press('Enter')
    await page.locator('.thread .note', { hasText: 'Reserve two' }).waitFor()
    await page.keyboard.press('Escape')
    const url = page.url()
    await page.keyboard.press('a')
    await page.getByRole('combobox', { name: 'Assign to' }).fill('jane')
    await page.keyboard.press('Enter')
    // The next one is opened, both times.
    await page.locator('.toast', { hasText: 'Assigned to Jane' }).waitFor()
    await page.goto(url)
    await page.locator('.system', { hasText: 'Jane' }).waitFor()
    await page.keyboard.press('e')
    await page.locator('.toast', { hasText: 'Closed' }).waitFor()
    await row(page, 'Ann').waitFor({ state: 'detached' })
    assert.equal(await customer.locator('#foyer-chat').getByText('Reserve two').count(), 0)
  }))

test('drafts of a reply and a note survive a reload, and stay in their conversation', () =>
  visit(robin, async ({ page }) => {
    await someoneWrites('Draft Customer', 'About the draft')
    await someoneWrites('Other Customer', 'About something else')
    await open(page, 'Draft Customer')
    await composer(page).fill('half a thou')
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    await page.getByRole('textbox', { name: 'Note' }).fill('half a note')
    await page.reload()
    assert.equal(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'half a note')
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    assert.equal(await composer(page).inputValue(), 'half a thou')
    await open(page, 'Other Customer')
    await until(async () => (await composer(page).inputValue()) === '', 'an empty composer')
    await row(page, 'Draft Customer').getByText('Draft', { exact: true }).waitFor()
  }))

test('after the stream was down, nothing is missing from the list or thread, or there twice', () =>
  visit(robin, async ({ page, context }) => {
    const id = await someoneWrites('Cut Customer', 'Before the cut')
    await open(page, 'Cut Customer')
    await say(id, 'one')
    await bubbles(page).getByText('one', { exact: true }).waitFor()
    let isCut = true
    await context.route('**/events', (route) => (isCut ? route.abort() : route.continue()))
    app.server.closeAllConnections()
    await say(id, 'two')
    await someoneWrites('Came During The Cut', 'Hello?')
    await page.getByText('Reconnecting…').waitFor()
    await say(id, 'three')
    isCut = false
    await bubbles(page).getByText('three', { exact: true }).waitFor()
    await page.getByText('Reconnecting…').waitFor({ state: 'detached' })
    await row(page, 'Came During The Cut').waitFor()
    await say(id, 'four')
    await bubbles(page).getByText('four', { exact: true }).waitFor()
    assert.deepEqual(await bubbles(page).allTextContents(), ['Before the cut', 'one', 'two', 'three', 'four'])
    assert.equal(await row(page, 'Cut Customer').count(), 1)
  }))

test('when a router has forgotten the connections, the page stops waiting for them once it notices', async () => {
  const { hostname, port } = new URL(base())
  const proxy = await openProxy({ host: hostname, port: Number(port) })
  const at = `http://127.0.0.1:${proxy.port}`
  const context = await browser().newContext()
  const page = await context.newPage()
  page.setDefaultTimeout(waitMaxMs)
  try {
    await page.clock.install()
    await page.goto((await linkOf(robin)).replace(base(), at))
    await page.waitForURL('**/inbox/**')
    await someoneWrites('Before It Forgot')
    await row(page, 'Before It Forgot').waitFor()
    // What a page loads some seconds after it was opened.
    const loaded = page.waitForResponse(/outbox-watch/)
    await page.clock.fastForward(10_000)
    await loaded
    // What the browser keeps for further requests is forgotten with the stream.
    await page.evaluate(
      `Promise.all(Array.from({ length: 5 }, () => fetch('/healthz', { cache: 'no-store' }).then((it) => it.text())))`,
    )
    proxy.forget()
    await someoneWrites('Came Unheard')
    // The server writes every twenty seconds.
    await page.clock.fastForward(51_000)
    await row(page, 'Came Unheard').waitFor({ timeout: FORGOTTEN_MAX_MS })
  } finally {
    await context.close()
    proxy.close()
  }
})

test('a reply whose confirmation is lost is retried with the same key, and the customer gets it once', () =>
  visit(robin, async ({ page, context }) => {
    const id = await someoneWrites('Patient Customer')
    await open(page, 'Patient Customer')
    const seenKeys = new Set<string>()
    let tries = 0
    await context.route(`**/conversations/${id}/messages`, async (route) => {
      seenKeys.add(route.request().headers()['idempotency-key'] ?? 'none')
      tries++
      if (tries > 1) return route.continue()
      await route.fetch()
      return route.abort('connectionreset')
    })
    await composer(page).fill('Only once, please')
    await page.keyboard.press('Enter')
    await page.locator('.message--ours .delivery', { hasText: 'Sent' }).waitFor()
    await until(() => tries >= 2, 'a second try')
    await page.getByText('Sending…').waitFor({ state: 'detached' })
    assert.equal(seenKeys.size, 1)
    const { body } = await call(workspace.token, 'GET', `/conversations/${id}/messages`)
    assert.deepEqual(
      body.messages.map((message: { body: string }) => message.body),
      ['Only once, please', 'Hello'],
    )
    assert.deepEqual(await bubbles(page).allTextContents(), ['Hello', 'Only once, please'])

    // A rejected message shows the reason and can be retried with one click.
    await sql`
      update messages set status = 'failed', metadata = ${JSON.stringify({
        error: { code: 'GONE', message: 'The number is not in use.' },
      })}::jsonb
      where workspace_id = ${workspace.id} and id = ${body.messages[0].id}`.execute(db)
    await page.reload()
    await page.getByText('Not delivered. The number is not in use.').waitFor()
    const asked = page.waitForRequest(`**/messages/${body.messages[0].id}/retry`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await asked
  }))

test('nothing a stranger sends is run: names, HTML email, SVG, and file names with direction marks', () =>
  visit(robin, async ({ page, context }) => {
    const asked: string[] = []
    await context.route(/tracker\.example/, (route) => {
      asked.push(route.request().url())
      return route.fulfill({ contentType: 'image/gif', body: Buffer.from('R0lGODlhAQABAAAAACw=', 'base64') })
    })
    const secret = 'inbound-secret-of-the-mailbox'
    const mailbox = await page.evaluate(
      async ([w, inboundSecret]) => {
        const response = await fetch(`/console/api/workspaces/${w}/channels`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-foyer-console': '1' },
          body: JSON.stringify({
            channel: 'email',
            address: 'help@kiln.example',
            smtpUrl: 'smtp://127.0.0.1:9',
            inboundSecret,
          }),
        })
        return ((await response.json()) as { channel: { id: string } }).channel.id
      },
      [workspace.id, secret] as const,
    )
    const raw = [
      'From: "<img src=x onerror=window.pwned=1>" <evil@customer.example>',
      'To: help@kiln.example',
      'Subject: "><script>window.pwned=1</script>',
      'Message-ID: <one@customer.example>',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html; charset=utf-8',
      '',
      '<p>Dear potter</p><script>parent.pwned=1</script><img src="https://tracker.example/p.gif" onerror="parent.pwned=1">',
      '<a href="javascript:parent.pwned=1">tap</a><iframe src="https://tracker.example/f"></iframe>',
      '<div style="background:url(https://tracker.example/bg)">x</div><svg onload="parent.pwned=1"></svg>',
      '<div class="gmail_quote"><blockquote>What was quoted before</blockquote></div>',
      '--b',
      'Content-Type: image/svg+xml',
      'Content-Disposition: attachment; filename="invoice\u202egpj.svg"',
      '',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1"/>',
      '--b--',
      '',
    ].join('\r\n')
    const taken = await app.inject({
      method: 'POST',
      url: `/webhooks/email/${mailbox}`,
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'message/rfc822' },
      payload: raw,
    })
    assert.equal(taken.statusCode, 200)

    await open(page, 'onerror')
    const mail = page.frameLocator('iframe.mail__frame')
    await mail.getByText('Dear potter').waitFor()
    assert.equal(await mail.getByText('What was quoted before').isVisible(), false)
    await page.getByRole('button', { name: 'Show quoted text' }).click()
    await mail.getByText('What was quoted before').waitFor()
    assert.equal(await mail.locator('script, iframe, svg, [onerror], a[href^=javascript]').count(), 0)
    // No remote content is requested until the agent asks for it, and then only the image.
    assert.deepEqual(asked, [])
    await page.getByRole('button', { name: 'Show images' }).click()
    await until(() => asked.length > 0, 'the picture')
    assert.deepEqual(asked, ['https://tracker.example/p.gif'])
    const file = page.getByRole('link', { name: /^Download\s+invoice/ })
    assert.doesNotMatch((await file.textContent()) ?? '', /[\u202a-\u202e]/)
    assert.equal(await page.evaluate('window.pwned'), undefined)
    await assertAccessible(page, 'a mail')

    // Collapsed quotes stay collapsed when the thread is opened again.
    await page.getByRole('button', { name: 'Hide quoted text' }).click()
    await page.getByRole('button', { name: 'Note', exact: true }).click()
    await page.getByRole('textbox', { name: 'Note' }).fill('Looks odd')
    await page.keyboard.press('Enter')
    await page.locator('.thread .note', { hasText: 'Looks odd' }).waitFor()
    assert.equal(await mail.getByText('What was quoted before').isVisible(), false)
  }))

test('two agents in a conversation see each other, and which one is replying', () =>
  visit(robin, async ({ page }) => {
    await someoneWrites('Shared Customer')
    await open(page, 'Shared Customer')
    await visit(jane, async ({ page: other }) => {
      await open(other, 'Shared Customer')
      await page.getByText('Jane is viewing').waitFor()
      await composer(other).pressSequentially('I am on')
      await page.getByText('Jane is replying').waitFor()
    })
    await page.getByText('Jane is').waitFor({ state: 'detached' })
  }))

test('a list in use does not move when messages arrive, and counts the new ones', () =>
  visit(robin, async ({ page }) => {
    await someoneWrites('Quiet Customer')
    await row(page, 'Quiet Customer').waitFor()
    await page.setViewportSize({ width: 1440, height: 400 })
    await page.locator('.list__scroller').evaluate((element) => element.scrollTo({ top: 90 }))
    await page.locator('.list__scroller--still').waitFor({ state: 'detached' })
    const before = await page.locator('.convo__name').allTextContents()
    await someoneWrites('Loud Customer')
    await page.getByRole('button', { name: '1 new' }).waitFor()
    assert.deepEqual(await page.locator('.convo__name').allTextContents(), before)
    await page.getByRole('button', { name: '1 new' }).click()
    await row(page, 'Loud Customer').waitFor()
    assert.equal((await page.locator('.convo__name').allTextContents())[0], 'Loud Customer')
  }))

test('a thread of ten thousand messages opens at its end, renders one screen, and does not jump as older ones load', () =>
  visit(robin, async ({ page }) => {
    const id = await someoneWrites('Long Customer', 'The first of many')
    await sql`
      insert into messages (workspace_id, id, conversation_id, channel_account_id, sender_type, sender_id, body, status,
        created_at)
      select workspace_id, left(id, 12) || lpad(n::text, 13, '0'), conversation_id, channel_account_id, sender_type, sender_id,
        'Message ' || n || repeat(' and some more words', n % 7), 'read', created_at - interval '10000 min' + n * interval '1 min'
      from messages, generate_series(1, 10000) n
      where workspace_id = ${workspace.id} and conversation_id = ${id}`.execute(db)
    await open(page, 'Long Customer')
    await bubbles(page).getByText('Message 10000').waitFor()
    const thread = page.getByRole('log')
    const rowCount = () => page.locator('.thread__row').count()
    assert.ok((await rowCount()) < 60)
    // Messages may only move by the distance scrolled, even while older ones load.
    const moved = await thread.evaluate(async (element) => {
      const STEP = 150
      const places = () =>
        new Map(
          [...element.querySelectorAll('.bubble')].map((it) => [
            it.textContent,
            it.getBoundingClientRect().top,
          ]),
        )
      const jumps: string[] = []
      for (let step = 0; step < 60; step++) {
        // At the top of the loaded messages nothing scrolls; on a slow machine older ones take a while.
        for (let frame = 0; element.scrollTop < STEP && frame < 600; frame++)
          await new Promise(requestAnimationFrame)
        const before = places()
        element.scrollBy(0, -STEP)
        for (let frame = 0; frame < 8; frame++) await new Promise(requestAnimationFrame)
        const after = places()
        const shared = [...before].filter(([text]) => after.has(text))
        if (shared.length === 0) jumps.push(`step ${step}: all of it`)
        for (const [text, y] of shared)
          if (Math.abs(after.get(text)! - y - STEP) > 2)
            jumps.push(`step ${step}: ${text} by ${after.get(text)! - y}`)
      }
      return { jumps, height: element.scrollHeight }
    })
    assert.deepEqual(moved.jumps, [])
    assert.ok(moved.height > 8_000, `only ${moved.height} px were loaded`)
    assert.ok((await rowCount()) < 60)
    await page.getByRole('button', { name: 'Jump to latest' }).click()
    await bubbles(page).getByText('Message 10000').waitFor()
  }))

test('the inbox has no serious accessibility violation, in light and dark, wide and narrow', async () => {
  await someoneWrites('Accessible Customer', 'Can everybody read this?')
  for (const { colorScheme, width } of LOOKS)
    await visit(
      robin,
      async ({ page }) => {
        const screen = `${colorScheme} ${width}`
        await row(page, 'Accessible Customer').waitFor()
        await assertAccessible(page, `${screen} list`)
        await open(page, 'Accessible Customer')
        await page.keyboard.press('Escape')
        await assertAccessible(page, `${screen} thread`)
        await page.keyboard.press('Control+k')
        await page.getByRole('combobox', { name: 'Search' }).waitFor()
        await assertAccessible(page, `${screen} palette`)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await page.keyboard.press('?')
        await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
        await assertAccessible(page, `${screen} help`)
        await page.keyboard.press('Escape')
        // As at 200 % zoom: half the space, and nothing is cut off at the sides.
        await page.setViewportSize({ width: width / 2, height: 450 })
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
      },
      { colorScheme, viewport: { width, height: 844 } },
    )
})

test('no tab on a phone cuts off its label, and More leads to the other screens', async () => {
  for (const width of [390, 320])
    await visit(
      robin,
      async ({ page }) => {
        const labels = page.locator('.rail__label:visible')
        await labels.first().waitFor()
        assert.deepEqual(await labels.allInnerTexts(), ['Inbox', 'Contacts', 'Groups', 'More'])
        const cut = await labels.evaluateAll((all) =>
          all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent),
        )
        assert.deepEqual(cut, [])
        await page.getByRole('button', { name: 'More' }).click()
        for (const name of ['Templates', 'Settings']) await page.getByRole('menuitem', { name }).waitFor()
        await page.getByRole('menuitem', { name: 'Broadcasts' }).click()
        await page.getByRole('heading', { name: 'Broadcasts', exact: true }).waitFor()
        await page.getByRole('menu').waitFor({ state: 'detached' })
        await assertAccessible(page, `${width} broadcasts`)
      },
      { viewport: { width, height: 844 } },
    )
})

test('the first load is small, with a conversation open too', () =>
  visit(robin, async ({ context }) => {
    const page = await context.newPage()
    const bodies: Promise<Buffer>[] = []
    page.on('response', (response) => {
      if (!response.url().endsWith('.js')) return
      const body = response.body()
      // What is still loading when the page closes is of no test.
      body.catch(() => {})
      bodies.push(body)
    })
    const sizeBy = async (compress: (body: Buffer) => Buffer): Promise<number> =>
      (await Promise.all(bodies)).reduce((sum, body) => sum + compress(body).length, 0)
    await page.goto(`${base()}/inbox/open`)
    await page.locator('.convo').first().waitFor()
    const list = await sizeBy(gzipSync)
    assert.ok(list < LIST_MAX_BYTES, `${list} bytes`)
    await page.locator('.convo').first().click()
    await composer(page).waitFor()
    await page.getByRole('heading', { name: 'Details' }).waitFor()
    // Compressed as the server sends them.
    const all = await sizeBy(brotliCompressSync)
    assert.ok(all < CONVERSATION_MAX_BYTES, `${all} bytes`)
    console.log(`JavaScript for the list: ${list} bytes (gzip); with a conversation: ${all} bytes (brotli)`)
  }))
