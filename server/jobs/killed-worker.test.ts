import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { startSmtp } from '../../test/smtp.ts'
import { until } from '../../test/until.ts'
import { addChannelAccount } from '../domain/channel-accounts/add-channel-account.ts'
import { kill, startKillable } from './testing/killable.ts'

const { call, ctxOf, database, db, make, seal } = await startApp()
const smtp = await startSmtp({ answerAfterMs: 25 })
after(smtp.stop)
const workspace = await make.workspace()
await addChannelAccount(
  { ...ctxOf(workspace.id), seal, publicUrl: 'http://foyer.test' },
  { channel: 'email', fields: { address: 'support@northwind.example', smtpUrl: smtp.url } },
)

const timing = {
  sendTimeoutMs: 1_000,
  claimMarginMs: 500,
  backoffMinMs: 50,
  overdueAfterMs: 1_000,
}
test('killed workers lose nothing, and anything sent twice has the same Message-ID', async () => {
  const CONVERSATIONS = 10
  const MESSAGES = 12
  const conversations: { id: string; email: string }[] = await Promise.all(
    Array.from({ length: CONVERSATIONS }, async (_, index) => {
      const email = `customer${index}@example.com`
      const { body } = await call(workspace.token, 'POST', '/conversations', { email })
      return { id: body.conversation.id, email }
    }),
  )
  const sent = new Map<string, string[]>()
  for (const { id, email } of conversations) {
    const ids: string[] = []
    for (let index = 0; index < MESSAGES; index++) {
      const { status, body } = await call(workspace.token, 'POST', `/conversations/${id}/messages`, {
        body: `No. ${index}`,
      })
      assert.equal(status, 200)
      assert.equal(body.message.status, 'queued')
      ids.push(body.message.id)
    }
    sent.set(email, ids)
  }
  const takenAtLeast = (count: number) => until(() => smtp.taken.length >= count, `${count} mails`)

  const first = await startKillable(database.connectionString, timing)
  await takenAtLeast(20)
  await kill(first)
  const [second, third] = await Promise.all([
    startKillable(database.connectionString, timing),
    startKillable(database.connectionString, timing),
  ])
  await takenAtLeast(60)
  await kill(second!)
  await until(async () => {
    const { count } = await db
      .selectFrom('messages')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('status', '=', 'sent')
      .executeTakeFirstOrThrow()
    return count === CONVERSATIONS * MESSAGES
  }, 'all messages to be sent')
  await kill(third!)

  // At most what was in flight when a worker died was sent again: one per conversation and death.
  const repeats = smtp.taken.length - CONVERSATIONS * MESSAGES
  assert.ok(repeats >= 0 && repeats <= 2 * CONVERSATIONS, `${repeats} repeats`)
  for (const [email, ids] of sent) {
    const arrived = smtp.mailsTo(email).map(({ text }) => /^Message-ID:\s+<(c\w+)\./m.exec(text)?.[1] ?? '')
    // What a mail program shows: each Message-ID once, in order of first arrival.
    assert.deepEqual([...new Set(arrived)], ids)
  }
})
