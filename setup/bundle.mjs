// Puts the program, which is a thousand files with its libraries four thousand, into a few that load in a third of the
// time. Into dist/program, or the folder that is given: one folder for each build, because a server that runs may load
// more from its own later; and foyer.js, which loads the newest.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { keepLines } from './line-map.mjs'

const root = resolve(import.meta.dirname, '..')
const output = resolve(process.argv[2] ?? join(root, 'dist/program'))
const entry = join(output, 'foyer.js')
/** Each build's folder is as deep as this one. */
const anyBuild = join(output, 'build')

/** What runs in a thread of its own, and so must not load the program. */
const threads = [
  'channels/email/parse-worker.ts',
  'server/domain/flows/engine-worker.ts',
  'server/domain/knowledge/sources/extract/extract-worker.ts',
]

/** Each with what it imports, unless one before has that already. What is imported later comes in files of its own. */
const parts = [
  { name: 'start', test: /\/(cli\/serve|server\/process\/main)\.ts$/ },
  { name: 'server', test: /\/server\/process\/serve\.ts$/ },
  { name: 'jobs', test: /\/server\/jobs\/worker\.ts$/ },
  { name: 'demo', test: /\/server\/demo\/demo\.ts$/ },
]

/** These look for files beside themselves, in functions that we don't use or that do without. */
const lookBeside = new Set([
  '@fastify/swagger',
  'cosmiconfig',
  'import-fresh',
  'ioredis',
  'parent-module',
  'pino',
  'thread-stream',
  'undici',
])

const packageOf = (id) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]
const threadName = (file) => `${file.split('/').at(-1).replace(/\.ts$/, '')}.js`
const linesOf = (code) => `AAAA${';AACA'.repeat(code.split('\n').length - 1)}`

/** Our own code finds files from where it was written, and threads where they are now. */
const keepPlaces = {
  name: 'keep-places',
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: /import\.meta\.(url|dirname)/ },
    handler(code, id) {
      const place = relative(anyBuild, id)
      const moved = code.replace(
        /new URL\('([^']+\.ts)', import\.meta\.url\)|import\.meta\.(url|dirname)/g,
        (_, module, what) => {
          if (what === 'url') return `new URL('${place}', import.meta.url).href`
          if (what === 'dirname') return `(import.meta.dirname + '/${dirname(place)}')`
          const file = relative(root, join(dirname(id), module))
          if (!threads.includes(file)) this.error(`${file} is missing among the threads of setup/bundle.mjs`)
          return `new URL('./${threadName(file)}', import.meta.url)`
        },
      )
      // No line moves, and keepLines forgets the columns.
      return { code: moved, map: { version: 3, sources: [id], names: [], mappings: linesOf(code) } }
    },
  },
}

const checkLibraries = {
  name: 'check-libraries',
  transform: {
    filter: { id: /node_modules/, code: /\b__(dirname|filename)\b/ },
    handler(_, id) {
      if (!lookBeside.has(packageOf(id)))
        this.error(`${packageOf(id)} looks for files beside itself, which are not beside a bundle`)
    },
  },
}

const bundle = async (input, prefix, groups) => {
  const build = await rolldown({
    input,
    cwd: root,
    platform: 'node',
    plugins: [keepPlaces, checkLibraries],
    // Its other form loads its parts by names that can't be followed.
    resolve: { alias: { 'jsonc-parser': join(root, 'node_modules/jsonc-parser/lib/esm/main.js') } },
    checks: { ineffectiveDynamicImport: false },
    onLog: (level, log, report) => {
      if (level === 'warn') throw new Error(log.message)
      report(level, log)
    },
  })
  const { output: files } = await build.generate({
    dir: anyBuild,
    format: 'esm',
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    entryFileNames: '[name].js',
    chunkFileNames: `${prefix}-[name].js`,
    ...(groups && { codeSplitting: { groups } }),
  })
  await build.close()
  return files.filter(({ type }) => type === 'chunk')
}

/** Text of ASCII only takes half the memory, as a name in another script anywhere doubles the rest. */
const toAscii = (code) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with it
  code.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const files = [
  ...(await bundle({ command: join(root, 'cli/main.ts') }, 'foyer', [
    { name: 'command', test: /\/cli\/main\.ts$/, priority: 1 },
    ...parts.map((part, index) => ({ ...part, priority: -index })),
  ])),
  ...(await bundle(
    Object.fromEntries(threads.map((file) => [threadName(file).slice(0, -3), join(root, file)])),
    'thread',
  )),
]
const texts = new Map()
for (const { fileName, code, map } of files) {
  const lines =
    map && keepLines(map, (source) => resolve(anyBuild, source).startsWith(join(root, 'node_modules')))
  texts.set(fileName, toAscii(code))
  if (lines) texts.set(`${fileName}.map`, JSON.stringify(lines))
}

const digest = createHash('sha256')
for (const [name, text] of texts) digest.update(`${name}\0${text}\0`)
const name = digest.digest('hex').slice(0, 12)
const former = existsSync(entry) ? /'\.\/([0-9a-f]+)\//.exec(readFileSync(entry, 'utf8'))?.[1] : undefined
mkdirSync(join(output, name), { recursive: true })
for (const [file, text] of texts) writeFileSync(join(output, name, file), text)
writeFileSync(
  `${entry}.new`,
  `import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
// Where it can't be written, nothing is lost.
enableCompileCache(join(import.meta.dirname, '${name}/compiled'))
const { main } = await import('./${name}/command.js')
await main(process.argv.slice(2))
`,
)
renameSync(`${entry}.new`, entry)
// Compiled once, so that a first start is as quick and as small as later ones; if that fails, it compiles.
spawnSync(process.execPath, [entry, 'openapi'], { stdio: 'ignore' })
for (const found of readdirSync(output, { withFileTypes: true }))
  if (found.isDirectory() && found.name !== name && found.name !== former)
    rmSync(join(output, found.name), { recursive: true })
