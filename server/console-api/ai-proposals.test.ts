// Actions that a person confirms: who may, once, and what the customer hears.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { proposes, QUESTION, startProposing } from '../domain/ai/testing/proposing.ts'
import { newId } from '../platform/db/id.ts'

const DAY_MS = 24 * 3_600_000

const app = await startApp()
const { control, makePlace, pass, shop } = await startProposing(app)
const { make } = app

/** What the customer wants has to be confirmed by a person. */
const proposed = async () => {
  const there = await makePlace({ action: { confirm: 'person' } })
  control.scriptModel([proposes()])
  const said = await there.opens(QUESTION)
  const [robin, kim] = await Promise.all(
    ['Robin', 'Kim'].map(async (name) => {
      const nickname = `${name} ${newId()}`
      const { id } = await make.agent(there.workspaceId, { role: 'admin', nickname })
      return { nickname, ...(await signIn(app, there.workspaceId, id)) }
    }),
  )
  const path = `/conversations/${there.conversationId()}/proposals`
  const [open] = (await robin!.call('GET', path)).body.proposals
  return { ...there, said, robin: robin!, kim: kim!, path, open }
}

test('what a person has to confirm goes to people, and the customer hears so', async () => {
  const { said, open, agentId, lines, calls } = await proposed()
  assert.equal(
    said,
    'agent: A colleague has to look at this first:\n\nCancel order: number AB-12345\n\nSomeone from our team will reply here.',
  )
  assert.equal(await agentId(), null)
  assert.deepEqual(open.values, [{ label: 'number', value: 'AB-12345' }])
  assert.deepEqual([open.name, open.state], ['Cancel order', 'offered'])
  assert.ok((await lines()).includes('AI agent: handed over because a teammate has to confirm an action'))
  assert.deepEqual(await calls(), [])
})

test('of two people who decide at once, one does, and it is done once', async () => {
  const { robin, kim, path, open, finish, last, lines, proposals } = await proposed()
  const decided = await Promise.all([
    robin.call('POST', `${path}/${open.id}/confirm`),
    kim.call('POST', `${path}/${open.id}/confirm`),
  ])
  assert.deepEqual(decided.map(({ status }) => status).sort(), [200, 409])
  const winner = decided[0]!.status === 200 ? robin : kim
  const { body } = decided.find(({ status }) => status === 409)!
  assert.equal(body.error.code, 'PROPOSAL_ENDED')
  await finish()
  assert.deepEqual(
    shop.called.map(({ key }) => key),
    [open.id],
  )
  assert.equal(await last(), 'automation: Done.\n\nCancel order: number AB-12345')
  assert.deepEqual((await lines()).slice(-2), [
    `${winner.nickname} confirmed what the AI agent proposed: Cancel order: number AB-12345`,
    'AI agent: done: Cancel order: number AB-12345',
  ])
  const { state, confirmed_by: by } = (await proposals())[0]!
  assert.deepEqual([state, by], ['done', winner.accountId])
  assert.deepEqual((await robin.call('GET', path)).body.proposals, [])
})

test('what was declined or has expired can’t be done', async () => {
  const { robin, kim, path, open, calls } = await proposed()
  assert.deepEqual((await robin.call('POST', `${path}/${open.id}/decline`)).body, { proposals: [] })
  assert.equal((await kim.call('POST', `${path}/${open.id}/confirm`)).body.error.code, 'PROPOSAL_ENDED')
  assert.deepEqual(await calls(), [])

  const late = await proposed()
  await pass(DAY_MS)
  const fresh = await signIn(app, late.workspaceId, late.robin.accountId)
  assert.deepEqual((await fresh.call('GET', late.path)).body.proposals, [])
  const { body } = await fresh.call('POST', `${late.path}/${late.open.id}/confirm`)
  assert.equal(body.error.code, 'PROPOSAL_ENDED')
  assert.deepEqual(await late.calls(), [])
})

test('nobody decides in another conversation or workspace', async () => {
  const [one, other] = [await proposed(), await proposed()]
  for (const [caller, path, code] of [
    [other.robin, one.path, 'CONVERSATION_NOT_FOUND'],
    [other.robin, other.path, 'PROPOSAL_NOT_FOUND'],
    [one.robin, `/conversations/${newId()}/proposals`, 'CONVERSATION_NOT_FOUND'],
  ] as const)
    for (const verb of ['confirm', 'decline'])
      assert.equal((await caller.call('POST', `${path}/${one.open.id}/${verb}`)).body.error.code, code)
  assert.equal((await one.proposals())[0]!.state, 'offered')
})

test('what a customer has to confirm is none of the team’s', async () => {
  const there = await makePlace()
  control.scriptModel([proposes()])
  await there.opens(QUESTION)
  const { id } = await make.agent(there.workspaceId, { role: 'admin' })
  const robin = await signIn(app, there.workspaceId, id)
  const path = `/conversations/${there.conversationId()}/proposals`
  assert.deepEqual((await robin.call('GET', path)).body.proposals, [])
  const proposalId = (await there.proposals())[0]!.id
  const { body } = await robin.call('POST', `${path}/${proposalId}/confirm`)
  assert.equal(body.error.code, 'PROPOSAL_ENDED')
})
