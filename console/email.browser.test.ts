// Writing emails: recipients, formatting, quotes, forwarding, signatures, and undoing all of it.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { simpleParser } from 'mailparser'
import type { Page } from 'playwright-core'
import { receiveEmail } from '../server/inbound/email/receive-email.ts'
import { connectMailbox, MAILBOX, written } from '../server/inbound/email/testing/mails.ts'
import { startApp } from '../test/app.ts'
import { assertAccessible, browseConsole, button, LOOKS } from '../test/console-visit.ts'
import { freePort } from '../test/e2e/foyer.ts'
import { startSmtp } from '../test/smtp.ts'
import { until } from '../test/until.ts'

// Images are loaded from the address that the server has.
const port = await freePort()
const testApp = await startApp({
  stream: true,
  worker: true,
  deps: { publicUrl: `http://127.0.0.1:${port}` },
})
const { db, make } = testApp
const smtp = await startSmtp()
after(smtp.stop)
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin', undoSeconds: 0 })
const patient = await make.agent(workspace.id, { nickname: 'Pat', role: 'admin', undoSeconds: 20 })
const { test, visit } = browseConsole(testApp, workspace.id, robin, port)
const channelId = await connectMailbox(testApp, workspace.id, { smtpUrl: smtp.url })
const account = { id: channelId, address: MAILBOX, authenticationServers: [] }
await make.contact(workspace.id, { name: 'Greta Glaze', email: 'greta@kiln.example' })

const begun = async (name: string, mail: Parameters<typeof written>[0] = {}) => {
  const address = `${name.toLowerCase()}@example.com`
  const raw = written({ from: `${name} <${address}>`, subject: 'The blue mugs', ...mail })
  const { messageId } = await receiveEmail(testApp.ctxOf(workspace.id), account, Buffer.from(raw))
  const { conversation_id: id } = await db
    .selectFrom('messages')
    .select('conversation_id')
    .where('id', '=', messageId!)
    .executeTakeFirstOrThrow()
  return { id, address, path: `/inbox/open/${id}` }
}
const writing = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true })
const mailTo = async (address: string) => {
  await until(() => smtp.mailsTo(address).length > 0, `an email to ${address}`)
  const [mail] = smtp.mailsTo(address)
  return { ...mail!, parsed: await simpleParser(mail!.text, { keepCidLinks: true }) }
}

test('a plain reply stays plain text, quotes what it answers, and is signed', async () => {
  const { address, path } = await begun('Paula', { text: 'Are they safe for\r\nthe dishwasher?' })
  await visit(path, async (page) => {
    await page.getByRole('button', { name: /Workspace and account/ }).click()
    await page.getByRole('menuitem', { name: 'Email signature…' }).click()
    await page.getByRole('textbox', { name: 'Signature' }).fill('{{agent.name}}\n{{workspace.name}}')
    await button(page, 'Save').click()
    await page.getByText('Signature saved').waitFor()

    await writing(page).click()
    await page.keyboard.type('Yes, they are.')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Cheers')
    await page.getByRole('region', { name: 'Signature' }).getByText('Robin').waitFor()
    await button(page, 'Quoted text').click()
    await page.locator('.mail-quote__text', { hasText: 'Are they safe' }).waitFor()
    await page.keyboard.press('Tab')
    await writing(page).focus()
    await page.keyboard.press('Control+Enter')
    const { parsed, text } = await mailTo(address)
    assert.doesNotMatch(text, /text\/html/)
    assert.equal(parsed.subject, 'Re: The blue mugs')
    assert.match(
      parsed.text ?? '',
      /^Yes, they are\.\nCheers\n\n-- \nRobin\nHollow & Kiln\n\nOn 12 March 2024 at 09:15 UTC, Paula <paula@example\.com> wrote:\n> Are they safe for\n> the dishwasher\?/,
    )
    await until(async () => (await writing(page).innerText()).trim() === '', 'the field to be empty')
  })
})

test('reply all keeps everyone in copy, formatting is sent as HTML, and undoing brings all of it back', async () => {
  const { address, path } = await begun('Ella', {
    to: `Kiln <${MAILBOX}>, Otto <otto@example.com>`,
    headers: ['Cc: Vera <vera@example.com>'],
  })
  await visit(
    path,
    async (page) => {
      await button(page, 'Reply all').click()
      await writing(page).click()
      await page.keyboard.type('They are ')
      await page.keyboard.press('Control+b')
      await page.keyboard.type('blue')
      await page.keyboard.press('Control+b')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Control+Shift+8')
      await page.keyboard.type('and round')
      await button(page, /Change recipients/).click()
      await page.getByLabel('Subject').fill('Re: Blue and round')
      await button(page, 'Add Bcc').click()
      await page.keyboard.type('gre')
      await page.getByRole('option', { name: 'Greta Glaze' }).waitFor()
      await assertAccessible(page, 'an email with recipients')
      await page.keyboard.press('Enter')
      await button(page, 'Remove otto@example.com').click()
      await writing(page).focus()
      await page.keyboard.press('Control+Enter')
      await page.getByText('Sending in').first().waitFor()
      await page.reload()
      await button(page, 'Undo').click()
      await page.locator('.composer .rich b', { hasText: 'blue' }).waitFor()
      await button(page, /Change recipients/).click()
      assert.equal(await page.getByLabel('Subject').inputValue(), 'Re: Blue and round')
      await button(page, 'Remove greta@kiln.example').waitFor()
      assert.equal(smtp.mailsTo(address).length, 0)

      await writing(page).focus()
      await page.keyboard.press('Control+Enter')
      await button(page, 'Send now').click()
      const { parsed, recipients, text } = await mailTo(address)
      assert.deepEqual(recipients, [address, 'vera@example.com', 'greta@kiln.example'])
      assert.doesNotMatch(text, /greta/i)
      assert.equal(parsed.subject, 'Re: Blue and round')
      assert.match(String(parsed.html), /They are <b>blue<\/b>.*<li>and round<\/li>.*blockquote type="cite"/s)
      assert.match(parsed.text ?? '', /^They are blue\n\n?- and round/)
      await page.locator('.message--ours .mail__summary').click()
      await page.locator('.mail__row', { hasText: 'Bcc' }).getByText('greta@kiln.example').waitFor()
    },
    { person: patient },
  )
})

test('an email is forwarded to somebody else, without what was taken out', async () => {
  const raw = [
    'Content-Type: multipart/mixed; boundary="M"',
    '',
    '--M',
    'Content-Type: text/plain',
    '',
    'Please see the files.',
    ...['invoice', 'photo'].flatMap((name) => [
      '--M',
      `Content-Type: application/pdf; name=${name}.pdf`,
      `Content-Disposition: attachment; filename=${name}.pdf`,
      '',
      name,
    ]),
    '--M--',
    '',
  ].join('\r\n')
  const [head] = written({ from: 'Frida <frida@example.com>', subject: 'My invoice' }).split(
    '\r\nContent-Type:',
  )
  const { messageId } = await receiveEmail(
    testApp.ctxOf(workspace.id),
    account,
    Buffer.from(`${head}\r\n${raw}`),
  )
  const { conversation_id: id } = await db
    .selectFrom('messages')
    .select('conversation_id')
    .where('id', '=', messageId!)
    .executeTakeFirstOrThrow()
  await visit(`/inbox/open/${id}`, async (page) => {
    await button(page, 'Forward').click()
    const send = button(page, 'Send')
    await send.click()
    await page.getByText('Add a recipient in To.').waitFor()
    const to = page.getByRole('combobox', { name: 'To' })
    await to.fill('books@firm')
    await to.press('Enter')
    await send.click()
    await page.getByText('books@firm isn’t an email address.').waitFor()
    await button(page, 'Remove books@firm').click()
    await to.fill('books@firm.example')
    await to.press(',')
    await button(page, 'Remove photo.pdf').click()
    await assertAccessible(page, 'a forwarded email')
    await send.click()
    const { parsed, recipients } = await mailTo('books@firm.example')
    assert.deepEqual(recipients, ['books@firm.example'])
    assert.equal(parsed.subject, 'Fwd: My invoice')
    assert.match(parsed.text ?? '', /Forwarded message.*Please see the files\./s)
    assert.deepEqual(
      parsed.attachments.map(({ filename }) => filename),
      ['invoice.pdf'],
    )
    assert.equal(smtp.mailsTo('frida@example.com').length, 0)
  })
})

test('what is pasted keeps its structure and nothing else, and its images are sent along', async () => {
  const { address, path } = await begun('Clea')
  await visit(path, async (page) => {
    await writing(page).click()
    await page.evaluate(`(() => {
      const data = new DataTransfer()
      data.setData('text/html', '<h1 style="color:red">Sizes</h1><p onclick="x()">See <a href="https://kiln.example/a">here</a><a href="javascript:x()">no</a><img src="https://track.example/p.gif"></p><script>x()<' + '/script><ol><li>One</li></ol>')
      document.querySelector('.rich').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
    await page.locator('.rich li', { hasText: 'One' }).waitFor()
    await page.evaluate(`(async () => {
      const canvas = document.createElement('canvas')
      canvas.width = canvas.height = 20
      const blob = await new Promise((done) => canvas.toBlob(done))
      const data = new DataTransfer()
      data.items.add(new File([blob], 'mug.png', { type: 'image/png' }))
      document.querySelector('.rich').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
    })()`)
    await page.locator('.rich img[alt="mug.png"]').waitFor()
    await page.reload()
    await page.locator('.rich img[alt="mug.png"]').waitFor()
    await button(page, 'Send').click()
    const { parsed } = await mailTo(address)
    const html = String(parsed.html)
    assert.match(html, /<div>Sizes<\/div>.*<a href="https:\/\/kiln\.example\/a"[^>]*>here<\/a>no.*<li>One/s)
    assert.doesNotMatch(html, /red|onclick|javascript|track|script/)
    assert.deepEqual(
      parsed.attachments.map(({ cid }) => html.includes(`cid:${cid}`)),
      [true],
    )
    // Shown in the thread within the text only.
    await page.frameLocator('.mail__frame').last().locator('img').waitFor()
    assert.equal(await page.locator('.message--ours .files__picture').count(), 0)
  })
})

test('somebody whom an email did not reach is named, and can be written to again', async () => {
  const { path } = await begun('Uma')
  smtp.refuse('gone@firm.example', 550)
  await visit(path, async (page) => {
    await button(page, /Change recipients/).click()
    await button(page, 'Add Cc').click()
    await page.keyboard.type('gone@firm.example')
    await writing(page).click()
    await page.keyboard.type('Hello')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Not delivered to gone@firm.example').waitFor()
    smtp.refuse('gone@firm.example')
    await button(page, 'Try again').click()
    await page.getByText('Not delivered to').waitFor({ state: 'detached' })
    assert.equal(smtp.mailsTo('gone@firm.example').length, 1)
    assert.equal(smtp.mailsTo('uma@example.com').length, 1)
  })
})

for (const { width, ...look } of LOOKS)
  test(`an email can be written and read at ${width} px, ${look.colorScheme}`, async () => {
    const { path } = await begun(`Look${width}`, { headers: ['Cc: Vera <vera@example.com>'] })
    await visit(
      path,
      async (page) => {
        await writing(page).click()
        await page.keyboard.type('Hello')
        await button(page, /Change recipients/).click()
        await page.locator('.mail__summary').first().click()
        await assertAccessible(page, `an email at ${width}`)
      },
      { ...look, viewport: { width, height: 844 } },
    )
  })

test('a conversation is started with C, and from a contact’s page', async () => {
  const { id: contactId } = await make.contact(workspace.id, { name: 'Nina New', email: 'nina@example.com' })
  await visit(`/inbox/open`, async (page) => {
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('combobox', { name: 'To' }).fill('first@example.com')
    await page.keyboard.press('Enter')
    await page.getByLabel('Subject').fill('Hello there')
    await page.getByRole('textbox', { name: 'Message' }).click()
    await page.keyboard.type('Nice to meet you')
    await assertAccessible(page, 'a new email')
    await page.reload()
    await page.getByRole('textbox', { name: 'Message' }).getByText('Nice to meet you').waitFor()
    await page.getByRole('textbox', { name: 'Message' }).focus()
    await page.keyboard.press('Control+Enter')
    await page.waitForURL('**/inbox/open/c*')
    const { parsed } = await mailTo('first@example.com')
    assert.equal(parsed.subject, 'Hello there')
    assert.match(parsed.text ?? '', /^Nice to meet you/)
    await page.locator('.convo-head').getByText('first@example.com').first().waitFor()

    await page.goto(page.url().replace(/inbox.*/, `contacts/${contactId}`))
    await page.getByRole('link', { name: 'New conversation' }).click()
    await button(page, 'Remove nina@example.com').waitFor()
  })
})
