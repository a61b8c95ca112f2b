import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { signIn } from '../../test/console.ts'
import { DEFAULT_GUIDANCE, FOR_ALL } from '../domain/ai/guidance/default-guidance.ts'
import { findGuidance } from '../domain/ai/guidance/find-guidance.ts'
import { INSTRUCTIONS_MAX, RULE_WHEN_MAX, RULES_MAX } from '../domain/ai/guidance/schema.ts'
import type { Guidance, GuidanceRule } from '../platform/db/tables.ts'

const app = await startApp()
const { make } = app

const fresh = async () => {
  const workspace = await make.workspace()
  const admin = await make.agent(workspace.id, { role: 'admin', nickname: `Ada ${workspace.id}` })
  const ada = await signIn(app, workspace.id, admin.id)
  const save = (change: Partial<Guidance>, revision: number) =>
    ada.call('PUT', '/ai-guidance/draft', { guidance: { ...DEFAULT_GUIDANCE, ...change }, revision })
  const publish = (revision: number) => ada.call('POST', '/ai-guidance/publish', { revision })
  const live = () => findGuidance({ db: app.database.db, workspaceId: workspace.id })
  return { ...ada, admin, workspaceId: workspace.id, save, publish, live }
}

const rule = (change: Partial<GuidanceRule> = {}): GuidanceRule => ({
  when: 'the customer asks for a discount',
  action: 'say',
  text: 'There are no discounts.',
  only: FOR_ALL,
  ...change,
})

test('what is published is live; a draft and another workspace’s are not', async () => {
  const ada = await fresh()
  const other = await fresh()
  assert.deepEqual(await ada.live(), { version: null, guidance: DEFAULT_GUIDANCE })
  assert.deepEqual((await ada.call('GET', '/ai-guidance')).body, {
    draft: DEFAULT_GUIDANCE,
    revision: 0,
    updatedBy: null,
    updatedAt: null,
    liveVersion: null,
    hasChanges: false,
    versions: [],
  })
  const change = { instructions: 'Be brief.', rules: [rule()], domains: ['example.com'] }
  const saved = await ada.save(change, 0)
  assert.equal(saved.body.revision, 1, saved.text)
  assert.equal((await ada.live()).version, null)
  const { body } = await ada.publish(1)
  const person = { id: ada.admin.id, name: `Ada ${ada.workspaceId}` }
  assert.deepEqual(
    {
      ...body,
      updatedAt: null,
      versions: body.versions.map((one: object) => ({ ...one, publishedAt: null })),
    },
    {
      draft: { ...DEFAULT_GUIDANCE, ...change },
      revision: 1,
      updatedBy: person,
      updatedAt: null,
      liveVersion: 1,
      hasChanges: false,
      versions: [{ version: 1, publishedAt: null, publishedBy: person }],
    },
  )
  assert.deepEqual(await ada.live(), { version: 1, guidance: { ...DEFAULT_GUIDANCE, ...change } })
  assert.deepEqual(await other.live(), { version: null, guidance: DEFAULT_GUIDANCE })
  assert.equal(
    (await other.call('GET', '/ai-guidance/versions/1')).body.error.code,
    'GUIDANCE_VERSION_NOT_FOUND',
  )
})

test('the second of two editors is refused, and so is publishing what one hasn’t seen', async () => {
  const ada = await fresh()
  const first = await Promise.all([
    ada.save({ instructions: 'One.' }, 0),
    ada.save({ instructions: 'Two.' }, 0),
  ])
  assert.deepEqual(first.map(({ status }) => status).sort(), [200, 409])
  await ada.save({ instructions: 'Three.' }, 1)
  const stale = await ada.save({ instructions: 'Four.' }, 1)
  assert.equal(stale.body.error.code, 'GUIDANCE_CHANGED')
  assert.equal((await ada.publish(1)).body.error.code, 'GUIDANCE_CHANGED')
  assert.equal((await ada.call('GET', '/ai-guidance')).body.draft.instructions, 'Three.')
  assert.equal((await ada.publish(2)).status, 200)
  assert.equal((await ada.publish(2)).body.error.code, 'GUIDANCE_UNCHANGED')
})

test('of two publications at once, one makes a version', async () => {
  const ada = await fresh()
  await ada.save({ instructions: 'One.' }, 0)
  const both = await Promise.all([ada.publish(1), ada.publish(1)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
  assert.equal((await ada.live()).version, 1)
})

test('an old version becomes the draft, and live only when it is published', async () => {
  const ada = await fresh()
  await ada.save({ instructions: 'One.' }, 0)
  await ada.publish(1)
  await ada.save({ instructions: 'Two.' }, 1)
  await ada.publish(2)
  const shown = await ada.call('GET', '/ai-guidance/versions/1')
  assert.equal(shown.body.guidance.instructions, 'One.')
  const { body } = await ada.call('POST', '/ai-guidance/versions/1/restore')
  assert.deepEqual([body.draft.instructions, body.revision, body.hasChanges], ['One.', 3, true])
  assert.equal((await ada.live()).guidance.instructions, 'Two.')
  await ada.publish(3)
  assert.deepEqual(await ada.live(), {
    version: 3,
    guidance: { ...DEFAULT_GUIDANCE, instructions: 'One.' },
  })
  for (const version of ['0', '4', 'x', '1e0'])
    for (const [method, end] of [
      ['GET', ''],
      ['POST', '/restore'],
    ] as const) {
      const { body } = await ada.call(method, `/ai-guidance/versions/${version}${end}`)
      assert.equal(body.error.code, 'GUIDANCE_VERSION_NOT_FOUND')
    }
})

test('unfinished rules and what the workspace doesn’t have are kept in a draft, and not published', async () => {
  const ada = await fresh()
  const other = await fresh()
  const [tag, foreignTag] = [await make.tag(ada.workspaceId), await make.tag(other.workspaceId)]
  const unfinished = {
    tagIds: [tag],
    flowIds: [tag],
    actionIds: ['none'],
    rules: [
      rule({ text: ' ' }),
      rule({ action: 'handOver', when: '', text: '' }),
      rule({ action: 'handOver', when: '', text: '', only: { ...FOR_ALL, hours: 'closed' } }),
      rule({ only: { ...FOR_ALL, tagIds: [tag, foreignTag] } }),
    ],
  }
  const saved = await ada.save(unfinished, 0)
  assert.equal(saved.status, 200, saved.text)
  const { status, body } = await ada.publish(1)
  assert.equal(status, 400)
  assert.deepEqual(
    body.error.details.map(({ field }: { field: string }) => field),
    ['rules[0].text', 'rules[1].when', 'flowIds', 'actionIds', 'rules[3].only.tagIds'],
  )
  assert.equal((await ada.live()).version, null)
  await ada.save({ tagIds: [tag], rules: [rule({ only: { ...FOR_ALL, tagIds: [tag] } })] }, 1)
  assert.equal((await ada.publish(2)).status, 200)
})

test('values beyond the limits are refused by name, and unknown fields are not stored', async () => {
  const ada = await fresh()
  for (const [field, change] of [
    ['guidance.instructions', { instructions: 'x'.repeat(INSTRUCTIONS_MAX + 1) }],
    ['guidance.rules', { rules: Array.from({ length: RULES_MAX + 1 }, () => rule()) }],
    ['guidance.rules[0].when', { rules: [rule({ when: 'x'.repeat(RULE_WHEN_MAX + 1) })] }],
    ['guidance.rules[0].action', { rules: [{ ...rule(), action: 'sing' }] }],
    ['guidance.rules[0].only.countries[0]', { rules: [rule({ only: { ...FOR_ALL, countries: ['de'] } })] }],
    ['guidance.tone', { tone: 'rude' }],
    ['guidance.domains[0]', { domains: ['https://example.com'] }],
    ['guidance.domains', { domains: Array.from({ length: 21 }, (_, index) => `a${index}.example`) }],
    ['guidance.tagIds', { tagIds: ['a', 'a'] }],
  ] as const) {
    const { status, body, text } = await ada.save(change as Partial<Guidance>, 0)
    assert.equal(status, 400, text)
    assert.equal(body.error.details[0].field, field)
  }
  const atLimit = {
    instructions: 'x'.repeat(INSTRUCTIONS_MAX),
    rules: Array.from({ length: RULES_MAX }, () => ({
      ...rule({ when: 'x'.repeat(RULE_WHEN_MAX) }),
      more: 1,
    })),
    more: { deep: 'x' },
  }
  const saved = await ada.save(atLimit, 0)
  assert.equal(saved.status, 200, saved.text)
  const { draft } = (await ada.call('GET', '/ai-guidance')).body
  assert.deepEqual(Object.keys(draft).sort(), Object.keys(DEFAULT_GUIDANCE).sort())
  assert.deepEqual(Object.keys(draft.rules[0]).sort(), ['action', 'only', 'text', 'when'])
})
