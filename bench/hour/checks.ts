// What must hold: nothing lost, nothing twice, nothing out of order, nobody unaware.
import { setTimeout as delay } from 'node:timers/promises'
import type { Agent } from './agent.ts'
import { checkAwareness } from './awareness.ts'
import type { Customer } from './customers.ts'
import { countPending, listConversations } from './follow.ts'
import {
  AGENTS,
  type AgentName,
  type Delays,
  type Ledger,
  marksIn,
  noDelays,
  type Written,
} from './ledger.ts'
import type { Place } from './place.ts'

type Given = { place: Place; ledger: Ledger; agents: readonly Agent[] }

const SETTLE_MAX_MS = 150_000
const SCREEN_MAX_MS = 20_000
/** Within which a stored message has to be in an agent's list; and once the server or the network is back. */
export const SHOWN_MAX_MS = 5_000
export const SHOWN_AGAIN_MAX_MS = 15_000

type Served = {
  rows: { id: string; unread: number; body: string | null }[]
  unread: number
}

/** What the server says to this agent. */
const ask = async ({ watch }: Agent, workspaceId: string): Promise<Served> => {
  const text = await watch.evaluate<string>(`(async () => {
    const get = async (path) => {
      const response = await fetch('/console/api/workspaces/${workspaceId}' + path, { headers: { 'x-foyer-console': '1' } })
      return response.json()
    }
    const [{ conversations }, counts] = await Promise.all([
      get('/conversations?status=all&limit=50'), get('/conversation-counts'),
    ])
    return JSON.stringify({
      unread: counts.unread,
      rows: conversations.map(({ id, unreadCount, lastMessage }) => ({ id, unread: unreadCount, body: lastMessage?.body ?? null })),
    })
  })()`)
  return JSON.parse(text) as Served
}

/** How the screens of an agent differ from what the server says; empty: not at all. */
const differences = async (agent: Agent, workspaceId: string): Promise<string[]> => {
  const { name, watcher, page, watch } = agent
  const served = await ask(agent, workspaceId)
  const { rows } = watcher.latest()
  const found: string[] = []
  for (const [index, row] of rows.entries()) {
    const known = served.rows[index]
    if (known?.id !== row.id) {
      found.push(`row ${index} is ${row.id}, not ${known?.id}`)
      break
    }
    if (known.unread !== row.unread) found.push(`${row.id} shows ${row.unread} unread, not ${known.unread}`)
    const [mark] = marksIn(known.body ?? '')
    if (mark && !row.isMasked && !row.text.includes(mark))
      found.push(`${row.id} shows “${row.text}”, not ${mark}`)
  }
  if (rows.length < Math.min(served.rows.length, 20))
    found.push(`${rows.length} of ${served.rows.length} rows are there`)
  const title = served.unread > 0 ? `(${served.unread}) ` : ''
  for (const [which, one] of [
    ['wall', watch],
    ['desk', page],
  ] as const) {
    const shown = await one.title()
    if (!(title ? shown.startsWith(title) : !shown.startsWith('(')))
      found.push(`the title on the ${which} is “${shown}” with ${served.unread} unread`)
    const badge = await one.evaluate<number>(
      `Number(/\\d+/.exec(document.querySelector('.rail__place .count .hidden-visually')?.textContent ?? '')?.[0] ?? 0)`,
    )
    if (badge !== served.unread) found.push(`the badge on the ${which} is ${badge}, not ${served.unread}`)
  }
  return found.map((text) => `${name}: ${text}`)
}

/** Replies and notes that a page is still trying to send. */
const countUnsent = async (agents: readonly Agent[]): Promise<number> => {
  const counts = agents.map(({ page }) =>
    page.evaluate<number>(
      `Object.keys(localStorage).filter((key) => key.startsWith('foyer.outbox.'))
        .flatMap((key) => JSON.parse(localStorage.getItem(key))).filter(({ state }) => state !== 'failed').length`,
    ),
  )
  return (await Promise.all(counts)).reduce((sum, one) => sum + one, 0)
}

/** Providers try again later and later. */
const countUnstored = ({ written }: Ledger): number =>
  [...written.values()].filter(({ storedMs }) => storedMs === undefined).length

/** Waits until everybody rests and nothing is on its way, and compares the screens with the server. */
export const settle = async ({ place, ledger, agents }: Given): Promise<void> => {
  for (const agent of agents) await agent.alone(async () => {})
  const endMs = performance.now() + SETTLE_MAX_MS
  const count = async (): Promise<number> =>
    (await countPending(place)) + (await countUnsent(agents)) + countUnstored(ledger)
  let pending = await count()
  while (pending > 0 && performance.now() < endMs) {
    await delay(500)
    pending = await count()
  }
  if (pending > 0)
    ledger.find(
      'pending',
      `${pending} deliveries, held messages, notifications or messages at a provider are not seen to`,
    )
  const fromMs = performance.now()
  for (const agent of agents) {
    let found = await differences(agent, place.workspaceId)
    while (found.length > 0 && performance.now() - fromMs < SCREEN_MAX_MS) {
      await delay(500)
      found = await differences(agent, place.workspaceId)
    }
    for (const one of found) ledger.find('screen', one)
  }
  ledger.checks.push(`screens equal the server’s answers after ${Math.round(performance.now() - fromMs)} ms`)
  const visible = await listConversations(place)
  const jane = agents.find(({ name }) => name === 'Jane')
  for (const { id } of jane?.watcher.latest().rows ?? [])
    if (visible.find((one) => one.id === id)?.assigned !== 'Jane')
      ledger.find('screen', `Jane’s list has ${id}, which is not hers`)
}

const checkWritten = ({ ledger }: Given): void => {
  for (const { mark, channel, customer, storedMs } of ledger.written.values())
    if (storedMs === undefined) ledger.find('lost', `${mark} by ${customer} (${channel}) was never stored`)
}

/** When a message, or a later one of its conversation, was in an agent's list. */
const shownMs = (
  { ledger }: Given,
  agent: Agent,
  { mark, storedMs = 0 }: Written,
): { atMs: number; isMasked: boolean } | undefined => {
  const own = ledger.order.get(mark)
  if (!own) return undefined
  let isMasked = false
  for (const seen of agent.watcher.seenOf(own.conversationId)) {
    const other = seen.mark ? ledger.order.get(seen.mark) : undefined
    if (other && other.place >= own.place) return { atMs: seen.atMs, isMasked }
    isMasked = seen.isMasked || (isMasked && seen.atMs > storedMs)
  }
  return undefined
}

/** Every customer's message in the lists of whoever may see it. Returns the delays in milliseconds. */
const checkShown = (given: Given): Record<AgentName, Delays> => {
  const { ledger, agents } = given
  const delays: Record<AgentName, Delays> = { Robin: noDelays(), Jane: noDelays() }
  for (const agent of agents)
    for (const written of ledger.written.values()) {
      const { mark, storedMs, conversationId, assigned, isMachineCalm } = written
      if (storedMs === undefined || !conversationId) continue
      if (agent.name === 'Jane' && assigned !== 'Jane') continue
      const shown = shownMs(given, agent, written)
      const isMine = agent.name === 'Robin' || agent.watcher.shownMs(conversationId) !== undefined
      if (!shown) {
        if (isMine) ledger.find('unseen', `${mark} was never in ${agent.name}’s list`)
        continue
      }
      if (shown.isMasked) continue
      const possibleMs = ledger.possibleMs(agent.name, storedMs)
      const tookMs = Math.max(0, shown.atMs - possibleMs)
      delays[agent.name].all.push(tookMs)
      if (possibleMs === storedMs) delays[agent.name].calm.push(tookMs)
      if (possibleMs === storedMs && isMachineCalm) delays[agent.name].free.push(tookMs)
      if (tookMs > (possibleMs > storedMs ? SHOWN_AGAIN_MAX_MS : SHOWN_MAX_MS))
        ledger.find(
          'late',
          `${mark} was in ${agent.name}’s list ${Math.round(tookMs)} ms after it could have been${possibleMs > storedMs ? ', after trouble' : ''}`,
        )
    }
  return delays
}

type Outcome = { arrived: number; undone: number; refused: number; failedAndSaid: number; toldUnsent: number }

/** Each reply reached its customer once, in order; what was undone reached nobody. */
const checkReplies = async (given: Given & { customers: readonly Customer[] }): Promise<Outcome> => {
  const { place, ledger, customers, agents } = given
  const counts = new Map<string, number>()
  for (const { name, got } of customers) {
    const marks = (await got()).filter((mark) => mark.startsWith('r'))
    for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1)
    const last = new Map<string, { mark: string; place: number }>()
    for (const mark of marks) {
      const own = ledger.order.get(mark)
      if (!own) continue
      const before = last.get(own.conversationId)
      if (before && before.place > own.place)
        ledger.find('order', `${name} got ${mark} after ${before.mark}, which was written later`)
      last.set(own.conversationId, { mark, place: own.place })
    }
  }
  const failed = await place.db.query<{ body: string }>(
    `select m.body from messages m join deliveries d on d.workspace_id = m.workspace_id and d.message_id = m.id
    where m.status = 'failed' or d.state = 'unconfirmed'`,
  )
  const isFailed = new Set(failed.rows.flatMap(({ body }) => marksIn(body)))
  const held = await place.db.query<{ body: string; problem: unknown }>(
    'select body, problem from held_messages',
  )
  const isHeld = new Set(held.rows.flatMap(({ body }) => marksIn(body)))
  const unsent = new Set<string>()
  for (const { page } of agents)
    for (const mark of marksIn(
      await page.evaluate<string>(
        `Object.keys(localStorage).filter((key) => key.startsWith('foyer.outbox.')).map((key) => localStorage.getItem(key)).join(' ')`,
      ),
    ))
      unsent.add(mark)
  const outcome = { arrived: 0, undone: 0, refused: 0, failedAndSaid: 0, toldUnsent: 0 }
  for (const { mark, by, channel, fate } of ledger.replies.values()) {
    const count = counts.get(mark) ?? 0
    if (count > 1) ledger.find('twice', `${mark} by ${by} reached the customer ${count} times (${channel})`)
    if (fate !== 'sent') {
      if (count > 0)
        ledger.find('undone', `${mark} by ${by} was ${fate} and reached the customer (${channel})`)
      else outcome[fate]++
    } else if (count > 0) outcome.arrived++
    else if (isFailed.has(mark)) outcome.failedAndSaid++
    else if (isHeld.has(mark) || unsent.has(mark)) outcome.toldUnsent++
    else ledger.find('lost', `${mark} by ${by} never reached the customer (${channel})`)
  }
  for (const name of AGENTS) {
    const own = [...ledger.replies.values()].filter(({ by }) => by === name)
    const last = new Map<string, { mark: string; place: number }>()
    for (const { mark, conversationId } of own.sort((a, b) => a.atMs - b.atMs)) {
      const stored = ledger.order.get(mark)
      if (!stored) continue
      const before = last.get(conversationId)
      if (before && before.place > stored.place)
        ledger.find('order', `${name} wrote ${mark} after ${before.mark}, and it is stored before`)
      last.set(conversationId, { mark, place: stored.place })
    }
  }
  return outcome
}

/** Every failed message is shown as failed where its conversation is. */
const checkFailures = async ({ place, ledger, agents }: Given): Promise<void> => {
  const [robin] = agents
  const { rows } = await place.db.query<{ id: string; conversation_id: string; body: string }>(
    `select id, conversation_id, body from messages where status = 'failed' order by id desc limit 8`,
  )
  for (const { id, conversation_id, body } of rows) {
    const [mark] = marksIn(body)
    await robin!.page.goto(`${robin!.base}/inbox/all/${conversation_id}?at=${id}`)
    const bubble = robin!.page.locator('.bubble--failed', { hasText: mark ?? body })
    if (
      !(await bubble
        .first()
        .waitFor({ timeout: 10_000 })
        .then(
          () => true,
          () => false,
        ))
    )
      ledger.find('unaware', `${mark} failed and its thread doesn’t say so`)
  }
}

export type Results = Awaited<ReturnType<typeof checkAll>>

export const checkAll = async (given: Given & { customers: readonly Customer[] }) => {
  checkWritten(given)
  const shown = checkShown(given)
  const replies = await checkReplies(given)
  await checkFailures(given)
  const awareness = await checkAwareness(given)
  for (const { atMs, line } of given.place.server.problems) {
    const isTroubled = given.ledger.isTroubled(null, atMs, atMs, 15_000)
    given.ledger.find(isTroubled ? 'server log, in trouble' : 'server log', line.slice(0, 600))
  }
  return { shown, replies, ...awareness }
}
