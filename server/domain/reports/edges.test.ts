// Reports where calendars, people and teams are at their edges, and targets as they are met in the inbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { makeTeam } from '../../../test/make-team.ts'
import { announceOverdueAnswers } from '../../jobs/announce-overdue.ts'
import { rollUpReports } from '../../jobs/roll-up-reports.ts'
import { wakeSnoozed } from '../../jobs/wake-snoozed.ts'
import { makePastIds } from '../../platform/db/id.ts'
import { removeAgent } from '../agents/remove-agent.ts'
import { createBusinessHours } from '../business-hours/business-hours.ts'
import { receiveMessage } from '../messages/receive-messages.ts'
import { sendMessage } from '../messages/send-message.ts'
import { removeTeam, saveTargets } from '../teams/teams.ts'
import type { Report } from './schema.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

const app = await startApp()
const { clock, ctxOf, database, db, deps, make } = app
const jobDeps = {
  ...deps,
  connectionString: database.connectionString,
  log: app.app.log,
  isStopping: () => false,
} as never
const idAt = makePastIds()

const makePlace = async (timeZone: string) => {
  const { id: w, token } = await make.workspace()
  const admin = await make.agent(w, { nickname: `Robin ${w.slice(-4)}`, role: 'admin' })
  const robin = await signIn(app, w, admin.id)
  const account = await make.channelAccount(w, 'web')
  await database.pool.query('insert into report_states (workspace_id, time_zone) values ($1, $2)', [
    w,
    timeZone,
  ])
  const read = async (from: string, to: string): Promise<Report> => {
    const { status, body, text } = await robin.call('GET', `/reports?from=${from}&to=${to}`)
    assert.equal(status, 200, text)
    return body
  }
  const entries = async (query: string) => {
    const { status, body, text } = await robin.call('GET', `/reports/entries?${query}`)
    assert.equal(status, 200, text)
    return body.entries
  }
  return { w, token, admin, robin, account, read, entries }
}

const at = async (moment: string, work: () => Promise<unknown>): Promise<void> => {
  const { now } = clock
  clock.now = () => new Date(moment)
  try {
    await work()
  } finally {
    clock.now = now
  }
}

test('days are as long as the clocks say: on those that change, every message is in its day and hour', async () => {
  for (const [zone, day, hours] of [
    ['Europe/Berlin', '2026-03-29', 23],
    ['Europe/Berlin', '2026-10-25', 25],
    // Clocks go forward at midnight: the day begins at one.
    ['America/Santiago', '2026-09-06', 23],
    ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ] as const) {
    const { w, account, read, entries } = await makePlace(zone)
    const conversation = await make.conversation(w, { channelAccountId: account, channel: 'web' })
    const contact = await make.contact(w)
    const noon = Date.parse(`${day}T12:00:00Z`)
    const local = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'short',
    })
    const times = Array.from({ length: 144 }, (_, half) => noon + ((half - 72) * HOUR_MS) / 2)
    for (const time of times)
      await db
        .insertInto('messages')
        .values({
          workspace_id: w,
          id: idAt(time),
          conversation_id: conversation.id,
          channel_account_id: account,
          sender_type: 'customer',
          sender_id: contact.id,
          body: 'Hello',
          status: 'read',
          created_at: new Date(time),
        })
        .execute()
    const own = times.filter((time) => local.format(time).startsWith(day))
    assert.equal(own.length, hours * 2)
    await rollUpReports(jobDeps)
    const { days, hours: shown, pendingDays } = await read(day, day)
    assert.equal(pendingDays, 0)
    assert.equal(days[0]!.inbound, own.length, `${zone} ${day}`)
    const byHour = Map.groupBy(own, (time) => Number(local.format(time).slice(11, 13)))
    assert.deepEqual(
      shown.map(({ hour, inbound }) => [hour, inbound]),
      [...byHour].map(([hour, those]) => [hour, those.length]).sort(([a], [b]) => a! - b!),
    )
    const [hour, those] = [...byHour].at(-1)!
    assert.equal((await entries(`figure=inbound&from=${day}&to=${day}&hour=${hour}`)).length, those.length)
  }
})

test('an empty workspace and a period in the future have figures without anything to count', async () => {
  const { read, entries } = await makePlace('UTC')
  const nothing = { count: 0, medianMs: null, p90Ms: null }
  for (const [from, to] of [
    ['2026-01-01', '2026-01-31'],
    ['2190-01-01', '2190-12-31'],
  ] as const) {
    const report = await read(from, to)
    assert.deepEqual([report.pendingDays, report.open, report.overdue, report.targets], [0, 0, 0, null])
    assert.deepEqual([report.totals.conversations, report.totals.first], [0, nothing])
    assert.deepEqual([report.people, report.teams, report.channels, report.hours], [[], [], [], []])
    const { backlog } = report.days.at(-1)!
    assert.equal(backlog, from > report.today ? null : 0)
    for (const figure of ['conversations', 'met', 'open', 'rating', 'sent'])
      assert.deepEqual(await entries(`figure=${figure}&from=${from}&to=${to}`), [], figure)
  }
})

test('replies count as on time or late by the clock of their target, whoever gave them is gone or not', async () => {
  const { w, token, admin, robin, account, read, entries } = await makePlace('UTC')
  const jane = await make.agent(w, { nickname: 'Jane' })
  const team = await makeTeam(app, w, { name: 'Repairs', memberIds: [admin.id, jane.id] })
  const { id: hoursId } = await createBusinessHours(ctxOf(w), {
    name: 'Mornings',
    isDefault: true,
    timeZone: 'UTC',
    weekly: { mon: [{ from: '09:00', to: '12:00' }], tue: [{ from: '09:00', to: '12:00' }] },
    exceptions: [],
  })
  await saveTargets(ctxOf(w), { firstAnswerMinutes: 60, nextAnswerMinutes: null, hoursId, aiCounts: true })
  const write = async (name: string): Promise<string> => {
    const { conversationId } = await receiveMessage(ctxOf(w), {
      channel: 'web',
      channelAccountId: account,
      from: { identity: { kind: 'visitor', value: `${w} ${name}`, verified: true }, name },
      body: 'Hello',
      externalId: null,
      sentAt: clock.now(),
    })
    return conversationId
  }
  const answer = (accountId: string, conversationId: string) =>
    sendMessage(
      { ...ctxOf(w), actor: { type: 'agent', accountId, role: 'admin', permissions: [] } },
      { conversationId, body: 'Yes?' },
    )
  const ids: Record<string, string> = {}
  // A Monday: two write in the evening before, when nobody counts.
  await at('2026-11-15T20:00:00Z', async () => {
    for (const name of ['Quick', 'Slow', 'Snoozed', 'Dropped']) ids[name] = await write(name)
    await app.call(token, 'POST', `/conversations/${ids.Slow}/team`, { teamId: team })
  })
  await at('2026-11-16T09:10:00Z', async () => {
    await answer(admin.id, ids.Quick!)
    const until = '2026-11-16T11:00:00.000Z'
    const { body } = await robin.call('POST', '/conversations/bulk', {
      ids: [ids.Snoozed],
      action: 'snooze',
      until,
    })
    assert.equal(body.results[0].ok, true)
  })
  await at('2026-11-16T11:01:00Z', async () => {
    await wakeSnoozed(jobDeps)
    await announceOverdueAnswers(jobDeps)
    assert.equal((await read('2026-11-16', '2026-11-16')).overdue, 2)
    await answer(admin.id, ids.Snoozed!)
    await answer(jane.id, ids.Slow!)
    await app.call(token, 'POST', `/conversations/${ids.Dropped}/close`)
    await rollUpReports(jobDeps)
  })
  const day = '2026-11-16'
  const check = async (isRemoved: boolean): Promise<void> => {
    const { totals, people, teams, days } = await read(day, day)
    const { met, missed, medianMs } = totals.firstGoal
    assert.deepEqual([met, missed, totals.nextGoal.met + totals.nextGoal.missed], [2, 2, 0])
    assert.ok(Math.abs(medianMs! / (10 * MINUTE_MS) - 1) < 0.05, `10 minutes of a morning: ${medianMs}`)
    assert.deepEqual(days[0]!.firstGoal, totals.firstGoal)
    const shown = (rows: Report['teams']) =>
      rows.map(({ id, isRemoved, firstGoal }) => [id, isRemoved, firstGoal.met, firstGoal.missed])
    assert.deepEqual(
      new Set(shown(people)),
      new Set([
        [jane.id, isRemoved, 0, 1],
        [admin.id, false, 2, 0],
      ]),
    )
    assert.deepEqual(shown(teams), [[team, isRemoved, 0, 1]])
    const missedOnes = await entries(`figure=missed&from=${day}&to=${day}`)
    assert.deepEqual(
      new Map(
        missedOnes.map((one: Record<string, unknown>) => [
          one.conversationId,
          [one.isUnanswered, one.countedMs],
        ]),
      ),
      new Map([
        [ids.Slow, [false, 121 * MINUTE_MS]],
        [ids.Dropped, [true, 121 * MINUTE_MS]],
      ]),
    )
    for (const filter of [`person=${jane.id}`, `team=${team}`])
      assert.deepEqual(
        (await entries(`figure=missed&reply=first&from=${day}&to=${day}&${filter}`)).map(
          ({ conversationId }: { conversationId: string }) => conversationId,
        ),
        [ids.Slow],
      )
  }
  await at('2026-11-16T11:05:00Z', async () => {
    assert.deepEqual((await read(day, day)).targets, {
      firstMinutes: 60,
      nextMinutes: null,
      hours: 'Mornings',
    })
    await check(false)
    await removeAgent(ctxOf(w), jane.id)
    await removeTeam(ctxOf(w), team)
    // What was counted stays as it was.
    await saveTargets(ctxOf(w), {
      firstAnswerMinutes: 1,
      nextAnswerMinutes: 1,
      hoursId: null,
      aiCounts: true,
    })
    await rollUpReports(jobDeps)
    await check(true)
  })
})
