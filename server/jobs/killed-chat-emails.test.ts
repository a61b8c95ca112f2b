import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { startSmtp } from '../../test/smtp.ts'
import { until } from '../../test/until.ts'
import { connectMailbox } from '../inbound/email/testing/mails.ts'
import { makePage } from '../inbound/web/testing/visitor.ts'
import { addJob } from '../platform/queue/add-job.ts'
import { kill, startKillable } from './testing/killable.ts'

/** KILLS=1000 is the soak. */
const KILLS = Number(process.env.KILLS ?? 2)
const CHATS = 4

const started = await startApp()
const { app, call, database, db, make } = started
const smtp = await startSmtp({ answerAfterMs: 50 })
after(smtp.stop)
let base = ''
before(async () => {
  base = await app.listen({ port: 0, host: '127.0.0.1' })
})

test('workers killed between the reply and the sending email every reply once to each visitor who has left', async () => {
  const workspace = await make.workspace()
  const { ask, say, session } = makePage(() => base, await make.channelAccount(workspace.id))
  await connectMailbox(started, workspace.id, { smtpUrl: smtp.url })
  const emails = Array.from({ length: CHATS }, (_, at) => `left${at}@visitors.example`)
  for (const email of emails) {
    const { token } = await session()
    const { conversationId } = await say(token, 'Hello?')
    assert.equal((await ask('/email', { email }, { token })).status, 200)
    const answer = await call(workspace.token, 'POST', `/conversations/${conversationId}/messages`, {
      body: `Only for ${email}`,
    })
    assert.equal(answer.status, 200)
  }
  const anHourAgo = new Date(Date.now() - 3_600_000)
  await db.updateTable('messages').set({ created_at: anHourAgo }).execute()
  await db.updateTable('visitors').set({ seen_at: anHourAgo }).execute()
  const mails = () => db.selectFrom('chat_mails').select(['id', 'state']).orderBy('id').execute()
  const progress = async () => JSON.stringify(await mails())
  const isDone = async () => {
    const all = await mails()
    return all.length === CHATS && all.every(({ state }) => state === 'sent')
  }
  for (let killed = 0; killed < KILLS && !(await isDone()); killed++) {
    const worker = await startKillable(database.connectionString)
    await addJob(started.deps, 'prepare_chat_emails', {})
    const earlier = await progress()
    await until(async () => (await progress()) !== earlier || (await isDone()), 'a step', 120_000)
    await kill(worker)
  }
  const last = await startKillable(database.connectionString)
  await addJob(started.deps, 'prepare_chat_emails', {})
  await until(isDone, 'all emails to be sent', 180_000)
  await addJob(started.deps, 'prepare_chat_emails', {})
  await kill(last)
  for (const email of emails) {
    const sent = smtp.mailsTo(email)
    // One that was being sent may come twice: the same email.
    assert.equal(new Set(sent.map(({ text }) => /^Message-ID: .*$/im.exec(text)![0])).size, 1)
    for (const { text } of sent) assert.match(text, new RegExp(`Only for ${email}`))
  }
  assert.equal((await mails()).length, CHATS)
})
