// What the AI agent's work came to, and the conversations behind each number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { newId } from '../platform/db/id.ts'
import type { Tables } from '../platform/db/tables.ts'

const app = await startApp()
const { db, make, clock } = app
const DAY_MS = 24 * 3_600_000
const NOW = Date.parse('2026-11-23T10:00:00.000Z')
clock.now = () => new Date(NOW)

type Given = Partial<Tables['ai_outcomes']> & { daysAgo?: number; agentId?: string | null; isRight?: boolean }

const world = async () => {
  const { id: workspaceId } = await make.workspace()
  const admin = await make.agent(workspaceId, { role: 'admin' })
  const ada = await signIn(app, workspaceId, admin.id)
  const account = await make.channelAccount(workspaceId, 'web')
  const add = async (given: Given[]) => {
    const ids: { conversationId: string; episodeId: string }[] = []
    for (const { daysAgo = 0, agentId = null, isRight, ...row } of given) {
      const contact = await make.contact(workspaceId)
      const conversation = await make.conversation(workspaceId, {
        contactId: contact.id,
        channelAccountId: account,
        agentId,
      })
      const at = new Date(NOW - daysAgo * DAY_MS)
      const episode = { conversationId: conversation.id, episodeId: newId() }
      ids.push(episode)
      await db
        .insertInto('ai_outcomes')
        .values({
          workspace_id: workspaceId,
          conversation_id: conversation.id,
          first_id: episode.episodeId,
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
      if (isRight !== undefined)
        await db
          .insertInto('ai_judgements')
          .values({
            workspace_id: workspaceId,
            conversation_id: conversation.id,
            first_id: episode.episodeId,
            is_right: isRight,
            judged_by: admin.id,
            judged_at: at,
          })
          .execute()
    }
    return ids
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
  {
    answered: 2,
    ended_at: at as never,
    is_assumed: true,
    first_reply_ms: 3000,
    output_tokens: 7,
    isRight: true,
  },
  { answered: 1, ended_at: at as never, reopened_at: at as never, daysAgo: 1, isRight: true },
  { handed_over_at: at as never, hand_over_reason: 'asked', hand_over_ms: 500, daysAgo: 1 },
  {
    handed_over_at: at as never,
    hand_over_reason: 'asked',
    answered: 1,
    wrong: 1,
    daysAgo: 6,
    isRight: false,
  },
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
    judged: 2,
    judgedWrong: 1,
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
  for (const kind of ['involved', 'ended', 'answered', 'confirmed', 'assumed', 'reopened', 'wrong', 'judged'])
    for (const day of ['', '2026-11-22']) {
      const path = `/ai-report/episodes?days=7&kind=${kind}${day && `&day=${day}`}`
      const { episodes } = (await ada.call('GET', path)).body
      const row = day ? report.byDay[1] : report.total
      assert.equal(episodes.length, row[kind], `${kind} ${day}`)
    }
  const wrong = await ada.call('GET', '/ai-report/episodes?days=7&kind=judged_wrong')
  assert.equal(wrong.body.episodes.length, 1)
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

/** NOW is a Monday: the week before it ended at midnight. */
const assumed = (weeksAgo: number, count: number): Given[] =>
  Array.from({ length: count }, () => ({
    answered: 1,
    is_assumed: true,
    ended_at: new Date(NOW - weeksAgo * 7 * DAY_MS) as never,
    daysAgo: weeksAgo * 7,
  }))

type Episode = { id: string; conversationId: string; isRight: boolean | null; question: string | null }

test('a fiftieth of what is assumed is to be checked, at least 5 and at most 20 of each full week, the same for all', async () => {
  const { workspaceId, ada, add } = await world()
  const sample = async (who = ada): Promise<Episode[]> =>
    (await who.call('GET', '/ai-report/sample')).body.episodes
  /** Of one conversation: the sample looks at nothing else of it. */
  const addMany = async (weeksAgo: number, count: number) => {
    const [one] = await add(assumed(weeksAgo, 1))
    await sql`
      insert into ai_outcomes select (jsonb_populate_record(o, jsonb_build_object('first_id', o.first_id || n))).*
      from ai_outcomes o, generate_series(2, ${count}::integer) n
      where o.workspace_id = ${workspaceId} and o.first_id = ${one!.episodeId}`.execute(db)
  }
  const [few] = [await add(assumed(1, 3)), await add(assumed(0, 4)), await add(assumed(5, 4))]
  // Of last week alone: this one isn't over, and a month is long enough.
  assert.deepEqual((await sample()).map(({ id }) => id).sort(), few.map(({ episodeId }) => episodeId).sort())
  await add([{ answered: 1, ended_at: new Date(NOW - 7 * DAY_MS) as never, daysAgo: 7 }])
  assert.equal((await sample()).length, 3, 'not assumed')
  await addMany(2, 300)
  assert.equal((await sample()).length, 3 + 6)
  await addMany(3, 1_100)
  const all = await sample()
  assert.equal(all.length, 3 + 6 + 20)
  const bo = await signIn(app, workspaceId, (await make.agent(workspaceId, { role: 'admin' })).id)
  assert.deepEqual(await sample(bo), all)
  const member = await makeMember(app, workspaceId, ['manage_automation'])
  assert.deepEqual(await sample(await signIn(app, workspaceId, member.id)), [])
})

test('what a person finds stands beside what is assumed, can be changed, and is said of sampled episodes only', async () => {
  const there = await world()
  const { workspaceId, ada, add } = there
  const [first, second] = await add(assumed(1, 2))
  const [recent] = await add(assumed(0, 1))
  const put = ({ conversationId, episodeId }: typeof first & object, isRight: boolean, who = ada) =>
    who.call('PUT', `/ai-report/sample/${conversationId}/${episodeId}`, { isRight })
  const isRight = (episodes: Episode[]) => episodes.map(({ isRight }) => isRight)
  assert.deepEqual(isRight((await put(first!, false)).body.episodes), [null, false])
  assert.deepEqual(isRight((await put(first!, true)).body.episodes), [null, true])
  await put(second!, false)
  // It stays checked once it is marked as wrong and no longer assumed.
  await db
    .updateTable('ai_outcomes')
    .set({ is_assumed: false, wrong: 1 })
    .where('first_id', '=', second!.episodeId)
    .execute()
  assert.equal((await ada.call('GET', '/ai-report/sample')).body.episodes.length, 2)
  const { judged, judgedWrong } = (await ada.call('GET', '/ai-report')).body.total
  assert.deepEqual([judged, judgedWrong], [2, 1])
  const missing = await put({ conversationId: newId(), episodeId: newId() }, true)
  assert.equal(missing.status, 404)
  const foreign = (await world()).ada
  for (const refused of [await put(recent!, true), await put(first!, true, foreign)])
    assert.deepEqual([refused.status, refused.text], [404, missing.text])
  const member = await makeMember(app, workspaceId, ['manage_automation'])
  assert.equal((await put(first!, true, await signIn(app, workspaceId, member.id))).status, 404)
})

test('drafts are counted once by what became of them, whoever had them written, and not those of other days', async () => {
  const { workspaceId, ada, add } = await world()
  const conversationId = (await add([{ answered: 1 }]))[0]!.conversationId
  const draft = async (
    states: ('used' | 'changed' | 'dismissed' | 'offered' | 'stale')[],
    { kind = 'draft', daysAgo = 0 } = {},
  ) => {
    const at = new Date(NOW - daysAgo * DAY_MS)
    const turnId = newId()
    const row = { workspace_id: workspaceId, conversation_id: conversationId, created_at: at }
    await db
      .insertInto('ai_turns')
      .values({
        ...row,
        id: turnId,
        kind: kind as 'draft',
        state: 'ended',
        outcome: 'answered',
        due_at: at,
        ended_at: at,
      })
      .execute()
    for (const state of states)
      await db
        .insertInto('reply_drafts')
        .values({
          ...row,
          id: newId(),
          turn_id: turnId,
          proposed_by: 'ai',
          asked_by: null,
          text: 'Yes.',
          state,
          last_message_id: null,
          sources: '[]',
        })
        .execute()
  }
  const none = { written: 0, used: 0, changed: 0, dismissed: 0, unused: 0 }
  assert.deepEqual((await ada.call('GET', '/ai-report?days=7')).body.drafts, none)
  await draft(['used'])
  await draft(['dismissed', 'used', 'dismissed'])
  await draft(['changed', 'dismissed'])
  await draft(['dismissed', 'dismissed'])
  await draft(['offered', 'offered'])
  await draft(['stale'])
  await draft(['used'], { daysAgo: 7 })
  await draft(['used'], { kind: 'reply' })
  const { drafts } = (await ada.call('GET', '/ai-report?days=7')).body
  assert.deepEqual(drafts, { written: 6, used: 2, changed: 1, dismissed: 1, unused: 2 })
  const member = await makeMember(app, workspaceId, ['manage_automation'])
  const confined = await signIn(app, workspaceId, member.id)
  assert.deepEqual((await confined.call('GET', '/ai-report')).body.drafts, none)
})
