// Roles, the members who have them, the AI agent's switch and the workspace's name.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { countStatements } from '../../test/statements.ts'
import { PERMISSIONS } from '../platform/ctx/actor.ts'

const app = await startApp()
const { call, db, make } = app

const fresh = async () => {
  const workspace = await make.workspace({ name: 'Northwind' })
  const admin = await make.agent(workspace.id, { role: 'admin' })
  return { workspace, admin, ada: await signIn(app, workspace.id, admin.id) }
}
const other = await fresh()
const defaultRole = async (workspaceId: string) =>
  db
    .selectFrom('roles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('is_default', '=', true)
    .executeTakeFirstOrThrow()

const fieldsOf = (body: { error: { details: { field: string }[] } }) =>
  body.error.details.map(({ field }) => field)

test('members and roles are listed in as many statements for thirty as for one', async () => {
  const { workspace, ada } = await fresh()
  const count = (path: string) => countStatements(app.database, () => ada.call('GET', path))
  const before = [await count('/members'), await count('/roles')]
  for (let n = 0; n < 30; n++) await makeMember(app, workspace.id, ['send_broadcasts'])
  assert.deepEqual([await count('/members'), await count('/roles')], before)
})

// Roles -----------------------------------------------------------------------------------------------------------

test('roles are created, changed and listed, the default one first, each with its active members', async () => {
  const { workspace, ada } = await fresh()
  const made = await ada.call('POST', '/roles', {
    name: ' Support ',
    permissions: ['manage_tags', 'see_all_conversations', 'manage_tags'],
  })
  assert.equal(made.status, 200)
  const { role } = made.body
  assert.deepEqual(role, {
    id: role.id,
    name: 'Support',
    permissions: ['see_all_conversations', 'manage_tags'],
    isDefault: false,
    memberCount: 0,
    createdAt: role.createdAt,
  })
  await make.agent(workspace.id)
  const leaving = await make.agent(workspace.id)
  await call(workspace.token, 'DELETE', `/agents/${leaving.id}`)
  const changed = await ada.call('PATCH', `/roles/${role.id}`, {
    name: 'Help desk',
    permissions: [...PERMISSIONS],
  })
  assert.deepEqual(changed.body.role.permissions, PERMISSIONS)
  const { body } = await ada.call('GET', '/roles')
  assert.deepEqual(
    body.roles.map(
      ({ name, isDefault, memberCount }: { name: string; isDefault: boolean; memberCount: number }) => [
        name,
        isDefault,
        memberCount,
      ],
    ),
    [
      ['Agent', true, 1],
      ['Help desk', false, 0],
    ],
  )
})

test('a change of permissions takes effect at the next request of the members', async () => {
  const { workspace, ada } = await fresh()
  const { body } = await ada.call('POST', '/roles', { name: 'Tagger', permissions: [] })
  const agent = await make.agent(workspace.id)
  const person = await signIn(app, workspace.id, agent.id)
  const tag = () => person.call('POST', '/tags', { name: `Tag ${Math.random()}`, color: '#000000' })
  assert.equal((await tag()).status, 403)
  await ada.call('PATCH', `/members/${agent.id}/role`, { roleId: body.role.id })
  assert.equal((await tag()).status, 403)
  await ada.call('PATCH', `/roles/${body.role.id}`, { permissions: ['manage_tags'] })
  assert.equal((await tag()).status, 200)
  const events = await db
    .selectFrom('events')
    .select('data')
    .where('workspace_id', '=', workspace.id)
    .where('type', '=', 'agent.updated')
    .execute()
  assert.deepEqual(
    events.map(({ data }) => data.agentId),
    [agent.id, agent.id],
  )
  await ada.call('DELETE', `/roles/${body.role.id}`)
  assert.equal((await tag()).status, 403)
})

test('the default role can be changed but not deleted, and applies to members without another role', async () => {
  const { workspace, ada } = await fresh()
  const { id } = await defaultRole(workspace.id)
  const agent = await make.agent(workspace.id)
  const person = await signIn(app, workspace.id, agent.id)
  await ada.call('PATCH', `/roles/${id}`, { permissions: ['manage_groups'] })
  assert.equal((await person.call('GET', '/contact-group-summaries')).status, 200)
  const refused = await ada.call('DELETE', `/roles/${id}`)
  assert.equal(refused.status, 400)
  assert.equal(refused.body.error.code, 'ROLE_IS_DEFAULT')
})

test('removing a role moves its members to the default one, those who were removed and come back too', async () => {
  const { workspace, ada } = await fresh()
  const staying = await makeMember(app, workspace.id, ['manage_tags'], 'Going')
  const roleId = (await ada.call('GET', '/roles')).body.roles[1].id
  const leaving = await make.agent(workspace.id)
  await ada.call('PATCH', `/members/${leaving.id}/role`, { roleId })
  await ada.call('DELETE', `/agents/${leaving.id}`)
  assert.deepEqual((await ada.call('DELETE', `/roles/${roleId}`)).body, { success: true, movedCount: 1 })
  const { body } = await ada.call('GET', '/members')
  const member = body.members.find((one: { id: string }) => one.id === staying.id)
  assert.equal(member.roleName, 'Agent')
  await ada.call('POST', '/agents', { email: leaving.email })
  assert.equal((await ada.call('DELETE', `/roles/${roleId}`)).status, 404)
})

test('a member who is given a role while it is removed has it or the default one, never neither', async () => {
  const { workspace, ada } = await fresh()
  const agents = await Promise.all(Array.from({ length: 5 }, () => make.agent(workspace.id)))
  const { body } = await ada.call('POST', '/roles', { name: 'Short', permissions: [] })
  const [removed, ...given] = await Promise.all([
    ada.call('DELETE', `/roles/${body.role.id}`),
    ...agents.map(({ id }) => ada.call('PATCH', `/members/${id}/role`, { roleId: body.role.id })),
  ])
  assert.equal(removed?.status, 200, removed?.text)
  for (const { status, text } of given) assert.ok([200, 400].includes(status), text)
  const { members } = (await ada.call('GET', '/members')).body
  for (const { role, roleName } of members) if (role === 'agent') assert.equal(roleName, 'Agent')
})

test('a role needs a unique name and known permissions; a role of another workspace is not found', async () => {
  const { workspace, ada } = await fresh()
  const make2 = (input: object) => ada.call('POST', '/roles', input)
  const { body } = await make2({ name: 'Straße', permissions: [] })
  for (const [input, fields] of [
    [{ name: 'STRASSE', permissions: [] }, ['name']],
    [{ name: 'agent', permissions: [] }, ['name']],
    [{ name: ' ', permissions: ['fly'] }, ['name', 'permissions[0]']],
    [{ name: 'x'.repeat(61), permissions: 'all' }, ['name', 'permissions']],
    [{ name: 'x' }, ['permissions']],
  ] as const) {
    const answer = await make2(input)
    assert.equal(answer.status, 400)
    assert.deepEqual(fieldsOf(answer.body), fields)
  }
  assert.equal((await ada.call('PATCH', `/roles/${body.role.id}`, { name: 'strasse' })).status, 200)
  assert.deepEqual(fieldsOf((await ada.call('PATCH', `/roles/${body.role.id}`, { name: 'AGENT' })).body), [
    'name',
  ])
  assert.equal((await ada.call('PATCH', `/roles/${body.role.id}`, {})).status, 400)
  const twins = await Promise.all([1, 2, 3].map(() => make2({ name: 'Twin', permissions: [] })))
  assert.deepEqual(twins.map(({ status }) => status).sort(), [200, 400, 400])
  const foreign = (await defaultRole(other.workspace.id)).id
  const agent = await make.agent(workspace.id)
  for (const [method, path, input] of [
    ['PATCH', (id: string) => `/roles/${id}`, { name: 'Ours' }],
    ['DELETE', (id: string) => `/roles/${id}`, undefined],
  ] as const) {
    const answer = await ada.call(method, path(foreign), input)
    assert.equal(answer.status, 404)
    assert.equal(answer.text, (await ada.call(method, path('c000000000000000000000000'), input)).text)
  }
  const given = await ada.call('PATCH', `/members/${agent.id}/role`, { roleId: foreign })
  assert.deepEqual(fieldsOf(given.body), ['roleId'])
})

// Members ---------------------------------------------------------------------------------------------------------

test('members are listed with their role, the last admin and the AI agent as not to be removed', async () => {
  const { workspace, admin, ada } = await fresh()
  const agent = await makeMember(app, workspace.id, ['manage_tags'], 'Tagger')
  const aiId = await make.enableAi(workspace.id)
  const { body, status } = await ada.call('GET', '/members')
  assert.equal(status, 200)
  const shown = body.members.map((member: Record<string, unknown>) => [
    member.id,
    member.role,
    member.roleName,
    member.isManaged,
    member.removable,
  ])
  assert.deepEqual(shown, [
    [admin.id, 'admin', null, false, false],
    [agent.id, 'agent', 'Tagger', false, true],
    [aiId, 'ai', null, true, false],
  ])
  await make.agent(workspace.id, { role: 'admin' })
  assert.equal((await ada.call('GET', '/members')).body.members[0].removable, true)
})

test('a role is for agents of the workspace: admins, the AI agent and others’ members are refused', async () => {
  const { workspace, admin, ada } = await fresh()
  const { body } = await ada.call('POST', '/roles', { name: 'Any', permissions: [] })
  const set = (id: string, roleId = body.role.id) => ada.call('PATCH', `/members/${id}/role`, { roleId })
  const agent = await make.agent(workspace.id)
  const done = await set(agent.id)
  assert.equal(done.body.member.roleName, 'Any')
  assert.deepEqual(fieldsOf((await set(admin.id)).body), ['roleId'])
  const aiId = await make.enableAi(workspace.id)
  for (const id of ['ai', aiId]) assert.equal((await set(id)).body.error.code, 'AGENT_MANAGED')
  assert.deepEqual(fieldsOf((await set(agent.id, 'c000000000000000000000000')).body), ['roleId'])
  for (const id of [other.admin.id, 'c000000000000000000000000'])
    assert.equal((await set(id)).body.error.code, 'AGENT_NOT_FOUND')
  // Who becomes an admin and an agent again begins with the default role.
  await ada.call('PATCH', `/agents/${agent.id}`, { role: 'admin' })
  await ada.call('PATCH', `/agents/${agent.id}`, { role: 'agent' })
  const { members } = (await ada.call('GET', '/members')).body
  assert.equal(members.find(({ id }: { id: string }) => id === agent.id).roleName, 'Agent')
})

// The AI agent and the workspace ----------------------------------------------------------------------------------

test('the AI agent is switched on and off, twice the same changes nothing, and off it loses its conversations', async () => {
  const { workspace, ada } = await fresh()
  assert.deepEqual((await ada.call('GET', '/ai-agent')).body, { enabled: false })
  for (const _ of [1, 2])
    assert.deepEqual((await ada.call('PUT', '/ai-agent', { enabled: true })).body, { enabled: true })
  assert.deepEqual((await ada.call('GET', '/ai-agent')).body, { enabled: true })
  const conversation = await make.conversation(workspace.id)
  await ada.call('POST', `/conversations/${conversation.id}/assign`, { agentId: 'ai' })
  assert.deepEqual((await ada.call('PUT', '/ai-agent', { enabled: false })).body, { enabled: false })
  const { body } = await call(workspace.token, 'GET', `/conversations/${conversation.id}`)
  assert.equal(body.conversation.assignment, null)
  assert.equal((await ada.call('PUT', '/ai-agent', { enabled: 'yes' })).status, 400)
})

test('the workspace is renamed, for its customers too, and no other is', async () => {
  const { workspace, ada } = await fresh()
  assert.deepEqual((await ada.call('GET', '/workspace')).body, {
    workspace: { id: workspace.id, name: 'Northwind' },
  })
  const { body } = await ada.call('PATCH', '/workspace', { name: '  Südwind  ' })
  assert.deepEqual(body, { workspace: { id: workspace.id, name: 'Südwind' } })
  assert.equal((await call(workspace.token, 'GET', '/me')).body.company.name, 'Südwind')
  assert.equal((await call(other.workspace.token, 'GET', '/me')).body.company.name, 'Northwind')
  for (const name of [' ', 'x'.repeat(121), null])
    assert.deepEqual(fieldsOf((await ada.call('PATCH', '/workspace', { name })).body), ['name'])
})
