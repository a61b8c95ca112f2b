// What only the Python SDK has: threads, connections that stay open, and types that are read while it runs.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { startApp } from '../test/app.ts'
import { json, serve } from './testing/faulty-server.ts'
import { PYTHON_ENVIRONMENT, WITHOUT_PYTHON } from './testing/python.ts'
import { writeWheel } from './wheel.ts'

const ROOT = resolve(import.meta.dirname, '..')
const skip = WITHOUT_PYTHON
const hasMypy = spawnSync('mypy', ['--version']).status === 0
const hasPip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0

const folder = mkdtempSync(join(tmpdir(), 'foyer-python-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Runs a program that finds the server through its environment. Any warning, such as of an open socket, ends it. */
const python = async (program: string, baseUrl: string, env = {}): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)(
    'python3',
    ['-X', 'dev', '-W', 'error', '-c', program],
    {
      env: { ...PYTHON_ENVIRONMENT, FOYER_URL: baseUrl, FOYER_TOKEN: 'foyer_x\n', ...env },
    },
  )
  assert.equal(stderr, '')
  return stdout
}

test('threads share connections, which stay open until the client is closed', { skip }, async () => {
  const { baseUrl, got, server } = await serve(({ url }, response) =>
    setImmediate(() => json(response, 200, { agent: { id: url!.split('/').at(-1) } })),
  )
  let opened = 0
  const ended: Promise<void>[] = []
  server.on('connection', (socket) => {
    opened += 1
    ended.push(new Promise((done) => socket.once('close', () => done())))
  })
  const told = await python(
    `from concurrent.futures import ThreadPoolExecutor
from foyer_sdk import Foyer, FoyerConnectionError
foyer = Foyer()
ids = [f"c{number}" for number in range(200)]
with ThreadPoolExecutor(8) as threads:
    answers = list(threads.map(lambda id: foyer.agents.get(id)["agent"]["id"], ids))
assert answers == ids, answers
foyer.close()
try:
    foyer.tags.list()
except FoyerConnectionError as error:
    print(error)
Foyer().tags.list()`,
    baseUrl,
  )
  assert.equal(told, 'the client was closed\n')
  assert.equal(got.length, 201)
  assert.ok(opened <= 9, `${opened} connections`)
  await Promise.all(ended)
})

test('a connection that the server has closed meanwhile costs no attempt', { skip }, async () => {
  const { baseUrl, got, server } = await serve(({ url }, response) => {
    response.on('finish', () => url?.endsWith('close') && setImmediate(() => server.closeIdleConnections()))
    json(response, 200, {})
  })
  await python(
    `import select
from foyer_sdk import Foyer
with Foyer(max_retries=0) as foyer:
    for _ in range(3):
        foyer.conversations.close("c1")
        (_, connection), = foyer._client._connections._idle
        select.select([connection.sock], [], [])
        foyer.tags.list()`,
    baseUrl,
  )
  assert.equal(got.length, 6)
})

test('closing the client ends a call that waits in another thread, and a wait between two', {
  skip,
}, async () => {
  const held = await serve(({ url }, response) => {
    if (url?.includes('events')) response.writeHead(200).write(' ')
    else if (url?.includes('tags'))
      json(response, 429, { error: { code: 'RATE_LIMIT_EXCEEDED', message: '' } }, { 'retry-after': '60' })
    else json(response, 200, {}, { 'ratelimit-remaining': '0', 'ratelimit-reset': '60' })
  })
  const told = await python(
    `import threading
from foyer_sdk import Foyer, FoyerConnectionError

def end(work):
    responded = threading.Event()
    foyer = Foyer(pace=True, on_response=lambda _: responded.set(), on_request=lambda *_: asked.release())
    asked = threading.Semaphore(0)
    thread = threading.Thread(target=lambda: report(work, foyer))
    thread.start()
    asked.acquire()
    if work is not follow:
        responded.wait()
    foyer.close()
    thread.join(20)
    assert not thread.is_alive()

def report(work, foyer):
    try:
        work(foyer)
        print("ended")
    except FoyerConnectionError as error:
        print(error)

def follow(foyer):
    for _ in foyer.events.follow():
        pass

def refused(foyer):
    foyer.tags.list()

def paced(foyer):
    foyer.conversations.close("c1")
    foyer.conversations.close("c1")

for work in follow, refused, paced:
    end(work)`,
    held.baseUrl,
  )
  assert.equal(told, 'ended\nthe client was closed\nthe client was closed\n')
  assert.equal(held.got.filter(({ url }) => url.endsWith('/close')).length, 1)
})

test('a process that was forked has connections of its own', { skip }, async () => {
  const { baseUrl, got } = await serve(({ url }, response) =>
    json(response, 200, { agent: { id: url!.split('/').at(-1) } }),
  )
  await python(
    `import os
from foyer_sdk import Foyer
foyer = Foyer()
foyer.agents.get("before")
child = os.fork()
for number in range(50):
    id = f"{child == 0}{number}"
    assert foyer.agents.get(id)["agent"]["id"] == id
if child:
    assert os.waitpid(child, 0)[1] == 0
foyer.close()`,
    baseUrl,
  )
  assert.equal(got.length, 101)
})

test('what can’t work is said when the client is made', { skip }, async () => {
  const told = await python(
    `from foyer_sdk import Foyer
for token, base_url in ("", "http://x"), ("foyer_…", "http://x"), ("x", ""), ("x", "inbox.example.com"), ("x", "ftp://x"):
    try:
        Foyer(token=token, base_url=base_url)
    except ValueError as error:
        print(error)`,
    '',
    { FOYER_TOKEN: '' },
  )
  assert.deepEqual(told.trim().split('\n'), [
    'Pass token, or set FOYER_TOKEN.',
    'The token contains characters that no token has.',
    'Pass base_url, or set FOYER_URL.',
    'base_url must begin with http:// or https://',
    'base_url must begin with http:// or https://',
  ])
})

test('every type can be read while a program runs, on this Python', { skip }, async () => {
  const told = await python(
    `import inspect, typing
import foyer_sdk
from foyer_sdk import types
from foyer_sdk.generated import resources
count = 0
for module in foyer_sdk, types, resources:
    for owner in vars(module).values():
        if inspect.isclass(owner) and owner.__module__.startswith("foyer_sdk"):
            for one in owner, *filter(inspect.isfunction, vars(owner).values()):
                count += len(typing.get_type_hints(one))
print(count)`,
    '',
  )
  assert.ok(Number(told) > 2_000, told)
})

test('mypy --strict has nothing to say', {
  skip: skip || (!hasMypy && 'mypy is not installed'),
}, async () => {
  const options = ['--strict', '--cache-dir', join(folder, 'mypy'), 'foyer_sdk']
  await promisify(execFile)('mypy', options, { cwd: join(ROOT, 'sdk/python') }).catch(({ stdout }) => {
    throw new Error(stdout)
  })
})

test('the server serves a package that pip installs without another', { skip }, async () => {
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'sdk/typescript/package.json'), 'utf8'))
  const about = { name, version, description: 'The SDK.', python: '>=3.9' }
  const wheels = ['one', 'two'].map((output) => {
    mkdirSync(join(folder, output))
    return join(folder, output, writeWheel(join(ROOT, 'sdk/python'), about, join(folder, output)))
  })
  const { app, make } = await startApp()
  const baseUrl = await app.listen({ host: '127.0.0.1', port: 0 })
  const served = join('sdk', basename(wheels[0]!))
  mkdirSync(join(ROOT, 'dist/sdk'), { recursive: true })
  if (!existsSync(join(ROOT, 'dist', served))) cpSync(wheels[0]!, join(ROOT, 'dist', served))
  const response = await fetch(`${baseUrl}/${served}`)
  // Its name has the version, which these texts repeat.
  for (const text of ['docs/guide/sdk.md', 'sdk/python/README.md'])
    assert.ok(readFileSync(join(ROOT, text), 'utf8').includes(`/${served}\n`), text)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-type'), 'application/zip')
  const target = join(folder, 'installed')
  const install = hasPip
    ? [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--no-index',
        '--no-deps',
        '--root-user-action=ignore',
        '--target',
        target,
        wheels[0]!,
      ]
    : ['-m', 'zipfile', '-e', wheels[0]!, target]
  await promisify(execFile)('python3', install, {
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
  })
  const { token } = await make.workspace({ name: 'Northwind Bikes' })
  const told = await python(
    `import base64, csv, hashlib, io, zipfile
from pathlib import Path
from foyer_sdk import Foyer
with Foyer() as foyer:
    print(foyer.token.verify()["company"]["name"])
    path = Path(${JSON.stringify(folder)}, 'Grüße.txt')
    path.write_text("Hello")
    with path.open("rb") as file:
        uploaded = foyer.attachments.create(file=file)["attachment"]
    print(uploaded["name"], uploaded["mimeType"], uploaded["size"])
one, two = (zipfile.ZipFile(path) for path in ${JSON.stringify(wheels)})
with one, two:
    assert one.testzip() is None
    assert Path(one.filename).read_bytes() == Path(two.filename).read_bytes()
    record = next(path for path in one.namelist() if path.endswith("RECORD"))
    rows = list(csv.reader(io.StringIO(one.read(record).decode())))
    assert sorted(row[0] for row in rows) == sorted(one.namelist())
    for path, hashed, size in rows:
        content = one.read(path)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        assert path == record or (hashed, size) == ("sha256=" + digest, str(len(content))), path
    assert b"License: UNLICENSED" in one.read(record.replace("RECORD", "METADATA"))`,
    baseUrl,
    { FOYER_TOKEN: token, PYTHONPATH: target },
  )
  assert.equal(told, 'Northwind Bikes\nGrüße.txt text/plain 5\n')
})
