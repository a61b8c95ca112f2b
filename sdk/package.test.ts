// The package as a stranger gets it.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { startApp } from '../test/app.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Bytes, compressed. */
const WHOLE_MAX = 14_000
const CORE_MAX = 8_000

const folder = mkdtempSync(join(tmpdir(), 'foyer-sdk-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const run = (program: string, arguments_: string[], cwd = ROOT): void => {
  const { status, stdout, stderr } = spawnSync(program, arguments_, { cwd, encoding: 'utf8' })
  assert.equal(status, 0, `${program} ${arguments_.join(' ')}: ${stdout}${stderr}`)
}

const bin = (name: string): string => join(ROOT, 'node_modules/.bin', name)

run(process.execPath, ['sdk/build.mjs', join(folder, 'sdk')])
const archive = join(folder, 'sdk/foyer-sdk.tgz')
const project = join(folder, 'project')
const installed = join(project, 'node_modules/foyer-sdk')
mkdirSync(installed, { recursive: true })
run('tar', ['xzf', archive, '--strip-components=1', '-C', installed])

test('its exports and types are right for every resolver that knows modules', () => {
  run(bin('publint'), [archive, '--strict'])
  run(bin('attw'), [archive, '--profile', 'esm-only', '--format', 'ascii'])
})

test('it has no dependency and is small', () => {
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.equal(dependencies, undefined)
  const whole = gzipSync(readFileSync(join(folder, 'sdk/foyer.js'))).length
  assert.ok(whole <= WHOLE_MAX, `${whole} bytes`)
  const core = ['client', 'errors', 'index', 'pages', 'runtime', 'webhooks']
    .map((name) => readFileSync(join(installed, `dist/${name}.js`), 'utf8'))
    .join('\n')
  assert.ok(gzipSync(core).length <= CORE_MAX, `${gzipSync(core).length} bytes`)
})

test('what its README shows compiles', () => {
  const readme = readFileSync(join(installed, 'README.md'), 'utf8')
  const samples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code)
  assert.ok(samples.length >= 2)
  const known =
    'declare const request: Request\ndeclare const process: { env: { FOYER_WEBHOOK_SECRET: string } }\n'
  const files = samples.map((code, index) => {
    writeFileSync(join(project, `sample-${index}.ts`), `${known}${code}`)
    return `sample-${index}.ts`
  })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2023,dom',
  ]
  run(bin('tsc'), [...options, '--types', '', ...files], project)
})

test('it runs on this Node, on the machine’s own, and on those that SDK_NODES names', async () => {
  const app = await startApp()
  const baseUrl = await app.app.listen({ host: '127.0.0.1', port: 0 })
  const { token } = await app.make.workspace({ name: 'Northwind Bikes' })
  writeFileSync(
    join(project, 'run.mjs'),
    `import { Foyer } from 'foyer-sdk'
const foyer = new Foyer({ token: '${token}', baseUrl: '${baseUrl}' })
console.log((await foyer.token.verify()).company.name)`,
  )
  const others = (process.env.SDK_NODES ?? '').split(':').filter(Boolean)
  const nodes = [process.execPath, '/usr/bin/node', '/usr/local/bin/node'].filter((path) => existsSync(path))
  for (const node of [...nodes, ...others]) {
    const { stdout } = await promisify(execFile)(node, ['run.mjs'], { cwd: project })
    assert.equal(stdout, 'Northwind Bikes\n')
  }
})

test('the server serves it', async () => {
  const { app } = await startApp()
  if (!existsSync(join(ROOT, 'dist/sdk')))
    cpSync(join(folder, 'sdk'), join(ROOT, 'dist/sdk'), { recursive: true })
  const packed = await app.inject({ url: '/sdk/foyer-sdk.tgz', headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(packed.statusCode, 200)
  assert.equal(packed.headers['content-type'], 'application/gzip')
  assert.equal(packed.headers['content-encoding'], undefined)
  assert.deepEqual([...packed.rawPayload.subarray(0, 2)], [0x1f, 0x8b])
  assert.match((await app.inject({ url: '/sdk/foyer.js' })).body, /export *\{/)
})
