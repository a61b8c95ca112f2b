// What is as large as it may be, and right: nothing of it is refused, so all of it is done, in turns with other requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUDIENCE_MAX } from '../server/domain/broadcasts/schema.ts'
import { GROUP_MEMBERS_MAX } from '../server/domain/contact-groups/schema.ts'
import { WEBHOOK_MAX_BYTES } from '../server/inbound/webhook-scope.ts'
import { change, connect, messageOf, sign, webhook } from '../server/inbound/whatsapp/testing/provider.ts'
import { newId } from '../server/platform/db/id.ts'
import { startApp } from './app.ts'
import { makeBlockingCheck } from './blocking.ts'
import { signIn } from './console.ts'
import { makeWorld } from './operations.ts'

const app = await startApp()
const world = await makeWorld(app, 'largest')
const { secret } = await signIn(app, world.workspace.id, world.admin.id)
const inConsole = { cookie: `foyer_session=${secret}`, 'x-foyer-console': '1' }
const inApi = { authorization: `Bearer ${world.workspace.token}` }
const W = `/console/api/workspaces/${world.workspace.id}`
const { check, assertNothingSlow } = makeBlockingCheck(app)

const phones = Array.from({ length: AUDIENCE_MAX }, (_, at) => `+55 11 9${String(10_000_000 + at)}`)
const knownOnWhatsapp = async (phone: string) => {
  const { id: contactId } = await app.make.contact(world.workspace.id, { phone })
  await app.make.conversation(world.workspace.id, {
    contactId,
    channel: 'whatsapp',
    channelAccountId: world.whatsapp,
  })
}
const message = { templateName: 'order_ready', parameters: ['1182'] }

test('a broadcast to as many as may be listed lets other requests in between, and so does its preview', async () => {
  // One of them is somebody, so that it is accepted.
  await knownOnWhatsapp(phones[0]!.replaceAll(' ', ''))
  for (const more of [{}, { name: 'Somebody Else', parameters: ['x'.repeat(20)] }]) {
    const audience = { type: 'recipients', recipients: phones.map((phone) => ({ phone, ...more })) }
    for (const [url, headers] of [
      ['/api/v1/broadcasts', inApi],
      [`${W}/broadcasts`, inConsole],
      [`${W}/broadcasts/preview`, inConsole],
    ] as const)
      assert.equal(
        await check(url, { method: 'POST', url, headers, payload: { ...message, audience } }),
        200,
        url,
      )
  }
  assertNothingSlow()
})

test('adding as many to a group as may be pasted lets other requests in between', async () => {
  const emails = Array.from({ length: GROUP_MEMBERS_MAX }, (_, at) => `Some Body <somebody${at}@example.com>`)
  const ids = Array.from({ length: GROUP_MEMBERS_MAX }, () => newId())
  const members = {
    method: 'POST',
    url: `${W}/contact-groups/${world.groupId}/members`,
    headers: inConsole,
  } as const
  for (const payload of [{ phonesOrEmails: phones }, { phonesOrEmails: emails }, { contactIds: ids }]) {
    const name = `${Object.keys(payload)} of ${Object.values(payload)[0]![0]}`
    assert.equal(await check(name, { ...members, payload }), 200, name)
  }
  assertNothingSlow()
})

/** A body of about as many bytes as a webhook takes. */
const bytesOf = (item: string): string =>
  Array(Math.floor((WEBHOOK_MAX_BYTES - 1_000) / (item.length + 1)))
    .fill(item)
    .join()

test('a signed webhook lets other requests in between, whatever it holds', async () => {
  const channelId = await connect(app, world.workspace.id, {
    phoneNumberId: '4711',
    phoneNumber: '+15550783882',
  })
  const entry = (changes: string): string =>
    `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[${changes}]}]}`
  const inOne = (name: string, items: string): string =>
    entry(JSON.stringify(change({ [name]: ['@'] }, 'messages', '4711')).replace('"@"', items))
  const bodies: Record<string, () => string> = {
    'distinct keys': () => `{${Array.from({ length: 200_000 }, (_, at) => `"k${at}":1`).join()}}`,
    'a wide list': () => `[${bytesOf('1')}]`,
    'a list of lists': () => `[${bytesOf('[]')}]`,
    brackets: () => '['.repeat(WEBHOOK_MAX_BYTES - 10),
    'many digits': () => `[${'1'.repeat(WEBHOOK_MAX_BYTES - 10)}]`,
    'integers that no double holds': () => `[${bytesOf('12345678901234567890')}]`,
    'a long text': () => `{"entry":"${'a'.repeat(WEBHOOK_MAX_BYTES - 100)}"}`,
    'a long message': () =>
      inOne(
        'messages',
        `{"id":"x","from":"16505551234","timestamp":"1","type":"text","text":{"body":"${'\\u0000'.repeat(WEBHOOK_MAX_BYTES / 8)}"}}`,
      ),
    'empty changes': () => entry(bytesOf('{}')),
    'empty messages': () => inOne('messages', Array(19_000).fill('{}').join()),
    'statuses of nothing': () =>
      inOne(
        'statuses',
        Array(9_000).fill('{"id":"wamid.x","status":"sent","timestamp":"1700000000"}').join(),
      ),
    'a thousand messages of as many people': () => {
      const start = String(Math.random()).slice(2, 8)
      return JSON.stringify(
        webhook(
          ...Array.from({ length: 1_000 }, (_, at) => {
            const one = messageOf({ waId: `1650${start}${at}`, name: `Person ${at}` }, 'word '.repeat(300))
            return {
              ...one,
              value: {
                ...one.value,
                metadata: { display_phone_number: '15550783882', phone_number_id: '4711' },
              },
            }
          }),
        ),
      )
    },
  }
  for (const [name, make] of Object.entries(bodies)) {
    const status = await check(name, () => {
      const payload = make()
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': sign(payload) }
      return { method: 'POST', url: `/webhooks/whatsapp/${channelId}`, headers, payload }
    })
    assert.equal(status, 200, name)
  }
  assertNothingSlow()
})
