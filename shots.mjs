import { chromium } from 'playwright-core'
const [,, link, out] = process.argv
const url = new URL(link).origin
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless=new','--no-sandbox','--disable-gpu'] })
const first = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'de-DE' })
const page = await first.newPage()
page.setDefaultTimeout(60000)
page.on('pageerror', (e) => console.log('ERR', e.message))
await page.goto(url + '/sign-in'); await page.waitForSelector('form', { timeout: 60000 })
await page.screenshot({ path: `${out}/de-sign-in.png` })
await page.goto(link); await page.waitForURL('**/inbox/**', { timeout: 90000 }); await page.waitForSelector('a[href*="/inbox/"] >> nth=5')
const state = await first.storageState()
const paths = ['/inbox/open', '/contacts', '/broadcasts', '/flows', '/knowledge', '/reports', '/settings/channels', '/settings/ai-agent', '/settings/teams', '/settings/roles', '/notifications','/templates','/groups','/settings/webhooks','/settings/business-hours','/settings/audit-log']
const texts = {}
for (const path of paths) {
  await page.goto(url + path); await page.waitForTimeout(2500)
  await page.screenshot({ path: `${out}/de-1440${path.replaceAll('/', '-')}.png` })
  texts[path] = await page.evaluate(() => document.body.innerText)
}
await page.goto(url + '/inbox/open'); await page.waitForTimeout(2500)
await page.locator('a[href*="/inbox/open/"]').first().click(); await page.waitForTimeout(3000)
await page.screenshot({ path: `${out}/de-1440-conversation.png` })
texts.conversation = await page.evaluate(() => document.body.innerText)
await first.close()
const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, locale: 'de-DE', storageState: state })
const p = await phone.newPage()
for (const path of ['/inbox/open', '/contacts', '/reports', '/settings/ai-agent','/settings/roles','/broadcasts']) {
  await p.goto(url + path); await p.waitForTimeout(3000)
  await p.screenshot({ path: `${out}/de-390${path.replaceAll('/', '-')}.png` })
  const wide = await p.evaluate(() => document.documentElement.scrollWidth)
  if (wide > 390) console.log('WIDE', path, wide)
}
await browser.close()
import { writeFileSync } from 'node:fs'
writeFileSync(out + '/texts.json', JSON.stringify(texts, null, 1))
