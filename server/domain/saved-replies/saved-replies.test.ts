import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { makeMember, signIn } from '../../../test/console.ts'
import { newId } from '../../platform/db/id.ts'

const app = await startApp()
const { make } = app
const workspace = await make.workspace({ name: 'Hollow & Kiln' })
const robin = await make.agent(workspace.id, { nickname: 'Robin Hart', role: 'admin' })
const jane = await makeMember(app, workspace.id, ['see_all_conversations'])
const asRobin = await signIn(app, workspace.id, robin.id)
const asJane = await signIn(app, workspace.id, jane.id)

const REPLY = {
  name: 'Thanks',
  shortcut: null as string | null,
  folder: null,
  body: 'Thank you!',
  channels: [],
  tagIds: [] as string[],
  assigneeId: null as string | null,
  closes: false,
}
type Person = typeof asRobin

const save = async (
  person: Person,
  kind: 'own' | 'shared',
  change: Partial<typeof REPLY> = {},
  id = newId(),
) => ({ id, ...(await person.call('PUT', `/saved-replies/${kind}/${id}`, { ...REPLY, ...change })) })

const namesFor = async (person: Person): Promise<string[]> => {
  const { body } = await person.call('GET', '/saved-replies')
  return body.savedReplies.map(({ name, isShared }: { name: string; isShared: boolean }) =>
    isShared ? name : `${name} (own)`,
  )
}

const conversationOf = async (name: string, customFields = {}): Promise<string> => {
  const { id: contactId } = await make.contact(workspace.id, { name })
  const { status } = await app.call(workspace.token, 'PATCH', `/contacts/${contactId}`, { customFields })
  assert.equal(status, 200)
  return (await make.conversation(workspace.id, { contactId, subject: 'Mugs' })).id
}
const use = async (person: Person, conversationId: string, id: string) =>
  (await person.call('POST', `/conversations/${conversationId}/saved-replies/${id}/use`)).body

test('everybody sees the team’s and their own, and changes nobody else’s', async () => {
  const shared = await save(asRobin, 'shared', { name: 'Opening hours' })
  const own = await save(asJane, 'own', { name: 'a greeting' })
  assert.deepEqual([shared.status, own.status], [200, 200])
  assert.deepEqual(await namesFor(asJane), ['a greeting (own)', 'Opening hours'])
  assert.deepEqual(await namesFor(asRobin), ['Opening hours'])

  assert.equal((await save(asJane, 'shared')).status, 403)
  assert.equal((await save(asRobin, 'own', { name: 'Taken over' }, own.id)).status, 404)
  assert.equal((await save(asJane, 'own', { name: 'Taken over' }, shared.id)).status, 404)
  await asRobin.call('DELETE', `/saved-replies/own/${own.id}`)
  await asRobin.call('DELETE', `/saved-replies/shared/${own.id}`)
  assert.deepEqual(await namesFor(asJane), ['a greeting (own)', 'Opening hours'])

  const conversationId = await conversationOf('Ann Lee')
  const used = await asRobin.call('POST', `/conversations/${conversationId}/saved-replies/${own.id}/use`)
  assert.equal(used.status, 404)
})

test('saving twice is saving once, and a shortcut is one reply’s of each owner', async () => {
  const first = await save(asRobin, 'shared', { name: 'Refund', shortcut: 'refund' })
  const again = await save(asRobin, 'shared', { name: 'Refunds', shortcut: 'refund' }, first.id)
  assert.equal(again.status, 200)
  assert.ok((await namesFor(asRobin)).includes('Refunds'))
  const other = await save(asRobin, 'shared', { shortcut: 'refund' })
  assert.deepEqual(other.body.error.details, [
    { field: 'shortcut', message: 'is the shortcut of another reply' },
  ])
  assert.equal((await save(asJane, 'own', { name: 'Mine', shortcut: 'refund' })).status, 200)
})

test('a reply speaks to its contact; what a contact wrote is not read as a template', async () => {
  const body =
    'Hi {{contact.firstName|there}}, {{contact.fields.plan}} at {{workspace.name}}: {{conversation.subject}}. {{agent.firstName}}'
  const { id } = await save(asRobin, 'shared', { name: 'Greeting', body })
  const ann = await conversationOf('{{contact.email}} Lee', { plan: 'Gold' })
  assert.equal(
    (await use(asRobin, ann, id)).body,
    'Hi {{contact.email}}, Gold at Hollow & Kiln: Mugs. Robin'.replace(
      '{{contact.email}}',
      '{{contact.email}}',
    ),
  )
  const nameless = await use(asRobin, await conversationOf('Visitor 3f2a'), id)
  assert.equal(nameless.body, 'Hi there,  at Hollow & Kiln: Mugs. Robin')
  assert.deepEqual(nameless.missing, ['contact.fields.plan'])
  const { body: list } = await asRobin.call('GET', '/saved-replies')
  const shown = list.savedReplies.find((one: { id: string }) => one.id === id)
  assert.equal(shown.useCount, 2)
  assert.match(shown.lastUsedAt, /^\d{4}-/)
})

test('a macro names what is done after it; a deleted tag and a removed agent are left out', async () => {
  const vipId = await make.tag(workspace.id, { name: 'VIP' })
  const { id } = await save(asRobin, 'shared', { body: '', tagIds: [vipId], assigneeId: 'me', closes: true })
  const conversationId = await conversationOf('Ann Lee')
  assert.deepEqual(await use(asJane, conversationId, id), {
    body: '',
    missing: [],
    tags: [{ id: vipId, name: 'VIP' }],
    assignee: { id: jane.id, nickname: jane.nickname },
    closes: true,
  })
  const leaver = await make.agent(workspace.id, { nickname: 'Leaver' })
  const toLeaver = await save(asRobin, 'shared', { assigneeId: leaver.id })
  await app.call(workspace.token, 'DELETE', `/agents/${leaver.id}`)
  await app.call(workspace.token, 'DELETE', `/tags/${vipId}`)
  assert.equal((await use(asRobin, conversationId, toLeaver.id)).assignee, null)
  assert.deepEqual((await use(asRobin, conversationId, id)).tags, [])
})

test('what can’t be saved is refused with what is wrong', async () => {
  const other = await make.workspace()
  const theirsId = await make.tag(other.id, { name: 'Theirs' })
  const cases: [Record<string, unknown>, string, RegExp][] = [
    [{ body: ' ' }, 'body', /is required, unless the reply does something/],
    [{ body: 'Hi {{run.x}}' }, 'body', /“run.x” is not a known value/],
    [{ body: 'Hi {{contact.__proto__.x}} {{__proto__}}' }, 'body', /“__proto__” is not a known value/],
    [{ body: 'x'.repeat(2001) }, 'body', /2000/],
    [{ name: ' ' }, 'name', /./],
    [{ shortcut: 'Re fund' }, 'shortcut', /lowercase letters/],
    [{ shortcut: '' }, 'shortcut', /./],
    [{ tagIds: [theirsId] }, 'tagIds[0]', /is not a tag of this workspace/],
    [{ assigneeId: newId() }, 'assigneeId', /is not an active agent/],
    [{ channels: ['fax'] }, 'channels[0]', /./],
    [{ body: 'a\u0000b' }, 'body', /./],
  ]
  for (const [change, field, message] of cases) {
    const { status, body } = await save(asRobin, 'shared', change)
    assert.equal(status, 400, JSON.stringify(change))
    const detail = body.error.details.find((one: { field: string }) => one.field === field)
    assert.match(detail?.message ?? JSON.stringify(body), message)
  }
  assert.equal((await save(asRobin, 'shared', {}, 'x')).status, 404)
})
