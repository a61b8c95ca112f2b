// Files and images that visitors send: by a button, by dropping, by pasting.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { composer, openChat, test, until, untilListening, visit, write } from './testing/visit.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const pot = { name: 'pot.png', mimeType: 'image/png', buffer: png }
const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Two of each') }

const openWithFiles = async (page: Page): Promise<void> => {
  await page.evaluate(() => localStorage.clear())
  await page.reload()
  await openChat(page)
}
const choose = (page: Page, files: (typeof pot)[]) => page.locator('input[type=file]').setInputFiles(files)
const send = (page: Page) => page.getByRole('button', { name: 'Send' })

test('files are chosen, dropped and pasted, uploaded at once, and sent with and without words', () =>
  visit(async ({ server, page }) => {
    server.setConfig({ acceptsFiles: true })
    await openWithFiles(page)
    await untilListening(server)
    await page.getByRole('button', { name: 'Attach files' }).waitFor()
    await choose(page, [pot, notes])
    await until('both are uploaded', () => server.uploads.length === 2)
    await until('they can be sent', () => send(page).isEnabled())
    await page.getByRole('button', { name: 'Remove notes.txt' }).click()
    await send(page).click()
    await page.locator('.own .picture').waitFor()
    assert.deepEqual(
      server.sends.map(({ body, fileIds }) => [body, fileIds]),
      [[undefined, [server.uploads[0]!.clientId]]],
    )
    await page.locator('.panel').evaluate((panel) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['Dropped'], 'dropped.txt', { type: 'text/plain' }))
      for (const type of ['dragover', 'drop'])
        panel.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }))
    })
    await composer(page).evaluate((field) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File(['Pasted'], 'pasted.txt', { type: 'text/plain' }))
      field.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
      )
    })
    await until('both are uploaded', () => server.uploads.length === 4)
    await until('they can be sent', () => send(page).isEnabled())
    await write(page, 'Here they are')
    await until('they are sent', () => server.sends.length === 2)
    assert.equal(server.sends[1]!.fileIds!.length, 2)
    await page.getByRole('link', { name: 'dropped.txt' }).waitFor()
  }))

test('an upload goes on after a lost connection under the same id; what is refused says why and isn’t sent', () =>
  visit(async ({ server, page }) => {
    server.setConfig({ acceptsFiles: true })
    await openWithFiles(page)
    await untilListening(server)
    server.failUploads(0)
    await choose(page, [pot])
    await until('it is uploaded again', () => server.uploads.length === 2)
    assert.equal(server.uploads[0]!.clientId, server.uploads[1]!.clientId)
    await until('it can be sent', () => send(page).isEnabled())
    for (const [files, text] of [
      [[{ ...pot, name: 'virus.exe' }], 'virus.exe'],
      [[{ ...notes, buffer: Buffer.alloc(10 * 1024 * 1024 + 1) }], 'The limit is 10 MB'],
      [Array.from({ length: 5 }, () => notes), 'You can send 5 files at a time.'],
    ] as const) {
      await choose(page, [...files])
      await page.getByRole('alert').getByText(text).waitFor()
    }
    await until('the others are uploaded', () => server.uploads.length === 6)
    server.failUploads(415)
    await page.getByRole('button', { name: 'Remove notes.txt' }).first().click()
    await choose(page, [{ ...notes, name: 'fake.pdf' }])
    await page.getByText('fake.pdf can’t be sent').waitFor()
    assert.equal(await send(page).isEnabled(), false)
    await page.getByRole('button', { name: 'Remove fake.pdf' }).click()
    assert.equal(await send(page).isEnabled(), true)
  }))

test('where files are switched off there is no button, and dropping does nothing', () =>
  visit(async ({ server, page }) => {
    server.setConfig({ acceptsFiles: false })
    await openWithFiles(page)
    assert.equal(await page.getByRole('button', { name: 'Attach files' }).count(), 0)
    assert.equal(await page.locator('.drop').count(), 0)
  }))
