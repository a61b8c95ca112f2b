// No serious violation that axe finds, in each theme and direction, with everything open.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { launcher, test, untilListening, visit } from './testing/visit.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
type Found = { id: string; impact: string; nodes: { html: string }[] }

for (const [language, colorScheme, width] of [
  ['en', 'light', 1440],
  ['en', 'dark', 390],
  ['ar', 'light', 390],
  ['ar', 'dark', 1440],
] as const)
  test(`axe finds nothing serious in ${language}, ${colorScheme}, at ${width} px`, () =>
    visit(
      async ({ server, shop, page }) => {
        server.setConfig({ team: ['Mara', 'Ben'], replyMinutes: 30, launcherLabel: null })
        shop.setHost({ language })
        await page.reload()
        await launcher(page).click()
        await page.locator('textarea').fill('Hello')
        await page.locator('textarea').press('Enter')
        await untilListening(server)
        server.say({ choices: { text: 'Which?', options: [{ number: 1, title: 'Red', description: null }] } })
        await page.getByRole('button', { name: 'Red' }).waitFor()
        await page.locator('.tool').first().click()
        await page.evaluate(axeSource)
        const violations = await page.evaluate(async () => {
          const { axe } = window as unknown as {
            axe: { run: (at: string) => Promise<{ violations: Found[] }> }
          }
          return (await axe.run('#foyer-chat')).violations
        })
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        assert.deepEqual(
          serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
          [],
        )
      },
      { colorScheme, viewport: { width, height: 844 } },
    ))
