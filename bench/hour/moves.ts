// What an agent does besides: looks at other screens and views, and reloads the page.
import { setTimeout as delay } from 'node:timers/promises'
import { type Agent, leaveField, openView } from './agent.ts'
import type { Random } from './random.ts'

type Choice = { random: Random }

export const lookElsewhere = async ({ random }: Choice, agent: Agent): Promise<void> => {
  const { page, context, base } = agent
  if (random.chance(0.5)) {
    await leaveField(page)
    await page.getByRole('link', { name: 'Contacts' }).first().click()
    await page.waitForURL('**/contacts**')
    await page.goBack()
    await page.waitForURL('**/inbox/**')
    return
  }
  const other = await context.newPage()
  await other.goto(`${base}/contacts`)
  await other.getByRole('heading', { name: 'Contacts' }).waitFor()
  await delay(random.between(1_000, 8_000))
  await other.close()
  await page.bringToFront()
}

export const reload = async (_: Choice, { page }: Agent): Promise<void> => {
  await page.reload()
  await page.locator('.list__head').waitFor({ state: 'attached' })
}

export const changeView = async ({ random }: Choice, agent: Agent): Promise<void> => {
  const { page } = agent
  if (random.chance(0.2)) return openView(agent, random.pick(['mine', 'open', 'mentions', 'all']))
  await leaveField(page)
  const [key, view] = random.pick([
    ['o', 'open'],
    ['m', 'mine'],
    ['n', 'mentions'],
    ['a', 'all'],
  ] as const)
  if (!page.url().includes('/inbox/')) await page.getByRole('link', { name: 'Inbox' }).first().click()
  await page.keyboard.press('g')
  await page.keyboard.press(key)
  await page.waitForURL(`**/inbox/${view}**`)
}
