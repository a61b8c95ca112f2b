// Tests of the AI agent in files, run in a workspace without a model.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { startApp, TEST_SECRET_KEY } from '../test/app.ts'
import { PROGRAM } from '../test/program.ts'

const ROOT = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'foyer-tests-'))
after(() => rmSync(directory, { recursive: true, force: true }))
const app = await startApp()
const { id } = await app.make.workspace()

const run = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [PROGRAM, 'ai', 'evaluate', '--workspace', id, ...args],
      {
        cwd: ROOT,
        env: {
          PATH: process.env.PATH,
          INIT_CWD: directory,
          DATABASE_URL: app.database.connectionString,
          SECRET_KEY: TEST_SECRET_KEY,
          PUBLIC_URL: 'https://inbox.example.com/',
        },
      },
      (error, stdout, stderr) => done({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })

const SHIPPING = { title: 'Shipping', text: 'Free from 50 euros.', phrasings: ['How much is shipping?'] }
const asks = (name: string, expect: object, provider = 'none') => ({
  name,
  provider,
  turns: [{ customer: 'How much is shipping?' }],
  expect,
})

test('each test is a line, the result is counted by kind, and a failure ends with 1', async () => {
  const good = {
    knowledge: [SHIPPING],
    tests: [asks('Knows', { has: 'ai' }), asks('Needs', { has: 'ai' }, 'live')],
  }
  writeFileSync(join(directory, 'good.json'), JSON.stringify(good))
  const passed = await run('--tests', '.')
  assert.equal(passed.code, 0, passed.stderr)
  assert.match(passed.stderr, /^passed {3}good: Knows$/m)
  assert.match(passed.stderr, /^skipped {2}good: Needs \(needs a model\)$/m)
  assert.deepEqual(JSON.parse(passed.stdout), {
    kinds: { good: { tests: 2, skipped: 1, passed: 1, failed: 0 } },
    passOnce: 1,
    passAll: 1,
    failed: [],
  })
  writeFileSync(join(directory, 'bad.json'), JSON.stringify(asks('Nothing known', { has: 'ai' })))
  const failed = await run('--tests', '.')
  assert.equal(failed.code, 1)
  assert.match(
    failed.stderr,
    /^FAILED 1 of 1 bad: Nothing known \(Expected: The agent keeps the conversation\. Happened: The conversation goes to the team\./m,
  )
})

test('what can’t be run is said in a line', async () => {
  writeFileSync(join(directory, 'odd.json'), JSON.stringify({ name: 'x', turns: [{ says: 1 }], expect: {} }))
  for (const [args, message] of [
    [['--tests', 'odd.json'], /odd\.json/],
    [['--tests', 'none.json'], /none\.json: no such file/],
    [['--tests', 'good.json', '--provider', 'live'], /no language model/],
    [['--tests', 'good.json', '--times', '99'], /--times must be/],
  ] as const) {
    const { code, stderr } = await run(...args)
    assert.notEqual(code, 0, String(args))
    assert.match(stderr, message)
  }
})
