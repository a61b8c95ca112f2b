// The Helm chart: what can be checked without Helm always is; rendering needs it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { Ajv } from 'ajv'
import { parse, parseAllDocuments, stringify } from 'yaml'

const ROOT = resolve(import.meta.dirname, '..')
const CHART = join(ROOT, 'deploy/helm')
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const directory = mkdtempSync(join(tmpdir(), 'foyer-helm-'))
after(() => rmSync(directory, { recursive: true, force: true }))

// biome-ignore lint/suspicious/noExplicitAny: objects of every kind
type Rendered = any

const templates = globSync('templates/*', { cwd: CHART }).map((file) => read(`deploy/helm/${file}`))
const values: Rendered = parse(read('deploy/helm/values.yaml'))
const schema = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
  JSON.parse(read('deploy/helm/values.schema.json')),
)

const problemsOf = (given: Rendered): string | null => (schema(given) ? null : JSON.stringify(schema.errors))

/** Everything that a chart can have, beside what each installation needs. */
const FULL = {
  publicUrl: 'https://inbox.example.com',
  existingSecret: 'foyer',
  imagePullSecrets: [{ name: 'registry' }],
  files: { existingClaim: 'foyer-files' },
  settings: { EVENTS_KEPT_DAYS: 90, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' },
  api: { replicas: 3, nodeSelector: { pool: 'web' }, tolerations: [{ key: 'web', operator: 'Exists' }] },
  worker: { replicas: 1, affinity: { podAntiAffinity: {} } },
  ingress: { enabled: true, className: 'nginx', annotations: { a: 'b' }, tlsSecret: 'inbox-tls' },
  podMonitor: { enabled: true, hasToken: true, labels: { release: 'prometheus' } },
  podAnnotations: { a: 'b' },
  podLabels: { team: 'support' },
}
const SMALL = { publicUrl: 'http://inbox.internal', existingSecret: 'foyer', migration: { enabled: false } }

test('the chart’s values fit their schema, its settings exist, and its version is the program’s', () => {
  assert.equal(problemsOf(values), null)
  for (const given of [FULL, SMALL]) assert.equal(problemsOf(mergeValues(values, given)), null)
  for (const wrong of [
    { publicUrl: 'inbox.example.com' },
    { api: { replicas: -1 } },
    { settings: { SECRET_KEY: 'x' } },
    { replicas: 2 },
  ])
    assert.ok(problemsOf(mergeValues(values, wrong)), JSON.stringify(wrong))
  const known = new Set([...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name]) => name))
  const named = [
    ...Object.keys(values.settings),
    ...Object.keys(FULL.settings),
    'PUBLIC_URL',
    'METRICS_TOKEN',
  ]
  assert.deepEqual(
    named.filter((name) => !known.has(name)),
    [],
  )
  const { version } = JSON.parse(read('package.json'))
  assert.equal(parse(read('deploy/helm/Chart.yaml')).appVersion, version)
})

test('templates use only values and templates that exist', () => {
  const text = templates.join('\n')
  const has = (path: string): boolean => {
    let at: unknown = values
    for (const part of path.split('.')) {
      if (typeof at !== 'object' || at === null || !(part in at)) return false
      at = (at as Record<string, unknown>)[part]
    }
    return true
  }
  const used = [...text.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path]) => path!)
  assert.ok(used.length > 20)
  assert.deepEqual(
    used.filter((path) => path !== 'nameOverride' && !has(path) && !path.startsWith('settings.')),
    [],
  )
  for (const part of [...text.matchAll(/\$process\.([A-Za-z]+)/g)].map(([, name]) => name!))
    for (const role of ['api', 'worker']) assert.ok(has(`${role}.${part}`), `${role}.${part}`)
  const defined = new Set([...text.matchAll(/define "([^"]+)"/g)].map(([, name]) => name))
  const included = [...text.matchAll(/include "([^"]+)"/g)].map(([, name]) => name!)
  assert.deepEqual(
    included.filter((name) => !defined.has(name)),
    [],
  )
})

const helm = (...args: string[]): string =>
  execFileSync('helm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const hasHelm = (): boolean => {
  try {
    helm('version')
    return true
  } catch {
    return false
  }
}

const render = (given: object): Rendered[] => {
  const file = join(directory, 'values.yaml')
  writeFileSync(file, stringify(given))
  helm('lint', '--strict', CHART, '--values', file)
  const text = helm('template', 'inbox', CHART, '--namespace', 'support', '--values', file)
  return parseAllDocuments(text)
    .map((document) => {
      assert.deepEqual(document.errors, [])
      return document.toJS()
    })
    .filter(Boolean)
}

test('Helm renders what Kubernetes needs to run it: probes, budgets, secrets by name, a read-only root', {
  skip: hasHelm() ? false : 'there is no helm',
}, () => {
  const kindsOf = (objects: Rendered[]) => objects.map(({ kind }) => kind).sort()
  const common = ['Deployment', 'Deployment', 'PodDisruptionBudget', 'PodDisruptionBudget', 'Service']
  assert.deepEqual(kindsOf(render(SMALL)), common)
  const objects = render(FULL)
  assert.deepEqual(kindsOf(objects), [...common, 'Ingress', 'Job', 'PodMonitor'].sort())
  const pods = objects.flatMap(({ spec }) => (spec.template ? [spec.template] : []))
  assert.equal(pods.length, 3)
  for (const { metadata, spec } of pods) {
    const [container] = spec.containers
    assert.equal(container.securityContext.readOnlyRootFilesystem, true)
    assert.equal(spec.securityContext.runAsNonRoot, true)
    assert.deepEqual(container.envFrom, [{ secretRef: { name: 'foyer' } }])
    for (const { name, value } of container.env) assert.equal(typeof value, 'string', name)
    const volumes = spec.volumes.map(({ name }: { name: string }) => name).sort()
    assert.deepEqual(container.volumeMounts.map(({ name }: { name: string }) => name).sort(), volumes)
    assert.deepEqual(volumes, ['data', 'files', 'tmp'])
    assert.ok(container.resources.requests.memory && metadata.labels['app.kubernetes.io/component'])
    assert.ok(['serve', 'migrate'].includes(container.args[0]))
  }
  const named = (kind: string, name: string) =>
    objects.find((object) => object.kind === kind && object.metadata.name === name)
  for (const role of ['api', 'worker']) {
    const { spec } = named('Deployment', `inbox-${role}`)
    const [container] = spec.template.spec.containers
    assert.deepEqual(container.args, ['serve', '--role', role])
    assert.equal(container.readinessProbe.httpGet.path, '/readyz')
    assert.equal(container.livenessProbe.httpGet.path, '/healthz')
    assert.equal(spec.template.spec.terminationGracePeriodSeconds, 45)
    for (const [key, value] of Object.entries(spec.selector.matchLabels))
      assert.equal(spec.template.metadata.labels[key], value)
    assert.deepEqual(named('PodDisruptionBudget', `inbox-${role}`).spec.selector, spec.selector)
  }
  assert.deepEqual(
    named('Service', 'inbox').spec.selector,
    named('Deployment', 'inbox-api').spec.selector.matchLabels,
  )
  assert.equal(named('Ingress', 'inbox').spec.rules[0].host, 'inbox.example.com')
  assert.equal(named('Job', 'inbox-migrate').metadata.annotations['helm.sh/hook'], 'pre-install,pre-upgrade')
  assert.throws(() => render({ ...FULL, publicUrl: '' }), /publicUrl is required/)
})

/** As Helm does: objects are merged, everything else is replaced. */
const mergeValues = (base: Rendered, given: Rendered): Rendered => {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(base) || !isObject(given)) return given
  const keys = new Set([...Object.keys(base), ...Object.keys(given)])
  return Object.fromEntries(
    [...keys].map((key) => [key, key in given ? mergeValues(base[key], given[key]) : base[key]]),
  )
}
