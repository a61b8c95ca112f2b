// Uploaded files in the headers of broadcasts, and test sends of a broadcast's message.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { startApp } from '../../../test/app.ts'
import { signIn } from '../../../test/console.ts'
import { until } from '../../../test/until.ts'
import { type Asked, accept, connect, refuse, startGraph } from '../../inbound/whatsapp/testing/provider.ts'
import { kill, startKillable } from '../../jobs/testing/killable.ts'
import { makeFolderStore } from '../../platform/files/folder-store.ts'
import { listUnbound } from '../attachments/queries.ts'

const folder = await mkdtemp(join(tmpdir(), 'foyer-headers-'))
after(() => rm(folder, { recursive: true, force: true }))
const app = await startApp({
  worker: { sendTimeoutMs: 2_500, backoffMinMs: 30, backoffMaxMs: 300, pauseMinMs: 100, pauseMaxMs: 200 },
  deps: { settleMs: 1_200, files: makeFolderStore(folder) },
})
const { call, database, db, make } = app
const graph = await startGraph()
after(graph.stop)
let phones = 0

const MIB = 1024 * 1024
const chunk = (type: string, data: Buffer): Buffer => {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length)
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, data, Buffer.alloc(4)])
}
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const png = ({ width = 800, height = 400, bits = 8, between = [] as Buffer[], padding = 0 } = {}): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([bits, 2, 0, 0, 0], 8)
  const data = chunk('IDAT', Buffer.alloc(64 + padding))
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), ...between, data, chunk('IEND', Buffer.alloc(0))])
}
const jpeg = (colors: number): Buffer =>
  Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc2, 0, 11, 8, 1, 0, 2, 0, colors],
    ...Array<number>(40).fill(0),
  ])
const gif = Buffer.from('GIF89a\x01\x00\x01\x00\x00\x00\x00;', 'latin1')
const mp4 = Buffer.from('\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00', 'latin1')

const HEADERS = { picture: 'IMAGE', clip: 'VIDEO', paper: 'DOCUMENT' }

const world = async () => {
  const workspace = await make.workspace()
  const number = await connect(app, workspace.id, { apiUrl: graph.url })
  for (const [name, format] of [...Object.entries(HEADERS), ['plain', null]] as const)
    await make.template(workspace.id, '102290129340398', {
      name,
      components: [...(format ? [{ type: 'HEADER', format }] : []), { type: 'BODY', text: 'Hello {{1}}.' }],
    })
  const person = async (name: string, more: { status?: 'open' | 'closed' } = {}) => {
    const phone = `+35196${String(1_000_000 + phones++)}`
    const { id } = await make.contact(workspace.id, { phone, email: null, name })
    const conversation = await make.conversation(workspace.id, {
      ...{ contactId: id, channel: 'whatsapp', channelAccountId: number },
      ...more,
    })
    return { id, phone, conversationId: conversation.id }
  }
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const upload = async (content: Buffer, name = 'sale.png', type = 'image/png'): Promise<string> => {
    const data = new FormData()
    data.append('file', new File([new Uint8Array(content)], name, { type }))
    const form = new Response(data)
    const { status, body, text } = await admin.call('POST', '/attachments', undefined, {
      headers: { 'content-type': form.headers.get('content-type')! },
      payload: Buffer.from(await form.arrayBuffer()),
    })
    assert.equal(status, 200, text)
    return body.attachment.id
  }
  const send = (ids: string[], more: object = {}) =>
    admin.call('POST', '/broadcasts', {
      templateName: 'picture',
      parameters: ['there'],
      audience: { type: 'contacts', contactIds: ids },
      ...more,
    })
  const trial = (more: object, key?: string) =>
    admin.call(
      'POST',
      '/broadcasts/test',
      { templateName: 'plain', parameters: ['there'], ...more },
      key ? { headers: { 'idempotency-key': key } } : {},
    )
  const latest = async (id: string) => (await admin.call('GET', `/broadcasts/${id}`)).body.broadcast
  const thread = async (id: string) =>
    (await call(workspace.token, 'GET', `/conversations/${id}/messages`)).body.messages
  return { ...workspace, admin, number, person, upload, send, trial, latest, thread }
}

type Sent = { to?: string; template: { components: { type: string; parameters: unknown[] }[] } }
const sentTo = (...phones: string[]): Sent[] =>
  (graph.sent() as Sent[]).filter(({ to }) => phones.some((phone) => phone === to || phone.slice(1) === to))
const headerOf = ({ template }: Sent) =>
  template.components.find(({ type }) => type === 'header')?.parameters[0]
const fieldsOf = ({
  body,
  status,
}: {
  status: number
  body: { error: { details?: { field: string }[] } }
}) => {
  assert.equal(status, 400, JSON.stringify(body))
  return body.error.details?.map(({ field }) => field)
}

test('a picture is uploaded to the provider once, and everyone gets it and sees it in their thread', async () => {
  const { person, upload, send, latest, thread } = await world()
  const people = [await person('Ada'), await person('Ben'), await person('Cleo')]
  const headerAttachmentId = await upload(png())
  const before = graph.uploads().length
  for (const round of [1, 2]) {
    const { body } = await send(
      people.map(({ id }) => id),
      { headerAttachmentId, fields: ['firstName'] },
    )
    await until(async () => (await latest(body.broadcast.id)).sentCount === 3, 'everyone to get it')
    assert.equal(graph.uploads().length - before, 1)
    const sent = sentTo(...people.map(({ phone }) => phone))
    assert.equal(sent.length, 3 * round)
    for (const one of sent)
      assert.match(JSON.stringify(headerOf(one)), /^{"type":"image","image":{"id":"media\.\d+"}}$/)
  }
  assert.match(String(graph.uploads().at(-1)?.body.form), /name="type"\r\n\r\nimage\/png[\s\S]+\x89PNG/)
  const [message] = await thread(people[0]!.conversationId)
  assert.equal(message.body, 'Hello Ada.')
  const { rows } = await sql<{ key: string; count: number }>`select storage_key as key, count(*) as count
    from attachments where storage_key like '%' || ${headerAttachmentId} group by 1`.execute(db)
  assert.deepEqual(
    rows.map(({ count }) => count),
    [7],
  )
  // It is kept as long as the broadcast is.
  const later = new Date(Date.now() + 48 * 3_600_000)
  assert.ok((await listUnbound(db, later, 1_000)).every(({ id }) => id !== headerAttachmentId))
})

test('a header’s file is refused unless it is what WhatsApp shows there, and nothing is sent', async () => {
  const [{ admin, person, upload, send, trial }, theirs] = [await world(), await world()]
  const ada = await person('Ada')
  const animated = chunk('acTL', Buffer.alloc(8))
  const cases: [string, Promise<string>, string?][] = [
    ['no picture', upload(Buffer.from('<svg onload="alert(1)"/>'))],
    ['nothing', upload(Buffer.alloc(0))],
    ['5 MiB and one byte', upload(png({ padding: 5 * MIB }))],
    ['animated', upload(png({ between: [animated] }))],
    ['20,000 × 20,000', upload(png({ width: 20_000, height: 20_000 }))],
    ['no pixels', upload(png({ width: 0 }))],
    ['16 bits', upload(png({ bits: 16 }))],
    ['CMYK', upload(jpeg(4), 'a.jpg', 'image/jpeg')],
    ['cut off', upload(png().subarray(0, 40))],
    ['another type than it says', upload(png(), 'a.jpg', 'image/jpeg')],
    ['a GIF', upload(gif, 'a.gif', 'image/gif')],
    ['a GIF called PNG', upload(gif)],
    ['a video', upload(mp4, 'a.mp4', 'video/mp4')],
    ['a text called video', upload(Buffer.from('hello, no video'), 'a.mp4', 'video/mp4'), 'clip'],
    ['a picture for a document', upload(png()), 'paper'],
    ['theirs', theirs.upload(png())],
    ['unknown', Promise.resolve('c000000000000000000000000')],
  ]
  for (const [what, uploaded, templateName = 'picture'] of cases) {
    const given = { templateName, headerAttachmentId: await uploaded }
    assert.deepEqual(fieldsOf(await send([ada.id], given)), ['headerAttachmentId'], what)
    assert.deepEqual(fieldsOf(await trial({ ...given, contactIds: [ada.id] })), ['headerAttachmentId'], what)
    const type = { picture: 'image', clip: 'video', paper: 'document' }[templateName]
    const checked = await admin.call('POST', '/broadcasts/check-header', { ...given, type })
    assert.deepEqual(fieldsOf(checked), ['headerAttachmentId'], what)
  }
  const headerAttachmentId = await upload(png())
  const headerImageUrl = 'https://shop.example/a.png'
  assert.deepEqual(fieldsOf(await send([ada.id])), ['headerImageUrl'])
  assert.deepEqual(fieldsOf(await send([ada.id], { headerAttachmentId, headerImageUrl })), [
    'headerAttachmentId',
  ])
  assert.deepEqual(fieldsOf(await send([ada.id], { templateName: 'plain', headerAttachmentId })), [
    'headerAttachmentId',
  ])
  const fits = await admin.call('POST', '/broadcasts/check-header', { headerAttachmentId, type: 'image' })
  assert.equal(fits.status, 200, fits.text)
  assert.deepEqual(sentTo(ada.phone), [])
})

test('videos, documents and files by their URL go into the headers of broadcasts and of single templates', async () => {
  const { admin, person, upload, send, latest } = await world()
  const ada = await person('Ada')
  const pdf = await upload(Buffer.from('%PDF-1.7 hours'), 'hours.pdf', 'application/pdf')
  const url = 'https://shop.example/a.jpg'
  const clip = await upload(mp4, 'a.mp4', 'video/mp4')
  for (const header of [
    { templateName: 'clip', headerAttachmentId: clip },
    { templateName: 'paper', headerAttachmentId: pdf },
    { headerImageUrl: url },
  ]) {
    const { body } = await send([ada.id], header)
    await until(async () => (await latest(body.broadcast.id)).status === 'completed', 'the broadcast')
  }
  const one = await admin.call('POST', `/conversations/${ada.conversationId}/template`, {
    ...{
      templateName: 'paper',
      parameters: ['you'],
      headerAttachmentId: pdf,
      headerFileName: 'Our hours.pdf',
    },
  })
  assert.equal(one.body.message.status, 'sent', one.text)
  assert.deepEqual(
    one.body.message.attachments.map(({ name, size }: { name: string; size: number }) => [name, size]),
    [['hours.pdf', 14]],
  )
  const headers = sentTo(ada.phone).map((sent) =>
    JSON.stringify(headerOf(sent)).replace(/media\.\d+/, 'media'),
  )
  assert.deepEqual(headers, [
    '{"type":"video","video":{"id":"media"}}',
    '{"type":"document","document":{"id":"media","filename":"hours.pdf"}}',
    `{"type":"image","image":{"link":"${url}"}}`,
    '{"type":"document","document":{"id":"media","filename":"Our hours.pdf"}}',
  ])
})

test('a provider that hangs or fails during the upload delays a broadcast, which can be canceled', async () => {
  const { admin, person, upload, send, latest } = await world()
  const [ada, ben] = [await person('Ada'), await person('Ben')]
  const headerAttachmentId = await upload(png())
  const isUpload = ({ url }: Asked) => url.endsWith('/media')
  let tries = 0
  graph.answer = (asked, response) => {
    if (!isUpload(asked)) return accept(graph, asked, response)
    tries += 1
    if (tries === 1) return
    if (tries === 2) return refuse(2, 500)(asked, response)
    accept(graph, asked, response)
  }
  const { body } = await send([ada.id], { headerAttachmentId })
  await until(async () => (await latest(body.broadcast.id)).status === 'completed', 'the broadcast', 20_000)
  assert.equal(sentTo(ada.phone).length, 1)
  assert.equal(tries, 3)

  graph.answer = (asked, response) => (isUpload(asked) ? undefined : accept(graph, asked, response))
  const stuck = await send([ben.id], { headerAttachmentId: await upload(png({ width: 10 })) })
  assert.equal(stuck.body.broadcast.status, 'sending')
  await admin.call('POST', `/broadcasts/${stuck.body.broadcast.id}/cancel`)
  await until(async () => (await latest(stuck.body.broadcast.id)).status === 'failed', 'it to end', 20_000)
  graph.answer = undefined
  assert.deepEqual(sentTo(ben.phone), [])
})

test('a file that the provider has lost is uploaded again, and nobody gets the message twice', async () => {
  const { person, upload, send, latest } = await world()
  const people = [await person('Ada'), await person('Ben'), await person('Cleo')]
  const ids = people.map(({ id }) => id)
  const headerAttachmentId = await upload(png())
  await send(ids, { headerAttachmentId })
  const lost = (headerOf(sentTo(people[0]!.phone)[0]!) as { image: { id: string } }).image.id
  graph.answer = (asked, response) =>
    JSON.stringify(asked.body).includes(`"${lost}"`)
      ? refuse(100)(asked, response)
      : accept(graph, asked, response)
  const { body } = await send(ids, { headerAttachmentId })
  await until(async () => (await latest(body.broadcast.id)).sentCount === 3, 'everyone to get it', 20_000)
  graph.answer = undefined
  const got = sentTo(...people.map(({ phone }) => phone)).filter(
    (sent) => !JSON.stringify(sent).includes(`"${lost}"`),
  )
  assert.equal(got.length, 3)
})

test('a worker killed between the upload and the first send leaves a broadcast that another sends once', async () => {
  const { token, id, person } = await world()
  await app.worker?.stop()
  const ada = await person('Ada')
  const headerAttachmentId = await call(
    token,
    'POST',
    '/attachments',
    (() => {
      const form = new FormData()
      form.append('file', new File([new Uint8Array(png())], 'sale.png', { type: 'image/png' }))
      return form
    })(),
  ).then(({ body }) => body.attachment.id)
  const { body } = await call(token, 'POST', '/broadcasts', {
    ...{ templateName: 'picture', parameters: ['there'], headerAttachmentId },
    audience: { type: 'contacts', contactIds: [ada.id] },
  })
  let isUploaded = false
  // The provider has the file, and its answer never comes.
  graph.answer = () => {
    isUploaded = true
  }
  const timing = { sendTimeoutMs: 5_000, pauseMinMs: 50, overdueAfterMs: 500 }
  const first = await startKillable(database.connectionString, timing, folder)
  await until(() => isUploaded, 'the upload', 20_000)
  await kill(first)
  graph.answer = undefined
  const second = await startKillable(database.connectionString, timing, folder)
  await until(
    async () => (await call(token, 'GET', `/broadcasts/${body.broadcast.id}`)).body.broadcast.sentCount === 1,
    'the broadcast',
    100_000,
  )
  await kill(second)
  assert.equal(sentTo(ada.phone).length, 1)
  const { rows } = await sql<{ count: number }>`select count(*) as count from provider_files
    where workspace_id = ${id}`.execute(db)
  assert.deepEqual(rows, [{ count: 1 }])
})
