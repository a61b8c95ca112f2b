// Whether those concerned came to know: of messages in what is theirs, of mentions, of what was assigned to them.
import type { Agent } from './agent.ts'
import { type AgentName, type Ledger, marksIn, noDelays } from './ledger.ts'
import type { Place } from './place.ts'

type Given = { place: Place; ledger: Ledger; agents: readonly Agent[] }

/** The figure: from the message to the push. */
export const PUSH_MAX_MS = 2_000
const LOOKING_MS = 45_000
/** A later one is of another time that it was assigned. */
const TOLD_MAX_MS = 120_000

/** Whether an agent's page was at the conversation at some time around then. */
const wasThere = ({ ledger }: Given, name: AgentName, conversationId: string, atMs: number): boolean =>
  ledger.places[name].some(
    (one, index, all) =>
      one.path.endsWith(conversationId) &&
      one.atMs - LOOKING_MS < atMs &&
      (all[index + 1]?.atMs ?? Number.POSITIVE_INFINITY) + LOOKING_MS > atMs,
  )

type Pushed = { atMs: number; kind: string; conversationId: string; text: string }

const pushesTo = ({ place }: Given, name: AgentName): Pushed[] =>
  place.pushService.received
    .filter((one) => one.name === name)
    .map(({ atMs, payload: { kind, conversationId, title, body } }) => ({
      ...{ atMs, kind, conversationId, text: `${title} ${body}` },
    }))

export const checkAwareness = async (given: Given) => {
  const { ledger, agents } = given
  const messages = { sent: noDelays(), stored: noDelays(), looking: 0 }
  const mentions = { told: 0, looking: 0, delays: [] as number[] }
  const assignments = { told: 0, looking: 0, delays: [] as number[] }
  for (const { name } of agents) {
    const pushes = pushesTo(given, name)
    for (const { mark, atMs, storedMs, conversationId, assigned, isMachineCalm } of ledger.written.values()) {
      if (!conversationId || storedMs === undefined) continue
      const push = pushes.find(({ text }) => marksIn(text)[0] === mark)
      if (push) {
        const isCalm = !ledger.isTroubled(null, atMs, push.atMs)
        for (const [delays, fromMs] of [
          [messages.sent, atMs],
          [messages.stored, storedMs],
        ] as const) {
          const tookMs = Math.max(0, push.atMs - fromMs)
          delays.all.push(tookMs)
          if (isCalm) delays.calm.push(tookMs)
          if (isCalm && isMachineCalm) delays.free.push(tookMs)
        }
      } else if (assigned === name) {
        if (wasThere(given, name, conversationId, storedMs)) messages.looking++
        else {
          ledger.find('unaware', `${name} got no push of ${mark} in a conversation of theirs`)
        }
      }
    }
    for (const { mark, conversationId, mentions: whom, atMs } of ledger.notes.values()) {
      if (whom !== name) continue
      const push = pushes.find(({ kind, text }) => kind === 'mentioned' && marksIn(text)[0] === mark)
      if (push) {
        mentions.told++
        mentions.delays.push(push.atMs - atMs)
      } else if (wasThere(given, name, conversationId, atMs)) mentions.looking++
      else ledger.find('unaware', `${name} got no push of being mentioned in ${mark}`)
    }
    for (const { to, conversationId, atMs } of ledger.assigned) {
      if (to !== name) continue
      const push = pushes.find(
        (one) =>
          one.kind === 'assigned' &&
          one.conversationId === conversationId &&
          one.atMs > atMs &&
          one.atMs < atMs + TOLD_MAX_MS,
      )
      if (push) {
        assignments.told++
        assignments.delays.push(push.atMs - atMs)
      } else if (wasThere(given, name, conversationId, atMs)) assignments.looking++
      else ledger.find('unaware', `${name} got no push of ${conversationId}, which was assigned to them`)
    }
  }
  await checkMentionsView(given)
  return { messages, mentions, assignments }
}

/** Each conversation with a mention that the person may still see is in their view of mentions. */
const checkMentionsView = async ({ place, ledger, agents }: Given): Promise<void> => {
  const { rows: stored } = await place.db.query<{ body: string }>('select body from notes')
  const isStored = new Set(stored.flatMap(({ body }) => marksIn(body)))
  for (const { mark, by } of ledger.notes.values())
    if (!isStored.has(mark)) ledger.find('lost', `the note ${mark} by ${by} was never stored`)
  const { rows: conversations } = await place.db.query<{ id: string; agent_id: string | null }>(
    'select id, agent_id from conversations',
  )
  for (const { name, watch, base, watcher } of agents) {
    await watch.goto(`${base}/inbox/mentions`)
    await watch.locator('.list__head').waitFor()
    await watch.waitForTimeout(3_000)
    const shown = new Set(watcher.latest().rows.map(({ id }) => id))
    const wanted = new Set(
      [...ledger.notes.values()]
        .filter(({ mentions, conversationId }) => {
          const owner = place.nameOf(conversations.find(({ id }) => id === conversationId)?.agent_id ?? null)
          return mentions === name && (name === 'Robin' || owner === name)
        })
        .map(({ conversationId }) => conversationId),
    )
    for (const id of wanted) if (!shown.has(id)) ledger.find('unaware', `${name}’s mentions don’t have ${id}`)
  }
}
