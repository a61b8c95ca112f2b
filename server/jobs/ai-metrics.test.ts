// What Prometheus is told of the AI agent's work.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { allowOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { startAssisting } from '../domain/ai/testing/assisted.ts'
import { registry } from '../platform/metrics.ts'

const KEY = 'sk-metrics-5c3f'
const sandbox = await startSandbox({ modelKey: KEY })
const { conductor, place, thinker } = startAssisting(await startApp())
allowOutbound(sandbox.url)
after(async () => {
  await thinker.stop()
  await conductor.stop()
  await sandbox.stop()
})

const countedIn = async (name: string, labels: Record<string, string> = {}): Promise<number> => {
  const metric = await registry.getSingleMetric(name)?.get()
  const found = metric?.values.find((one) =>
    Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  )
  return found?.value ?? 0
}

test('turns are counted by outcome, requests by problem, and tokens by kind', async () => {
  const there = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-facts' } })
  await there.opens('May I return everything?')
  const [request] = await there.requests()
  assert.equal(await countedIn('foyer_ai_turns_total', { outcome: 'answered' }), 1)
  assert.equal(
    await countedIn('foyer_ai_requests_total', { problem: 'none' }),
    (await there.requests()).length,
  )
  assert.ok(request!.input_tokens > 0)
  assert.ok((await countedIn('foyer_ai_tokens_total', { kind: 'input' })) >= request!.input_tokens)
  assert.match(await registry.metrics(), /foyer_ai_turn_duration_seconds_count\{outcome="answered"\} 1/)
})
