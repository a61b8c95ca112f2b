import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeParser, parseMail } from './parse.ts'

after(closeParser)

const OURS = '<ours@northwind.example>'
const COPY = `Message-ID: ${OURS}\r\nFrom: support@northwind.example\r\nTo: gone@example.com\r\nSubject: Your order\r\n\r\nHello`

type Report = { from?: string; subject: string; text: string; headers?: string[] }

const encoded = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`

const report = ({ from = 'MAILER-DAEMON@mx.example.net', subject, text, headers = [] }: Report) =>
  Buffer.from(
    [
      `From: ${from}`,
      'To: support@northwind.example',
      `Subject: ${encoded(subject)}`,
      'Message-ID: <report@mx.example.net>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      ...headers,
      '',
      text,
      '',
      COPY,
    ].join('\r\n'),
  )

/** Servers' and providers' failure reports, by language, reworded by us. */
const FAILED: Record<string, Report> = {
  qmail: {
    subject: 'failure notice',
    text: '<gone@example.com>:\r\nSorry, no mailbox here by that name. (#5.1.1)',
  },
  Exim: {
    subject: 'Mail delivery failed: returning message to sender',
    text: 'This message could not be\r\ndelivered to its recipient: gone@example.com',
  },
  Sendmail: {
    subject: 'Returned mail: see transcript for details',
    text: '   ----- The following addresses had permanent\r\nfatal errors -----\r\n<gone@example.com>',
  },
  'Exchange 2003': {
    from: 'System Administrator <postmaster@tenant.example>',
    subject: 'Undeliverable: Your order',
    text: 'did not reach the\r\nfollowing recipient(s): gone@example.com',
    headers: ['Return-Path: <>'],
  },
  Domino: {
    from: 'postmaster@notes.example',
    subject: 'DELIVERY FAILURE: User gone not listed in Directory',
    text: 'was not delivered to: gone@example.com because: User gone not\r\nlisted in Domino Directory',
  },
  'a virus wall': {
    from: 'gateway@isp.example',
    subject: 'Mail could not be delivered',
    text: '****** Message from InterScan E-Mail VirusWall NT ******\r\n\r\nSent <<< RCPT TO:<gone@example.com>\r\n',
  },
  'a gateway with an address of its own': {
    from: 'Symantec_AntiVirus_for_SMTP_Gateways@isp.example',
    subject: 'Delivery failure notification',
    text: 'Your message with Subject: Your order\r\ncould not be delivered to the following recipients:\r\n\r\ngone@example.com',
  },
  'a French gateway without accents': {
    from: 'passerelle@banque.example',
    subject: 'RE Votre commande : non remis',
    text: "*****\r\nVotre message n'a pas pu etre delivre a\r\ngone@example.com",
  },
  'a gateway that answers the subject of what failed': {
    from: 'passerelle@banque.example',
    subject: 'RE: Votre commande : non remis (delivery failed)',
    text: "*****\r\nVotre message n'a pas pu être délivré à\r\ngone@example.com",
  },
  'an administrator whose address is a name': {
    from: '<"System Administrator"@isp.example>',
    subject: 'Delivery Failure',
    text: 'Could not deliver message to the following recipient(s):\r\n\r\nFailed Recipient: gone@example.com',
  },
  'a postmaster with a broken address': {
    from: '<Postmaster\\@isp.example@mx.isp.example>',
    subject: 'Mail Delivery Warning',
    text: 'The mailbox is full.',
  },
  'an Exchange server, German': {
    from: 'relay@tenant.example',
    subject: 'Nicht zugestellt: Ihre Bestellung',
    text: 'Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Gruppen:\r\n\r\ngone@example.com',
  },
  'an Exchange server, Spanish': {
    from: 'relay@tenant.example',
    subject: 'No se puede entregar: Su pedido',
    text: 'No se pudo entregar el mensaje a estos destinatarios o grupos:\r\n\r\ngone@example.com',
  },
  'a list that takes no mail of strangers': {
    from: 'potters-admin@lists.example',
    subject: 'You are not member (potters)',
    text: 'You are not a member of this mailing list <potters@lists.example>.',
    headers: ['X-MLServer: somelist 4.0'],
  },
  'a program with a name and no address': {
    from: '"Jetmail System" <>',
    subject: 'Mail Error',
    text: 'Your mail cannot be delivered to the following address(es):\r\n\r\n gone "(0), mail box space not enough"',
  },
  'a postmaster without a copy': {
    from: 'postmaster@isp.example',
    subject: 'Delivery Status Notification (Failure)',
    text: 'Delivery to the following recipients failed.\r\n\r\n  gone@example.com',
  },
  IMail: {
    from: '"Postmaster" <postmaster@imail.example>',
    subject: 'Undeliverable Mail',
    text: 'User mailbox exceeds\r\nallowed size: gone@example.com',
  },
  'a server without an address': {
    from: 'MAILER-DAEMON <>',
    subject: 'Mail delivery failed',
    text: 'There was an error delivering your mail to <gone@example.com>.',
  },
  Yahoo: {
    from: 'MAILER-DAEMON@yahoo.com',
    subject: 'Failure Notice',
    text: 'Sorry, we were unable to\r\ndeliver your message to the following address.',
  },
  'a phone company': {
    from: 'no-reply@carrier.example',
    subject: 'Mail could not be delivered',
    text: 'Could not be delivered to: <gone@example.com>\r\nAs their\r\nmailbox is full.',
  },
  'a null return path': {
    from: 'helpdesk@mx.example.net',
    subject: 'Mail',
    text: 'As their mailbox is full.',
    headers: ['Return-Path: <>'],
  },
  German: {
    subject: 'Unzustellbar: Ihre Bestellung',
    text: 'Die Nachricht konnte\r\nnicht zugestellt werden. Der Empfänger ist unbekannt.',
  },
  French: {
    subject: 'Non remis : Votre commande',
    text: 'Votre message n’a pas pu\r\nêtre remis. Adresse introuvable.',
  },
  Spanish: { subject: 'No se puede entregar: Su pedido', text: 'El buzón está\r\nlleno.' },
  Portuguese: { subject: 'Falha na entrega da mensagem', text: 'O destinatário não\r\nexiste.' },
  Italian: { subject: 'Mancato recapito', text: 'L’indirizzo non\r\nesiste.' },
  Dutch: { subject: 'Onbestelbaar: Uw bestelling', text: 'Het bericht kon niet worden\r\nbezorgd.' },
  Polish: { subject: 'Niedostarczalna: Zamówienie', text: 'Skrzynka jest\r\npełna.' },
  Czech: { subject: 'Nedoručitelné: Objednávka', text: 'Zprávu nelze\r\ndoručit.' },
  Swedish: { subject: 'Olevererbart: Beställning', text: 'Adressen finns\r\ninte.' },
  Turkish: { subject: 'Teslim edilemedi: Sipariş', text: 'Kullanıcı\r\nbulunamadı.' },
  Russian: { subject: 'Недоставленное сообщение', text: 'Такого пользователя не\r\nсуществует.' },
  Ukrainian: { subject: 'Повідомлення не доставлено', text: 'Скриньку не\r\nзнайдено.' },
  Japanese: { subject: '配信不能のお知らせ', text: '宛先のメールアドレスは存在しません。' },
  Chinese: { subject: '系统退信', text: '收件人邮箱不存在。' },
  Korean: { subject: '메일 반송 안내', text: '수신자를 찾을 수 없습니다.' },
}

for (const [writer, given] of Object.entries(FAILED))
  test(`a failure that ${writer} describes in words is a report, and identifies the email`, async () => {
    const { bounce, complaint } = await parseMail(report(given))
    assert.equal(bounce?.isFailure, true)
    assert.deepEqual(bounce.originalIds, [OURS])
    assert.equal(complaint, null)
  })

test('a delay described in words is not a failure', async () => {
  for (const given of [
    {
      subject: 'Delayed Mail (still being retried)',
      text: 'Your message could not be delivered for more than 2 hours.',
    },
    { subject: 'Warning: message 1abc delayed 24 hours', text: 'No action is required.' },
    { subject: 'Verzögert: Zustellung', text: 'Es wird weiterhin versucht.' },
    { subject: 'Mail delivery status', text: 'We will keep\r\ntrying for three days.' },
  ])
    assert.equal((await parseMail(report(given))).bounce?.isFailure, false, given.subject)
})

test('email from people and their programs is not a report', async () => {
  for (const given of [
    { from: 'anna@x.example', subject: 'Delivery failed', text: 'My parcel was not delivered.' },
    { from: 'postmaster@x.example', subject: 'Re: Delivery failed', text: 'Mailbox full?' },
    {
      from: 'anna@x.example',
      subject: 'Mail delivery',
      text: 'Hello,\r\nyour message could not be delivered to anna@old.example. Please write to this address.',
    },
    {
      from: 'anna@x.example',
      subject: 'Undeliverable',
      text: 'Your message could not be delivered to the following recipients: anna@old.example. That is what I got!',
      headers: ['In-Reply-To: <ours@northwind.example>'],
    },
    {
      from: 'anna@x.example',
      subject: 'Fwd: Undelivered mail returned to sender',
      text: 'This is the mail system at host mx.x.example. I could not deliver to anna@old.example',
    },
    {
      from: 'potters@lists.example',
      subject: 'Kiln',
      text: 'The kiln no longer heats. It was rejected by the shop.',
      headers: ['X-MLServer: somelist 4.0'],
    },
    { from: 'admin@x.example', subject: 'Payment rejected', text: 'Please check it.' },
    { from: 'noreply@shop.example', subject: 'Your order', text: 'Your address does not exist.' },
    {
      subject: 'Automatic reply: Undeliverable',
      text: 'I am away.',
      from: 'ola@x.example',
      headers: ['Return-Path: <>'],
    },
    {
      subject: 'Abwesenheitsnotiz',
      text: 'Ich bin nicht erreichbar.',
      from: 'ola@x.example',
      headers: ['Return-Path: <>'],
    },
  ])
    assert.equal((await parseMail(report(given))).bounce, null, given.subject)
  assert.equal(
    (
      await parseMail(
        report({
          from: 'ola@x.example',
          subject: 'Out of office',
          text: 'Away.',
          headers: ['Return-Path: <>'],
        }),
      )
    ).automatic,
    'reply',
  )
})

const feedback = (type: string, more = '') =>
  Buffer.from(
    [
      'From: feedback@isp.example',
      'Subject: FW: Your order',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=feedback-report; boundary="F"',
      '',
      '--F',
      'Content-Type: text/plain',
      '',
      'This is an email abuse report.',
      '--F',
      'Content-Type: message/feedback-report',
      '',
      `Feedback-Type: ${type}`,
      'User-Agent: SomeFBL/1',
      ...(more ? [more] : []),
      '--F',
      'Content-Type: message/rfc822',
      '',
      COPY,
      '--F--',
    ].join('\r\n'),
  )

test('a complaint identifies the email, and that its recipient doesn’t want it', async () => {
  const { complaint, bounce } = await parseMail(feedback('abuse', 'Original-Rcpt-To: <Gone@Example.com>'))
  assert.deepEqual(complaint, { isUnwanted: true, recipients: ['gone@example.com'], originalIds: [OURS] })
  assert.equal(bounce, null)
  for (const type of ['not-spam', 'auth-failure', 'virus', 'other'])
    assert.equal((await parseMail(feedback(type))).complaint?.isUnwanted, false)
  assert.equal((await parseMail(feedback('opt-out'))).complaint?.isUnwanted, true)
})

test('a report that includes the email needs no address in its text', async () => {
  const given = (words: string) =>
    Buffer.from(
      [
        'From: gateway@isp.example',
        'Subject: Mail could not be delivered',
        'MIME-Version: 1.0',
        'Precedence: bulk',
        'Content-Type: multipart/mixed; boundary="F"',
        '',
        '--F',
        'Content-Type: text/plain',
        '',
        words,
        '--F',
        'Content-Type: message/rfc822',
        '',
        COPY,
        '--F--',
      ].join('\r\n'),
    )
  const { bounce } = await parseMail(given('*** Message from InterScan ***\r\nThe following mail failed.'))
  assert.deepEqual(bounce?.originalIds, [OURS])
  assert.equal((await parseMail(given('Hello, what is this about?'))).bounce, null)
})

test('a complaint from Microsoft is read in both formats, with who complained', async () => {
  const enclosed = Buffer.from(
    [
      'From: staff@hotmail.com',
      'Subject: complaint about message from 192.0.2.1',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="F"',
      '',
      '--F',
      'Content-Type: message/rfc822',
      'Content-Disposition: inline',
      '',
      'X-HmXmrOriginalRecipient: <Gone@Example.com>',
      'X-Reporter-IP: 192.0.2.9',
      COPY,
      '--F--',
    ].join('\r\n'),
  )
  const head = ['Return-Path: staff@hotmail.com', 'X-HmXmrOriginalRecipient: gone@example.com']
  const copy = Buffer.from([...head, 'X-Reporter-IP: 192.0.2.9', COPY].join('\r\n'))
  for (const raw of [enclosed, copy]) {
    const { complaint, bounce } = await parseMail(raw)
    assert.deepEqual(complaint, { isUnwanted: true, recipients: ['gone@example.com'], originalIds: [OURS] })
    assert.equal(bounce, null)
  }
  assert.equal((await parseMail(Buffer.from(COPY))).complaint, null)
})

test('a sending service’s notifications are read as reports', async () => {
  const notification = (json: unknown) =>
    report({
      from: 'AWS <no-reply@sns.amazonaws.com>',
      subject: 'AWS Notification Message',
      text: `${JSON.stringify(json)}\r\n\r\n--\r\nIf you wish to stop`,
    })
  const mail = { messageId: '0100-abc', headers: [{ name: 'Message-ID', value: OURS }] }
  const bounced = {
    notificationType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bouncedRecipients: [
        { emailAddress: 'Gone@example.com', status: '5.1.1', diagnosticCode: 'smtp; 550 user unknown' },
      ],
    },
    mail,
  }
  for (const json of [bounced, { Type: 'Notification', Message: JSON.stringify(bounced) }]) {
    const { bounce } = await parseMail(notification(json))
    assert.deepEqual(bounce, {
      isFailure: true,
      status: '5.1.1',
      message: 'smtp; 550 user unknown',
      recipients: ['gone@example.com'],
      originalIds: [OURS, '<0100-abc@email.amazonses.com>'],
    })
  }
  const complained = {
    notificationType: 'Complaint',
    complaint: { complainedRecipients: [{ emailAddress: 'gone@example.com' }] },
    mail,
  }
  assert.equal((await parseMail(notification(complained))).complaint?.isUnwanted, true)
  assert.equal(
    (await parseMail(notification({ notificationType: 'Delivery', mail }))).bounce?.isFailure,
    false,
  )
})
