// Reports: every figure follows from the rows, whichever way they came.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { countStatements } from '../../../test/statements.ts'
import { rollUpReports } from '../../jobs/roll-up-reports.ts'
import { makePastIds } from '../../platform/db/id.ts'
import { addDays, dayOf, listDays, rangeOf } from './days.ts'
import { rollUpWorkspace } from './roll-up.ts'
import type { Report, ReportDay } from './schema.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Its clocks are half an hour off the others'. */
const ZONE = 'Asia/Kolkata'
const CHANNELS = ['web', 'whatsapp', 'email'] as const

const app = await startApp()
const { clock, ctxOf, database, db, deps, make } = app
const now = Math.floor(Date.now() / 1000) * 1000
clock.now = () => new Date(now)
const { id: w } = await make.workspace()
const admin = await make.agent(w, { nickname: 'Robin', role: 'admin' })
const jane = await make.agent(w, { nickname: 'Jane' })
const ai = await make.enableAi(w)
const robin = await signIn(app, w, admin.id)
const accounts = new Map<string, string>()
for (const channel of CHANNELS) accounts.set(channel, await make.channelAccount(w, channel))
const TEAMS = ['Repairs', 'Sales']
const teams = new Map<string, string>()
const contact = await make.contact(w, { name: 'Clara' })
const jobDeps = {
  ...deps,
  connectionString: database.connectionString,
  log: app.app.log,
  isStopping: () => false,
} as never

const idAt = makePastIds()
let seed = 7
/** From 0 to 1; the same in every run. */
const random = (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
  return seed / 2_147_483_648
}
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!

type Kind =
  | 'customer'
  | 'agent'
  | 'program'
  | 'flow'
  | 'ai'
  | 'handedOver'
  | 'broadcast'
  | 'closed'
  | 'reopened'
type Made = {
  id: string
  conversationId: string
  channel: string
  at: number
  kind: Kind
  by: string
  failed: boolean
}
const made: Made[] = []
const conversations: {
  team: string | null
  id: string
  channel: string
  at: number
  isOpen: boolean
  isSettled: boolean
}[] = []

/** Waits with a target that have ended. */
type Goal = {
  kind: 'first' | 'next'
  channel: string
  team: string | null
  person: string
  at: number
  /** Null: closed without a reply. */
  seconds: number | null
  isMissed: boolean
}
const goals: Goal[] = []

/** A reply in time, one a second late, one late that was found late or not, and two that were snoozed; or a closing. */
const addGoal = async (conversation: { id: string; channel: string; team: string | null }, at: number) => {
  const kind = pick(['first', 'next'] as const)
  const by = pick([admin.id, jane.id, ai, 'api:some', null])
  const [dueAfter, overdueAfter, pausedAfter, isMissed] = pick([
    [0, null, null, false],
    [-1_000, null, null, true],
    // Another team's target came after it had been late.
    [60_000, -60_000, null, true],
    [-60_000, null, -90_000, false],
    [-60_000, null, -30_000, true],
  ] as const)
  const seconds = by === null ? null : Math.floor(random() ** 3 * 100_000)
  const after = (ms: number | null) => (ms === null ? null : new Date(at + ms))
  await db
    .insertInto('waits')
    .values({
      workspace_id: w,
      id: idAt(at),
      conversation_id: conversation.id,
      kind,
      team_id: conversation.team,
      started_at: new Date(at - HOUR_MS),
      due_at: new Date(at + dueAfter),
      overdue_at: after(overdueAfter),
      paused_at: after(pausedAfter),
      ended_at: new Date(at),
      answered_at: by === null ? null : new Date(at),
      answered_by: by,
      counted_seconds: seconds ?? 1,
    })
    .execute()
  if (by === null && !isMissed) return
  const person = by === admin.id || by === jane.id ? by : ''
  goals.push({ kind, channel: conversation.channel, team: conversation.team, person, at, seconds, isMissed })
}

const SENDERS: Record<Kind, [string, string]> = {
  customer: ['customer', contact.id],
  agent: ['agent', ''],
  program: ['agent', 'api:some'],
  flow: ['automation', 'flow:some'],
  ai: ['agent', ai],
  handedOver: ['system', 'system'],
  broadcast: ['agent', admin.id],
  closed: ['system', 'system'],
  reopened: ['system', 'system'],
}
const metadataOf = (kind: Kind, by: string): object | null => {
  if (kind === 'broadcast') return { broadcastId: 'some' }
  if (kind === 'handedOver') return { event: 'assigned', ai: { handedOver: 'asked' } }
  return kind === 'closed' || kind === 'reopened' ? { event: kind, by } : null
}

const addMessage = async ({ id, conversationId, channel, at, kind, by, failed }: Made): Promise<void> => {
  const [senderType, senderId] = SENDERS[kind]
  await db
    .insertInto('messages')
    .values({
      workspace_id: w,
      id,
      conversation_id: conversationId,
      channel_account_id: accounts.get(channel)!,
      sender_type: senderType as 'agent',
      sender_id: kind === 'agent' ? by : senderId,
      body: kind,
      status: failed ? 'failed' : 'sent',
      metadata: JSON.stringify(metadataOf(kind, by)),
      created_at: new Date(at),
    })
    .execute()
}

/** A conversation that begins at some time, with entries until it ends or now. */
const addConversation = async (from: number, { isSettled = false } = {}): Promise<void> => {
  const channel = pick(CHANNELS)
  const id = idAt(from)
  const team = pick([null, ...teams.values()])
  let isOpen = true
  let at = from
  const own: Made[] = []
  const count = 2 + Math.floor(random() * 14)
  for (let entry = 0; entry < count && at < now; entry++) {
    const kinds: Kind[] = isOpen
      ? [
          'customer',
          'customer',
          'customer',
          'agent',
          'agent',
          'program',
          'flow',
          'ai',
          'handedOver',
          'broadcast',
        ]
      : ['reopened']
    const kind = isOpen && !isSettled && random() < 0.12 ? 'closed' : pick(kinds)
    if (kind === 'closed') isOpen = false
    if (kind === 'reopened') isOpen = true
    const by = random() < 0.1 && kind === 'closed' ? 'system' : pick([admin.id, jane.id])
    own.push({
      id: idAt(at),
      conversationId: id,
      channel,
      at,
      kind,
      by,
      failed: isOutbound(kind) && random() < 0.1,
    })
    at += Math.floor(random() ** 4 * 2 * DAY_MS) + 1_000
  }
  conversations.push({ team, id, channel, at: from, isOpen: isOpen && !isSettled, isSettled })
  await db
    .insertInto('conversations')
    .values({
      workspace_id: w,
      id,
      channel,
      channel_account_id: accounts.get(channel)!,
      // One may be open for a contact on an account.
      contact_id: (await make.contact(w)).id,
      status: isOpen && !isSettled ? 'open' : 'closed',
      team_id: team,
      created_at: new Date(from),
      updated_at: new Date(from),
    })
    .execute()
  for (const entry of own) await addMessage(entry)
  made.push(...own)
  if (random() < 0.7) await addGoal({ team, id, channel }, Math.min(now - 1, from + random() * 3 * DAY_MS))
}

const isOutbound = (kind: Kind): boolean => ['agent', 'program', 'flow', 'ai', 'broadcast'].includes(kind)

type Wait = { team: string | null; day: string; channel: string; person: string; kind: string; ms: number }

/** Walks each conversation from its beginning, as somebody with a stopwatch would. */
const measure = (): Wait[] => {
  const waits: Wait[] = []
  for (const conversation of conversations) {
    const { channel, team } = conversation
    let asked: number | null = null
    let askedAny: number | null = null
    let isAnswered = false
    let openedAt = conversation.at
    const own = made.filter(({ conversationId }) => conversationId === conversation.id)
    for (const { at, kind, by, failed } of own.sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const add = (name: string, person: string, ms: number) =>
        waits.push({ day: dayOf(new Date(at), ZONE), channel, team, person, kind: name, ms })
      if (kind === 'customer') {
        asked ??= at
        askedAny ??= at
      }
      if (kind === 'handedOver' && asked !== null) asked = at
      if (kind === 'handedOver' && askedAny !== null) askedAny = at
      if ((kind === 'agent' || kind === 'program') && !failed) {
        if (asked !== null) add(isAnswered ? 'next' : 'first', kind === 'agent' ? by : '', at - asked)
        isAnswered = true
        asked = null
        askedAny = null
      }
      if ((kind === 'ai' || kind === 'flow') && !failed) {
        if (askedAny !== null) add('automatic', '', at - askedAny)
        askedAny = null
      }
      if (kind === 'closed') {
        if (by !== 'system') add('resolution', by, at - openedAt)
        asked = null
        askedAny = null
        isAnswered = false
      }
      if (kind === 'reopened') openedAt = at
    }
  }
  return waits
}

const bucketOf = (ms: number): number => Math.floor(Math.log(Math.max(ms / 1000, 1)) / Math.log(1.1))
const took = (waits: readonly Pick<Wait, 'kind' | 'ms'>[], kind: string) => {
  const buckets = waits
    .filter((wait) => wait.kind === kind)
    .map(({ ms }) => bucketOf(ms))
    .sort((a, b) => a - b)
  const at = (share: number) => {
    const bucket = buckets[Math.ceil(buckets.length * share) - 1]
    return bucket === undefined ? null : Math.round(1.1 ** (bucket + 0.5) * 1000)
  }
  return { count: buckets.length, medianMs: at(0.5), p90Ms: at(0.9) }
}

const goalOf = (own: readonly Goal[], kind: Goal['kind']) => {
  const ofKind = own.filter((one) => one.kind === kind)
  const replied = ofKind.flatMap(({ seconds }) => (seconds === null ? [] : [{ kind, ms: seconds * 1000 }]))
  const { medianMs, p90Ms } = took(replied, kind)
  const missed = ofKind.filter(({ isMissed }) => isMissed).length
  return { met: ofKind.length - missed, missed, medianMs, p90Ms }
}

const VOLUMES: [keyof ReportDay, Kind][] = [
  ['inbound', 'customer'],
  ['person', 'agent'],
  ['program', 'program'],
  ['flow', 'flow'],
  ['ai', 'ai'],
  ['broadcast', 'broadcast'],
  ['closed', 'closed'],
  ['reopened', 'reopened'],
]
const volume = (entries: readonly Made[], begun: readonly { at: number }[]) => ({
  ...Object.fromEntries(
    VOLUMES.map(([name, kind]) => [name, entries.filter((one) => one.kind === kind && !one.failed).length]),
  ),
  conversations: begun.length,
})

const openAt = (moment: number, channel?: string): number =>
  conversations.filter((conversation) => {
    if (conversation.isSettled || conversation.at >= moment) return false
    if (channel && conversation.channel !== channel) return false
    const last = made
      .filter(
        ({ conversationId, kind, at }) =>
          conversationId === conversation.id && at < moment && (kind === 'closed' || kind === 'reopened'),
      )
      .sort((a, b) => (a.id < b.id ? 1 : -1))[0]
    return last?.kind !== 'closed'
  }).length

const TODAY = dayOf(new Date(now), ZONE)
const NOTHING = { count: 0, average: null }

/** What the report says, worked out from what was made. */
const expected = (from: string, to: string, channel?: string) => {
  const isIn = (at: number) => dayOf(new Date(at), ZONE) >= from && dayOf(new Date(at), ZONE) <= to
  const isOn = (one: { channel: string; at: number }) => isIn(one.at) && (!channel || one.channel === channel)
  const entries = made.filter(isOn)
  const begun = conversations.filter(isOn)
  const waits = measure().filter(
    (wait) => wait.day >= from && wait.day <= to && (!channel || wait.channel === channel),
  )
  const ofPeriod = goals.filter(isOn)
  const timesOf = (own: readonly Wait[], met: readonly Goal[]) => ({
    first: took(own, 'first'),
    next: took(own, 'next'),
    resolution: took(own, 'resolution'),
    firstGoal: goalOf(met, 'first'),
    nextGoal: goalOf(met, 'next'),
    rating: NOTHING,
  })
  return {
    totals: { ...volume(entries, begun), ...timesOf(waits, ofPeriod), automatic: took(waits, 'automatic') },
    days: listDays(from, to).map((day) => {
      const isDay = ({ at }: { at: number }) => dayOf(new Date(at), ZONE) === day
      return {
        day,
        ...volume(entries.filter(isDay), begun.filter(isDay)),
        ...timesOf(
          waits.filter((wait) => wait.day === day),
          ofPeriod.filter(isDay),
        ),
        backlog: day <= TODAY ? openAt(rangeOf(day, day, ZONE).to.getTime(), channel) : null,
      }
    }),
    // Those with something to show.
    teams: TEAMS.map((name) => ({
      id: teams.get(name)!,
      name,
      isRemoved: false,
      ...timesOf(
        waits.filter(({ team }) => team === teams.get(name)),
        ofPeriod.filter(({ team }) => team === teams.get(name)),
      ),
    })).filter(
      ({ first, next, resolution, firstGoal, nextGoal }) =>
        first.count + next.count + resolution.count > 0 ||
        [firstGoal, nextGoal].some(({ met, missed }) => met + missed > 0),
    ),
    people: [
      ['Jane', jane.id],
      ['Robin', admin.id],
    ].map(([name, id]) => ({
      id,
      name,
      isRemoved: false,
      messages: entries.filter(({ kind, by, failed }) => kind === 'agent' && by === id && !failed).length,
      ...timesOf(
        waits.filter(({ person }) => person === id),
        ofPeriod.filter(({ person }) => person === id),
      ),
    })),
  }
}

const read = async (from: string, to: string, channel?: string): Promise<Report> => {
  const answer = await robin.call(
    'GET',
    `/reports?from=${from}&to=${to}${channel ? `&channel=${channel}` : ''}`,
  )
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const FROM = addDays(TODAY, -9)
const check = async (): Promise<void> => {
  for (const channel of [undefined, 'whatsapp'] as const)
    for (const [from, to] of [
      [FROM, TODAY],
      [addDays(TODAY, -6), addDays(TODAY, -3)],
    ] as const) {
      const { totals, days, people, teams, before } = await read(from, to, channel)
      const own = expected(from, to, channel)
      assert.deepEqual({ totals, days, people, teams }, own)
      assert.deepEqual(before.totals, expected(before.from, before.to, channel).totals)
    }
}

const stored = async () =>
  JSON.stringify([
    (await database.pool.query('select * from report_hours order by day, hour, channel, kind')).rows,
    (
      await database.pool.query(
        'select * from report_times order by day, channel, person, team, kind, bucket',
      )
    ).rows,
  ])

await database.pool.query(`insert into report_states (workspace_id, time_zone) values ('${w}', '${ZONE}')`)
for (const name of TEAMS) {
  const id = idAt(now)
  teams.set(name, id)
  await db
    .insertInto('teams')
    .values({
      workspace_id: w,
      id,
      name,
      name_key: name.toLowerCase(),
      color: '#3f56c9',
      created_at: new Date(now),
    })
    .execute()
}
for (let count = 0; count < 60; count++) await addConversation(now - random() * 20 * DAY_MS)
for (let count = 0; count < 6; count++)
  await addConversation(now - random() * 9 * DAY_MS, { isSettled: true })

test('every figure of every day is what its rows say, stored or not, and storing a day again changes nothing', async () => {
  assert.ok(measure().length > 60)
  // Counted from rows as far as nothing is stored: today and yesterday.
  const recent = await read(addDays(TODAY, -1), TODAY)
  assert.deepEqual(recent.days.at(-1), expected(TODAY, TODAY).days[0])
  await rollUpReports(jobDeps)
  assert.equal((await read(FROM, TODAY)).pendingDays, 0)
  await check()
  const before = await stored()
  await database.pool.query('update report_states set first_day = null, last_day = null, begins_on = null')
  while (await rollUpWorkspace(ctxOf(w), { batchDays: 3 }));
  assert.equal(await stored(), before)
  await check()
})

test('what comes late changes the day that it belongs to: an imported message or conversation, and a failure reported days later', async () => {
  // Imported or replayed: older than what is there.
  const thread = made.find(({ at, kind }) => kind === 'agent' && at < now - 3 * DAY_MS)!
  const late: Made = {
    ...thread,
    id: idAt(thread.at - 5_000),
    at: thread.at - 5_000,
    kind: 'customer',
    failed: false,
  }
  await addMessage(late)
  made.push(late)
  const sent = made.filter(({ kind, failed, at }) => kind === 'agent' && !failed && at < now - 2 * DAY_MS)
  for (const one of sent.slice(0, 20)) {
    await database.pool.query("update messages set status = 'failed' where id = $1", [one.id])
    one.failed = true
  }
  await addConversation(now - 15 * DAY_MS)
  assert.notDeepEqual((await read(FROM, TODAY)).days, expected(FROM, TODAY).days)
  await rollUpReports(jobDeps)
  await check()
  const { rows } = await database.pool.query('select count(*) from report_late_hours')
  assert.equal(Number(rows[0].count), 0)
})

test('a figure opens as many conversations as it counts, and only those that the person may see', async () => {
  const period = `from=${FROM}&to=${TODAY}`
  const { totals, hours, people, days } = await read(FROM, TODAY)
  const { firstGoal, nextGoal, ...counted } = totals
  const list = async (query: string, who = robin, within = period) => {
    const found = []
    for (let cursor = ''; ; ) {
      const { status, body, text } = await who.call(
        'GET',
        `/reports/entries?${within}&${query}${cursor && `&cursor=${cursor}`}`,
      )
      assert.equal(status, 200, text)
      found.push(...body.entries)
      if (body.nextCursor === null) return found
      cursor = body.nextCursor
    }
  }
  for (const [figure, count] of Object.entries(counted))
    assert.equal(
      (await list(`figure=${figure}`)).length,
      typeof count === 'number' ? count : count.count,
      figure,
    )
  for (const [reply, goal] of [
    ['first', firstGoal],
    ['next', nextGoal],
  ] as const)
    for (const figure of ['met', 'missed'] as const)
      assert.equal((await list(`figure=${figure}&reply=${reply}`)).length, goal[figure], `${reply} ${figure}`)
  const ofJane = people[0]!
  assert.equal(
    (await list(`figure=missed&person=${jane.id}`)).length,
    ofJane.firstGoal.missed + ofJane.nextGoal.missed,
  )
  // Everything opens at a message.
  for (const figure of ['met', 'conversations', 'resolution', 'first'])
    for (const { messageId } of await list(`figure=${figure}`)) assert.ok(messageId, figure)
  for (const { day, backlog } of days)
    assert.equal((await list('figure=open', robin, `from=${day}&to=${day}`)).length, backlog, day)
  const { weekday, hour, inbound } = hours.find(({ inbound }) => inbound > 1)!
  assert.equal((await list(`figure=inbound&weekday=${weekday}&hour=${hour}`)).length, inbound)
  assert.equal((await list(`figure=first&person=${jane.id}`)).length, people[0]!.first.count)
  const [team] = (await read(FROM, TODAY)).teams
  assert.equal((await list(`figure=next&team=${team!.id}`)).length, team!.next.count)
  const times = (await list('figure=next')).map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  const median = times[Math.ceil(times.length / 2) - 1]
  assert.ok(Math.abs(median / totals.next.medianMs! - 1) < 0.05, `${median}, ${totals.next.medianMs}`)
  await database.pool.query(
    "update conversations set created_at = created_at - interval '40 days' where workspace_id = $1",
    [w],
  )
  const longest = Math.max(...(await list('figure=resolution')).map(({ tookMs }) => tookMs))
  assert.ok(longest > 40 * DAY_MS, String(longest))
  await database.pool.query('update memberships set role_id = null where account_id = $1', [jane.id])
  await database.pool.query("update roles set permissions = '{see_reports}' where workspace_id = $1", [w])
  const hers = await signIn(app, w, jane.id)
  assert.deepEqual(await list('figure=inbound', hers), [])
  assert.equal((await hers.call('GET', `/reports?${period}`)).status, 200)
})

test('tables are downloaded as CSV in which no name is a formula', async () => {
  await database.pool.query("update accounts set nickname = '=cmd()' where id = $1", [jane.id])
  const get = async (table: string) => {
    const { status, text, headers } = await robin.call(
      'GET',
      `/reports/table.csv?from=${FROM}&to=${TODAY}&table=${table}`,
    )
    assert.equal(status, 200, text)
    assert.match(String(headers['content-disposition']), new RegExp(`report-${table}-${FROM}-${TODAY}\\.csv`))
    return text.slice(1).trim().split('\r\n')
  }
  assert.match((await get('people'))[1]!, /^'=cmd\(\),/)
  const days = await get('days')
  assert.equal(days.length, 11)
  const { days: shown } = await read(FROM, TODAY)
  assert.equal(days.at(-1)!.split(',')[1], String(shown.at(-1)!.conversations))
  for (const table of ['hours', 'channels', 'teams', 'ratings', 'broadcasts'])
    assert.ok((await get(table)).length > 0)
})

test('a report takes the same few statements for a week as for a year', async () => {
  const count = (from: string) =>
    countStatements(database, () => robin.call('GET', `/reports?from=${from}&to=${TODAY}`))
  assert.equal(await count(addDays(TODAY, -6)), await count(addDays(TODAY, -365)))
})

test('a period is at most 366 days and doesn’t end before it begins', async () => {
  for (const [from, to] of [
    [TODAY, addDays(TODAY, -1)],
    [addDays(TODAY, -366), TODAY],
    ['2026-02-30', TODAY],
    ['0000-01-01', '0000-12-31'],
    ['yesterday', TODAY],
  ])
    assert.equal((await robin.call('GET', `/reports?from=${from}&to=${to}`)).status, 400)
})

test('another time zone counts every day again by its clocks; a zone that nobody knows is refused', async () => {
  const set = (timeZone: string) => robin.call('PUT', '/reports/time-zone', { timeZone })
  assert.equal((await set('Mars/Olympus')).status, 400)
  assert.equal((await set('America/New_York')).status, 200)
  assert.ok((await read(addDays(TODAY, -9), addDays(TODAY, -8))).pendingDays > 0)
  await rollUpReports(jobDeps)
  const { days, timeZone, pendingDays } = await read(FROM, TODAY)
  assert.equal(timeZone, 'America/New_York')
  assert.equal(pendingDays, 0)
  for (const { day, inbound } of days)
    assert.equal(
      inbound,
      made.filter(({ kind, at }) => kind === 'customer' && dayOf(new Date(at), 'America/New_York') === day)
        .length,
    )
})
