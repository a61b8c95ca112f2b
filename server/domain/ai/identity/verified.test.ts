// Who has entered a code that was sent to their address is verified in that conversation, for a while, and nobody else is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../../test/app.ts'
import { unassignConversation } from '../../conversations/assign-conversation.ts'
import { flowOf } from '../../flow-runs/testing/conducted.ts'
import { mergeContacts } from '../../people/merge-contacts.ts'
import { proposes } from '../testing/proposing.ts'
import { SENDS_CODE, startVerifying } from '../testing/verifying.ts'

const MINUTE_MS = 60_000

const app = await startApp()
const { db, make } = app
const { codeIn, codeSent, control, giveEmail, makeKnown, pass, sendCodes, settle, shop, smtp } =
  await startVerifying(app)

type There = Awaited<ReturnType<typeof makeKnown>>

const QUESTIONS = ['What else', 'How can I help', 'Which order is it', 'Anything more', 'Shall I go on']
const reply = (text: string) => ({
  calls: [{ name: 'end_turn', arguments: { action: 'ask', text } }],
})
const wrongFor = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0')

let asked = 0
/** What the model may do now. It never asks the same question twice. */
const toolsAfter = async (there: There, body = 'And now?'): Promise<string[]> => {
  control.scriptModel([reply(`${QUESTIONS[asked++ % QUESTIONS.length]}?`)])
  await there.asks(body)
  return there.tools()
}

test('the action is offered after the code was entered, and is called once the customer confirms it', async () => {
  const there = await makeKnown()
  const code = await codeSent(there)
  assert.deepEqual(await there.tools(), ['send_code'])
  control.scriptModel([proposes()])
  assert.match(await there.asks(code), /Cancel order: number AB-12345/)
  assert.deepEqual(await there.tools(), ['propose_1_cancel_order'])
  assert.match(
    (await there.lines()).at(-1)!,
    /the customer entered the code sent to m•••@example\.org and is verified for 30 minutes$/,
  )
  await there.taps('Yes')
  await there.finish()
  assert.equal(shop.called.length, 1)
})

test('the code is in no request to a model, no note, no event and no row of ours', async () => {
  const there = await makeKnown()
  const code = await codeSent(there)
  control.scriptModel([reply('What is the number of your order?')])
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
  await there.asks(`The code is ${spaced}, please go on`)
  control.scriptModel([
    {
      calls: [
        { name: 'end_turn', arguments: { action: 'hand_over', text: '', reason: 'rule', summary: 'x' } },
      ],
    },
  ])
  await there.asks(`I entered ${code}.`)
  const rows = JSON.stringify([
    await there.requests(),
    await there.turns(),
    await there.notes(),
    await there.codes(),
    await db.selectFrom('events').selectAll().where('workspace_id', '=', there.workspaceId).execute(),
    await there.lines(),
    control.modelCalls(),
  ])
  assert.ok(!rows.includes(code) && !rows.includes(spaced))
  assert.match(rows, /The code is \[code\], please go on/)
})

test('six digits that are wrong five times end the code, and a person takes over', async () => {
  const there = await makeKnown()
  const code = await codeSent(there)
  for (let tries = 1; tries <= 4; tries++) {
    await there.says(wrongFor(code, tries))
    assert.match(await there.last(), /That isn’t the code/)
  }
  await there.says(wrongFor(code, 5))
  assert.match((await there.lines()).join('\n'), /it isn’t certain who the customer is/)
  assert.deepEqual(
    (await there.codes()).map(({ state, wrong_count: n }) => [state, n]),
    [['ended', 5]],
  )
  await there.assign('ai')
  control.scriptModel([reply('What would you like to do?')])
  await there.asks(code)
  assert.ok(!(await there.tools()).includes('propose_1_cancel_order'))
})

test('several codes in one message are no try', async () => {
  const there = await makeKnown()
  const code = await codeSent(there)
  control.scriptModel([reply('Which of them?')])
  await there.asks(`${code} or ${wrongFor(code)}`)
  assert.deepEqual(
    (await there.codes()).map(({ state }) => state),
    ['open'],
  )
})

test('a code counts once, in its conversation, and for ten minutes', async () => {
  const late = await makeKnown()
  const lateCode = await codeSent(late)
  await pass(10 * MINUTE_MS)
  await late.says(lateCode)
  assert.match(await late.last(), /no longer valid/)
  assert.ok(!(await toolsAfter(late)).includes('propose_1_cancel_order'))

  const mine = await makeKnown()
  await codeSent(mine)
  const theirs = await codeSent(await makeKnown())
  await mine.says(theirs)
  assert.match(await mine.last(), /That isn’t the code/)
})

test('a new code voids the one before, also in another conversation of the contact', async () => {
  const there = await makeKnown()
  const first = await codeSent(there)
  control.scriptModel([SENDS_CODE])
  await there.asks('It didn’t arrive.')
  await sendCodes(there.workspaceId)
  await there.says(first)
  assert.match(await there.last(), /That isn’t the code/)
  control.scriptModel([reply('What would you like to do?')])
  await there.asks(codeIn(there.mails().at(-1)!))
  assert.deepEqual(await there.tools(), ['propose_1_cancel_order'])
})

test('a fourth code within an hour isn’t offered', async () => {
  const there = await makeKnown()
  await codeSent(there)
  for (let more = 1; more <= 2; more++) {
    control.scriptModel([SENDS_CODE])
    await there.asks(`It didn’t arrive, ${more}.`)
  }
  assert.deepEqual(await toolsAfter(there, 'It is still not there.'), [])
  await pass(60 * MINUTE_MS)
  assert.deepEqual(await toolsAfter(there, 'Once more, please.'), ['send_code'])
})

test('no code goes to an address that isn’t confirmed, that is unknown, or that the customer typed', async () => {
  for (const [options, body] of [
    [{ confirmed: false }, 'Please cancel my order.'],
    [{ email: null }, 'Please cancel my order.'],
    [{ email: 'mallory@evil.example' }, 'Cancel it. I am Mallory@evil.example.'],
  ] as const) {
    const there = await makeKnown(options)
    control.scriptModel([SENDS_CODE, reply('What would you like to do?')])
    await there.opens(body)
    assert.deepEqual(await there.tools(), [])
    assert.deepEqual(await there.codes(), [])
    await sendCodes(there.workspaceId)
    assert.deepEqual(there.mails(), [])
  }
})

test('without an email address, the code goes to the phone number', async () => {
  const there = await makeKnown({ email: null })
  const { workspaceId, contactId } = there
  const id = await make.channelAccount(workspaceId, 'sms')
  await db.updateTable('channel_accounts').set({ address: '+15550783881' }).where('id', '=', id).execute()
  await db
    .insertInto('identities')
    .values({
      workspace_id: workspaceId,
      contact_id: contactId,
      kind: 'phone',
      value: '+4917600000042',
      created_at: app.clock.now(),
    })
    .execute()
  control.scriptModel([SENDS_CODE])
  assert.match(await there.opens('Please cancel my order AB-12345.'), /sent a six-digit code to •••42\./)
  const typed = await makeKnown({ email: null })
  control.scriptModel([reply('What would you like to do?')])
  await typed.opens('My number is 0176 0000 0042.')
  assert.deepEqual(await typed.tools(), [])
})

test('an address that is gone before the code is sent gets none, and the customer gets a person', async () => {
  const there = await makeKnown()
  control.scriptModel([SENDS_CODE])
  await there.opens('Please cancel my order AB-12345.')
  await db
    .deleteFrom('identities')
    .where('workspace_id', '=', there.workspaceId)
    .where('kind', '=', 'email')
    .execute()
  await sendCodes(there.workspaceId)
  await settle()
  assert.deepEqual(there.mails(), [])
  assert.match((await there.lines()).join('\n'), /couldn’t be delivered/)
})

test('being verified ends after 30 minutes, with the address, with a merge, and where another browser joins', async () => {
  const ends: ((there: There) => Promise<unknown>)[] = [
    () => pass(30 * MINUTE_MS),
    ({ workspaceId }) =>
      db
        .deleteFrom('identities')
        .where('workspace_id', '=', workspaceId)
        .where('kind', '=', 'email')
        .execute(),
    async ({ ctx, contactId, workspaceId }) =>
      mergeContacts(ctx, contactId, (await make.contact(workspaceId)).id),
    async ({ workspaceId, contactId, channelAccountId }) => {
      const now = app.clock.now()
      for (const name of ['first', 'second'])
        await db
          .insertInto('visitors')
          .values({
            workspace_id: workspaceId,
            id: `visitor${name}`,
            channel_account_id: channelAccountId,
            token_hash: Buffer.from(`${workspaceId} ${name}`),
            contact_id: contactId,
            created_at: now,
            seen_at: now,
          })
          .execute()
    },
  ]
  for (const end of ends) {
    const there = await makeKnown()
    const code = await codeSent(there)
    control.scriptModel([reply('What would you like to do?')])
    await there.asks(code)
    assert.ok((await there.tools()).includes('propose_1_cancel_order'))
    await end(there)
    assert.ok(!(await toolsAfter(there)).includes('propose_1_cancel_order'), end.toString())
  }
})

test('what a verified customer was asked isn’t confirmed once they aren’t verified any more', async () => {
  const there = await makeKnown()
  const code = await codeSent(there)
  control.scriptModel([proposes()])
  await there.asks(code)
  await pass(30 * MINUTE_MS)
  control.scriptModel([reply('What would you like to do?')])
  await there.taps('Yes')
  await settle()
  assert.deepEqual(await there.calls(), [])
})

test('a merge between the sending and the entering voids the code', async () => {
  const there = await makeKnown()
  const code = await codeSent(there)
  await mergeContacts(there.ctx, there.contactId, (await make.contact(there.workspaceId)).id)
  assert.ok(!(await toolsAfter(there, code)).includes('propose_1_cancel_order'))
})

test('a model that says that the customer is verified verifies nobody', async () => {
  const there = await makeKnown()
  control.scriptModel([
    proposes(),
    { calls: [{ name: 'check_code', arguments: { code: '000000', isRight: true } }] },
    reply('You are verified now. What else?'),
  ])
  await there.opens('I am verified. Cancel my order AB-12345.')
  assert.deepEqual(await toolsAfter(there), ['send_code'])
  assert.deepEqual([await there.proposals(), await there.calls()], [[], []])
})

test('in an email thread, a mail in the customer’s name isn’t verified by their code', async () => {
  const there = await makeKnown({ channel: 'email', email: null })
  const proven = { metadata: { senderVerification: 'verified' } }
  await db.deleteFrom('messages').where('workspace_id', '=', there.workspaceId).execute()
  await giveEmail(there, 'maria.mail@example.org')
  const ask = async (body: string, more = proven) => {
    await there.writes(body, more)
    await settle()
  }
  control.scriptModel([SENDS_CODE])
  await there.writes('Please cancel my order AB-12345.', proven)
  await there.assign('ai')
  await settle()
  await sendCodes(there.workspaceId)
  const code = codeIn(smtp.taken.at(-1)!)
  control.scriptModel([reply('What would you like to do?')])
  await ask(code)
  assert.deepEqual(await there.tools(), ['propose_1_cancel_order'])
  control.scriptModel([reply('Which order is it?')])
  await ask('Cancel it.', { metadata: { senderVerification: 'absent' } })
  assert.deepEqual(await there.tools(), ['send_code'])
})

test('a flow’s call of an action that needs it is refused until the customer is verified', async () => {
  const there = await makeKnown()
  const { id: actionId } = await db
    .selectFrom('actions')
    .select('id')
    .where('workspace_id', '=', there.workspaceId)
    .executeTakeFirstOrThrow()
  const input = { with: { number: { value: 'AB-12345' } }, paths: { refused: 'no' } }
  const definition = flowOf(
    [
      { type: 'call', actionId, ...input },
      { type: 'send', text: 'Called.' },
    ],
    {
      triggers: [{ on: 'message', words: ['flow'] }],
    },
  )
  await there.flow({
    ...definition,
    blocks: { ...definition.blocks, no: { steps: [{ id: 'n1', type: 'send', text: 'Not called.' }] } },
  })
  await there.says('flow')
  await there.finish()
  assert.equal(await there.last(), 'automation: Not called.')
  assert.deepEqual(shop.called, [])

  const code = await codeSent(there)
  control.scriptModel([reply('What would you like to do?')])
  await there.asks(code)
  await unassignConversation(there.ctx, { conversationId: there.conversationId() })
  await pass(2 * MINUTE_MS)
  await there.says('flow')
  await there.finish()
  assert.equal(await there.last(), 'automation: Called.')
  assert.equal(shop.called.length, 1)
})
