// A cast through `never`, `unknown` or `any` sets the compiler aside.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '..')
const CAST = /^(?!\s*(?:\/\/|\/?\*)).*\bas (?:never|unknown as|any)\b/m

/** Where there is no other way, and why. */
const ALLOWED = {
  'channels/email/collect-parts.ts': 'mailparser does more than its types say',
  'cli/open-database.ts': 'a log that writes nothing is not all of pino',
  'cli/openapi-command.ts': 'an application that only describes itself needs no database',
  'console/screens/flows/forms/field-input.tsx': 'a value at a place that a table of fields names',
  'console/screens/settings/chat-box.tsx': 'a value of the setting that a field names',
  'server/domain/knowledge/sources/extract/parse-html.ts':
    'linkedom and readability have the types of browsers',
  'server/jobs/worker.ts': 'a pair read from a table of jobs',
  'server/platform/db/connection.ts': 'pg has more than its types say',
  'server/platform/db/pool.ts': "Kysely's type of a client asks for more than Kysely calls",
  'server/platform/http/openapi.ts': "the plugin's type of the document is that of all versions",
  'server/platform/queue/queue-pool.ts': 'pg has more than its types say',
  'widget/host-api.ts': 'an event with its data, to a listener of that event',
}

test('no cast sets the compiler aside but where a library or a table leaves no other way', () => {
  const files = globSync('{server,flow-engine,marks,channels,models,console,widget,cli}/**/*.{ts,tsx}', {
    cwd: ROOT,
  })
    .filter((file) => !/\.test\.tsx?$/.test(file) && !file.includes('/testing/'))
    .filter((file) => CAST.test(readFileSync(join(ROOT, file), 'utf8')))
  assert.deepEqual(files.sort(), Object.keys(ALLOWED))
})
