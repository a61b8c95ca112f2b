// Eight weeks that the demo's shop has behind it, so that reports, contacts and search have something to show. Brought in
// as an archive of another system would be: nothing is sent, announced or unread, and ids have the times of what they name.
import { sql } from 'kysely'
import { addAgent } from '../domain/agents/add-agent.ts'
import { addOpenTime } from '../domain/business-hours/open-time.ts'
import { listBusinessHours } from '../domain/business-hours/queries.ts'
import type { BusinessHours } from '../domain/business-hours/schema.ts'
import { countWaits } from '../domain/conversations/count-waits.ts'
import { findImported } from '../domain/imports/import-queries.ts'
import { loadArchive } from '../domain/imports/load-archive.ts'
import { RATING_FIELD, recordRating } from '../domain/ratings/record-rating.ts'
import { rollUpWorkspace } from '../domain/reports/roll-up.ts'
import type { Ctx } from '../platform/ctx/ctx.ts'
import { makePastIds } from '../platform/db/id.ts'
import { rowsOf } from '../platform/db/rows-of.ts'
import { TARGETS } from './demo-automation.ts'
import { CHANNELS, type HistoryChannel, NAMES, THANKS, TOPICS, WELCOME } from './history-words.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const DAYS = 56
/** What is younger has its place in demo-threads.ts. */
const UNTIL_MS = 4 * HOUR_MS
const COLLEAGUE = { nickname: 'Mara', email: 'mara@demo.invalid' }
const SOURCE = 'demo:history'
const WAITS_MAX = 5_000

type Person = { id: string; nickname: string }
type Wait = { kind: 'first' | 'next'; from: number; to: number; by: string }
type Past = {
  id: string
  name: string
  channel: HistoryChannel
  at: number
  entries: { from: 'customer' | 'flow' | 'system' | { agent: string }; at: number; body: string }[]
  closedBy: string
  waits: Wait[]
  rating: number | null
}

/** After the threads of now, so that a start that was interrupted here leaves a demo that is only shorter. */
export const createDemoHistory = async (
  ctx: Ctx,
  channelIds: Record<HistoryChannel, string>,
): Promise<void> => {
  const hours = (await listBusinessHours(ctx)).find(({ isDefault }) => isDefault) ?? null
  const { agent } = await addAgent(ctx, COLLEAGUE)
  const admin = await ctx.db
    .selectFrom('memberships as m')
    .innerJoin('accounts as a', 'a.id', 'm.account_id')
    .select(['a.id', 'a.email', 'a.nickname'])
    .where('m.workspace_id', '=', ctx.workspaceId)
    .where('m.role', '=', 'admin')
    .executeTakeFirstOrThrow()
  const people = [admin, { ...COLLEAGUE, id: agent.id }]
  const past = imagine(ctx.now().getTime(), { hours, people })
  await loadArchive(ctx, {
    archive: archiveOf(past, people),
    channels: new Map(Object.entries(channelIds)),
  })
  await addOutcomes(ctx, past, hours)
  await storeReports(ctx)
}

/** So that a first look at reports finds them complete. Where that takes too long, the job does it within minutes. */
const storeReports = async (ctx: Ctx): Promise<void> => {
  try {
    while ((await countWaits(ctx, WAITS_MAX)) === WAITS_MAX);
    while (await rollUpWorkspace(ctx));
  } catch (error) {
    ctx.log.warn({ err: error }, 'the demo’s reports are stored later')
  }
}

/** The same for everyone who starts the demo on the same day. */
const imagine = (
  now: number,
  { hours, people }: { hours: BusinessHours | null; people: readonly Person[] },
): Past[] => {
  let seed = 11
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed / 2_147_483_648
  }
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!
  /** Mostly soon, sometimes late. */
  const minutes = (usual: number, late: number): number =>
    (2 + random() * usual + (random() < 0.1 ? late * (0.5 + random()) : 0)) * MINUTE_MS
  const open = (from: number, ms: number): number => addOpenTime(hours, new Date(from), ms).getTime()
  const past: Past[] = []
  for (let daysAgo = DAYS; daysAgo >= 0; daysAgo--) {
    const day = new Date(now - daysAgo * DAY_MS)
    const isWeekend = day.getDay() === 0 || day.getDay() === 6
    // A little more each week.
    const count = isWeekend
      ? Math.floor(random() * 2)
      : 1 + Math.floor(random() * (2.2 + (DAYS - daysAgo) / 28))
    for (let n = 0; n < count; n++) {
      const at = day.setHours(8 + Math.floor(random() * 7 + random() * 6), Math.floor(random() * 60), n, 0)
      const channel = pick(CHANNELS)
      const { id: by, nickname } = pick(people)
      const [question, answer, more, answerToMore] = pick(TOPICS)
      const entries: Past['entries'] = [{ from: 'customer', at, body: question }]
      const waits: Wait[] = []
      if (channel === 'web') entries.push({ from: 'flow', at: at + 2_000, body: WELCOME })
      const answeredAt = open(at, minutes(38, 150))
      entries.push({ from: { agent: by }, at: answeredAt, body: answer })
      waits.push({ kind: 'first', from: at, to: answeredAt, by })
      let last = answeredAt
      if (more && answerToMore && random() < 0.6) {
        const askedAt = answeredAt + minutes(45, 90)
        last = open(askedAt, minutes(30, 240))
        const other = random() < 0.8 ? by : pick(people).id
        entries.push(
          { from: 'customer', at: askedAt, body: more },
          { from: { agent: other }, at: last, body: answerToMore },
        )
        waits.push({ kind: 'next', from: askedAt, to: last, by: other })
      } else if (random() < 0.5) {
        last = answeredAt + minutes(20, 60)
        entries.push({ from: 'customer', at: last, body: THANKS })
      }
      const closedAt = open(last, minutes(60, 400))
      entries.push({ from: 'system', at: closedAt, body: `${nickname} closed this conversation` })
      const rating = random() < 0.4 ? pick([5, 5, 5, 4, 4, 4, 3, 2]) : null
      const name = NAMES[past.length % NAMES.length]!
      if (closedAt + HOUR_MS < now - UNTIL_MS)
        past.push({ id: `past-${past.length + 1}`, name, channel, at, entries, closedBy: by, waits, rating })
    }
  }
  return past
}

/** How customers rated it, and whether they were answered within the targets. */
const addOutcomes = async (ctx: Ctx, past: readonly Past[], hours: BusinessHours | null): Promise<void> => {
  const { db, workspaceId } = ctx
  const imported = await findImported(
    ctx,
    SOURCE,
    'conversation',
    past.map(({ id }) => id),
  )
  const idAt = makePastIds()
  const waits = past.flatMap(({ id, waits }) =>
    waits.map(({ kind, from, to, by }) => {
      const minutes = kind === 'first' ? TARGETS.firstAnswerMinutes : TARGETS.nextAnswerMinutes
      const due = addOpenTime(hours, new Date(from), minutes * MINUTE_MS)
      const conversationId = imported.get(id)?.targetId
      return { id: idAt(from), conversationId, kind, from: new Date(from), due, to: new Date(to), by }
    }),
  )
  await sql`
    insert into waits (workspace_id, id, conversation_id, kind, started_at, due_at, overdue_at, ended_at, answered_at,
      answered_by)
    select ${workspaceId}, id, "conversationId", kind, "from", due, case when due < "to" then due end, "to", "to", by
    from ${rowsOf(waits)} as w (id text, "conversationId" text, kind text, "from" timestamptz, due timestamptz,
      "to" timestamptz, by text)`.execute(db)
  for (const { id, rating, entries } of past) {
    const conversationId = imported.get(id)?.targetId
    if (rating === null || !conversationId) continue
    const at = new Date(entries.at(-1)!.at + 10 * MINUTE_MS)
    const value = String(rating)
    await recordRating(
      { ...ctx, now: () => at },
      { runId: ctx.newId(), conversationId, field: RATING_FIELD, value },
    )
  }
}

const emailOf = (name: string): string =>
  `${name
    .normalize('NFD')
    .replaceAll(/[^a-z ]/gi, '')
    .toLowerCase()
    .replaceAll(' ', '.')}@example.com`

const archiveOf = (past: readonly Past[], agents: object[]): Parameters<typeof loadArchive>[1]['archive'] => {
  const iso = (at: number): string => new Date(at).toISOString()
  const rows: Record<string, readonly object[]> = {
    agents,
    channels: CHANNELS.map((channel) => ({ id: channel, channel })),
    contacts: [...Map.groupBy(past, ({ name }) => name)].map(([name, own], index) => {
      const email = emailOf(name)
      const phone = `+1555010${String(index).padStart(4, '0')}`
      const isOn = (channel: HistoryChannel) => own.some((one) => one.channel === channel)
      return {
        id: name,
        name,
        email,
        ...(isOn('whatsapp') && { phone }),
        identities: [
          { kind: 'email', value: email, verified: isOn('email') },
          ...(isOn('whatsapp') ? [{ kind: 'whatsapp_id', value: phone.slice(1), verified: true }] : []),
          ...(isOn('telegram') ? [{ kind: 'telegram', value: `70${phone.slice(5)}`, verified: true }] : []),
        ],
        createdAt: iso(own[0]!.at),
      }
    }),
    conversations: past.map(({ id, name, channel, at, closedBy, entries }) => ({
      id,
      contactId: name,
      channelId: channel,
      status: 'closed',
      agentId: closedBy,
      createdAt: iso(at),
      updatedAt: iso(entries.at(-1)!.at),
      ...(channel === 'email' && {
        subject: entries[0]!.body,
        email: { address: emailOf(name), subject: entries[0]!.body },
      }),
    })),
    messages: past.flatMap(({ id, entries, closedBy }) =>
      entries.map(({ from, at, body }, index) => ({
        id: `${id}-${index}`,
        conversationId: id,
        senderType: typeof from === 'object' ? 'agent' : from === 'flow' ? 'automation' : from,
        senderId: typeof from === 'object' ? from.agent : null,
        body,
        status: 'read',
        ...(from === 'system' && { metadata: { event: 'closed', by: closedBy } }),
        createdAt: iso(at),
      })),
    ),
  }
  return {
    manifest: { source: SOURCE },
    lines: async function* (resource) {
      yield (rows[resource] ?? []).map((row, number) => ({ number, text: JSON.stringify(row) }))
    },
    tar: async () => undefined,
  }
}
