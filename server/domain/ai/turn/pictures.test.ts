// Pictures that customers send, and models that see them or don't.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { allowOutbound } from '../../../../channels/protocol/outbound.ts'
import { MODEL_KINDS } from '../../../../models/names.ts'
import { makePicture } from '../../../../sandbox/model/make-picture.ts'
import { type AnswerInput, startSandbox } from '../../../../sandbox/sandbox.ts'
import { startApp } from '../../../../test/app.ts'
import { fileKey } from '../../../platform/files/store.ts'
import { storeAttachment } from '../../attachments/store-attachment.ts'
import { checkProvider } from '../provider/save-provider.ts'
import { updateAiSettings } from '../settings.ts'
import { RETURNS, startAssisting } from '../testing/assisted.ts'
import { PICTURE_MAX_BYTES } from './known/load-pictures.ts'

const KEY = 'sk-pictures-e4a7095c1fd2b836'
const sandbox = await startSandbox({ modelKey: KEY })
const { control } = sandbox
const app = await startApp()
const { conductor, place, settle, thinker } = startAssisting(app)
const { ctxOf, make } = app
before(() => allowOutbound(sandbox.url))
beforeEach(() => control.clearModel())
after(async () => {
  await thinker.stop()
  await conductor.stop()
  await sandbox.stop()
})

const reply: AnswerInput = {
  calls: [{ name: 'end_turn', arguments: { action: 'reply', text: RETURNS.body, sources: ['s1'] } }],
}

type File = { name: string; mimeType: string; content: Buffer }
const png = (shows: string): File => ({
  name: `${shows}.png`,
  mimeType: 'image/png',
  content: makePicture(shows),
})

const placeWith = async ({
  kind = 'chat_completions' as (typeof MODEL_KINDS)[number],
  sends = true,
  sees = true,
} = {}) => {
  const there = await place({ model: { url: sandbox.url, key: KEY, name: 'sandbox-script', kind } })
  const ctx = ctxOf(there.workspaceId)
  const { id } = await make.agent(there.workspaceId, { role: 'admin' })
  if (!sees) control.addModelFault({ kind: 'refuse-pictures', times: null })
  const admin = { type: 'agent', accountId: id, role: 'admin', permissions: [] } as const
  const { check } = await checkProvider({ ...ctx, actor: admin })
  assert.equal(check?.isUsable, true)
  await updateAiSettings(ctx, { privacy: { sendsPictures: sends } })
  /** What the customer sends, and what the model is asked then. */
  const shows = async (files: File[], words = 'How long do I have to return something like this?') => {
    const attachmentIds: string[] = []
    for (const file of files) attachmentIds.push((await storeAttachment(ctx, file)).id)
    await there.writes(words, { attachmentIds })
    await there.assign()
    control.scriptModel([reply])
    await settle()
    const { heard, body } = control.modelCalls().at(-1)!
    return {
      asked: heard.entries.map((entry) => ('text' in entry ? entry.text : '')).join('\n'),
      body: JSON.stringify(body),
      attachmentIds,
    }
  }
  return { ...there, shows, ctx }
}

for (const kind of MODEL_KINDS)
  test(`a customer’s pictures go along over ${kind} where the team wants it, and the record has their names alone`, async () => {
    const there = await placeWith({ kind })
    const kettle = png('a kettle')
    const { asked } = await there.shows([kettle])
    assert.match(asked, /How long do I have[^<]*\n\[image: a kettle\.png, attached\]/)
    assert.match(asked, /\[picture: a kettle\]/)
    assert.ok((await there.thread()).at(-1)!.includes(String(RETURNS.body)))
    const record = JSON.stringify((await there.requests()).at(-1)!.request)
    assert.match(record, /"pictures": ?\[.*a kettle\.png/)
    assert.ok(!record.includes(kettle.content.toString('base64').slice(0, 40)))
  })

test('by default, and to a model that can’t see, no picture is sent, and the model is told that there is one', async () => {
  for (const how of [{ sends: false }, { sees: false }]) {
    const { asked, body } = await (await placeWith(how)).shows([png('a kettle')])
    assert.match(asked, /\[image: a kettle\.png\]/)
    assert.doesNotMatch(asked, /\[picture:/)
    assert.doesNotMatch(body, /base64/)
    assert.match(body, /a picture or file that you can’t see, hand over/)
    control.clearModel()
  }
})

test('the latest four are sent, and nothing that isn’t a picture, is too large or is gone', async () => {
  const there = await placeWith()
  const large = Buffer.concat([makePicture('a whale'), Buffer.alloc(PICTURE_MAX_BYTES)])
  const files = [
    ...['one', 'two', 'three', 'four', 'five', 'six'].map(png),
    { name: 'whale.png', mimeType: 'image/png', content: large },
    { name: 'page.png', mimeType: 'image/png', content: Buffer.from('<script>') },
    { name: 'order.pdf', mimeType: 'application/pdf', content: Buffer.from('%PDF') },
  ]
  const { asked, attachmentIds } = await there.shows(files)
  assert.deepEqual(
    [...asked.matchAll(/\[picture: (\w+)\]/g)].map(([, shown]) => shown),
    ['four', 'five', 'six'],
    'what isn’t a picture took one of the four places',
  )
  assert.match(asked, /\[image: whale\.png\][\s\S]*\[image: page\.png\][\s\S]*\[file: order\.pdf\]/)
  for (const id of attachmentIds) await there.ctx.files.remove(fileKey(there.workspaceId, id))
  const again = await there.shows([], 'And may I return two of them?')
  assert.doesNotMatch(again.asked, /\[picture:/)
  assert.match(again.asked, /\[image: six\.png\]/)
})

test('pictures of other customers aren’t seen', async () => {
  const there = await placeWith()
  await there.shows([png('a kettle')])
  const other = await placeWith()
  const { asked } = await other.shows([])
  assert.doesNotMatch(asked, /kettle/)
})

test('a provider that refuses a picture is asked again without, so that the customer gets a reply', async () => {
  const there = await placeWith()
  control.addModelFault({ kind: 'refuse-pictures', times: null })
  const { asked } = await there.shows([png('a kettle')])
  assert.doesNotMatch(asked, /\[picture:/)
  assert.match(asked, /\[image: a kettle\.png\]/)
  assert.ok((await there.thread()).at(-1)!.includes(String(RETURNS.body)))
})
