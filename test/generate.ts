// `npm run generate`: writes openapi.json, schema.sql, docs/errors.md and the generated halves of the SDKs. Runs under test/run.ts, which provides the
// database.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { artefacts } from './artefacts.ts'
import { makeDatabase } from './database.ts'

const ROOT = resolve(import.meta.dirname, '..')
const database = await makeDatabase()
for (const [name, content] of Object.entries(await artefacts(database.connectionString))) {
  mkdirSync(dirname(resolve(ROOT, name)), { recursive: true })
  writeFileSync(resolve(ROOT, name), content)
}
await database.drop()
