// The first five minutes: everything that the demo prints is correct and works as printed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, type Env, serve, temporaryDirectory, until } from './foyer.ts'

const env = { DATA_DIR: temporaryDirectory(), DEMO: 'on', RATE_LIMITS: 'on' }
let secret = ''
/** Customers of the demo's conversations of the last days, and how many of those are open. */
const CUSTOMERS = 8
const OPEN = 6

/** The banner is printed after the line that says it is serving. */
const greetingOf = (foyer: { output: () => string }) =>
  until('the greeting', () => foyer.output().includes('Ctrl-C') && foyer.output())

test('the first start shows a token once, with a curl command that lists conversations', async () => {
  const foyer = await serve(env)
  const output = await greetingOf(foyer)
  const curl = /curl -s -H '(Authorization: Bearer (foyer_[\w-]{43}))' (http\S+)$/m.exec(output)
  assert.ok(curl, output)
  const [, header, token, url] = curl as unknown as [string, string, string, string]
  secret = token
  assert.equal(output.split(secret).length, 3, 'on its own line and in the curl line')
  const [name, value] = header.split(': ') as [string, string]
  const response = await fetch(url, { headers: { [name]: value } })
  assert.equal(response.status, 200)
  const { conversations } = (await response.json()) as { conversations: { status: string }[] }
  assert.equal(conversations.filter(({ status }) => status === 'open').length, OPEN)
  assert.ok(conversations.length > CUSTOMERS, 'and eight weeks before')

  for (const page of ['/demo', '/docs', '/docs/', '/api/v1/openapi.json', '/widget.js']) {
    const { status } = await call(foyer.url, null, 'GET', page)
    assert.equal(status, 200, page)
  }
  const sandbox = /^ +Sandbox +(http\S+\/sandbox\/\?key=[\w-]{43}) /m.exec(output)
  assert.ok(sandbox, output)
  const opened = await fetch(sandbox[1]!, { redirect: 'manual' })
  assert.equal(opened.status, 303)
  assert.match(
    opened.headers.get('set-cookie')!,
    /^foyer_sandbox=[\w-]{43}; Path=\/sandbox; HttpOnly; SameSite=Strict/,
  )
  const { body } = await call(foyer.url, secret, 'GET', '/api/v1/contacts')
  assert.ok(body.total > 5 * CUSTOMERS, `${body.total} contacts`)
  for (const contact of body.contacts) assert.ok(contact.conversationCount > 0)

  const { body: about } = await call(foyer.url, secret, 'GET', '/api/v1/flow-runs')
  assert.deepEqual(
    about.runs.map(({ status, endReason }: Record<string, string>) => `${status}: ${endReason}`),
    ['completed: finished', 'completed: assigned_to_ai'],
    'one customer has met two of the flows',
  )
  const { conversationId } = about.runs[0]
  const thread = await call(foyer.url, secret, 'GET', `/api/v1/conversations/${conversationId}/messages`)
  const answers = thread.body.messages.filter(
    ({ sender }: { sender: { role: string } }) => sender.role === 'ai',
  )
  assert.equal(answers.length, 1, 'and the AI agent')
  assert.match(answers[0].body, /We wrap gifts in printed tissue/)

  const link = /^ +(http\S+)\/sign-in#([\w-]{43})$/m.exec(output)
  assert.ok(link, output)
  const signIn = () =>
    fetch(`${link[1]}/console/api/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-foyer-console': '1' },
      body: JSON.stringify({ secret: link[2] }),
    })
  const signedIn = await signIn()
  const session = (await signedIn.json()) as {
    sandboxUrl: string
    workspaces: { id: string; role: string }[]
  }
  assert.deepEqual([session.sandboxUrl, session.workspaces[0]?.role], [sandbox[1], 'admin'])
  assert.equal((await signIn()).status, 401)

  // Flows find business hours and an action of the sandbox's shop.
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const asAdmin = async (path: string, payload?: object) => {
    const response = await fetch(`${foyer.url}/console/api/workspaces/${session.workspaces[0]!.id}${path}`, {
      method: payload ? 'POST' : 'GET',
      headers: { cookie, 'x-foyer-console': '1', ...(payload && { 'content-type': 'application/json' }) },
      ...(payload && { body: JSON.stringify(payload) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: answers of three shapes
    return (await response.json()) as any
  }
  assert.equal((await asAdmin('/business-hours')).businessHours[0].isDefault, true)

  // A newcomer's first look at reports: figures of each week, and none of today that are of another day.
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const report = await asAdmin(`/reports?from=${day(27)}&to=${day(0)}`)
  assert.deepEqual([report.pendingDays, report.before.totals.conversations > 20], [0, true])
  for (const week of [0, 7, 14, 21]) {
    const days = report.days.slice(week, week + 7)
    const sum = (name: string) =>
      days.reduce((all: number, one: Record<string, number>) => all + one[name]!, 0)
    assert.ok(sum('conversations') > 2 && sum('person') > 2 && sum('closed') > 1, `week from day ${week}`)
  }
  const busiest = Math.max(...report.days.map(({ inbound }: { inbound: number }) => inbound))
  assert.ok(busiest < report.totals.inbound / 4, `${busiest} of ${report.totals.inbound} messages on one day`)
  const { firstGoal, rating } = report.totals
  assert.ok(firstGoal.met > firstGoal.missed && firstGoal.missed > 0 && rating.count > 5)
  assert.equal(report.people.length, 2)
  const [action] = (await asAdmin('/actions')).actions
  const tried = await asAdmin(`/actions/${action.id}/try`, { parameters: { number: '1215' } })
  assert.deepEqual([tried.outcome, tried.kept.status], ['done', 'on its way'], JSON.stringify(tried))
  assert.equal((await foyer.stop('SIGINT')).code, 0)
})

test('a later start keeps the demo, shows no token, and says how to create another', async () => {
  const foyer = await serve(env)
  const output = await greetingOf(foyer)
  assert.doesNotMatch(output, /foyer_[\w-]{20}/)
  assert.match(output, /\.\/foyer token create --workspace c\w{24} --name '/)
  assert.match(output, /\/sign-in#[\w-]{43}$/m)
  const { body } = await call(foyer.url, secret, 'GET', '/api/v1/conversations')
  assert.equal(body.conversations.filter(({ status }: { status: string }) => status === 'open').length, OPEN)
  assert.equal((await call(foyer.url, null, 'GET', '/demo')).status, 200)
  await foyer.stop()
})

test('if others can connect, there is no demo unless DEMO=on is set, and then a warning says so', async () => {
  const reachable: Env[] = [{ HOST: '0.0.0.0' }, { PUBLIC_URL: 'https://inbox.example.com' }]
  for (const settings of reachable) {
    const quiet = await serve({ ...env, ...settings, DEMO: '' })
    assert.match(quiet.output(), /"msg":"the demo is off because HOST or PUBLIC_URL/)
    assert.doesNotMatch(quiet.output(), /Sandbox/)
    await quiet.stop()
    const loud = await serve({ ...env, ...settings })
    assert.match(
      loud.output(),
      /"level":"warn".*"msg":"THE DEMO IS RUNNING AT AN ADDRESS THAT OTHER MACHINES/,
    )
    await loud.stop()
  }
})

test('with DEMO=off there is no demo page, and every line is JSON', async () => {
  const foyer = await serve({ ...env, DEMO: 'off' })
  for (const page of ['/demo', '/sandbox', '/sandbox/', '/sandbox/control/state'])
    assert.equal((await call(foyer.url, null, 'GET', page)).status, 404, page)
  await foyer.stop()
  for (const line of foyer.output().trim().split('\n')) JSON.parse(line)
})
