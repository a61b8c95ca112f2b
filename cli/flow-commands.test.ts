// Flows as files: checked and tested without a database, and brought to a workspace.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { startApp, TEST_SECRET_KEY } from '../test/app.ts'
import { GREETING } from '../test/make-flow.ts'
import { PROGRAM } from '../test/program.ts'

const ROOT = resolve(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'foyer-flows-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const write = (name: string, content: unknown): string => {
  writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content))
  return name
}

type Answer = { code: number; stderr: string; json: Record<string, unknown> }

/** In another directory than the clone's, which the script behind `foyer` tells by INIT_CWD. */
const run = (args: string[], env: Record<string, string> = {}): Promise<Answer> =>
  new Promise((done) => {
    execFile(
      process.execPath,
      [PROGRAM, 'flow', ...args],
      { cwd: ROOT, env: { PATH: process.env.PATH, INIT_CWD: directory, ...env } },
      (error, stdout, stderr) =>
        done({ code: error ? Number(error.code) : 0, stderr, json: stdout ? JSON.parse(stdout) : {} }),
    )
  })

const file = {
  format: 'foyer-flow',
  name: 'Greeting',
  definition: GREETING,
  tests: [{ name: 'Asks', turns: [{ say: 'hi' }, { expect: { text: 'order number', waits: 's1' } }] }],
  names: [],
}

test('a file with a flow is valid, and its tests pass, without a database or a setting', async () => {
  const name = write('good.json', file)
  const valid = await run(['validate', name])
  assert.deepEqual([valid.code, valid.json.isValid], [0, true], valid.stderr)
  const tested = await run(['test', name])
  assert.deepEqual([tested.code, tested.json], [0, { tests: 1, failures: [] }])
  // A definition alone is a flow too.
  assert.equal((await run(['validate', write('alone.json', GREETING)])).code, 0)
})

test('what is wrong is said step by step and turn by turn, and the exit code is 1', async () => {
  const lost = { ...GREETING, blocks: { hello: { steps: [{ id: 's1', type: 'goto', to: 'nowhere' }] } } }
  const invalid = await run(['validate', write('lost.json', lost)])
  assert.equal(invalid.code, 1)
  assert.deepEqual(
    (invalid.json.problems as { message: string }[]).map(({ message }) => message),
    ['Step s1: leads to block “nowhere”, which doesn’t exist.'],
  )
  const tests = [{ name: 'Says goodbye', turns: [{ say: 'hi' }, { expect: { text: 'Goodbye' } }] }]
  const failing = await run(['test', write('failing.json', { ...file, tests })])
  assert.equal(failing.code, 1)
  assert.deepEqual(
    (failing.json.failures as { name: string; turn: number }[]).map(({ name, turn }) => [name, turn]),
    [['Says goodbye', 1]],
  )
  const odd = await run([
    'validate',
    write('odd.json', { ...file, tests: [{ name: 'x', turns: [{ shout: 1 }] }] }),
  ])
  assert.equal(odd.code, 1)
  assert.match((odd.json.problems as { message: string }[])[0]!.message, /^Test 1, turn 1: needs one of say/)
})

test('a file that is missing or isn’t JSON is one plain line on standard error', async () => {
  const missing = await run(['validate', 'missing.json'])
  assert.deepEqual([missing.code, missing.stderr], [1, 'missing.json: no such file\n'])
  const broken = await run(['test', write('broken.json', '{"schema": 1,')])
  assert.equal(broken.code, 1)
  assert.match(broken.stderr, /^broken\.json isn't JSON: [^\n]+\n$/)
  const deep = await run(['validate', write('deep.json', `${'['.repeat(20_000)}${']'.repeat(20_000)}`)])
  assert.equal(deep.code, 1)
  assert.equal((await run(['validate'])).code, 2)
})

const makeEditor = async () => {
  const app = await startApp()
  const { id: workspace } = await app.make.workspace()
  const env = {
    DATABASE_URL: app.database.connectionString,
    SECRET_KEY: TEST_SECRET_KEY,
    PUBLIC_URL: 'https://inbox.example.com/',
  }
  return {
    app,
    workspace,
    inWorkspace: (...args: string[]) => run([...args, '--workspace', workspace], env),
  }
}

test('a flow is imported, listed, exported as it was, and replaced by the next import', async () => {
  const { inWorkspace } = await makeEditor()
  const imported = await inWorkspace('import', write('flow.json', file))
  assert.equal(imported.code, 0, imported.stderr)
  const id = String(imported.json.flowId)
  const listed = await inWorkspace('list')
  assert.deepEqual(
    (listed.json.flows as { id: string; name: string }[]).map(({ id, name }) => [id, name]),
    [[id, 'Greeting']],
  )
  assert.deepEqual((await inWorkspace('export', id)).json, file)
  const again = await inWorkspace('import', write('flow.json', { ...file, tests: [] }), '--flow', id)
  assert.deepEqual([again.json.flowId, again.json.draftRevision], [id, 2])
  assert.deepEqual((await inWorkspace('export', id)).json, { ...file, tests: [] })
  const nowhere = await inWorkspace('export', 'cmi8q2f5c000kf1w7a2b3c4de')
  assert.deepEqual([nowhere.code, nowhere.stderr], [1, 'Flow not found.\n'])
  const wrong = await inWorkspace('import', write('wrong.json', { ...GREETING, start: 'nowhere' }))
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /The flow starts with block “nowhere”, which doesn’t exist/)
})

test('a draft or a file is published with the gates of the console, and is then the live version', async () => {
  const { app, workspace, inWorkspace } = await makeEditor()
  const { flowId } = (await inWorkspace('import', write('first.json', file))).json
  const id = String(flowId)
  const live = () =>
    app.db
      .selectFrom('flows')
      .select(['state', 'live_version as version'])
      .where('workspace_id', '=', workspace)
      .executeTakeFirstOrThrow()

  const published = await inWorkspace('publish', id, '--note', 'From git')
  assert.deepEqual(
    [published.code, published.json],
    [0, { flowId: id, name: 'Greeting', version: 1, warnings: [] }],
    published.stderr,
  )
  assert.deepEqual(await live(), { state: 'live', version: 1 })
  const again = await inWorkspace('publish', id)
  assert.deepEqual([again.code, again.stderr], [1, 'Nothing has changed since the live version.\n'])

  const tests = [{ name: 'Says goodbye', turns: [{ say: 'hi' }, { expect: { text: 'Goodbye' } }] }]
  const second = { ...file, tests, definition: { ...GREETING, variables: { order: { type: 'number' } } } }
  const name = write('second.json', second)
  const doubtful = await inWorkspace('publish', name, '--flow', id)
  assert.equal(doubtful.code, 1)
  assert.match(doubtful.stderr, /^Test “Says goodbye”.*Publish anyway with --accept-warnings\.\n$/)
  assert.deepEqual(await live(), { state: 'live', version: 1 })
  const accepted = await inWorkspace('publish', name, '--flow', id, '--accept-warnings')
  assert.deepEqual([accepted.code, accepted.json.version], [0, 2], accepted.stderr)
  assert.equal((accepted.json.warnings as unknown[]).length, 1)

  const lost = { ...GREETING, blocks: { hello: { steps: [{ id: 's1', type: 'tag', add: ['gone'] }] } } }
  const invalid = await inWorkspace('publish', write('gone.json', lost), '--flow', id, '--accept-warnings')
  assert.equal(invalid.code, 1)
  assert.match(invalid.stderr, /^Step s1: /)
  assert.deepEqual(await live(), { state: 'live', version: 2 })
  assert.equal((await inWorkspace('publish', name)).code, 2)
  assert.equal((await inWorkspace('publish', id, '--flow', id)).code, 2)
})
