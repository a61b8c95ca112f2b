// What customers read when the AI agent hands over, in the workspace's words, and where else they can be reached.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { updateAiSettings } from '../ai/settings.ts'
import { startAssisting } from '../ai/testing/assisted.ts'
import { closeBusiness } from '../ai/testing/set-up.ts'

const app = await startApp()
const { db, call } = app
const { conductor, pass, place } = startAssisting(app)

type Options = NonNullable<Parameters<typeof place>[0]>
type There = Awaited<ReturnType<typeof place>>

const HOUR_MS = 3_600_000

test('its words are the workspace’s for the customer’s language, with the usual expectation where they say so', async () => {
  const handsOver = async (wish: string, isClosed = false): Promise<string> => {
    const there = await place()
    if (isClosed) await closeBusiness(app, there.workspaceId)
    await updateAiSettings(there.ctx, {
      expectation: 'Thanks from {{workspace}}! {{ expectation }}',
      handOverTexts: { de: 'Das gebe ich weiter.', fr: 'Merci. {{expectation}}', es: '   ' },
    })
    return there.opens(wish)
  }
  assert.equal(
    await handsOver('I want to talk to a person, please'),
    'agent: Thanks from Northwind! Someone from our team will reply here.',
  )
  assert.equal(await handsOver('Ich möchte bitte mit einem Menschen sprechen'), 'agent: Das gebe ich weiter.')
  assert.match(
    await handsOver('Je voudrais parler à une personne, s’il vous plaît', true),
    /^agent: Merci\. Nous sommes fermés/,
  )
  // One that was left empty is as if it weren't there.
  assert.match(
    await handsOver('Quiero hablar con una persona, por favor'),
    /^agent: Thanks from Northwind! .*equipo/,
  )
})

/** Someone wants a person while nobody is there. */
const closed = async (
  { isOpen = false, ...options }: Options & { isOpen?: boolean } = {},
  before: (there: There) => Promise<unknown> = async () => {},
): Promise<There & { said: string }> => {
  const there = await place(options)
  if (!isOpen) await closeBusiness(app, there.workspaceId)
  await updateAiSettings(there.ctx, { asksAddress: true })
  await there.writes('Hello')
  await before(there)
  return { ...there, said: await there.opens('I want to talk to a person, please') }
}

const contactOf = async (there: There) => {
  const { id } = (await there.send('GET', '')).body.conversation.contact
  return (await call(there.token, 'GET', `/contacts/${id}`)).body.contact
}
const identities = ({ workspaceId }: There) =>
  db.selectFrom('identities').select('kind').where('workspace_id', '=', workspaceId).execute()

/** As a person of the team does. */
const enter = ({ workspaceId }: There, email: string) =>
  db.updateTable('contacts').set({ email }).where('workspace_id', '=', workspaceId).execute()

const ASKED = /email address or phone number/

test('while nobody is there, the customer is asked for an address, and what they give is noted as unverified', async () => {
  const there = await closed()
  assert.match(there.said, /We’re closed right now\.[\s\S]*email address or phone number/)
  await there.says('One moment')
  await there.says('It is Maria@Example.org. Thanks!')
  const { email, emailVerified } = await contactOf(there)
  assert.deepEqual([email, emailVerified], ['maria@example.org', false])
  assert.deepEqual(
    (await identities(there)).map(({ kind }) => kind),
    ['visitor'],
  )
  assert.match(
    (await there.lines()).join('\n'),
    /noted the email address that the customer gave\. It isn’t verified/,
  )
  // A second one is for people to read.
  await there.says('or else tom@example.org')
  assert.equal((await contactOf(there)).email, 'maria@example.org')

  const phone = await closed({ channel: 'telegram' })
  await phone.says('call me at +49 30 901820, before 5')
  assert.equal((await contactOf(phone)).phone, '+4930901820')
  assert.ok(!(await identities(phone)).some(({ kind }) => kind === 'phone'))
})

test('nobody is asked whose address is known, or whose channel is one, or while somebody is there', async () => {
  for (const there of [
    await closed({ isOpen: true }),
    await closed({ channel: 'whatsapp' }),
    await closed({ channel: 'email' }),
    await closed({}, (there) => enter(there, 'known@example.org')),
  ])
    assert.doesNotMatch(there.said, ASKED)
  const off = await place()
  await closeBusiness(app, off.workspaceId)
  assert.doesNotMatch(await off.opens('I want to talk to a person, please'), ASKED)
  // Without the question, an address in what they write is for people to read.
  await off.says('maria@example.org')
  assert.equal((await contactOf(off)).email, null)
})

test('nothing is noted that isn’t clearly theirs: two addresses, an order number, a late word, one that is known', async () => {
  const there = await closed()
  for (const text of ['a@example.org or b@example.org', 'My order is 12345678', 'AB-1234567890', '+49 30'])
    await there.says(text)
  const { email, phone } = await contactOf(there)
  assert.deepEqual([email, phone], [null, null])
  await pass(73 * HOUR_MS)
  await there.says('late@example.org')
  assert.equal((await contactOf(there)).email, null)
  const known = await closed()
  await enter(known, 'entered@example.org')
  await known.says('typed@example.org')
  assert.equal((await contactOf(known)).email, 'entered@example.org')
  await conductor.conductDue()
})

test('whoever may be in danger is asked for nothing', async () => {
  const there = await place()
  await closeBusiness(app, there.workspaceId)
  await updateAiSettings(there.ctx, { asksAddress: true })
  assert.doesNotMatch(await there.opens('I want to kill myself'), ASKED)
})
