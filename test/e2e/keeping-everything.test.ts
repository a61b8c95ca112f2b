// Acknowledged writes survive every kind of end: a clean stop, a kill, and a kill of the database.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  atTheEnd,
  call,
  command,
  makeWorkspace,
  type Running,
  run,
  serve,
  temporaryDirectory,
  until,
} from './foyer.ts'

const WRITERS = 6
const ACKNOWLEDGED_MIN = 120
const PAGE = 100

const env = { DATA_DIR: temporaryDirectory() }
let foyer: Running = await serve(env)
console.log(`first start: ${Math.round(foyer.startMs)} ms`)
const { workspaceId, secret, channelId } = await makeWorkspace(env)

/** The private server's process, as its own file says. */
const postgresPid = (): number | undefined => {
  const path = join(env.DATA_DIR, 'postgres', 'postmaster.pid')
  return existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : undefined
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

atTheEnd(async () => {
  await foyer.stop()
  // Ends processes that failed tests left running.
  const pid = postgresPid()
  if (pid && isAlive(pid)) process.kill(pid, 'SIGINT')
  if (pid) await until('the end of PostgreSQL', () => !isAlive(pid))
})

/** All messages of a conversation, read page by page. */
const listMessages = async (conversationId: string) => {
  const messages: { id: string; body: string; senderType: string }[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await call(
      foyer.url,
      secret,
      'GET',
      `/api/v1/conversations/${conversationId}/messages?limit=${PAGE}${cursor && `&cursor=${cursor}`}`,
    )
    assert.equal(status, 200)
    messages.push(...body.messages)
    cursor = body.nextCursor
  }
  return messages
}

const openConversation = async () => {
  const { status, body } = await call(foyer.url, secret, 'POST', '/api/v1/conversations', {
    email: `${randomUUID()}@customers.example`,
    name: 'Ada Customer',
    channel: 'web',
    message: 'Welcome.',
  })
  assert.equal(status, 200)
  return { conversationId: body.conversation.id as string, contactId: body.contact.id as string }
}

test('after SIGTERM and a restart everything is unchanged', async () => {
  const { conversationId } = await openConversation()
  const before = await call(foyer.url, secret, 'GET', '/api/v1/conversations')
  const { code } = await foyer.stop('SIGTERM')
  assert.equal(code, 0)
  assert.equal(postgresPid(), undefined, 'the private PostgreSQL has stopped')

  foyer = await serve(env)
  console.log(`second start: ${Math.round(foyer.startMs)} ms`)
  const afterwards = await call(foyer.url, secret, 'GET', '/api/v1/conversations')
  assert.deepEqual(afterwards.body, before.body)
  assert.equal((await listMessages(conversationId)).length, 1)
})

test('a command works whether or not the server is running', async () => {
  const made = await command(env, 'token', 'create', '--workspace', workspaceId, '--name', 'Another')
  assert.equal((await call(foyer.url, made.secret, 'GET', '/api/v1/me')).status, 200)
  await foyer.stop('SIGINT')
  const other = await command(env, 'token', 'create', '--workspace', workspaceId, '--name', 'In the quiet')
  const { code } = await run(env, 'token', 'revoke', made.token.id)
  assert.equal(code, 0)
  assert.equal(postgresPid(), undefined)
  foyer = await serve(env)
  assert.equal((await call(foyer.url, other.secret, 'GET', '/api/v1/me')).status, 200)
  assert.equal((await call(foyer.url, made.secret, 'GET', '/api/v1/me')).status, 401)
})

type Write = {
  body: string
  /** The id of the stored row, once the write was acknowledged. */
  id: string | null
  send: () => Promise<string>
}

/** Writes of three kinds, each of which may be repeated under its own key. */
const makeWrite = (
  kind: number,
  target: { conversationId: string; visitor: string },
): { kind: string; write: Write } => {
  const body = randomUUID()
  const key = { 'idempotency-key': body }
  const acknowledged = (answer: { status: number; body: unknown }): void =>
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  if (kind % 3 === 0) {
    const send = async () => {
      const path = `/api/v1/conversations/${target.conversationId}/messages`
      const answer = await call(foyer.url, secret, 'POST', path, { body }, key)
      acknowledged(answer)
      return answer.body.message.id
    }
    return { kind: 'message', write: { body, id: null, send } }
  }
  if (kind % 3 === 1) {
    const send = async () => {
      const note = { conversationId: target.conversationId, body }
      const answer = await call(foyer.url, secret, 'POST', '/api/v1/notes', note, key)
      acknowledged(answer)
      return answer.body.note.id
    }
    return { kind: 'note', write: { body, id: null, send } }
  }
  const send = async () => {
    const path = `/widget/${channelId}/messages`
    const answer = await call(foyer.url, target.visitor, 'POST', path, { body, clientId: body })
    acknowledged(answer)
    return answer.body.message.id
  }
  return { kind: 'visitor', write: { body, id: null, send } }
}

for (const victim of ['the program', 'the program and its PostgreSQL'])
  test(`after kill -9 of ${victim} nothing acknowledged is missing, and no retry doubles`, async () => {
    const { conversationId, contactId } = await openConversation()
    // One visitor a writer, so that the limit of a visitor stays out of it.
    const visitors = await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        const { status, body } = await call(foyer.url, null, 'POST', `/widget/${channelId}/session`, {})
        assert.equal(status, 200)
        return body.token as string
      }),
    )
    const writes: { kind: string; write: Write }[] = []
    let acknowledged = 0
    let isKilled = false
    const writer = async (index: number): Promise<void> => {
      // A visitor can send thirty messages a minute.
      for (let count = 0; !isKilled; count++) {
        const kind = count >= 75 && (count + index) % 3 === 2 ? 0 : count + index
        const made = makeWrite(kind, { conversationId, visitor: visitors[index]! })
        writes.push(made)
        try {
          made.write.id = await made.write.send()
          acknowledged += 1
        } catch (error) {
          if (isKilled) return
          throw error
        }
      }
    }
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, index) => writer(index)))
    await Promise.race([
      writing,
      until('the burst', () => acknowledged >= ACKNOWLEDGED_MIN && acknowledged, 30_000),
    ])
    const pid = postgresPid()
    assert.ok(pid)
    isKilled = true
    await foyer.kill()
    if (victim.includes('PostgreSQL')) process.kill(pid, 'SIGKILL')
    await writing

    foyer = await serve(env)
    console.log(`start after kill -9 of ${victim}: ${Math.round(foyer.startMs)} ms`)
    const unanswered = writes.filter(({ write }) => write.id === null)
    console.log(`${acknowledged} acknowledged, ${unanswered.length} unanswered`)

    // Repeats every write with its key; acknowledged ones return the same id.
    for (const { write } of writes) {
      const id = await write.send()
      if (write.id !== null) assert.equal(id, write.id)
      write.id = id
    }

    const profile = await call(foyer.url, secret, 'GET', `/api/v1/contacts/${contactId}`)
    const notes: { id: string; body: string }[] = profile.body.notes
    const sent = await listMessages(conversationId)
    const received: { id: string; body: string }[] = []
    for (const token of visitors) {
      const { body } = await call(foyer.url, null, 'POST', `/widget/${channelId}/session`, { token })
      if (body.conversation) received.push(...(await listMessages(body.conversation.id)))
    }
    const stored = { message: sent, note: notes, visitor: received }
    for (const { kind, write } of writes) {
      const found = stored[kind as keyof typeof stored].filter(({ body }) => body === write.body)
      assert.deepEqual(
        found.map(({ id }) => id),
        [write.id],
        kind,
      )
    }
  })

test('if PostgreSQL is killed, calls get a 503 and then work again without a restart', async () => {
  const pid = postgresPid()
  assert.ok(pid)
  process.kill(pid, 'SIGKILL')
  const statuses = new Set<number>()
  await until(
    'the recovery',
    async () => {
      const { status, headers } = await call(foyer.url, secret, 'GET', '/api/v1/conversations')
      statuses.add(status)
      if (status === 503) assert.ok(Number(headers.get('retry-after')) > 0)
      return status === 200 && postgresPid() !== pid
    },
    30_000,
  )
  for (const status of statuses) assert.ok(status === 200 || status === 503, `${status} was answered`)
  await until('readiness', async () => (await call(foyer.url, null, 'GET', '/readyz')).status === 200)
})
