// `npm run bench:ai-turns`: how long customers wait for the AI agent once they have stopped typing. Without a model, all
// of it; with one, what is ours beside the provider's time. The sandbox plays the provider, in the same process.
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { allowOutbound } from '../channels/protocol/outbound.ts'
import { startSandbox } from '../sandbox/sandbox.ts'
import { setAiAgent } from '../server/domain/agents/set-ai-agent.ts'
import { setUp } from '../server/domain/ai/testing/set-up.ts'
import { saveAnswer } from '../server/domain/knowledge/answers.ts'
import { receiveMessage } from '../server/domain/messages/receive-messages.ts'
import { startApp } from '../test/app.ts'
import { readLabelledSet } from '../test/questions.ts'
import { until } from '../test/until.ts'

const KEY = 'sk-bench-5a0e7d31c94b2f68'

const set = readLabelledSet()

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!

test('how long customers wait for the AI agent', { timeout: 600_000 }, async () => {
  const app = await startApp({ worker: true })
  const sandbox = await startSandbox({ modelKey: KEY })
  allowOutbound(sandbox.url)
  const { call, ctxOf, db, make } = app

  type Load = { model: string | null; customers: number; perSecond: number }

  const measure = async (name: string, { model, customers, perSecond }: Load): Promise<void> => {
    const { id: workspaceId, token } = await make.workspace()
    const ctx = ctxOf(workspaceId)
    await setAiAgent(ctx, { isEnabled: true })
    for (const answer of set.answers) await saveAnswer(ctx, null, answer)
    if (model) await setUp(app, workspaceId, { model: { url: sandbox.url, key: KEY, name: model } })
    const channelAccountId = await make.channelAccount(workspaceId, 'web')
    const writes = (at: number, body: string) =>
      receiveMessage(ctx, {
        channel: 'web',
        channelAccountId,
        from: {
          identity: { kind: 'visitor', value: `${name} ${at}`, verified: true },
          name: `Customer ${at}`,
        },
        body,
        externalId: `${name} ${at} ${body}`,
        sentAt: ctx.now(),
        metadata: null,
      })
    for (let at = 0; at < customers; at++) {
      const { conversationId } = await writes(at, 'Hello')
      await call(token, 'POST', `/conversations/${conversationId}/assign`, { agentId: 'ai' })
    }
    const ended = async (): Promise<number> => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from ai_turns
        where workspace_id = ${workspaceId} and state = 'ended'`.execute(db)
      return rows[0]!.count
    }
    await until(async () => (await ended()) >= customers, 'all to be greeted', 120_000)
    for (let at = 0; at < customers; at++) {
      await writes(at, set.test[at % set.test.length]!.text)
      await wait(1_000 / perSecond)
    }
    await until(async () => (await ended()) >= 2 * customers, 'all replies', 300_000)
    const { rows } = await sql<{ ms: number; outcome: string }>`
      select extract(epoch from t.ended_at - t.due_at)::float8 * 1000
          - coalesce((select sum(r.duration_ms) from ai_requests r
            where r.workspace_id = t.workspace_id and r.turn_id = t.id), 0)::float8 as ms, t.outcome
      from ai_turns t
      where t.workspace_id = ${workspaceId} and t.question <> ''`.execute(db)
    const times = rows.map(({ ms }) => ms).sort((a, b) => a - b)
    const outcomes = Map.groupBy(rows, ({ outcome }) => outcome)
    console.log(
      `${name}: ${times.length} turns, own time p50 ${percentile(times, 0.5).toFixed(0)} ms, ` +
        `p95 ${percentile(times, 0.95).toFixed(0)} ms; ` +
        [...outcomes].map(([outcome, { length }]) => `${outcome} ${length}`).join(', '),
    )
  }

  await measure('Without a model', { model: null, customers: 200, perSecond: 5 })
  // A workspace may make sixty requests a minute.
  await measure('With a model', { model: 'sandbox-facts', customers: 60, perSecond: 0.5 })
  await sandbox.stop()
})
