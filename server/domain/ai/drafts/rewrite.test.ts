// What people have the model rewrite before they send it.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { type AnswerInput, startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { makeMember, signIn } from '../../../../test/console.ts'
import { newId } from '../../../platform/db/id.ts'
import { setAiStopped, updateAiSettings } from '../settings.ts'
import { startAssisting } from '../testing/assisted.ts'

const KEY = 'sk-rewrite-0d4c1b7e92a35f68'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
const app = await startApp()
const { conductor, place, thinker } = startAssisting(app)
const { ctxOf, make } = app
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())
after(async () => {
  await thinker.stop()
  await conductor.stop()
  await sandbox.stop()
})

const SCRIPTED = { url: sandbox.url, key: KEY, name: 'sandbox-script' }
const end = (text: string): AnswerInput => ({ calls: [{ name: 'end_rewrite', arguments: { text } }] })

/** A customer's words, and somebody who is about to reply. */
const asked = async (words: string, options: Parameters<typeof place>[0] = { model: SCRIPTED }) => {
  const there = await place(options)
  await there.writes(words)
  await conductor.conductDue()
  const ada = await signIn(
    app,
    there.workspaceId,
    (await make.agent(there.workspaceId, { role: 'admin' })).id,
  )
  const path = `/conversations/${there.conversationId()}/rewrite`
  const rewrites = (text: string, as: string, who = ada) => who.call('POST', path, { text, as })
  const sent = async () => JSON.stringify((await there.requests()).map(({ request }) => request))
  return { ...there, ada, path, rewrites, sent }
}

test('a text is translated into the customer’s language, and nothing is sent or kept in the thread', async () => {
  const there = await asked('Guten Tag, wie lange kann ich meine Bestellung zurückgeben?')
  const lines = await there.thread()
  control.scriptModel([end('Sie können alles innerhalb von 30 Tagen zurückgeben.')])
  const { status, body, text } = await there.rewrites(
    'You can return everything within 30 days.',
    'translate',
  )
  assert.equal(status, 200, text)
  assert.deepEqual(body, {
    text: 'Sie können alles innerhalb von 30 Tagen zurückgeben.',
    language: 'de',
    toCheck: [],
  })
  assert.deepEqual(await there.thread(), lines)
  const sent = await there.sent()
  assert.match(sent, /Translate it into German/)
  assert.doesNotMatch(sent, /Bestellung/, 'the customer’s words aren’t needed')
  const [turn] = await there.turns()
  assert.deepEqual([turn!.kind, turn!.state, turn!.asked_by !== null], ['rewrite', 'ended', true])
  assert.ok(turn!.output_tokens > 0)
})

test('where the customer’s language isn’t known, the model tells by their words', async () => {
  const there = await asked('Ok 4111 1111 1111 1111')
  control.scriptModel([end('Sí, claro.')])
  const { body } = await there.rewrites('Yes, of course.', 'translate')
  assert.deepEqual([body.text, body.language], ['Sí, claro.', null])
  const sent = await there.sent()
  assert.match(sent, /the language of the customer/)
  assert.match(sent, /<message>/)
  assert.doesNotMatch(sent, /4111/)
})

test('what the model may not read is put back where it was, and what it lost or made up is named', async () => {
  const there = await asked('Hello, is it possible to change my order?')
  await updateAiSettings(ctxOf(there.workspaceId), { privacy: { hidesContacts: true, requestsKeptDays: 30 } })
  const own = 'Write to jo@mail.example, or pay 49.90 EUR to DE89 3704 0044 0532 0130 00 by 4 May.'
  control.scriptModel([
    end('Please write to [email 1], or pay 49.90 EUR to [bank account 1] by 4 May.'),
    end('Write to [email 1]. It is 39.90 EUR, see evil.example/pay.'),
    end('Write to [email 7].'),
    end(''),
  ])
  const kept = await there.rewrites(own, 'friendlier')
  assert.deepEqual(kept.body, { text: `Please w${own.slice(1)}`, language: null, toCheck: [] })
  const shortened = await there.rewrites(own, 'shorten')
  assert.deepEqual(shortened.body.toCheck, ['DE89 3704 0044 0532 0130 00', '39.90 eur', 'evil.example/pay'])
  for (const _ of ['a name that was never hidden', 'nothing']) {
    const { status, body } = await there.rewrites(own, 'more_formal')
    assert.deepEqual([status, body.error.code], [409, 'AI_NOT_AVAILABLE'])
  }
  assert.doesNotMatch(await there.sent(), /jo@mail|3704/)
})

test('without a model, beyond its budget, while it is stopped or fails, the text stays as it is and the reason is told', async () => {
  const there = await asked('Hello, is it possible to change my order?')
  const refused = async (because: RegExp) => {
    const { status, body } = await there.rewrites('Yes.', 'shorten')
    assert.deepEqual([status, body.error.code], [409, 'AI_NOT_AVAILABLE'])
    assert.match(body.error.message, because)
  }
  control.addModelFault({ kind: 'server', times: 20 })
  await refused(/can’t be reached/)
  control.clearModel()
  const ctx = ctxOf(there.workspaceId)
  await updateAiSettings(ctx, { budget: { day: 0, month: null } })
  await refused(/limits are reached/)
  await updateAiSettings(ctx, { budget: { day: null, month: null } })
  await setAiStopped(ctx, { isStopped: true })
  await refused(/./)
  const without = await asked('Hello?', {})
  assert.equal((await without.rewrites('Yes.', 'shorten')).body.error.message, 'There is no language model.')
})

test('only who may reply in a conversation has texts rewritten there', async () => {
  const there = await asked('Hello, is it possible to change my order?')
  const foreign = (await asked('Hello?')).ada
  const confined = await signIn(app, there.workspaceId, (await makeMember(app, there.workspaceId, [])).id)
  const missing = await there.ada.call('POST', `/conversations/${newId()}/rewrite`, {
    text: 'Yes.',
    as: 'shorten',
  })
  assert.equal(missing.status, 404)
  for (const who of [foreign, confined]) {
    const { status, text } = await there.rewrites('Yes.', 'shorten', who)
    assert.deepEqual([status, text], [404, missing.text])
  }
  for (const [text, as] of [
    ['', 'shorten'],
    ['x'.repeat(4_001), 'shorten'],
    ['Yes.', 'sing'],
  ])
    assert.equal((await there.rewrites(text!, as!)).status, 400)
  assert.deepEqual(await there.turns(), [])
})
