import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const ROOT = resolve(import.meta.dirname, '..')

/** Each takes a tenth of the start and more, and is loaded when it is first used. */
const LATER = [
  '@modelcontextprotocol',
  '@mozilla/readability',
  // The API alone is loaded by prom-client.
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/sdk-trace-base',
  '@simplewebauthn/server',
  '@fastify/swagger',
  'graphile-worker',
  'imapflow',
  'linkedom',
  'mammoth',
  'ioredis',
  'jose',
  'mailparser',
  'marked',
  // The sandbox's mail server needs other parts of the same library.
  'nodemailer/dist/esm/smtp-pool',
  'oauth4webapi',
  'openid-client',
  'sanitize-html',
  'typebox/build/compile',
  'unpdf',
  'web-push',
]

/** Our own that only a workspace with a model needs. */
const OURS_LATER = [
  'models/chat-completions',
  'models/responses',
  'models/messages',
  'models/protocol',
  'sandbox/model/brains',
]

/** Imports files and prints what was loaded for them. */
const program = (files: string[]) => `
  import { registerHooks } from 'node:module'
  const loaded = []
  registerHooks({
    load(url, context, next) {
      loaded.push(url)
      return next(url, context)
    },
  })
  for (const file of ${JSON.stringify(files)}) await import(file)
  // Ending before everything is written would lose the end of a long list.
  process.stdout.write(JSON.stringify(loaded), () => process.exit())`

test('the server and its demo start without what only some later request needs', async () => {
  const files = ['server/process/serve.ts', 'server/demo/demo.ts'].map((file) => resolve(ROOT, file))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', program(files)],
    { cwd: ROOT, maxBuffer: 16 * 1024 * 1024 },
  )
  const loaded: string[] = JSON.parse(stdout)
  assert.ok(loaded.some((url) => url.endsWith('/server/process/app.ts')))
  assert.deepEqual(
    LATER.filter((name) => loaded.some((url) => url.includes(`/node_modules/${name}/`))),
    [],
  )
  assert.deepEqual(
    OURS_LATER.filter((folder) => loaded.some((url) => url.startsWith(`${pathToFileURL(ROOT)}/${folder}/`))),
    [],
  )
})
