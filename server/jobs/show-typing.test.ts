// Whether customers and colleagues see that the AI agent is replying: by signals, and against the sandbox.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allowOutbound } from '../../channels/protocol/outbound.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { startApp } from '../../test/app.ts'
import { until } from '../../test/until.ts'
import { setAiStopped } from '../domain/ai/settings.ts'
import { QUIET_MS, startAssisting } from '../domain/ai/testing/assisted.ts'
import { claimTurn } from '../domain/ai/turn-queries.ts'
import { findTypingAddress } from '../domain/ai/typing-queries.ts'
import type { Signal, Signals } from '../domain/conversations/signals.ts'
import { receiveMessage } from '../domain/messages/receive-messages.ts'
import { connectFresh } from '../inbound/items/testing/provider.ts'
import type { ChannelName } from '../platform/db/tables.ts'
import { makeEphemeral } from '../platform/live/ephemeral.ts'
import { circuitOf } from './account-circuit.ts'

const KEY = 'sk-typing-55d0a9e1c3b74f28'
const PAGE = { pageId: '77', accessToken: 'page', appSecret: 'app-secret' }
const sandbox = await startSandbox({
  modelKey: KEY,
  customers: true,
  accessToken: 'token',
  connections: { telegram: { botToken: '7:token' }, messenger: PAGE },
})
const { control } = sandbox
after(() => sandbox.stop())
const ephemeral: Signals = makeEphemeral()
const app = await startApp({ deps: { ephemeral } })
before(() => allowOutbound(sandbox.url))
const { conductor, pass, place, settle, thinker } = startAssisting(app)
after(async () => {
  await thinker.stop()
  await conductor.stop()
})

const signals: (Signal & { type: 'agent.typing' })[] = []
ephemeral.subscribe((signal) => {
  if (signal.type === 'agent.typing') signals.push(signal)
})
const shownIn = (there: { conversationId: () => string }): boolean[] =>
  signals
    .filter(({ conversationId }) => conversationId === there.conversationId())
    .map(({ isTyping }) => isTyping)

/** A customer on a website to whom the agent has replied. */
const open = async () => {
  const there = await place()
  await there.opens('Can I send my order back?')
  await becomes(() => shownIn(there), false)
  return there
}
type There = Awaited<ReturnType<typeof open>>

/** They write again, and the agent waits for whether there is more. */
const ask = async (there: There) => {
  const shown = shownIn(there).length
  await there.says('How much is shipping?')
  assert.equal((await there.turns()).at(-1)!.state, 'waiting')
  return () => shownIn(there).slice(shown)
}

const later = (ms: number) => {
  const now = app.clock.now().getTime() + ms
  return () => new Date(now)
}

const becomes = (shown: () => boolean[], isTyping: boolean) =>
  until(() => {
    thinker.look()
    return shown().at(-1) === isTyping
  }, `typing to be ${isTyping}`)

test('on a website it is shown while a turn waits, and ends with the turn', async () => {
  const there = await open()
  const shown = await ask(there)
  await becomes(shown, true)
  assert.equal((await there.turns()).at(-1)!.state, 'waiting')
  const { nickname, workspaceId } = signals.at(-1)!
  assert.equal(workspaceId, there.workspaceId)
  const ai = app.db.selectFrom('accounts').select('nickname').where('is_ai', '=', true)
  assert.equal(nickname, (await ai.executeTakeFirstOrThrow()).nickname)
  await settle()
  assert.match((await there.thread()).at(-1)!, /Shipping is free/)
  await becomes(shown, false)
  assert.deepEqual(shown(), [true, false])
})

test('colleagues see it on every channel, and that it ends', async () => {
  const at: string[] = []
  const stop = ephemeral.subscribe((signal) => {
    if (signal.type === 'agent.at')
      at.push(`${signal.conversationId} ${signal.agent.nickname} ${signal.state}`)
  })
  const there = await place({ channel: 'sms' })
  await there.writes('How much is shipping?')
  await there.assign()
  const { nickname } = await app.db
    .selectFrom('accounts')
    .select('nickname')
    .where('is_ai', '=', true)
    .executeTakeFirstOrThrow()
  const shown = (state: string) => () => {
    thinker.look()
    return at.includes(`${there.conversationId()} ${nickname} ${state}`)
  }
  await until(shown('typing'), 'the agent to type')
  await settle()
  await until(shown('left'), 'the agent to leave')
  assert.deepEqual(shownIn(there), [])
  stop()
})

test('it ends without a message when a person takes the conversation', async () => {
  const there = await open()
  const shown = await ask(there)
  await becomes(shown, true)
  const before = await there.thread()
  const { id } = await app.make.agent(there.workspaceId)
  await there.assign(id)
  await becomes(shown, false)
  assert.deepEqual(await there.thread(), before)
})

test('an agent that was stopped doesn’t type', async () => {
  const [stopped, running] = [await open(), await open()]
  const [shownThere, shownHere] = [await ask(stopped), await ask(running)]
  await setAiStopped(stopped.ctx, { isStopped: true })
  await becomes(shownHere, true)
  assert.deepEqual(shownThere(), [])
  await pass(QUIET_MS)

  const there = await open()
  await ask(there)
  app.clock.now = later(QUIET_MS)
  const { id } = (await claimTurn(there.ctx, (await there.turns()).at(-1)!.id))!
  assert.equal((await findTypingAddress(there.ctx, id))!.channel, 'web')
  await setAiStopped(there.ctx, { isStopped: true })
  assert.equal(await findTypingAddress(there.ctx, id), undefined)
})

/** What pages of the sandbox are told of typing. */
const watchTyping = async () => {
  const closing = new AbortController()
  after(() => closing.abort())
  const { body } = await fetch(`${sandbox.url}/control/feed`, { signal: closing.signal })
  let text = ''
  const read = async (): Promise<void> => {
    for await (const part of body!.pipeThrough(new TextDecoderStream())) text += part
  }
  read().catch(() => {})
  return (id: string): boolean =>
    text.split('\n\n').some((event) => event.startsWith('event: typing') && event.includes(id))
}

const [person] = control.people()
const [customer] = control.state().customers
const account = { apiUrl: sandbox.url, appSecret: 'app-secret', verifyToken: 'verify' }

type Reached = { fields: Record<string, string>; id: string; from: string; kind: string; write: () => string }

const REACHED: Partial<Record<ChannelName, Reached>> = {
  telegram: {
    fields: { botToken: '7:token', webhookSecret: 'shh', apiUrl: sandbox.url },
    id: person!.id,
    from: person!.telegramId,
    kind: 'telegram',
    write: () => control.writeChat(person!.id, 'telegram', { type: 'text', text: 'Hello' })!.id,
  },
  facebook: {
    fields: { ...account, pageId: PAGE.pageId, accessToken: PAGE.accessToken },
    id: person!.id,
    from: person!.psid,
    kind: 'facebook',
    write: () => control.writeChat(person!.id, 'messenger', { type: 'text', text: 'Hello' })!.id,
  },
  whatsapp: {
    fields: {
      ...account,
      phoneNumber: '+15550783881',
      phoneNumberId: '106540352242922',
      businessAccountId: '102290129340398',
      accessToken: 'token',
    },
    id: customer!.id,
    from: customer!.waId!,
    kind: 'whatsapp_id',
    write: () => control.write(customer!.id, { type: 'text', text: 'Hello' })!.id,
  },
}

const MODEL = { url: sandbox.url, key: KEY, name: 'sandbox-facts' }

/** A customer of the channel who has written to the agent. */
const reached = async (channel: ChannelName, setup: Parameters<typeof place>[0] = { model: MODEL }) => {
  const { fields, from, kind, write } = REACHED[channel]!
  const there = await place(setup)
  const { channelId } = await connectFresh(app, channel, fields, there.workspaceId)
  const writes = (body: string) =>
    receiveMessage(there.ctx, {
      channel,
      channelAccountId: channelId,
      from: { identity: { kind: kind as 'telegram', value: from, verified: true }, name: 'Maria' },
      body,
      externalId: write(),
      sentAt: app.clock.now(),
    })
  const { conversationId } = await writes(
    setup.model ? 'May I return everything?' : 'How long do I have to return something?',
  )
  const { status } = await app.call(there.token, 'POST', `/conversations/${conversationId}/assign`, {
    agentId: 'ai',
  })
  assert.equal(status, 200)
  await conductor.conductDue()
  const replies = async () => {
    const { body } = await app.call(there.token, 'GET', `/conversations/${conversationId}/messages`)
    return (body.messages as { body: string }[]).filter(({ body }) => /30 days/.test(body)).length
  }
  return { channelId, replies, writes }
}

for (const channel of Object.keys(REACHED) as ChannelName[])
  test(`on ${channel} it is shown while a model is asked`, async () => {
    const isTyping = await watchTyping()
    const { id } = REACHED[channel]!
    const { replies, writes } = await reached(channel)
    assert.equal(isTyping(id), false)
    control.addModelFault({ kind: 'slow', times: 1, delayMs: 15_000 })
    await pass(QUIET_MS)
    const thinking = thinker.thinkDue()
    await until(() => isTyping(id), 'typing to be shown')
    // The model needn't be waited for: the turn begins anew.
    await writes('Everything?')
    await conductor.conductDue()
    await thinking
    await settle()
    assert.equal(await replies(), 1)
  })

test('a reply that needs no model marks nothing as read', async () => {
  const { replies } = await reached('whatsapp', {})
  await settle()
  assert.equal(await replies(), 1)
  assert.equal(control.thread(customer!.id).at(-1)!.isReadByBusiness, false)
})

test('a provider that fails or hangs holds up no reply and is not blamed for it', async () => {
  for (const fault of [{ kind: 'hang' }, { kind: 'error', code: 131000 }] as const) {
    control.addFault({ ...fault, operation: 'read' })
    const { channelId, replies } = await reached('whatsapp')
    await settle()
    assert.equal(await replies(), 1)
    assert.equal(circuitOf(channelId).isOpen(), false)
    const { problem } = await app.db
      .selectFrom('channel_accounts')
      .select('problem')
      .where('id', '=', channelId)
      .executeTakeFirstOrThrow()
    assert.equal(problem, null)
    control.clearFaults()
  }
})
