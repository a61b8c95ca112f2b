import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'
import { newId } from '../../platform/db/id.ts'
import { ApiError } from '../../platform/errors.ts'
import { createContactGroup, type NewContactGroup } from './contact-groups.ts'

const { call, ctxOf, database, db, make } = await startApp()

const refusedFields = async (workspaceId: string, input: NewContactGroup) => {
  const error = await createContactGroup(ctxOf(workspaceId), input).then(
    () => assert.fail('it was accepted'),
    (error: unknown) => error,
  )
  assert.ok(error instanceof ApiError)
  assert.equal(error.code, 'VALIDATION_ERROR')
  return error.details?.map(({ field }) => field)
}

test('groups and their members are listed by name, showing who can be reached on WhatsApp', async () => {
  const workspace = await make.workspace()
  const other = await make.workspace()
  const ctx = ctxOf(workspace.id)
  const zoe = await make.contact(workspace.id, { name: 'Zoe', email: null, phone: '+4930123456' })
  const ann = await make.contact(workspace.id, { name: 'Ann', email: 'ann@example.org' })
  await make.conversation(workspace.id, { contactId: zoe.id, channel: 'whatsapp' })
  await make.conversation(workspace.id, { contactId: ann.id, channel: 'web' })
  const second = await createContactGroup(ctx, {
    name: ' Second ',
    description: ' Those two ',
    contactIds: [zoe.id, ann.id, zoe.id],
  })
  const first = await createContactGroup(ctx, { name: 'First', contactIds: [] })
  await createContactGroup(ctxOf(other.id), { name: 'Theirs', contactIds: [] })
  const { status, body } = await call(workspace.token, 'GET', '/contact-groups')
  assert.equal(status, 200)
  assert.deepEqual(body, { groups: [first, second] })
  const { createdAt, updatedAt, ...rest } = second
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(rest, {
    id: second.id,
    name: 'Second',
    description: 'Those two',
    memberCount: 2,
    whatsappCount: 1,
    members: [
      {
        id: ann.id,
        name: 'Ann',
        email: 'ann@example.org',
        phone: null,
        hasWhatsapp: false,
        channels: ['web'],
      },
      {
        id: zoe.id,
        name: 'Zoe',
        email: null,
        phone: '+4930123456',
        hasWhatsapp: true,
        channels: ['whatsapp'],
      },
    ],
  })
  assert.deepEqual([first.description, first.memberCount, first.members], ['', 0, []])
})

test('a workspace without groups lists none, and any list is one statement', async () => {
  const workspace = await make.workspace()
  await call(workspace.token, 'GET', '/me')
  const before = database.statements.length
  assert.deepEqual((await call(workspace.token, 'GET', '/contact-groups')).body, { groups: [] })
  assert.equal(database.statements.length - before, 1)
})

test('an unknown contact is named by its index, and no group is created', async () => {
  const workspace = await make.workspace()
  const other = await make.workspace()
  const own = await make.contact(workspace.id)
  const foreign = await make.contact(other.id)
  const contactIds = [foreign.id, own.id, newId(), 'nonsense']
  assert.deepEqual(await refusedFields(workspace.id, { name: 'Group', contactIds }), [
    'contact[0]',
    'contact[2]',
    'contact[3]',
  ])
  const groups = await db.selectFrom('contact_groups').where('workspace_id', '=', workspace.id).execute()
  assert.deepEqual(groups, [])
})

test('a group has a name of 1 to 120 and a description of at most 500 characters', async () => {
  const { id } = await make.workspace()
  const fine = await createContactGroup(ctxOf(id), {
    name: 'n'.repeat(120),
    description: 'd'.repeat(500),
    contactIds: [],
  })
  assert.equal(fine.description.length, 500)
  assert.deepEqual(await refusedFields(id, { name: ' ', contactIds: [] }), ['name'])
  assert.deepEqual(
    await refusedFields(id, { name: 'n'.repeat(121), description: 'd'.repeat(501), contactIds: [] }),
    ['name', 'description'],
  )
  const tooMany = Array.from({ length: 10_001 }, () => newId())
  assert.deepEqual(await refusedFields(id, { name: 'Crowd', contactIds: tooMany }), ['contact'])
})
