// Websites and files in a real browser against the real server, from the address to the review of a change.
import assert from 'node:assert/strict'
import { startApp } from '../test/app.ts'
import { makeMember } from '../test/console.ts'
import { assertAccessible, browseConsole, button, field, LOOKS } from '../test/console-visit.ts'
import { htmlPage, serveSite, sitemap } from '../test/site.ts'

const testApp = await startApp({ stream: true, worker: true })
const { call, make } = testApp
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin', role: 'admin' })
const jane = await makeMember(testApp, workspace.id, [])
const { test, visit } = browseConsole(testApp, workspace.id, robin)

const site = await serveSite({
  '/returns': htmlPage('Returns', 'Everything can be returned.', 'Within 30 days.'),
  '/shipping': htmlPage('Shipping', 'Two to four days.'),
  '/app': '<body><div id="app"></div></body>',
})
site.pages['/sitemap.xml'] = sitemap(['/returns', '/shipping', '/app'].map((path) => site.base + path))

test('a website is added and read, and a change on it is seen and published', () =>
  visit('/knowledge', async (page) => {
    await page.getByRole('link', { name: 'Add a website' }).click()
    await field(page, 'Pages').selectOption('All pages of a sitemap')
    await field(page, 'Address').fill('shop.example')
    await button(page, 'Add website').click()
    await page.getByText('Must be an http or https URL.').waitFor()
    await field(page, 'Address').fill(`${site.base}/sitemap.xml`)
    await button(page, 'Add website').press('Enter')
    await page.getByText('2 pages · 1 not read').waitFor()
    await page.getByText('The page has no text of its own').waitFor()

    site.pages['/returns'] = htmlPage('Returns', 'Everything can be returned.', 'Within 14 days.')
    await button(page, 'Read again').click()
    await button(page, 'Review change').click()
    await page.getByText('Within 14 days.').waitFor()
    await page.locator('.text-changes__line--removed', { hasText: 'Within 30 days.' }).waitFor()
    await assertAccessible(page, 'a change of a page')
    await button(page, 'Publish new text').click()
    await page.getByText('Published').waitFor()
    await page.getByRole('link', { name: 'Returns' }).click()
    await page.getByText('Within 14 days.').waitFor()
  }))

test('files are uploaded and read, one that can’t be says why, and what is deleted is gone', () =>
  visit('/knowledge/files', async (page) => {
    await page.locator('input[type=file]').setInputFiles([
      { name: 'Care.txt', mimeType: 'text/plain', buffer: Buffer.from('Safe in the dishwasher.') },
      { name: 'Scan.pdf', mimeType: 'application/pdf', buffer: Buffer.from('no pdf') },
    ])
    await button(page, 'Upload 2 files').click()
    await page.getByRole('link', { name: 'Care.txt' }).waitFor()
    await page.getByRole('link', { name: 'Scan.pdf' }).click()
    await page.getByText('The file isn’t a PDF that can be read.').waitFor()
    await page
      .locator('input[type=file]')
      .setInputFiles([
        { name: 'Scan.md', mimeType: 'text/markdown', buffer: Buffer.from('# Glazes\n\nWe use three.') },
      ])
    await page.getByRole('link', { name: 'Scan', exact: true }).waitFor()
    await button(page, 'Delete').click()
    await button(page, 'Delete file').click()
    await page.getByText('File deleted').waitFor()
    const { body } = await call(workspace.token, 'GET', '/knowledge/articles?search=Scan')
    assert.deepEqual(body.articles, [])
  }))

test('the settings of a website are changed, and its articles follow', () =>
  visit('/knowledge', async (page) => {
    await page.getByRole('link', { name: 'Care.txt' }).click()
    await page.locator('a[href*="/sources/"][href$="/settings"]').click()
    await field(page, 'Name').fill('Care guide')
    await page.getByText('Who it’s for').click()
    await page.getByRole('checkbox', { name: /^Internal/ }).check()
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 })
      await assertAccessible(page, `${width} settings of a file`)
    }
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: /Care guide/ }).waitFor()
    const { body } = await call(workspace.token, 'GET', '/knowledge/articles?search=Care')
    assert.deepEqual(
      body.articles.map(({ isInternal }: { isInternal: boolean }) => isInternal),
      [true],
    )
    await page.locator('a[href*="/sources/"][href$="/settings"]').click()
    await field(page, 'Name').fill('Care.txt')
    await page.getByRole('checkbox', { name: /^Internal/ }).uncheck()
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: /Care\.txt/ }).waitFor()
  }))

test('people without the permission see websites and files, but change nothing', () =>
  visit(
    '/knowledge',
    async (page) => {
      await page.getByRole('link', { name: 'Care.txt' }).click()
      await page.getByRole('link', { name: 'Care', exact: true }).waitFor()
      assert.equal(await page.getByRole('button', { name: /Read|Upload|Delete|Review/ }).count(), 0)
    },
    { person: jane },
  ))

for (const { colorScheme, width } of LOOKS)
  test(`websites and files are accessible and fit ${width} pixels, ${colorScheme}`, () =>
    visit(
      '/knowledge',
      async (page) => {
        await page.getByRole('link', { name: /sitemap\.xml/ }).waitFor()
        await assertAccessible(page, `${width} knowledge with websites`)
        await page.getByRole('link', { name: /sitemap\.xml/ }).click()
        await page.getByRole('link', { name: 'Shipping' }).waitFor()
        await assertAccessible(page, `${width} website`)
        await page.goto(page.url().replace(/\/sources\/.*/, '/website'))
        await field(page, 'Address').waitFor()
        await assertAccessible(page, `${width} new website`)
      },
      { colorScheme, viewport: { width, height: 844 } },
    ))
