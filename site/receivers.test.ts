// The guide to webhooks has receivers that need no SDK: the signatures of a server are accepted, everything else is not.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { WITHOUT_PYTHON } from '../sdk/testing/python.ts'

const ROOT = resolve(import.meta.dirname, '..')

/** How the programs of the guide are started, on a port of their own that they print. */
const RECEIVERS = [
  {
    language: 'js',
    skip: false as const,
    command: [process.execPath, '--input-type=module', '--eval'],
    anyPort: (code: string) =>
      code.replace(
        '.listen(4000)',
        ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
      ),
  },
  {
    language: 'python',
    skip: WITHOUT_PYTHON,
    command: ['python3', '-u', '-c'],
    anyPort: (code: string) =>
      code.replace(
        'ThreadingHTTPServer(("", 4000), Receiver).serve_forever()',
        'server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver); print(server.server_port); server.serve_forever()',
      ),
  },
]

for (const { language, skip, command, anyPort } of RECEIVERS)
  test(`the guide’s ${language} program verifies webhooks without an SDK`, { skip }, async (t) => {
    const guide = readFileSync(join(ROOT, 'docs/guide/webhooks.md'), 'utf8')
    const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))]
    const code = blocks.map(([, block]) => block!).find((block) => block.includes('4000'))
    assert.ok(code)
    const secrets = [1, 2].map(() => `whsec_${randomBytes(32).toString('base64')}`)
    const [program, ...options] = command
    const child = spawn(program!, [...options, anyPort(code)], {
      env: { ...process.env, FOYER_WEBHOOK_SECRET: secrets[0] },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => child.kill())
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const url = `http://127.0.0.1:${(await lines.next()).value}/`
    const body = JSON.stringify({ type: 'message.created', data: { body: 'Grüße 👋' } })
    const send = async (changes: Record<string, string> = {}, sent = body, at = new Date()) => {
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        // While the secret is rotated, as the server sends it.
        'webhook-signature': secrets
          .toReversed()
          .map((secret) => new Webhook(secret).sign('msg_1', at, body))
          .join(' '),
        ...changes,
      }
      return (await fetch(url, { method: 'POST', headers, body: sent })).status
    }
    assert.equal(await send(), 204)
    assert.equal((await lines.next()).value, 'message.created')
    assert.equal(await send({}, `${body} `), 400)
    assert.equal(await send({}, JSON.stringify(JSON.parse(body), null, 2)), 400)
    assert.equal(await send({ 'webhook-id': 'msg_2' }), 400)
    assert.equal(await send({ 'webhook-signature': 'v1,é v1, x' }), 400)
    assert.equal(await send({ 'webhook-timestamp': 'now' }), 400)
    for (const seconds of [-310, 310])
      assert.equal(await send({}, body, new Date(Date.now() + seconds * 1_000)), 400)
    assert.equal(
      await send({ 'webhook-signature': new Webhook(secrets[1]!).sign('msg_1', new Date(), body) }),
      400,
    )
  })
