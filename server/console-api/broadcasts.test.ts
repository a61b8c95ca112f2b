import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../test/app.ts'
import { makeMember, signIn } from '../../test/console.ts'
import { countStatements } from '../../test/statements.ts'
import { csvCell } from '../domain/csv-cell.ts'

const NOBODY = 'c000000000000000000000000'
const ACCOUNT = '1022'
const app = await startApp()
const { db, make, clock } = app
const workspace = await make.workspace()
const other = await make.workspace()
const sender = await makeMember(app, workspace.id, ['send_broadcasts'])
const { call } = await signIn(app, workspace.id, sender.id)

const numberOf = (workspaceId: string) =>
  make.channelAccount(workspaceId, 'whatsapp', {
    settings: { phoneNumberId: '1', businessAccountId: ACCOUNT, apiUrl: 'http://127.0.0.1:9' },
  })
const number = await numberOf(workspace.id)
await make.template(workspace.id, ACCOUNT, {
  name: 'sale',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
})

type Outcome = 'sent' | 'failed' | 'skipped'

/** A broadcast that has ended, with people of these names. */
const makeBroadcast = async (
  workspaceId: string,
  people: { name: string; phone?: string; outcome?: Outcome }[],
) => {
  const id = app.ctxOf(workspaceId).newId()
  const at = new Date('2026-11-21T09:30:00Z')
  await db
    .insertInto('broadcasts')
    .values({
      workspace_id: workspaceId,
      id,
      audience_type: 'contacts',
      group_id: null,
      group_name: null,
      template_name: 'sale/../"x"',
      template_language: 'en_US',
      parameters: '[]',
      sender_type: 'agent',
      sender_id: 'x',
      total_count: people.length,
      created_at: at,
    } as never)
    .execute()
  const contacts = []
  for (const { name, phone, outcome = 'sent' } of people) {
    const contact = await make.contact(workspaceId, { name, email: null, phone: phone ?? null })
    contacts.push(contact)
    await db
      .insertInto('broadcast_recipients')
      .values({
        workspace_id: workspaceId,
        broadcast_id: id,
        contact_id: contact.id,
        channel_account_id: number,
        outcome,
        error_code: outcome === 'failed' ? '131026' : outcome === 'skipped' ? 'OPTED_OUT' : null,
        error_message: outcome === 'failed' ? 'Undeliverable, "for now"' : null,
        updated_at: at,
      } as never)
      .execute()
  }
  return { id, contacts }
}

test('a preview counts recipients and reasons for skipping, and sends nothing', async () => {
  const reached = await make.contact(workspace.id, { name: 'Reached', email: null, phone: '+351912345601' })
  await make.conversation(workspace.id, {
    contactId: reached.id,
    channel: 'whatsapp',
    channelAccountId: number,
  })
  const mailOnly = await make.contact(workspace.id, { name: 'Mail only' })
  const groupId = await make.group(workspace.id, { contactIds: [reached.id, mailOnly.id] })
  const body = { templateName: 'sale', language: 'en_US' }
  const answer = await call('POST', '/broadcasts/preview', { ...body, audience: { type: 'group', groupId } })
  assert.equal(answer.status, 200, answer.text)
  const { sample, ...counts } = answer.body
  assert.deepEqual(counts, { total: 2, reachable: 1, leftOut: [{ reason: 'NO_WHATSAPP', count: 1 }] })
  assert.deepEqual(
    new Map(sample.map((one: { name: string; reason: string | null }) => [one.name, one.reason])),
    new Map([
      ['Reached', null],
      ['Mail only', 'NO_WHATSAPP'],
    ]),
  )
  assert.deepEqual((await call('GET', '/broadcasts')).body.broadcasts, [])
  const foreign = await make.group(other.id)
  for (const groupId of [foreign, NOBODY])
    assert.equal(
      (await call('POST', '/broadcasts/preview', { ...body, audience: { type: 'group', groupId } })).body
        .error.code,
      'CONTACT_GROUP_NOT_FOUND',
    )
  const unknown = await call('POST', '/broadcasts/preview', {
    templateName: 'no such',
    audience: { type: 'group', groupId },
  })
  assert.equal(unknown.body.error.code, 'WHATSAPP_TEMPLATE_NOT_FOUND')
  const empty = await call('POST', '/broadcasts/preview', {
    ...body,
    audience: { type: 'filter', filter: {} },
  })
  assert.deepEqual(
    empty.body.error.details.map(({ field }: { field: string }) => field),
    ['audience.filter'],
  )
})

test('recipients are paged and can be filtered by outcome', async () => {
  const { id, contacts } = await makeBroadcast(workspace.id, [
    { name: 'A', phone: '+351912345602' },
    { name: 'B', outcome: 'failed' },
    { name: 'C', outcome: 'skipped' },
  ])
  const path = `/broadcasts/${id}/recipients`
  const first = (await call('GET', `${path}?limit=2`)).body
  const second = (await call('GET', `${path}?limit=2&cursor=${first.nextCursor}`)).body
  assert.deepEqual(
    [...first.recipients, ...second.recipients].map(({ contactId }) => contactId),
    contacts.map(({ id }) => id),
  )
  assert.equal(second.nextCursor, null)
  const { recipients } = (await call('GET', `${path}?outcome=failed`)).body
  assert.equal(recipients.length, 1)
  assert.deepEqual(recipients[0].reason, { code: '131026', message: 'Undeliverable, "for now"' })
  assert.equal((await call('GET', `${path}?outcome=eaten`)).status, 400)
  const foreign = await makeBroadcast(other.id, [{ name: 'Theirs' }])
  for (const end of ['recipients', 'recipients.csv']) {
    const answer = await call('GET', `/broadcasts/${foreign.id}/${end}`)
    assert.equal(answer.body.error.code, 'BROADCAST_NOT_FOUND')
    assert.equal(answer.text, (await call('GET', `/broadcasts/${NOBODY}/${end}`)).text)
  }
})

const download = async (id: string) => {
  const { secret } = await signIn(app, workspace.id, sender.id)
  const { body, headers, statusCode } = await app.app.inject({
    url: `/console/api/workspaces/${workspace.id}/broadcasts/${id}/recipients.csv`,
    headers: { cookie: `foyer_session=${secret}` },
  })
  assert.equal(statusCode, 200, body)
  return { text: body, headers }
}

test('the table has a line for each recipient, as a file with a harmless name', async () => {
  const { id } = await makeBroadcast(workspace.id, [
    { name: 'Łukasz, "Luk"', phone: '+351912345603' },
    { name: 'two\nlines', outcome: 'failed' },
    { name: '=HYPERLINK("http://evil.example")', outcome: 'skipped' },
  ])
  const { text, headers } = await download(id)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(headers['content-disposition'], 'attachment; filename="broadcast-sale-x--2026-11-21.csv"')
  assert.equal(
    text,
    [
      '\ufeffName,Phone,Outcome,Status,Reason,Code,Message,Conversation,Updated',
      '"Łukasz, ""Luk""",+351912345603,sent,,,,,,2026-11-21T09:30:00.000Z',
      '"two\nlines",,failed,,"Undeliverable, ""for now""",131026,,,2026-11-21T09:30:00.000Z',
      `"'=HYPERLINK(""http://evil.example"")",,skipped,,They opted out of broadcasts.,OPTED_OUT,,,2026-11-21T09:30:00.000Z`,
      '',
    ].join('\r\n'),
  )
})

test('values that a spreadsheet would run as formulas are escaped, and no others', () => {
  for (const formula of [
    '=1+1',
    '+1+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    ' =1',
    '\u200b=1',
    '＝1+1',
    '\r=1',
    '|cmd',
    '%x',
  ])
    assert.match(csvCell(formula), /^"?'/, JSON.stringify(formula))
  for (const plain of ['Ann', '1182', '+351912345678', 'a=b', '#1', 'محمد', ''])
    assert.equal(csvCell(plain), plain)
  assert.equal(csvCell('+351912345678=1'), "'+351912345678=1")
  // Where cells are parted by other signs, each part is a cell.
  for (const sign of [';', '\t', '|'])
    for (const formula of [`Ann${sign}=1+1`, `x"${sign} @SUM(1)`, `+4915112345678${sign}+1`, `a${sign}"=1`])
      assert.doesNotMatch(csvCell(formula), new RegExp(`[${sign}]["\\s]*[=+@-]`), formula)
  assert.equal(csvCell('Ann; Bob'), '"Ann; Bob"')
})

test('a broadcast to thousands is exported in pages, not all at once', async () => {
  const { id } = await makeBroadcast(workspace.id, [])
  const count = 2_500
  const rows = Array.from({ length: count }, (_, n) => ({
    workspace_id: workspace.id,
    broadcast_id: id,
    contact_id: `c${String(n).padStart(24, '0')}`,
    channel_account_id: number,
    outcome: 'sent',
    updated_at: clock.now(),
  }))
  await db
    .insertInto('broadcast_recipients')
    .values(rows as never)
    .execute()
  const { text } = await download(id)
  assert.equal(text.split('\r\n').length, count + 2)
})

test('a page of broadcasts or of their recipients costs the same statements whatever its size', async () => {
  const people = Array.from({ length: 3 }, (_, n) => ({ name: `Person ${n}` }))
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push((await makeBroadcast(workspace.id, people)).id)
  for (const path of ['/broadcasts?', `/broadcasts/${ids[0]}/recipients?`]) {
    const count = (limit: number) => countStatements(app.database, () => call('GET', `${path}limit=${limit}`))
    assert.equal(await count(1), await count(100), path)
    assert.ok((await count(100)) <= 5, `${path} takes ${await count(100)}`)
  }
})

test('a broadcast whose group was removed keeps the group’s name and its recipients', async () => {
  const admin = await signIn(app, workspace.id, (await make.agent(workspace.id, { role: 'admin' })).id)
  const { id } = await makeBroadcast(workspace.id, [{ name: 'A' }])
  const groupId = await make.group(workspace.id, { name: 'Gone' })
  await db
    .updateTable('broadcasts')
    .set({ group_id: groupId, group_name: 'Gone' } as never)
    .where('id', '=', id)
    .execute()
  assert.equal((await admin.call('DELETE', `/contact-groups/${groupId}`)).status, 200)
  const { broadcast } = (await call('GET', `/broadcasts/${id}`)).body
  assert.deepEqual([broadcast.groupId, broadcast.groupName], [groupId, 'Gone'])
  assert.equal((await call('GET', `/broadcasts/${id}/recipients`)).body.recipients.length, 1)
})
