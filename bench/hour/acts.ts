// What an agent does in a conversation, by keyboard and by mouse.
import type { Page } from 'playwright-core'
import { until } from '../../test/until.ts'
import { type Agent, composer, leaveField, open, readField, type, untilEmpty } from './agent.ts'
import type { Open } from './follow.ts'
import type { AgentName, Ledger, Reply } from './ledger.ts'
import { changeView, lookElsewhere, reload } from './moves.ts'
import type { Random } from './random.ts'

export type Scene = { random: Random; ledger: Ledger }
/** Something that can't be done here isn't a failure. */
export class NotPossible extends Error {}

const ANSWERS = ['It left yesterday.', 'Gern geschehen! 🙂', 'نعم، بالتأكيد', 'Two lines:\nthe second one.']
const COLLISION = 'replied while you were writing'
const SHORT_MS = 5_000

const colleagueOf = (name: AgentName): AgentName => (name === 'Robin' ? 'Jane' : 'Robin')

const requireComposer = async (page: Page): Promise<void> => {
  const mode = page.getByRole('button', { name: 'Reply', exact: true })
  await mode.waitFor()
  if ((await mode.getAttribute('aria-pressed')) !== 'true') await mode.click()
  if (
    !(await composer(page)
      .waitFor({ timeout: SHORT_MS })
      .then(
        () => true,
        () => false,
      ))
  )
    throw new NotPossible('no reply can be written here')
}

/** Presses the keys that send, and notes that it must arrive. */
const sendTyped = async (
  { ledger }: Scene,
  { page, name }: Agent,
  { id, channel }: Open,
  mark: string,
): Promise<Reply> => {
  const reply: Reply = { mark, by: name, conversationId: id, channel, atMs: performance.now(), fate: 'sent' }
  ledger.replies.set(mark, reply)
  await page.keyboard.press(channel === 'email' ? 'Control+Enter' : 'Enter')
  return reply
}

/** If a colleague has replied meanwhile, decides what becomes of it. */
const settleCollision = async (
  { random }: Scene,
  { page }: Agent,
  { channel }: Open,
  reply: Reply,
  waitMs: number,
): Promise<boolean> => {
  // There may be others, of earlier replies.
  const own = page
    .locator('div:has(> article)')
    .filter({ has: page.locator('.bubble', { hasText: new RegExp(`${reply.mark}\\b`) }) })
    .last()
  const alert = own.getByRole('alert').filter({ hasText: COLLISION })
  if (
    !(await alert.waitFor({ timeout: waitMs }).then(
      () => true,
      () => false,
    ))
  )
    return false
  if (random.chance(0.6)) {
    await own.getByRole('button', { name: 'Send anyway' }).click()
    await alert.waitFor({ state: 'detached' })
    return true
  }
  await own.getByRole('button', { name: 'Keep editing' }).click()
  const isEmail = channel === 'email'
  await until(async () => (await readField(page, isEmail)).includes(reply.mark), 'the text to be back')
  reply.fate = 'refused'
  await type(page, isEmail, '')
  return true
}

export const reply = async (scene: Scene, agent: Agent, place: Open, isPatient = true): Promise<Reply> => {
  const { random, ledger } = scene
  const { page } = agent
  await open(agent, place)
  await requireComposer(page)
  const isEmail = place.channel === 'email'
  const mark = ledger.newMark('r')
  await type(page, isEmail, `${mark} ${random.pick(ANSWERS)}`)
  const sent = await sendTyped(scene, agent, place, mark)
  await untilEmpty(page, isEmail)
  if (isPatient) await settleCollision(scene, agent, place, sent, 600)
  return sent
}

/** Takes a reply back before it is sent. */
const undo = async (scene: Scene, agent: Agent, place: Open): Promise<void> => {
  const { page } = agent
  const sent = await reply(scene, agent, place, false)
  const button = page.locator('.message__foot--held').last().getByRole('button', { name: 'Undo' })
  await button.click({ timeout: SHORT_MS }).catch(() => {
    throw new NotPossible('it was not held, or too late')
  })
  const isEmail = place.channel === 'email'
  const isBack = await until(
    async () => (await readField(page, isEmail)).includes(sent.mark),
    'the text to be back',
    SHORT_MS,
  ).then(
    () => true,
    () => false,
  )
  if (!isBack) return
  sent.fate = 'undone'
  await type(page, isEmail, '')
}

const sendFile = async (scene: Scene, agent: Agent, place: Open): Promise<void> => {
  const { page } = agent
  await open(agent, place)
  await requireComposer(page)
  const input = page.locator('.composer input[type=file]')
  if ((await input.count()) === 0) throw new NotPossible('no files here')
  const mark = scene.ledger.newMark('r')
  await type(page, place.channel === 'email', `${mark} see the list`)
  await input.setInputFiles({ name: 'lista à 1.txt', mimeType: 'text/plain', buffer: Buffer.from('Céladon') })
  await page.locator('.upload', { hasText: 'lista' }).getByText('8 B').waitFor()
  await composer(page).click()
  const sent = await sendTyped(scene, agent, place, mark)
  await untilEmpty(page, place.channel === 'email')
  await settleCollision(scene, agent, place, sent, 600)
}

const note = async ({ ledger, random }: Scene, agent: Agent, place: Open): Promise<void> => {
  const { page, name } = agent
  await open(agent, place)
  await page.getByRole('button', { name: 'Note', exact: true }).click()
  const field = page.getByRole('textbox', { name: 'Note' })
  const colleague = colleagueOf(name)
  const maySee = colleague === 'Robin' || place.assigned === 'Jane'
  const mentions = maySee && random.chance(0.7) ? colleague : null
  const mark = ledger.newMark('n')
  await field.fill(`${mark} please look `)
  if (mentions) {
    await field.press('Control+End')
    await field.pressSequentially(`@${colleague.slice(0, 2).toLowerCase()}`)
    await page.getByRole('option', { name: colleague }).waitFor({ timeout: SHORT_MS })
    await field.press('Enter')
    await until(async () => (await field.inputValue()).includes(`@${colleague} `), 'the name to be chosen')
  }
  ledger.notes.set(mark, { mark, by: name, conversationId: place.id, mentions, atMs: performance.now() })
  await field.press('Control+Enter')
  await until(async () => (await field.inputValue()) === '', 'the note to be taken')
  await page.locator('.thread .note', { hasText: mark }).waitFor()
  await page.getByRole('button', { name: 'Reply', exact: true }).click()
}

/** The first key opens a picker. */
const pick = async (page: Page, key: string, label: string, text?: string): Promise<void> => {
  await leaveField(page)
  await page.keyboard.press(key)
  const box = page.getByRole('combobox', { name: label })
  await box.waitFor()
  if (text) await box.fill(text)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

const assign = async ({ ledger }: Scene, agent: Agent, place: Open): Promise<void> => {
  const { page, name } = agent
  const to = colleagueOf(name)
  await open(agent, place)
  await page.locator('.convo-head__assign').waitFor()
  await pick(page, 'a', 'Assign to', to)
  ledger.assigned.push({ by: name, to, conversationId: place.id, atMs: performance.now() })
  await page
    .locator('.toast', { hasText: `Assigned to ${to}` })
    .first()
    .waitFor()
}

const tag = async (_: Scene, agent: Agent, place: Open): Promise<void> => {
  await open(agent, place)
  await pick(agent.page, 'l', 'Tags', 'ref')
  await agent.page.keyboard.press('Escape')
}

const snooze = async (_: Scene, agent: Agent, place: Open): Promise<void> => {
  await open(agent, place)
  await pick(agent.page, 'z', 'Snooze until')
  await agent.page.locator('.toast', { hasText: 'Snoozed' }).first().waitFor()
}

const close = async (_: Scene, agent: Agent, place: Open): Promise<void> => {
  await open(agent, place)
  await leaveField(agent.page)
  // The key would reopen what a colleague has closed.
  if (await agent.page.getByRole('button', { name: 'Reopen', exact: true }).isVisible())
    throw new NotPossible('it is closed')
  await agent.page.keyboard.press('e')
  await agent.page.locator('.toast', { hasText: 'Closed' }).first().waitFor()
}

const reopen = async (_: Scene, agent: Agent, place: Open): Promise<void> => {
  await open(agent, place)
  const badge = agent.page.locator('.convo-head').getByText('Closed', { exact: true })
  if (!(await badge.isVisible())) throw new NotPossible('it was reopened')
  await agent.page.getByRole('button', { name: 'Reopen', exact: true }).click()
  await badge.waitFor({ state: 'detached' })
}

const savedReply = async (scene: Scene, agent: Agent, place: Open): Promise<void> => {
  const { page } = agent
  const isEmail = place.channel === 'email'
  await open(agent, place)
  await requireComposer(page)
  await type(page, isEmail, '')
  await pick(page, ';', 'Saved replies', scene.random.pick(['thanks', 'done']))
  await until(async () => (await readField(page, isEmail)).trim() !== '', 'the saved reply to be inserted')
  const mark = scene.ledger.newMark('r')
  await composer(page).click()
  await page.keyboard.press('Control+End')
  await page.keyboard.insertText(` ${mark}`)
  const sent = await sendTyped(scene, agent, place, mark)
  await settleCollision(scene, agent, place, sent, 600)
}

type Act = {
  name: string
  weight: number
  fits: (place: Open, name: AgentName) => boolean
  run: (scene: Scene, agent: Agent, place: Open) => Promise<unknown>
}

const isOpen = ({ status }: Open): boolean => status === 'open'
const waits = (place: Open): boolean => place.isWaiting
const anything = (): boolean => true

/** `place`: a conversation that fits, of those that the agent sees. */
export const ACTS: Act[] = [
  { name: 'reply', weight: 30, fits: waits, run: reply },
  { name: 'reply unasked', weight: 6, fits: anything, run: reply },
  { name: 'undo a reply', weight: 6, fits: (place, name) => isOpen(place) && name === 'Robin', run: undo },
  { name: 'reply with a file', weight: 4, fits: isOpen, run: sendFile },
  { name: 'saved reply', weight: 6, fits: waits, run: savedReply },
  { name: 'note', weight: 10, fits: isOpen, run: note },
  {
    name: 'assign',
    weight: 12,
    fits: (place, name) =>
      isOpen(place) && place.assigned !== colleagueOf(name) && (name === 'Robin' || place.assigned === name),
    run: assign,
  },
  { name: 'tag', weight: 4, fits: isOpen, run: tag },
  { name: 'snooze', weight: 4, fits: (place) => isOpen(place) && !place.isSnoozed, run: snooze },
  { name: 'close', weight: 8, fits: (place) => isOpen(place) && !place.isWaiting, run: close },
  { name: 'reopen', weight: 3, fits: ({ status }) => status === 'closed', run: reopen },
  { name: 'look elsewhere', weight: 5, fits: anything, run: lookElsewhere },
  { name: 'change the view', weight: 8, fits: anything, run: changeView },
  { name: 'reload', weight: 3, fits: anything, run: reload },
]

/** One writes while the other replies: both are told. */
export const collide = async (scene: Scene, first: Agent, second: Agent, place: Open): Promise<void> => {
  const { ledger } = scene
  const isEmail = place.channel === 'email'
  await open(first, place)
  await open(second, place)
  await requireComposer(first.page)
  await requireComposer(second.page)
  const mark = ledger.newMark('r')
  await type(first.page, isEmail, `${mark} half a `)
  await first.page.keyboard.insertText('sentence')
  await second.page.locator('.presence--typing').getByText(first.name).waitFor()
  const other = await reply(scene, second, place, false)
  await first.page.locator('.thread .bubble', { hasText: other.mark }).first().waitFor()
  await composer(first.page).click()
  const sent = await sendTyped(scene, first, place, mark)
  if (!(await settleCollision(scene, first, place, sent, 10_000)))
    ledger.find('collision', `${first.name} was not told that ${second.name} had replied (${mark})`)
}
