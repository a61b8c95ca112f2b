import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import MailComposer from 'nodemailer/lib/mail-composer/index.js'
import type { ChannelAccount, OutboundMessage } from '../contract/channel.ts'
import { composeMail } from './compose.ts'

const account: ChannelAccount = { id: 'c', address: 'support@northwind.example', settings: {}, secrets: {} }
const INJECTED = 'x\r\nBcc: thief@evil.example\u2028X-Evil: 1\n\nBody'

const message = (more: Partial<OutboundMessage> = {}, email = 'ines@example.com'): OutboundMessage => ({
  id: 'cmsg',
  attemptId: 'catt',
  conversationId: 'cconv',
  body: 'Hello',
  subject: INJECTED,
  senderName: INJECTED,
  template: null,
  attachments: [
    {
      id: 'cfile',
      type: 'file',
      name: INJECTED,
      mimeType: 'text/plain',
      size: 1,
      open: async () => Readable.from(['x']),
      url: '',
    },
  ],
  to: { contactId: 'c', name: INJECTED, email, phone: null, externalId: null },
  createdAt: '2026-11-21T12:00:00.000Z',
  ...more,
})

test('names, subjects and file names can’t add headers, and an address that would is refused', async () => {
  const mail = await composeMail(account, message())
  const raw = (await new MailComposer(mail).compile().build()).toString('utf8')
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
  assert.doesNotMatch(raw, /^(Bcc|X-Evil):/im)
  assert.match(head, /^To: ines@example\.com\r?$/m)
  assert.deepEqual(mail.envelope, { from: account.address, to: ['ines@example.com'] })
  for (const address of [
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example, c@d.example',
    'a@b.example> <c@d.example',
    'a b@c.example',
    '',
  ])
    await assert.rejects(composeMail(account, message({}, address)), { code: 'NO_ADDRESS' }, address)
})
