// Every sample of the documentation, run against a server. Ids that exist take the place of those in the pages.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { type Operation, operationsOf } from '../sdk/generator/operations.ts'
import { PYTHON_ENVIRONMENT, WITHOUT_PYTHON } from '../sdk/testing/python.ts'
import { startApp } from '../test/app.ts'
import { FILE_NAME, makeWorld, OPERATIONS } from '../test/operations.ts'
import {
  type Call,
  curlSample,
  pythonClient,
  pythonSample,
  typescriptClient,
  typescriptSample,
} from './samples.ts'

const ROOT = resolve(import.meta.dirname, '..')
const run = promisify(execFile)
const runPython = (name: string) =>
  run('python3', [join(import.meta.dirname, 'testing', name)], { cwd: folder, env: PYTHON_ENVIRONMENT })
const folder = mkdtempSync(join(tmpdir(), 'foyer-samples-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const app = await startApp()
const url = await app.app.listen({ host: '127.0.0.1', port: 0 })
const operations = operationsOf(JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')))

symlinkSync(join(ROOT, 'sdk/typescript/src'), join(folder, 'sdk'))

/** The call of the operations' table, as a sample takes it. */
const callOf = (
  { path, query }: Operation,
  { path: given, body }: { path: string; body?: unknown },
): Call => {
  const [place = '', search = ''] = given.split('?')
  const names = path.split('/')
  const ids = place
    .split('/')
    .flatMap((part, index) => (names[index]?.startsWith('{') ? [[names[index].slice(1, -1), part]] : []))
  const types = query?.properties ?? {}
  const values = [...new URLSearchParams(search)].map(([name, value]) => [
    name,
    types[name]?.type === 'boolean'
      ? value === 'true'
      : types[name]?.type === 'integer'
        ? Number(value)
        : value,
  ])
  return {
    ids: Object.fromEntries(ids),
    query: Object.fromEntries(values),
    ...(body !== undefined && { body: body instanceof FormData ? namesOf(body) : body }),
  }
}

const namesOf = (form: FormData): Record<string, string> =>
  Object.fromEntries([...form].map(([field, file]) => [field, (file as File).name]))

/** In a world of its own for each operation, since samples change things. */
const prepare = async (language: string) =>
  Promise.all(
    operations.map(async (operation) => {
      const world = await makeWorld(app, `${language}-${operation.id.toLowerCase()}`)
      return {
        operation,
        token: world.workspace.token,
        call: callOf(operation, OPERATIONS[operation.id]!.success(world)),
      }
    }),
  )

test('in curl', async () => {
  const lines = (await prepare('curl')).map(
    ({ operation, token, call }) =>
      `FOYER_TOKEN=${token}\n${curlSample(operation, call, url).replace('curl ', 'curl --silent --show-error --fail-with-body ')} > /dev/null || { echo "${operation.id}"; exit 1; }`,
  )
  writeFileSync(join(folder, FILE_NAME), 'Open from 9 to 5.')
  writeFileSync(join(folder, 'samples.sh'), lines.join('\n\n'))
  await run('bash', ['samples.sh'], { cwd: folder })
})

test('in TypeScript', async () => {
  const files = (await prepare('ts')).map(({ operation, token, call }) => {
    const code = `${typescriptClient(url)}\n\n${typescriptSample(operation, call)}\n`
      .replace("'foyer-sdk'", "'./sdk/index.ts'")
      .replaceAll('console.log', 'void ')
    const name = `${operation.id}.ts`
    writeFileSync(join(folder, name), code)
    return { name, token }
  })
  writeFileSync(
    join(folder, 'all.ts'),
    files
      .map(
        ({ name, token }) =>
          `process.env.FOYER_TOKEN = '${token}'\ntry { await import('./${name}') } catch (cause) { throw new Error('${name}', { cause }) }`,
      )
      .join('\n'),
  )
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await run(process.execPath, ['--preserve-symlinks', 'all.ts'], { cwd: folder })
})

test('in Python', { skip: WITHOUT_PYTHON }, async () => {
  const samples = (await prepare('py')).map(({ operation, token, call }) => ({
    id: operation.id,
    token,
    code: `${pythonClient(url)}\n\n${pythonSample(operation, call)}\nfoyer.close()\n`,
  }))
  writeFileSync(join(folder, 'samples.json'), JSON.stringify(samples))
  await runPython('run_samples.py')
})

test('the guides’ Python compiles, and calls what there is', { skip: WITHOUT_PYTHON }, async () => {
  const guides = globSync('docs/guide/*.md', { cwd: ROOT }).map((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/```python\n(.*?)```/gs)].map(([, block]) => block),
  )
  assert.ok(guides.flat().length > 8)
  writeFileSync(join(folder, 'guides.json'), JSON.stringify(guides.flat()))
  const { stdout } = await runPython('check_guides.py')
  assert.ok(Number(stdout) > 12, stdout)
})

/** How the programs of the guide are started, on a port of their own that they print. */
const RECEIVERS = [
  {
    language: 'js',
    skip: false as const,
    command: [process.execPath, '--input-type=module', '--eval'],
    anyPort: (code: string) =>
      code.replace(
        '.listen(4000)',
        ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
      ),
  },
  {
    language: 'python',
    skip: WITHOUT_PYTHON,
    command: ['python3', '-u', '-c'],
    anyPort: (code: string) =>
      code.replace(
        'ThreadingHTTPServer(("", 4000), Receiver).serve_forever()',
        'server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver); print(server.server_port); server.serve_forever()',
      ),
  },
]

for (const { language, skip, command, anyPort } of RECEIVERS)
  test(`the guide’s ${language} program verifies webhooks without an SDK`, { skip }, async (t) => {
    const guide = readFileSync(join(ROOT, 'docs/guide/webhooks.md'), 'utf8')
    const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))]
    const code = blocks.map(([, block]) => block!).find((block) => block.includes('4000'))
    assert.ok(code)
    const secrets = [1, 2].map(() => `whsec_${randomBytes(32).toString('base64')}`)
    const [program, ...options] = command
    const child = spawn(program!, [...options, anyPort(code)], {
      env: { ...process.env, FOYER_WEBHOOK_SECRET: secrets[0] },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => child.kill())
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const url = `http://127.0.0.1:${(await lines.next()).value}/`
    const body = JSON.stringify({ type: 'message.created', data: { body: 'Grüße 👋' } })
    const send = async (changes: Record<string, string> = {}, sent = body, at = new Date()) => {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        // While the secret is rotated, as the server sends it.
        'webhook-signature': secrets
          .toReversed()
          .map((secret) => new Webhook(secret).sign('msg_1', at, body))
          .join(' '),
        ...changes,
      }
      return (await fetch(url, { method: 'POST', headers, body: sent })).status
    }
    assert.equal(await send(), 204)
    assert.equal((await lines.next()).value, 'message.created')
    assert.equal(await send({}, `${body} `), 400)
    assert.equal(await send({}, JSON.stringify(JSON.parse(body), null, 2)), 400)
    assert.equal(await send({ 'webhook-id': 'msg_2' }), 400)
    assert.equal(await send({ 'webhook-signature': 'v1,é v1, x' }), 400)
    assert.equal(await send({ 'webhook-timestamp': 'now' }), 400)
    for (const seconds of [-310, 310])
      assert.equal(await send({}, body, new Date(Date.now() + seconds * 1_000)), 400)
    assert.equal(
      await send({ 'webhook-signature': new Webhook(secrets[1]!).sign('msg_1', new Date(), body) }),
      400,
    )
  })

test('the guides’ TypeScript compiles', async () => {
  const names = globSync('docs/guide/*.md', { cwd: ROOT }).map((file, index) => {
    const guide = readFileSync(join(ROOT, file), 'utf8')
    const code = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block).join('\n')
    const name = `guide-${index}.ts`
    writeFileSync(join(folder, name), `${code.replace("'foyer-sdk'", "'./sdk/index.ts'")}\nexport {}\n`)
    return name
  })
  const options =
    '--noEmit --strict --module nodenext --target es2022 --lib es2023,dom --allowImportingTsExtensions --types'
  await run(
    join(ROOT, 'node_modules/.bin/tsc'),
    [
      ...options.split(' '),
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
      '--preserveSymlinks',
      ...names,
    ],
    { cwd: folder },
  ).catch(({ stdout }) => {
    throw new Error(stdout)
  })
})
