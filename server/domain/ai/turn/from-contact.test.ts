// Parameters of actions that the server fills in from the contact: whatever a model was talked into, it reaches nothing
// that belongs to somebody else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerInput } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { until } from '../../../../test/until.ts'
import type { NewAction } from '../../actions/schema.ts'
import { updateContact } from '../../contacts/update-contact.ts'
import { flowOf } from '../../flow-runs/testing/conducted.ts'
import { startVerifying } from '../testing/verifying.ts'

const app = await startApp()
const { db } = app
const { conductor, control, giveEmail, makeKnown, shop } = await startVerifying(app)

type There = Awaited<ReturnType<typeof makeKnown>>
type Parameter = NewAction['parameters'][number]
type Options = NonNullable<Parameters<typeof makeKnown>[0]>

const NUMBER = { name: 'number', type: 'string', isRequired: true } as const
const OWNER = { name: 'owner', type: 'string', isRequired: true } as const
const own = (is: 'externalId' | 'email' | 'phone'): Parameter => ({ ...OWNER, fromContact: { is } })
const ofField: Parameter = { ...OWNER, fromContact: { is: 'field', field: 'customer_number' } }

/** An action that reads, on a channel that vouches for the customer. */
const makePlace = (parameter: Parameter, options: Options = {}) =>
  makeKnown({
    channel: 'whatsapp',
    ...options,
    action: {
      name: 'Find order',
      method: 'GET',
      url: `${shop.url}/orders/{{number}}`,
      parameters: [NUMBER, parameter],
      risk: 'read',
      needs: 'known',
      confirm: 'none',
      ...options.action,
    },
  })

const find = (given: object): AnswerInput => ({
  calls: [{ name: 'action_1_find_order', arguments: { number: 'AB-12345', ...given } }],
})
const ASKS: AnswerInput = {
  calls: [{ name: 'end_turn', arguments: { action: 'ask', text: 'Is there anything else?' } }],
}
const FOREIGN = { owner: 'bob@others.example', email: 'bob@others.example', contactId: 'c1' }

/** What the model knows of the action, and what came back of its call. */
const heard = (there: There) =>
  there.requests().then((all) => all.map(({ request }) => JSON.stringify(request)))

const asks = async (there: There, given: object = FOREIGN): Promise<void> => {
  control.scriptModel([find(given), ASKS])
  await there.opens('I am Bob (bob@others.example), where is my order AB-12345?')
}

test('the server fills in what the contact is known by; the model isn’t asked, and what it gives isn’t used', async () => {
  const mail = await makePlace(own('email'))
  await asks(mail)
  const [sent] = await heard(mail)
  assert.match(sent!, /action_1_find_order/)
  assert.ok(!sent!.includes('"owner"') && !sent!.includes(mail.email!))
  const id = await makePlace(own('externalId'))
  await db
    .insertInto('identities')
    .values({
      ...{ workspace_id: id.workspaceId, contact_id: id.contactId, kind: 'external', value: 'user 7' },
      created_at: app.clock.now(),
    })
    .execute()
  await asks(id)
  const text = await makePlace(own('phone'), { channel: 'sms' })
  await asks(text)
  const { value } = await db
    .selectFrom('identities')
    .select('value')
    .where('workspace_id', '=', text.workspaceId)
    .where('kind', '=', 'phone')
    .executeTakeFirstOrThrow()
  const field = await makePlace(ofField)
  await updateContact(field.ctx, field.contactId, { customFields: { customer_number: 4711 } })
  await asks(field)
  assert.deepEqual(
    shop.called.map(({ path }) => new URL(path, shop.url).searchParams.get('owner')),
    [mail.email, 'user 7', value, '4711'],
  )
})

test('what isn’t known for certain isn’t filled in, and the action isn’t called', async () => {
  // An address that a visitor typed, and a field that the agent may fill in with what customers say.
  const typed = await makePlace(own('email'), { confirmed: false })
  await asks(typed)
  const told = await makePlace(ofField, { guidance: { writableFields: ['customer_number'] } })
  await updateContact(told.ctx, told.contactId, { customFields: { customer_number: 'BOB-777' } })
  await asks(told)
  const none = await makePlace(own('externalId'))
  await asks(none)
  assert.deepEqual(shop.called, [])
  for (const there of [typed, told, none])
    assert.match((await heard(there)).at(-1)!, /isn’t known for certain, so this wasn’t done/)
})

test('whoever isn’t known well enough isn’t offered the action, and nothing is called for them', async () => {
  const visitor = await makePlace(own('email'), { channel: 'web' })
  const writer = await makePlace(own('email'), { channel: 'email', email: null })
  for (const there of [visitor, writer]) {
    await asks(there)
    const [sent, second] = await heard(there)
    assert.ok(!sent!.includes('action_1_find_order'))
    assert.match(second!, /There is no tool of this name/)
  }
  const stranger = await makePlace(own('email'), { action: { needs: 'verified' } })
  await asks(stranger)
  assert.ok(!(await heard(stranger))[0]!.includes('action_1_find_order'))
  assert.deepEqual(shop.called, [])
})

test('an optional value that isn’t known is left out', async () => {
  const there = await makePlace({ ...own('externalId'), isRequired: false })
  await asks(there)
  assert.deepEqual(
    shop.called.map(({ path }) => path),
    ['/orders/AB-12345'],
  )
})

test('of several addresses, the one that is shown is used, and never one that was only typed', async () => {
  const there = await makePlace(own('email'), { email: null })
  await giveEmail(there, 'a.old@example.org')
  await giveEmail(there, 'new@example.org')
  await giveEmail(there, 'typed@example.org', false)
  const show = (email: string) =>
    db.updateTable('contacts').set({ email }).where('id', '=', there.contactId).execute()
  await show('new@example.org')
  await asks(there)
  await show('typed@example.org')
  control.scriptModel([find({}), ASKS])
  await there.asks('And now?')
  assert.deepEqual(
    shop.called.map(({ path }) => new URL(path, shop.url).searchParams.get('owner')),
    ['new@example.org', 'a.old@example.org'],
  )
})

test('the customer confirms a proposal with the values that are theirs, and it is called with them', async () => {
  const there = await makePlace(own('email'), {
    action: { name: 'Cancel order', method: 'POST', risk: 'write', confirm: 'customer' },
  })
  control.scriptModel([
    { calls: [{ name: 'propose_1_cancel_order', arguments: { number: 'AB-12345', ...FOREIGN } }] },
  ])
  const said = await there.opens('Please cancel my order AB-12345.')
  assert.match(said, /Cancel order\n/)
  assert.ok(said.includes('- number: AB-12345\n') && said.includes(`- owner: ${there.email}\n`), said)
  await there.taps('Yes')
  await there.finish()
  assert.deepEqual(
    shop.called.map(({ path, body }) => ({ path, body })),
    [{ path: '/orders/AB-12345', body: { owner: there.email } }],
  )
})

test('a flow goes on filling in every parameter itself', async () => {
  const there = await makePlace(own('email'))
  const { id: actionId } = await db
    .selectFrom('actions')
    .select('id')
    .where('workspace_id', '=', there.workspaceId)
    .executeTakeFirstOrThrow()
  await there.flow(
    flowOf(
      [{ type: 'call', actionId, with: { number: { value: 'AB-1' }, owner: { value: 'who@ever.example' } } }],
      {
        triggers: [{ on: 'message', words: ['order'] }],
      },
    ),
  )
  await there.says('order')
  await until(() => shop.called.length > 0, 'the flow’s call')
  assert.deepEqual(
    shop.called.map(({ path }) => path),
    ['/orders/AB-1?owner=who%40ever.example'],
  )
  await there.finish()
  await conductor.conductDue()
})
