import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { launchBrowser, skipBrowser } from '../../../test/browser.ts'

test('the page at /docs/try lists the operations without errors in the browser console', {
  skip: skipBrowser,
}, async () => {
  const { app } = await startApp()
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(`${url}/docs/try`)
    await page
      .locator('.opblock-summary-path', { hasText: '/conversations/{conversationId}/close' })
      .waitFor()
    assert.equal(await page.locator('.servers').isVisible(), false)
    assert.deepEqual(complaints, [])
  } finally {
    await browser.close()
  }
})
