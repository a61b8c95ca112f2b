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
import {
  type Figure,
  load,
  loadBefore,
  percentile,
  postgresOf,
  producedBy,
  tableOf,
  writeAiSection,
} from './measured.ts'

const KEY = 'sk-bench-5a0e7d31c94b2f68'

const set = readLabelledSet()

test('how long customers wait for the AI agent', { timeout: 600_000 }, async () => {
  const busy = loadBefore()
  const app = await startApp({ worker: true })
  const figures: Figure[] = []
  const sandbox = await startSandbox({ modelKey: KEY })
  allowOutbound(sandbox.url)
  const { call, ctxOf, db, make } = app

  type Load = { model: string | null; customers: number; perSecond: number; targetMs: number }

  const measure = async (name: string, { model, customers, perSecond, targetMs }: Load): Promise<void> => {
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
            where r.workspace_id = t.workspace_id and r.turn_id = t.id), 0)::float8 as ms, concat_ws(': ', t.outcome, t.decision ->> 'reason') as outcome
      from ai_turns t
      where t.workspace_id = ${workspaceId} and t.question <> ''`.execute(db)
    const times = rows.map(({ ms }) => ms)
    const outcomes = Map.groupBy(rows, ({ outcome }) => outcome)
    const say = (what: string, measured: string, target?: string): void => {
      figures.push({ what: `${name}: ${what}`, measured, ...(target && { target }), load: load() })
    }
    say('own time of a turn, p50', `${percentile(times, 0.5).toFixed(0)} ms`)
    say('own time of a turn, p95', `${percentile(times, 0.95).toFixed(0)} ms`, `≤ ${targetMs} ms`)
    say(
      `what became of ${times.length} turns`,
      [...outcomes].map(([outcome, { length }]) => `${outcome} ${length}`).join(', '),
    )
  }

  await measure('Without a model', { model: null, customers: 200, perSecond: 5, targetMs: 300 })
  // A workspace may make sixty requests a minute.
  await measure('With a model', { model: 'sandbox-facts', customers: 60, perSecond: 0.5, targetMs: 150 })
  writeAiSection('Turns', [
    producedBy({
      script: 'bench:ai-turns',
      postgres: await postgresOf(db),
      shared: 'The server with its worker, the sandbox that plays the provider, and PostgreSQL',
      busy,
      caveat: 'so the times are too long.',
    }),
    '',
    'From the moment at which a customer has stopped typing until the reply is stored, without the time of the provider. Questions are those of the labelled set in `test/questions`; with a model, the one of the sandbox that answers from what it finds.',
    '',
    ...tableOf(figures),
  ])
  await sandbox.stop()
})
