// The code in the guides: all of it compiles, and what is complete is run against a server, as it stands there. Ids and
// addresses that exist take the place of those in the text.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { PYTHON_ENVIRONMENT, WITHOUT_PYTHON } from '../sdk/testing/python.ts'
import { startApp } from '../test/app.ts'
import { makeWorld, type World } from '../test/operations.ts'
import { EXAMPLE_URL } from './page.ts'

const ROOT = resolve(import.meta.dirname, '..')
/** Of which only the types are checked here. */
const NOT_RUN: Record<string, string> = {
  events: 'it follows the feed without an end',
  webhooks: 'it receives requests: see receivers.test.ts',
}

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'foyer-guides-'))
after(() => rmSync(folder, { recursive: true, force: true }))
symlinkSync(join(ROOT, 'sdk/typescript/src'), join(folder, 'sdk'))
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
writeFileSync(join(folder, 'invoice.pdf'), '%PDF-1.4')

const app = await startApp()
const url = await app.app.listen({ host: '127.0.0.1', port: 0 })

type Language = 'bash' | 'ts' | 'python'

const guides = globSync('docs/guide/*.md', { cwd: ROOT })
  .sort()
  .map((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8')
    const blocks = (language: Language): string[] =>
      [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, block]) => block!)
    return { name: basename(file, '.md'), blocks }
  })

/** With what the guides say that there is: a customer, and people in Germany to write to. */
const makeGuideWorld = async (name: string): Promise<World> => {
  const world = await makeWorld(app, name)
  const { id } = world.workspace
  await app.make.channelAccount(id, 'email', { settings: { address: `support@${name}.example` } })
  await app.make.contact(id, { name: 'Ada', email: 'customer@example.com' })
  const german = await app.make.contact(id, { name: 'Ines Rossi', phone: '+4930123456', countryIso: 'DE' })
  const place = { contactId: german.id, channel: 'whatsapp', channelAccountId: world.whatsapp } as const
  await app.make.conversation(id, place)
  await app.db
    .insertInto('contact_tags')
    .values({ workspace_id: id, contact_id: german.id, tag_id: world.tagId })
    .execute()
  return world
}

/** The id that stands behind a path's noun. */
const idOf = (world: World, noun: string): string => {
  const ids: Record<string, string> = {
    conversations: world.conversation.id,
    contacts: world.contact.id,
    'webhook-endpoints': world.endpointId,
  }
  const id = ids[noun]
  assert.ok(id, `no id for /${noun}/$ID`)
  return id
}

const filledIn = (code: string, world: World): string =>
  code
    .replaceAll(EXAMPLE_URL, url)
    .replaceAll('c…', world.tagId)
    .replaceAll(/\/([a-z-]+)\/\$ID\b/g, (_, noun) => `/${noun}/${idOf(world, noun)}`)

/** What a reader fills in, such as ID=…, is known. */
const withoutPlaceholders = (code: string): string => code.replaceAll(/^(export )?\w+=\S*…[^\n]*\n/gm, '')

for (const { name, blocks } of guides) {
  const calls = blocks('bash').filter((block) => block.includes('curl '))
  if (calls.length > 0)
    test(`curl in the guide ${name} does what it says`, async () => {
      const world = await makeGuideWorld(`curl-${name}`)
      const code = filledIn(withoutPlaceholders(calls.join('\n')), world)
      assert.doesNotMatch(code, /…|\$ID/)
      const strict = 'set -e\ncurl() { command curl --silent --show-error --fail-with-body "$@"; echo; }\n'
      const env = { ...process.env, FOYER_TOKEN: world.workspace.token }
      await run('bash', ['-c', strict + code], { cwd: folder, env }).catch(({ stdout, stderr }) => {
        throw new Error(`${stderr}\n${stdout}`)
      })
    })
}

/** The programs of the guides, each with its own world. */
const programsOf = (language: 'ts' | 'python') =>
  Promise.all(
    guides
      .filter(({ name, blocks }) => !(name in NOT_RUN) && blocks(language).length > 0)
      .map(async ({ name, blocks }) => {
        const world = await makeGuideWorld(`${language}-${name}`)
        return { name, token: world.workspace.token, code: filledIn(blocks(language).join('\n'), world) }
      }),
  )

test('TypeScript in the guides does what it says', async () => {
  const programs = await programsOf('ts')
  for (const { name, token, code } of programs)
    writeFileSync(
      join(folder, `run-${name}.ts`),
      code
        .replace("'foyer-sdk'", "'./sdk/index.ts'")
        .replaceAll('new Foyer({', `new Foyer({ token: '${token}',`),
    )
  writeFileSync(
    join(folder, 'all.ts'),
    `await Promise.all(${JSON.stringify(programs.map(({ name }) => name))}.map((name) =>
      import(\`./run-\${name}.ts\`).catch((cause) => { throw new Error(name, { cause }) })))`,
  )
  await run(process.execPath, ['--preserve-symlinks', 'all.ts'], { cwd: folder })
})

test('Python in the guides does what it says', { skip: WITHOUT_PYTHON }, async () => {
  const programs = (await programsOf('python')).map(({ name, token, code }) => ({
    id: name,
    code: code.replaceAll(/\bFoyer\(\s*base_url/g, `Foyer(token="${token}", base_url`),
  }))
  writeFileSync(join(folder, 'programs.json'), JSON.stringify(programs))
  await run('python3', [join(import.meta.dirname, 'testing/run_guides.py')], {
    cwd: folder,
    env: PYTHON_ENVIRONMENT,
  })
})

test('every guide that calls with one SDK calls with the other', () => {
  for (const { name, blocks } of guides)
    assert.equal(blocks('ts').length > 0, blocks('python').length > 0, name)
})

test('Python in the guides compiles, and calls what there is', { skip: WITHOUT_PYTHON }, async () => {
  writeFileSync(join(folder, 'guides.json'), JSON.stringify(guides.flatMap(({ blocks }) => blocks('python'))))
  const check = join(import.meta.dirname, 'testing/check_guides.py')
  const { stdout } = await run('python3', [check], { cwd: folder, env: PYTHON_ENVIRONMENT })
  assert.ok(Number(stdout) > 30, stdout)
})

test('TypeScript in the guides compiles', async () => {
  const names = guides.map(({ name, blocks }) => {
    const code = blocks('ts').join('\n').replace("'foyer-sdk'", "'./sdk/index.ts'")
    writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {}\n`)
    return `${name}.ts`
  })
  const options =
    '--noEmit --strict --module nodenext --target es2022 --lib es2023,dom --allowImportingTsExtensions --types'
  await run(
    join(ROOT, 'node_modules/.bin/tsc'),
    [
      ...options.split(' '),
      'node',
      '--typeRoots',
      join(ROOT, 'node_modules/@types'),
      '--preserveSymlinks',
      ...names,
    ],
    { cwd: folder },
  ).catch(({ stdout }) => {
    throw new Error(stdout)
  })
})
