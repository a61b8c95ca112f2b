// The shape of the repository, held by machine: who may import what, and that each table is written in one place.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')

const sources = globSync('{server,channels,cli,widget,sandbox,bench}/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
  .sort()

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

const resourceOf = (file: string): string | undefined => /^server\/resources\/([^/]+)\//.exec(file)?.[1]

type Rule = { says: string; files: RegExp; mayImport: (target: Import, file: string) => boolean }

const RULES: Rule[] = [
  {
    says: 'a schema imports schemas, the lists of values in db/tables.ts, and the bounds of pages',
    files: /^server\/resources\/.*schema\.ts$/,
    mayImport: ({ from }) =>
      /schema\.ts$/.test(from) || from === 'server/db/tables.ts' || from === 'server/http/pagination.ts',
  },
  {
    says: 'queries know nothing of HTTP or channels',
    files: /^server\/resources\/.*queries\.ts$/,
    mayImport: ({ from, isType }) =>
      /^server\/(ctx|errors|seal|files\/links)\.ts$|^server\/(db|resources)\//.test(from) ||
      isType ||
      from === 'server/http/pagination.ts',
  },
  {
    says: 'an operation knows nothing of HTTP, but for cursors',
    files: /^server\/resources\/(?!.*(routes|schema)\.ts$)/,
    mayImport: ({ from, isType }) =>
      isType || !from.startsWith('server/http/') || /pagination|authenticate/.test(from),
  },
  {
    says: 'a channel knows nothing of the server',
    files: /^channels\//,
    mayImport: ({ from }) => from.startsWith('channels/'),
  },
  {
    says: 'the server meets a channel only through its contract; main.ts and the command line bring the table',
    files: /^server\//,
    mayImport: ({ from }, file) =>
      !from.startsWith('channels/') || from === 'channels/channel.ts' || file === 'server/main.ts',
  },
  {
    says: 'the demo alone knows the sandbox, in one place',
    files: /^(server|channels|cli|widget)\//,
    mayImport: ({ from }, file) => !from.startsWith('sandbox/') || file === 'server/demo/sandbox.ts',
  },
  {
    says: 'nobody but the command line imports the command line',
    files: /^(server|channels|widget|sandbox)\//,
    mayImport: ({ from }) => !from.startsWith('cli/'),
  },
  {
    says: 'the widget and the sandbox stand alone',
    files: /^(widget|sandbox)\//,
    mayImport: ({ from }, file) => from.split('/')[0] === file.split('/')[0],
  },
]

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

/** Tables written outside resources/, and by whom. */
const OWNERS: Record<string, string[]> = {
  events: ['server/events', 'server/jobs'],
  idempotency_keys: ['server/http', 'server/jobs'],
  // The last use of a token is noted where the token is met.
  api_tokens: ['tokens', 'server/http'],
}

test('each table is written by one resource only', () => {
  const writers = new Map<string, Set<string>>()
  for (const file of sources.filter((file) => file.startsWith('server/'))) {
    const owner = resourceOf(file) ?? dirname(file)
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
    (file) => !/^(cli|bench)\/|^server\/config\.ts$/.test(file) && /process\.env\b/.test(read(file)),
  )
  assert.deepEqual(offences, [])
})

test('the console imports nothing of ours but itself, and the types of the server’s schemas', () => {
  const offences = globSync('console/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => !/\.test\.ts$/.test(file))
    .flatMap((file) =>
      importsOf(file)
        .filter(
          ({ from, isType }) =>
            !from.startsWith('console/') && !(isType && /^server\/.*schema\.ts$/.test(from)),
        )
        .map(({ from }) => `${file} imports ${from}`),
    )
  assert.deepEqual(offences, [])
})
