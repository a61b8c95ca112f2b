// The shape of the repository, held by machine: who may import what, and that each table is written in one place.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

const sources = globSync(
  '{server,flow-engine,marks,channels,models,mcp-client,cli,widget,sandbox,sdk,site,bench}/**/*.{ts,tsx}',
  {
    cwd: ROOT,
  },
)
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .sort()

/** What runs in browsers only, and follows the framework's own rules. */
const pages = globSync('console/**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => !/\.test\.tsx?$/.test(file))

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

type Import = { from: string; isType: boolean }

/** The files of ours that a file imports, from the root. */
const importsOf = (file: string): Import[] =>
  [
    ...read(file).matchAll(
      /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'(\.[^']+)'|import\('(\.[^']+)'\)/gms,
    ),
  ].map(([, type, path, dynamic]) => ({
    from: relative(ROOT, join(ROOT, dirname(file), (path ?? dynamic)!)),
    isType: Boolean(type),
  }))

/** The noun that a file belongs to. */
const nounOf = (file: string): string | undefined => /^server\/domain\/([^/]+)\//.exec(file)?.[1]

type Rule = { says: string; files: RegExp; mayImport: (target: Import, file: string) => boolean }

/** What defines the channels: plain data, for everybody to read. */
const DEFINITIONS = new Set([
  'channels/names.ts',
  'channels/definition.ts',
  'channels/definitions.ts',
  'channels/choices.ts',
])

const RULES: Rule[] = [
  {
    says: 'the definition of a channel knows nothing but the other definitions, and so loads no protocol',
    files: /^channels\/([^/]+\/)?(names|fields|choices|definitions?)\.ts$/,
    mayImport: ({ from }) => /^channels\/([^/]+\/)?(names|fields|choices|definitions?)\.ts$/.test(from),
  },
  {
    says: 'a schema imports schemas, the lists of values in db/tables.ts, the definitions of channels, and the bounds of pages',
    files: /^server\/domain\/.*schema\.ts$/,
    mayImport: ({ from }) =>
      /schema\.ts$/.test(from) ||
      /^server\/platform\/db\/(tables|pagination)\.ts$/.test(from) ||
      DEFINITIONS.has(from),
  },
  {
    says: 'queries know nothing of HTTP, and of channels only the definitions',
    files: /^server\/domain\/.*queries\.ts$/,
    mayImport: ({ from, isType }) =>
      isType ||
      DEFINITIONS.has(from) ||
      (!from.startsWith('channels/') && !from.startsWith('server/platform/http/')),
  },
  {
    says: 'an operation knows nothing of HTTP',
    files: /^server\/domain\//,
    mayImport: ({ from, isType }) => isType || !from.startsWith('server/platform/http/'),
  },
  {
    says: 'a channel knows nothing of the server',
    files: /^channels\//,
    mayImport: ({ from }) => from.startsWith('channels/'),
  },
  {
    says: 'the flow engine imports nothing of ours, so that it runs in a browser as on the server',
    files: /^flow-engine\//,
    mayImport: ({ from }) => from.startsWith('flow-engine/'),
  },
  {
    says: 'what finds marks imports nothing of ours, so that it runs in a browser as on the server',
    files: /^marks\//,
    mayImport: ({ from }) => from.startsWith('marks/'),
  },
  {
    says: 'a model knows nothing of the server, and of the channels only how to make a request',
    files: /^models\//,
    mayImport: ({ from }) => from.startsWith('models/') || from.startsWith('channels/protocol/'),
  },
  {
    says: 'the server meets a model only through its contract, and loads an adapter when it is first used',
    files: /^(server|cli)\//,
    mayImport: ({ from }) => !from.startsWith('models/') || /^models\/(contract|names|index)\.ts$/.test(from),
  },
  {
    says: 'the client of MCP servers knows nothing of the server, and of the channels only how to make a request',
    files: /^mcp-client\//,
    mayImport: ({ from }) => from.startsWith('mcp-client/') || from.startsWith('channels/protocol/'),
  },
  {
    says: 'the server meets MCP servers only through a contract, and loads the protocol when it is first used',
    files: /^(server|cli)\//,
    mayImport: ({ from }) =>
      !from.startsWith('mcp-client/') || /^mcp-client\/(contract|index)\.ts$/.test(from),
  },
  {
    says: 'the server meets a channel only through its contract and its definition; serve.ts and the command line bring the table',
    files: /^server\//,
    mayImport: ({ from }, file) =>
      !from.startsWith('channels/') ||
      from === 'channels/channel.ts' ||
      DEFINITIONS.has(from) ||
      file === 'server/process/serve.ts',
  },
  {
    says: 'the demo alone knows the sandbox, in one place',
    files: /^(server|channels|models|cli|widget)\//,
    mayImport: ({ from }, file) => !from.startsWith('sandbox/') || file === 'server/demo/sandbox.ts',
  },
  {
    says: 'nobody but the command line imports the command line',
    files: /^(server|channels|models|widget|sandbox)\//,
    mayImport: ({ from }) => !from.startsWith('cli/'),
  },
  {
    says: 'the documentation knows openapi.json, as the SDK’s generator reads it, and the list of errors',
    files: /^site\//,
    mayImport: ({ from }) => /^(site|sdk\/generator)\/|^server\/platform\/errors\.ts$/.test(from),
  },
  {
    says: 'the SDK knows the server only by openapi.json',
    files: /^sdk\//,
    mayImport: ({ from }) => from.startsWith('sdk/'),
  },
  {
    says: 'the widget and the sandbox stand alone, but for the design system in the sandbox’s page',
    files: /^(widget|sandbox)\//,
    mayImport: ({ from }, file) =>
      from.split('/')[0] === file.split('/')[0] ||
      (file.startsWith('sandbox/page/') && from.startsWith('console/ui/')),
  },
]

/** A way from a node back to itself, or undefined. */
const findCircle = (graph: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined => {
  const done = new Set<string>()
  const walk = (node: string, path: string[]): string[] | undefined => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const circle = walk(next, [...path, node])
      if (circle) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = walk(node, [])
    if (circle) return circle
  }
  return undefined
}

/** What imports what, by file or by folder; types count too. */
const graphOf = (files: readonly string[], nameOf: (file: string) => string): Map<string, Set<string>> => {
  const graph = new Map<string, Set<string>>()
  for (const file of files)
    for (const { from } of importsOf(file))
      if (files.includes(from) && nameOf(from) !== nameOf(file))
        graph.set(nameOf(file), (graph.get(nameOf(file)) ?? new Set()).add(nameOf(from)))
  return graph
}

const ofServer = sources.filter((file) => file.startsWith('server/'))

test('the folders of the server import each other in one direction', () => {
  assert.deepEqual(findCircle(graphOf(ofServer, dirname)), undefined)
})

test('files import each other in one direction', () => {
  assert.deepEqual(findCircle(graphOf([...sources, ...pages], (file) => file)), undefined)
})

test('the flow engine needs nothing that a browser lacks', () => {
  const packages = /^(typebox(\/value)?|re2js|libphonenumber-js\/min)$/
  const offences = sources
    .filter((file) => file.startsWith('flow-engine/'))
    .flatMap((file) =>
      [...read(file).matchAll(/from '([^.'][^']*)'/g)]
        .filter(([, name]) => !packages.test(name!))
        .map(([, name]) => `${file} imports ${name}`),
    )
  assert.deepEqual(offences, [])
})

/** The storeys of the server, the lowest first: each may import those below it. */
const STOREYS = ['platform', 'domain', 'inbound', 'console-api', 'api', 'mcp', 'jobs', 'demo', 'process']

test('no layer of the server imports one above it', () => {
  const storeyOf = (file: string): number => STOREYS.indexOf(file.split('/')[1]!)
  const offences = ofServer.flatMap((file) =>
    importsOf(file)
      .filter(({ from }) => from.startsWith('server/') && storeyOf(from) > storeyOf(file))
      .map(({ from }) => `${file} imports ${from}`),
  )
  assert.deepEqual(offences, [])
})

for (const { says, files, mayImport } of RULES)
  test(says, () => {
    const offences = sources
      .filter((file) => files.test(file))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => !mayImport(target, file))
          .map(({ from }) => `${file} imports ${from}`),
      )
    assert.deepEqual(offences, [])
  })

/** Tables that several folders write: the nouns that share one, or the machinery that a table belongs to. */
const THREADS = ['conversations', 'messages', 'deliveries']
const OWNERS: Record<string, string[]> = {
  // An import stores what is past: no operation writes that.
  conversations: [...THREADS, 'imports'],
  messages: [...THREADS, 'imports'],
  email_threads: ['emails', 'imports'],
  email_contents: ['emails', 'imports'],
  attachments: ['attachments', 'imports'],
  note_mentions: ['notes', 'conversations'],
  notes: ['notes', 'imports'],
  tags: ['tags', 'imports'],
  contact_groups: ['contact-groups', 'imports'],
  contact_group_members: ['contact-groups', 'imports'],
  deliveries: THREADS,
  automation_states: ['automation', 'deliveries', 'server/demo'],
  contacts: ['contacts', 'people', 'imports'],
  contact_counts: ['contacts', 'people', 'imports'],
  contact_days: ['contacts'],
  contact_tags: ['contacts', 'people', 'imports'],
  conversation_tags: ['conversations', 'imports'],
  identities: ['contacts', 'people', 'imports'],
  waits: ['conversations', 'messages', 'server/demo'],
  team_members: ['teams', 'team-settings'],
  broadcasts: ['broadcasts', 'recipients'],
  broadcast_recipients: ['broadcasts', 'recipients'],
  flow_runs: ['automation', 'flow-runs', 'people', 'server/demo'],
  events: ['server/platform/events', 'server/platform/live', 'server/jobs'],
  // Adding a removed channel again ends the rule that deletes its conversations.
  retention_rules: ['retention', 'channel-accounts'],
  idempotency_keys: ['server/platform/http', 'server/jobs'],
}

/** Removes a person from whatever table they are in. */
const ERASER = 'erasures'
/** Copies a workspace's rows, whatever they are. */
const MOVER = 'server/process/workspace-move'

test('each table is written by one resource only', () => {
  const writers = new Map<string, Set<string>>()
  for (const file of ofServer) {
    if (nounOf(file) === ERASER || dirname(file) === MOVER) continue
    const owner = nounOf(file) ?? dirname(file)
    const text = read(file)
    const written = text.matchAll(
      /(?:insertInto|updateTable|deleteFrom)\('(\w+)|\b(?:insert into|delete from)\s+(\w+)|\bupdate\s+(\w+)\s+(?:as\s+\w+\s+|\w\s+)?set\b/g,
    )
    for (const [, built, raw, updated] of written) {
      const table = (built ?? raw ?? updated)!
      writers.set(table, (writers.get(table) ?? new Set()).add(owner))
    }
  }
  const shared = [...writers]
    .filter(([table, owners]) =>
      OWNERS[table] ? [...owners].some((owner) => !OWNERS[table]!.includes(owner)) : owners.size > 1,
    )
    .map(([table, owners]) => `${table}: ${[...owners].join(', ')}`)
  assert.deepEqual(shared, [])
})

test('only config.ts, the command line and the tests read the environment', () => {
  const offences = sources.filter(
    (file) => !/^(cli|bench)\/|^server\/process\/config\.ts$/.test(file) && /process\.env\b/.test(read(file)),
  )
  assert.deepEqual(offences, [])
})

test('the console imports nothing of ours but itself, the flow engine, what finds marks, the definitions of channels, the names of models’ protocols, the parser of event streams, and the types of the server’s schemas', () => {
  const offences = globSync('console/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => !/\.test\.ts$/.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter(
          ({ from, isType }) =>
            !from.startsWith('console/') &&
            !from.startsWith('flow-engine/') &&
            !from.startsWith('marks/') &&
            !DEFINITIONS.has(from) &&
            from !== 'models/names.ts' &&
            from !== 'widget/parse-events.ts' &&
            !(isType && /^server\/.*schema\.ts$/.test(from)),
        )
        .map(({ from }) => `${file} imports ${from}`),
    )
  assert.deepEqual(offences, [])
})
