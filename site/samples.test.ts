// The samples of all operations, run against a server. Ids that exist take the place of those in the pages.
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { type Operation, operationsOf } from '../sdk/generator/operations.ts'
import { PYTHON_ENVIRONMENT, WITHOUT_PYTHON } from '../sdk/testing/python.ts'
import { startApp } from '../test/app.ts'
import { FILE_NAME, makeWorld, OPERATIONS } from '../test/operations.ts'
import {
  type Call,
  curlSample,
  pythonClient,
  pythonSample,
  typescriptClient,
  typescriptSample,
} from './samples.ts'

const ROOT = resolve(import.meta.dirname, '..')
const run = promisify(execFile)
const runPython = (name: string) =>
  run('python3', [join(import.meta.dirname, 'testing', name)], { cwd: folder, env: PYTHON_ENVIRONMENT })
const folder = mkdtempSync(join(tmpdir(), 'foyer-samples-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const app = await startApp()
const url = await app.app.listen({ host: '127.0.0.1', port: 0 })
const operations = operationsOf(JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')))

symlinkSync(join(ROOT, 'sdk/typescript/src'), join(folder, 'sdk'))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')

/** The call of the operations' table, as a sample takes it. */
const callOf = (
  { path, query }: Operation,
  { path: given, body }: { path: string; body?: unknown },
): Call => {
  const [place = '', search = ''] = given.split('?')
  const names = path.split('/')
  const ids = place
    .split('/')
    .flatMap((part, index) => (names[index]?.startsWith('{') ? [[names[index].slice(1, -1), part]] : []))
  const types = query?.properties ?? {}
  const values = [...new URLSearchParams(search)].map(([name, value]) => [
    name,
    types[name]?.type === 'boolean'
      ? value === 'true'
      : types[name]?.type === 'integer'
        ? Number(value)
        : value,
  ])
  return {
    ids: Object.fromEntries(ids),
    query: Object.fromEntries(values),
    ...(body !== undefined && { body: body instanceof FormData ? namesOf(body) : body }),
  }
}

const namesOf = (form: FormData): Record<string, string> =>
  Object.fromEntries([...form].map(([field, file]) => [field, (file as File).name]))

/** In a world of its own for each operation, since samples change things. */
const prepare = async (language: string) =>
  Promise.all(
    operations.map(async (operation) => {
      const world = await makeWorld(app, `${language}-${operation.id.toLowerCase()}`)
      return {
        operation,
        token: world.workspace.token,
        call: callOf(operation, OPERATIONS[operation.id]!.success(world)),
      }
    }),
  )

test('in curl', async () => {
  const lines = (await prepare('curl')).map(
    ({ operation, token, call }) =>
      `FOYER_TOKEN=${token}\n${curlSample(operation, call, url).replace('curl ', 'curl --silent --show-error --fail-with-body ')} > /dev/null || { echo "${operation.id}"; exit 1; }`,
  )
  writeFileSync(join(folder, FILE_NAME), 'Open from 9 to 5.')
  writeFileSync(join(folder, 'samples.sh'), lines.join('\n\n'))
  await run('bash', ['samples.sh'], { cwd: folder })
})

test('in TypeScript', async () => {
  const files = (await prepare('ts')).map(({ operation, token, call }) => {
    const code = `${typescriptClient(url)}\n\n${typescriptSample(operation, call)}\n`
      .replace("'foyer-sdk'", "'./sdk/index.ts'")
      .replaceAll('console.log', 'void ')
    const name = `${operation.id}.ts`
    writeFileSync(join(folder, name), code)
    return { name, token }
  })
  writeFileSync(
    join(folder, 'all.ts'),
    files
      .map(
        ({ name, token }) =>
          `process.env.FOYER_TOKEN = '${token}'\ntry { await import('./${name}') } catch (cause) { throw new Error('${name}', { cause }) }`,
      )
      .join('\n'),
  )
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await run(process.execPath, ['--preserve-symlinks', 'all.ts'], { cwd: folder })
})

test('in Python', { skip: WITHOUT_PYTHON }, async () => {
  const samples = (await prepare('py')).map(({ operation, token, call }) => ({
    id: operation.id,
    token,
    code: `${pythonClient(url)}\n\n${pythonSample(operation, call)}\nfoyer.close()\n`,
  }))
  writeFileSync(join(folder, 'samples.json'), JSON.stringify(samples))
  await runPython('run_samples.py')
})
