// Inbound email for tests: a mailbox, and messages in the format that mail programs use.
import type { TestApp } from '../../../../test/app.ts'
import { addChannelAccount } from '../../../domain/channel-accounts/add-channel-account.ts'

export const INBOUND_SECRET = 'inbound-secret'
export const MAILBOX = 'support@northwind.example'

/** Connects a mailbox as an operator does, and returns its channel id. */
export const connectMailbox = async (
  app: TestApp,
  workspaceId: string,
  fields: Record<string, string> = {},
): Promise<string> => {
  const { id } = await addChannelAccount(
    { ...app.ctxOf(workspaceId), publicUrl: 'http://foyer.test' },
    {
      channel: 'email',
      fields: { address: MAILBOX, smtpUrl: 'smtp://127.0.0.1:9', inboundSecret: INBOUND_SECRET, ...fields },
    },
  )
  return id
}

export const deliverMail = async (
  { app }: TestApp,
  channelId: string,
  raw: string | Buffer,
  headers: Record<string, string> = {},
) => {
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: `/webhooks/email/${channelId}`,
    payload: raw,
    headers: { 'content-type': 'message/rfc822', authorization: `Bearer ${INBOUND_SECRET}`, ...headers },
  })
  return { status: statusCode, body }
}

let count = 0

type Written = {
  from?: string
  to?: string
  subject?: string
  id?: string
  /** More headers, one per line. */
  headers?: string[]
  text?: string
}

/** A plain email with defaults for everything the test does not set. */
export const written = ({
  from = 'Ines Moreau <ines@example.com>',
  to = `Northwind <${MAILBOX}>`,
  subject = 'A question',
  id = `<${++count}.test@mail.example.com>`,
  headers = [],
  text = 'Do you have it in green?',
}: Written = {}): string =>
  [
    `From: ${from}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(id ? [`Message-ID: ${id}`] : []),
    'Date: Tue, 12 Mar 2024 10:15:00 +0100',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    ...headers,
    '',
    text,
    '',
  ].join('\r\n')

/** A mail server's report that an email was not delivered. */
export const dsn = ({
  recipient,
  originalId,
  action = 'failed',
  status = '5.1.1',
}: {
  recipient: string
  originalId: string
  action?: string
  status?: string
}): string =>
  [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
    `To: ${MAILBOX}`,
    'Subject: Undelivered Mail Returned to Sender',
    `Message-ID: <${++count}.dsn@mx.example.net>`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B1"',
    '',
    '--B1',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'This is the mail system at host mx.example.net. Your message could not be delivered.',
    '',
    '--B1',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 550 5.1.1 <x>: Recipient address rejected:',
    '    User unknown in virtual mailbox table',
    '',
    '--B1',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${originalId}`,
    'Subject: Your order',
    '',
    '--B1--',
    '',
  ].join('\r\n')
