// What the AI agent's work came to, and the conversations behind each number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { newId } from '../platform/db/id.ts'
import type { Tables } from '../platform/db/tables.ts'

const app = await startApp()
const { db, make, clock } = app
const DAY_MS = 24 * 3_600_000
const NOW = Date.parse('2026-11-23T10:00:00.000Z')
clock.now = () => new Date(NOW)

type Given = Partial<Tables['ai_outcomes']> & { daysAgo?: number; agentId?: string | null }

const world = async () => {
  const { id: workspaceId } = await make.workspace()
  const admin = await make.agent(workspaceId, { role: 'admin' })
  const ada = await signIn(app, workspaceId, admin.id)
  const account = await make.channelAccount(workspaceId, 'web')
  const add = async (given: Given[]) => {
    for (const { daysAgo = 0, agentId = null, ...row } of given) {
      const contact = await make.contact(workspaceId)
      const conversation = await make.conversation(workspaceId, {
        contactId: contact.id,
        channelAccountId: account,
        agentId,
      })
      const at = new Date(NOW - daysAgo * DAY_MS)
      await db
        .insertInto('ai_outcomes')
        .values({
          workspace_id: workspaceId,
          conversation_id: conversation.id,
          first_id: newId(),
          started_by: 'opened',
          started_at: at,
          ended_at: null,
          quiet_at: at,
          turns: 1,
          answered: 0,
          asked: 0,
          handed_over_at: null,
          hand_over_reason: null,
          confirmed_by: null,
          is_assumed: false,
          reopened_at: null,
          wrong: 0,
          input_tokens: 0,
          cached_tokens: 0,
          output_tokens: 0,
          cost: 0,
          first_reply_ms: null,
          hand_over_ms: null,
          ...(row as object),
        })
        .execute()
    }
  }
  return { workspaceId, ada, add }
}

const at = new Date(NOW)
const GIVEN: Given[] = [
  {
    answered: 1,
    ended_at: at as never,
    confirmed_by: 'tap',
    first_reply_ms: 1000,
    cost: 10,
    input_tokens: 5,
  },
  { answered: 2, ended_at: at as never, is_assumed: true, first_reply_ms: 3000, output_tokens: 7 },
  { answered: 1, ended_at: at as never, reopened_at: at as never, daysAgo: 1 },
  { handed_over_at: at as never, hand_over_reason: 'asked', hand_over_ms: 500, daysAgo: 1 },
  { handed_over_at: at as never, hand_over_reason: 'asked', answered: 1, wrong: 1, daysAgo: 6 },
  { handed_over_at: at as never, hand_over_reason: 'no_knowledge', daysAgo: 7 },
]

test('each number counts the episodes that it opens to, by day and over the days', async () => {
  const { ada, add } = await world()
  await add(GIVEN)
  const { body: report } = await ada.call('GET', '/ai-report?days=7')
  const { firstReplyMs, handOverMs, ...total } = report.total
  assert.deepEqual(total, {
    involved: 5,
    ended: 3,
    answered: 4,
    confirmed: 1,
    assumed: 1,
    handedOver: 2,
    reopened: 1,
    wrong: 1,
    tokens: 12,
    cost: 10,
  })
  assert.deepEqual([firstReplyMs, handOverMs], [2000, 500])
  assert.deepEqual(report.reasons, [{ reason: 'asked', count: 2 }])
  assert.equal(report.byDay.length, 7)
  assert.deepEqual([report.byDay[0].day, report.byDay[6].day], ['2026-11-23', '2026-11-17'])
  for (const [name, sum] of Object.entries(total))
    assert.equal(
      report.byDay.reduce((all: number, day: Record<string, number>) => all + day[name]!, 0),
      sum,
      name,
    )
  for (const kind of ['involved', 'ended', 'answered', 'confirmed', 'assumed', 'reopened', 'wrong'])
    for (const day of ['', '2026-11-22']) {
      const path = `/ai-report/episodes?days=7&kind=${kind}${day && `&day=${day}`}`
      const { episodes } = (await ada.call('GET', path)).body
      const row = day ? report.byDay[1] : report.total
      assert.equal(episodes.length, row[kind], `${kind} ${day}`)
    }
  const asked = await ada.call('GET', '/ai-report/episodes?days=7&kind=handed_over&reason=asked')
  assert.equal(asked.body.episodes.length, 2)
  assert.equal((await ada.call('GET', '/ai-report?days=30')).body.total.involved, 6)
})

test('episodes come in pages, the newest first', async () => {
  const { ada, add } = await world()
  await add(GIVEN)
  const first = (await ada.call('GET', '/ai-report/episodes?limit=4')).body
  assert.equal(first.episodes.length, 4)
  const second = (await ada.call('GET', `/ai-report/episodes?limit=4&cursor=${first.nextCursor}`)).body
  assert.deepEqual([second.episodes.length, second.nextCursor], [2, null])
  const ids = [...first.episodes, ...second.episodes].map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, ids.toSorted().reverse())
  const foreign = await ada.call('GET', `/ai-report/episodes?kind=wrong&cursor=${first.nextCursor}`)
  assert.equal(foreign.status, 400)
})

test('a report counts nothing of another workspace, nor what its reader may not see', async () => {
  const { workspaceId, add } = await world()
  const other = await world()
  const member = await makeMember(app, workspaceId, ['manage_automation'])
  await add([{ answered: 1, agentId: member.id }, { answered: 1 }])
  const confined = await signIn(app, workspaceId, member.id)
  assert.equal((await confined.call('GET', '/ai-report')).body.total.involved, 1)
  assert.equal((await confined.call('GET', '/ai-report/episodes')).body.episodes.length, 1)
  assert.equal((await other.ada.call('GET', '/ai-report')).body.total.involved, 0)
  const without = await signIn(app, workspaceId, (await makeMember(app, workspaceId, [])).id)
  assert.equal((await without.call('GET', '/ai-report')).status, 403)
})
