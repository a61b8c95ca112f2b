// The shipped tests in a workspace of one's own: what runs there passes, and nothing is left but what the model cost.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { startAssisting } from '../testing/assisted.ts'
import { evaluate, type Test } from './evaluate.ts'
import { readScenarios } from './read-scenarios.ts'

const KEY = 'sk-evaluate-8d2f6a01c94b73e5'
const FOLDER = new URL('../scenarios/', import.meta.url)
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
const app = await startApp()
const { place, conductor, thinker } = startAssisting(app)
before(() => allowOutbound(sandbox.url))
after(async () => {
  await thinker.stop()
  await conductor.stop()
  await sandbox.stop()
})

const SHIPPED: Test[] = []
for (const file of (await readdir(FOLDER)).sort())
  for (const scenario of readScenarios(file, JSON.parse(await readFile(new URL(file, FOLDER), 'utf8'))))
    SHIPPED.push({ kind: file.replace('.json', ''), scenario })

const own = (turns: object[], expect: object, more: object = {}): Test => ({
  kind: 'own',
  scenario: readScenarios('own', { name: 'One', turns, expect, ...more })[0]!,
})

const TABLES = [
  'ai_requests',
  'ai_turns',
  'contacts',
  'conversations',
  'knowledge_items',
  'messages',
  'notes',
  'workspaces',
] as const

const countRows = async () => {
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const { count } = await app.db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    counts[table] = Number(count)
  }
  return counts
}

const withModel = () => place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-facts' } })

test('the shipped tests that need no conversation pass with a model, and write nothing', async () => {
  const { ctx, workspaceId } = await withModel()
  const before = await countRows()
  const { results, kinds, passOnce } = await evaluate(ctx, {
    tests: SHIPPED.filter(
      ({ scenario }) => !scenario.script && (scenario.protocol ?? 'chat_completions') === 'chat_completions',
    ),
    isLive: true,
    times: 1,
    guidance: 'live',
  })
  const failed = results.filter(({ failures }) => failures.length > 0)
  assert.deepEqual(failed, [])
  assert.equal(passOnce, 1)
  assert.ok(results.filter(({ skipped }) => skipped === null).length >= 30)
  assert.equal(kinds['no-provider']!.passed, 7)
  assert.deepEqual(await countRows(), before)
  const usage = await app.db
    .selectFrom('ai_usage')
    .select(['conversation_id', 'settled_at'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  assert.ok(usage.length > 10)
  assert.ok(usage.every((row) => row.conversation_id === null && row.settled_at !== null))
})

test('tests with actions are rehearsed until something is proposed, and nothing is called', async () => {
  const { ctx } = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-script' } })
  const tests = SHIPPED.filter(({ kind, scenario }) => kind === 'actions' && scenario.provider === 'live')
  assert.equal(tests.length, 3)
  for (const test of tests) {
    control.scriptModel(test.scenario.script ?? [])
    const { results } = await evaluate(ctx, { tests: [test], isLive: true, times: 1, guidance: 'live' })
    assert.deepEqual(results[0]!.failures, [])
    assert.equal(results[0]!.passed, 1)
    control.clearModel()
  }
})

test('a test without knowledge uses the workspace’s own, and one that isn’t met says why', async () => {
  const { ctx } = await place()
  const answered = own(
    [{ customer: 'How much is shipping?' }],
    { mustSay: ['50 euros'] },
    { provider: 'none' },
  )
  const wrong = own([{ customer: 'How much is shipping?' }], { has: 'team' }, { provider: 'none' })
  const skipped = own([{ customer: 'How much is shipping?' }], { has: 'ai' })
  const { results, passOnce, passAll } = await evaluate(ctx, {
    tests: [answered, wrong, skipped],
    isLive: false,
    times: 4,
    guidance: 'live',
  })
  assert.deepEqual(
    results.map(({ skipped, times, passed, failures }) => [skipped, times, passed, failures]),
    [
      [null, 1, 1, []],
      [
        null,
        1,
        0,
        ['Expected: The conversation goes to the team. Happened: The agent keeps the conversation.'],
      ],
      ['needs a model', 0, 0, []],
    ],
  )
  assert.deepEqual([passOnce, passAll], [0.5, 0.5])
})

test('a model that fails now and then passes once more often than each time', async () => {
  const { ctx } = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-script' } })
  const end = (text: string) => ({
    calls: [{ name: 'end_turn', arguments: { action: 'reply', text, sources: ['s1'] } }],
  })
  control.scriptModel([end('Free from 50 euros.'), end('Free.'), end('From 50 euros.'), end('50 euros.')])
  const test = own([{ customer: 'How much is shipping?' }], { mustSay: ['50 euros'] })
  const { results, passOnce, passAll } = await evaluate(ctx, {
    tests: [test],
    isLive: true,
    times: 4,
    guidance: 'live',
  })
  assert.equal(results[0]!.passed, 3)
  assert.deepEqual([passOnce, passAll], [0.75, 0])
  control.clearModel()
})
