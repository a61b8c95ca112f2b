import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { closeParser, parseMail } from './parse.ts'

after(closeParser)

const crlf = (...lines: string[]): Buffer => Buffer.from(lines.join('\r\n'))

const GMAIL_REPLY = crlf(
  'Delivered-To: support@northwind.example',
  'Return-Path: <ines@example.com>',
  'Authentication-Results: mx.northwind.example; dkim=pass header.i=@example.com; spf=pass smtp.mailfrom=ines@example.com; dmarc=pass (p=NONE) header.from=example.com',
  'MIME-Version: 1.0',
  'References: <one@northwind.example> <two@northwind.example>',
  'In-Reply-To: <two@northwind.example>',
  'From: =?UTF-8?Q?In=C3=AAs_Moreau?= <Ines@Example.com>',
  'Date: Tue, 12 Mar 2024 10:15:00 +0100',
  'Message-ID: <CAF+abc=xyz@mail.gmail.com>',
  'Subject: =?UTF-8?B?UmU6IEdyw7xuZSBTY2jDvHNzZWw=?=',
  'To: Northwind <support@northwind.example>, "Desk, Second" <desk@northwind.example>',
  'Cc: undisclosed-recipients:;, Team: a@x.example, b@x.example;',
  'Content-Type: multipart/alternative; boundary="000000000000a1b2c3"',
  '',
  '--000000000000a1b2c3',
  'Content-Type: text/plain; charset="UTF-8"',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BCn, bitte.',
  '',
  'Am Di., 12. M=C3=A4rz 2024 um 09:00 Uhr schrieb Northwind <',
  'support@northwind.example>:',
  '',
  '> Welche Farbe?',
  '',
  '--000000000000a1b2c3',
  'Content-Type: text/html; charset="UTF-8"',
  '',
  '<div dir="ltr">Gr&uuml;n, bitte.</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">Am Di., 12. M&auml;rz 2024 um 09:00 Uhr schrieb Northwind:<br></div><blockquote class="gmail_quote">Welche Farbe?</blockquote></div>',
  '--000000000000a1b2c3--',
  '',
)

test('a reply from Gmail has its sender, its thread and the new text', async () => {
  const mail = await parseMail(GMAIL_REPLY)
  assert.deepEqual(mail.from, { name: 'Inês Moreau', address: 'ines@example.com' })
  assert.equal(mail.subject, 'Re: Grüne Schüssel')
  assert.equal(mail.messageId, '<CAF+abc=xyz@mail.gmail.com>')
  assert.deepEqual(mail.inReplyTo, ['<two@northwind.example>'])
  assert.deepEqual(mail.references, ['<one@northwind.example>', '<two@northwind.example>'])
  assert.equal(mail.visible, 'Grün, bitte.')
  assert.match(mail.text, /Welche Farbe/)
  assert.match(mail.html!, /<div data-quote(?:="")?>/)
  assert.deepEqual(mail.to[1], { name: 'Desk, Second', address: 'desk@northwind.example' })
  assert.deepEqual(
    mail.cc.map(({ address }) => address),
    ['a@x.example', 'b@x.example'],
  )
  assert.deepEqual(mail.date, new Date('2024-03-12T09:15:00Z'))
  assert.deepEqual(
    [mail.authentication[0]?.server, mail.automatic, mail.bounce, mail.isWhole],
    ['mx.northwind.example', null, null, true],
  )
})

const html = (body: string, more: string[] = []): Buffer =>
  crlf(
    'From: a@b.example',
    'Subject: AW: Bestellung',
    'MIME-Version: 1.0',
    'Content-Type: text/html; charset=utf-8',
    ...more,
    '',
    body,
  )

const QUOTED_HTML: Record<string, string> = {
  'Apple Mail':
    '<body>Yes, two.<div><br><blockquote type="cite"><div>On 12. Mar 2024, at 10:15, Northwind wrote:</div><br><div>Which colour?</div></blockquote></div></body>',
  Thunderbird:
    '<body><p>Yes, two.</p><div class="moz-cite-prefix">Am 12.03.24 um 10:15 schrieb Northwind:<br></div><blockquote type="cite" cite="mid:x@y"><p>Which colour?</p></blockquote></body>',
  'Outlook on the web':
    '<div>Yes, two.</div><div id="appendonsend"></div><hr tabindex="-1"><div id="divRplyFwdMsg"><font><b>From:</b> Northwind<br><b>Sent:</b> Tuesday</font></div><div>Which colour?</div>',
  'Outlook for Windows':
    '<div class=WordSection1><p class=MsoNormal>Yes, two.</p><div><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p class=MsoNormal><b>Von:</b> Northwind<br><b>Gesendet:</b> Dienstag</p></div></div><p>Which colour?</p></div>',
  Yahoo:
    '<div>Yes, two.</div><div id="x" class="yahoo_quoted"><div>On Tuesday, Northwind wrote:</div><div>Which colour?</div></div>',
  Proton:
    '<div>Yes, two.</div><div class="protonmail_quote">On Tuesday, Northwind wrote:<blockquote class="protonmail_quote" type="cite">Which colour?</blockquote></div>',
}

for (const [program, body] of Object.entries(QUOTED_HTML))
  test(`the HTML of ${program} has its quotes marked`, async () => {
    const mail = await parseMail(html(body))
    assert.equal(mail.visible, 'Yes, two.')
    assert.match(mail.text, /Which colour\?/)
    assert.match(mail.html!, /data-quote/)
  })

test('HTML becomes readable text', async () => {
  const mail = await parseMail(
    html(
      '<style>p{}</style><h1>Order&nbsp;1182</h1><p>Hello <b>Tom</b>,<br>see <a href="https://shop.example/o?a=1&amp;b=2">your order</a>.</p><ul><li>Bowl</li><li>Cup &amp; saucer</li></ul><table><tr><td>A</td><td>1</td></tr></table><img src="x" alt="Logo">',
    ),
  )
  assert.equal(
    mail.visible,
    'Order 1182\n\nHello Tom,\nsee your order <https://shop.example/o?a=1&b=2>.\n\n- Bowl\n- Cup & saucer\n\nA 1\n\n[Logo]',
  )
})

test('an email’s HTML can’t run, load or cover anything', async () => {
  const mail = await parseMail(
    html(
      [
        '<script>alert(1)</script><svg onload=alert(1)><script>alert(1)</script></svg><math><mi xlink:href="javascript:alert(1)">',
        '<p style="position:fixed;background:url(https://t.example/a);color:red;width:expression(alert(1))" onmouseover="alert(1)" id="x" class="y">A</p>',
        '<a href="javascript:alert(1)">j</a><a href="  JaVaScRiPt:alert(1)">k</a><a href="data:text/html,x">d</a><a href="https://ok.example/">ok</a>',
        '<a href="/settings/members">r</a><a href="\\\\t.example">b</a><a href="&#x2028;javascript:alert(1)">u</a><a href="#top">t</a>',
        '<img src="https://t.example/pixel.gif" onerror=alert(1)><img src="//t.example/p.gif" srcset="https://t.example/2x"><img src="data:image/svg+xml;base64,PHN2Zz4="><img src="data:image/png;base64,AAAA">',
        '<form action="https://evil.example"><input name=a><button>Send</button></form><iframe src="https://evil.example"></iframe><object data="x"></object><embed src="x"><base href="https://evil.example"><meta http-equiv="refresh" content="0"><link rel="stylesheet" href="https://evil.example">',
        '<style>@import url(https://evil.example)</style><video src="https://evil.example"></video><table background="https://evil.example"><tr><td background="https://evil.example">T</td></tr></table>',
        '<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript><!--><img src=x onerror=alert(1)>-->',
        '<div data-quote-start data-attachment="forged" data-src="javascript:alert(1)">fake</div>',
      ].join(''),
    ),
  )
  const shown = mail.html!
  assert.doesNotMatch(
    shown,
    /<(?:script|svg|math|form|input|button|iframe|object|embed|base|meta|link|style|video)/i,
  )
  assert.doesNotMatch(
    shown,
    /\son\w+=|javascript:|evil\.example|url\(|expression|position|data:image\/svg|srcset| id=| class=/i,
  )
  assert.doesNotMatch(shown, /data-quote-start|data-attachment|[^-]src="https?:/)
  assert.match(shown, /<p style="color:red">A<\/p>/)
  assert.match(shown, /data-src="https:\/\/t\.example\/pixel\.gif"/)
  assert.match(shown, /data-src="https:\/\/t\.example\/p\.gif"/)
  assert.match(shown, /src="data:image\/png;base64,AAAA"/)
  assert.equal(shown.match(/ href=/g)?.length, 1)
  assert.match(shown, /<a href="https:\/\/ok\.example\/" target="_blank" rel="noopener noreferrer nofollow">/)
})

const plain = (charset: string, bytes: Buffer, type = 'text/plain'): Buffer =>
  Buffer.concat([
    crlf(
      'From: a@b.example',
      'MIME-Version: 1.0',
      `Content-Type: ${type}${charset && `; charset=${charset}`}`,
      '',
      '',
    ),
    bytes,
  ])
const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex')

test('text is decoded by its actual charset, even if another is declared', async () => {
  const cases: [string, Buffer, string][] = [
    ['', Buffer.from('Grün 👍'), 'Grün 👍'],
    ['us-ascii', Buffer.from('Grün'), 'Grün'],
    ['', bytes('4772fc6e'), 'Grün'],
    ['utf-8', bytes('4772fc6e 20 4772fc6e'), 'Grün Grün'],
    ['iso-8859-1', Buffer.from('Grün'), 'Grün'],
    ['iso-8859-15', bytes('a4'), '€'],
    ['windows-1251', bytes('cff0e8e2e5f2'), 'Привет'],
    ['koi8-r', bytes('f0d2c9d7c5d4'), 'Привет'],
    ['gb2312', bytes('c4e3bac3'), '你好'],
    ['big5', bytes('a741a66e'), '你好'],
    ['shift_jis', bytes('82b182f1'), 'こん'],
    ['iso-2022-jp', bytes('1b2442 2433 2473 1b2842'), 'こん'],
    ['', bytes('1b2442 2433 2473 1b2842'), 'こん'],
    ['ks_c_5601-1987', bytes('bec8b3e7'), '안녕'],
    ['utf-16', bytes('fffe 4800 6900'), 'Hi'],
    ['utf-7', Buffer.from('Gr+APw-n'), 'Grün'],
    ['iso-8859-8-i', bytes('f9ece5ed'), 'שלום'],
    ['"utf-8', Buffer.from('Grün'), 'Grün'],
    ['shift_jis', Buffer.from('Grün'), 'Grün'],
    ['gb2312', Buffer.from('Привет'), 'Привет'],
    ['big5', Buffer.from('你好'), '你好'],
    ['nonsense-42', Buffer.from('Grün'), 'Grün'],
  ]
  for (const [charset, body, text] of cases)
    assert.equal((await parseMail(plain(charset, body))).text.trim(), text, charset)
  const meta = Buffer.concat([Buffer.from('<meta charset="windows-1251"><p>'), bytes('cff0e8e2e5f2')])
  assert.equal((await parseMail(plain('', meta, 'text/html'))).text, 'Привет')
})

test('flowed lines become paragraphs, and never join a quote', async () => {
  const read = async (lines: string[], parameters = '') => {
    const head = `From: x@example.com\r\nContent-Type: text/plain; charset=utf-8; format=flowed${parameters}`
    return parseMail(crlf(head, '', ...lines))
  }
  const flowed = await read(['One ', 'paragraph. ', '', ' From here ', 'another.', '-- ', 'Ines '])
  assert.equal(flowed.text.trim(), 'One paragraph. \n\nFrom here another.\n-- \nInes')
  assert.equal((await read(['Wort ', 'teil', '日本 ', '語'], '; delsp=yes')).text.trim(), 'Wortteil\n日本語')
  const answered = await read([
    'On 12/03/2024 09:00, Northwind wrote:',
    '> Which ',
    '> colour? ',
    'Green. ',
    '> > And ',
    '> > size? ',
    '> You did not say. ',
    'Large.',
  ])
  assert.deepEqual(answered.text.trim().split(/ ?\n/), [
    'On 12/03/2024 09:00, Northwind wrote:',
    '> Which colour?',
    'Green.',
    '> > And size?',
    '> You did not say.',
    'Large.',
  ])
  assert.match(answered.visible, /Green/)
  assert.match(answered.visible, /Large/)
})

test('a broken email is read as far as possible', async () => {
  const head = ['From: a@b.example', 'Subject: s', 'MIME-Version: 1.0']
  const part = ['Content-Type: text/plain', '', 'Hello']
  const mails: Record<string, Buffer> = {
    'no end of the parts': crlf(...head, 'Content-Type: multipart/mixed; boundary=B', '', '--B', ...part),
    'another boundary than announced': crlf(
      ...head,
      'Content-Type: multipart/mixed; boundary=X',
      '',
      '--B',
      ...part,
      '--B--',
    ),
    'no boundary at all': crlf(...head, 'Content-Type: multipart/mixed', '', 'Hello'),
    'lines that end in CR': Buffer.from(
      crlf(...head, '', 'Hello')
        .toString()
        .replaceAll('\r\n', '\r'),
    ),
    'lines that end in LF': Buffer.from(
      crlf(...head, '', 'Hello')
        .toString()
        .replaceAll('\r\n', '\n'),
    ),
    'an mbox line in front': crlf('From a@b.example Tue Mar 12 10:15:00 2024', ...head, '', 'Hello'),
    'blank lines in front': crlf('', '', ...head, '', 'Hello'),
    'a malformed line in the head': crlf(
      head[0]!,
      'this is no header',
      'nor is this',
      ...head.slice(1),
      '',
      'Hello',
    ),
    'a byte-order mark in front': Buffer.concat([bytes('efbbbf'), crlf(...head, '', 'Hello')]),
    'a byte-order mark in the body': Buffer.concat([
      crlf(...head, '', ''),
      bytes('efbbbf'),
      Buffer.from('Hello'),
    ]),
    'words below base64': crlf(
      ...head,
      'Content-Transfer-Encoding: base64',
      '',
      'SGVs',
      'bG8=',
      '_______',
      'This list is for everyone',
    ),
    'no blank line': crlf(...head, 'Hello'),
    'a header that is none': crlf(...head, 'Hello'),
    'half a base64': crlf(...head, 'Content-Transfer-Encoding: base64', '', 'SGVsbG8', '!!!'),
    'an unknown encoding': crlf(...head, 'Content-Transfer-Encoding: x-uu', '', 'Hello'),
    'two senders': crlf('From: a@b.example', 'From: c@d.example', 'Subject: s', '', 'Hello'),
    'two subjects': crlf('From: a@b.example', 'Subject:', 'Subject: s', 'Subject: t', '', 'Hello'),
  }
  for (const [name, raw] of Object.entries(mails)) {
    const mail = await parseMail(raw)
    assert.equal(mail.from?.address, 'a@b.example', name)
    assert.equal(mail.subject, 's', name)
    assert.equal(mail.visible, 'Hello', name)
  }
})

test('senders are read from malformed headers', async () => {
  const cases: [string, string | undefined, string?][] = [
    ['"Anna \\"A\\" Berg" <anna@x.example>', 'anna@x.example', 'Anna "A" Berg'],
    ['Anna Berg anna@x.example', 'anna@x.example'],
    ['anna@x.example (Anna Berg)', 'anna@x.example', 'Anna Berg'],
    ['=?utf-8?B?5byg5LiJ?= <zhang@例え.jp>', 'zhang@例え.jp', '张三'],
    ['用户@例え.jp', '用户@例え.jp'],
    ['<ANNA@X.EXAMPLE>', 'anna@x.example'],
    ['"evil@bank.example" <anna@x.example>', 'anna@x.example', 'evil@bank.example'],
    ['=?utf-8?Q?boss=40bank.example?= <anna@x.example>', 'anna@x.example', 'boss@bank.example'],
    ['Group: anna@x.example, b@x.example;', 'anna@x.example'],
    ['nobody', undefined],
  ]
  for (const [from, address, name] of cases) {
    const mail = await parseMail(Buffer.from(`From: ${from}\r\n\r\nHello`))
    assert.equal(mail.from?.address, address, from)
    if (name) assert.equal(mail.from?.name, name, from)
  }
})

test('ids are found in any format, and a very long one becomes its hash', async () => {
  const read = async (...lines: string[]) => parseMail(crlf('From: a@b.example', ...lines, '', 'x'))
  const mail = await read(
    'Message-ID: bare@x',
    'In-Reply-To: <a@x> (Anna’s message)',
    `References: <a@x>\r\n\t<b@x>,<${'c'.repeat(900)}@x>`,
  )
  assert.equal(mail.messageId, '<bare@x>')
  assert.deepEqual(mail.inReplyTo, ['<a@x>'])
  assert.deepEqual(mail.references.slice(0, 2), ['<a@x>', '<b@x>'])
  assert.match(mail.references[2]!, /^<[0-9a-f]{64}@long\.invalid>$/)
  const many = await read(`References: ${Array.from({ length: 300 }, (_, at) => `<${at}@x>`).join(' ')}`)
  assert.equal(many.references.length, 100)
  assert.equal(many.references.at(-1), '<299@x>')
})

test('a process that only parses waits for its email', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '--eval',
    `const { parseMail } = await import(${JSON.stringify(new URL('./parse.ts', import.meta.url).href)})
    const { visible } = await parseMail(Buffer.from('From: a@b.example\\r\\n\\r\\nHello'))
    console.log(visible)`,
  ])
  assert.equal(stdout.trim(), 'Hello')
})

test('email from programs is recognised', async () => {
  const of = async (...lines: string[]) =>
    (await parseMail(crlf('From: a@b.example', ...lines, '', 'x'))).automatic
  assert.equal(await of('Auto-Submitted: auto-replied'), 'reply')
  assert.equal(
    await of(
      'Auto-Submitted: auto-generated',
      'X-Auto-Response-Suppress: All',
      'Subject: Automatic reply: Hi',
      'In-Reply-To: <a@b>',
    ),
    'reply',
  )
  assert.equal(await of('X-Autoreply: yes'), 'reply')
  assert.equal(await of('X-Autorespond: Re'), 'reply')
  assert.equal(await of('Precedence: auto_reply'), 'reply')
  assert.equal(await of('X-Apple-Action: VACATION', 'Subject: Auto reply: Hi'), 'reply')
  assert.equal(await of('Return-Path: <>', 'Subject: Abwesenheitsnotiz: Urlaub'), 'reply')
  assert.equal(await of('Auto-Submitted: auto-generated', 'Subject: Your invoice'), 'notice')
  assert.equal(await of('List-Id: <help.northwind.example>', 'Precedence: list'), 'list')
  assert.equal(await of('Precedence: bulk'), 'list')
  // Asking for no automatic replies doesn't mean that a program wrote it.
  assert.equal(await of('X-Auto-Response-Suppress: OOF'), null)
  assert.equal(await of('Auto-Submitted: no', 'X-Autoreply: no'), null)
  assert.equal(await of('Subject: Out of office hours?'), null)
})

const postfix = crlf(
  'Return-Path: <>',
  'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
  'Subject: Undelivered Mail Returned to Sender',
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=delivery-status; boundary="F1/mx"',
  '',
  '--F1/mx',
  'Content-Type: text/plain; charset=us-ascii',
  '',
  'This is the mail system at host mx.example.net.',
  '',
  '--F1/mx',
  'Content-Type: message/delivery-status',
  '',
  'Reporting-MTA: dns; mx.example.net',
  '',
  'Final-Recipient: rfc822; real@elsewhere.example',
  'Original-Recipient: rfc822;Gone@Example.com',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 <real@elsewhere.example>: Recipient address',
  '    rejected: User unknown',
  '',
  '--F1/mx',
  'Content-Type: message/rfc822',
  '',
  'From: support@northwind.example',
  'Message-ID: <ours@northwind.example>',
  '',
  'Hello',
  '--F1/mx--',
)

const exchange = crlf(
  'From: <postmaster@tenant.example>',
  'Subject: Undeliverable: Your order',
  'MIME-Version: 1.0',
  'Content-Type: multipart/report; report-type=delivery-status;',
  '\tboundary="8f0b"',
  '',
  '--8f0b',
  'Content-Type: text/html; charset="utf-8"',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('<p>Your message couldn’t be delivered.</p>').toString('base64'),
  '--8f0b',
  'Content-Type: message/delivery-status',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from(
    'Reporting-MTA: dns;AM0.prod.outlook.com\r\n\r\nFinal-Recipient: rfc822;gone@example.com\r\nAction: failed\r\nStatus: 5.1.10\r\nDiagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found\r\n',
  ).toString('base64'),
  '--8f0b',
  'Content-Type: text/rfc822-headers',
  '',
  'Message-ID:',
  ' <ours@northwind.example>',
  '--8f0b--',
)

const qmail = crlf(
  'Return-Path: <>',
  'From: MAILER-DAEMON@old.example',
  'Subject: failure notice',
  '',
  'Hi. This is the qmail-send program at old.example.',
  "I'm afraid I wasn't able to deliver your message to the following addresses.",
  '',
  '<gone@example.com>:',
  'Sorry, no mailbox here by that name. (#5.1.1)',
  '',
  '--- Below this line is a copy of the message.',
  '',
  'Message-ID: <ours@northwind.example>',
  'From: support@northwind.example',
)

const exim = crlf(
  'Return-Path: <>',
  'From: Mail Delivery System <Mailer-Daemon@exim.example>',
  'X-Failed-Recipients: gone@example.com',
  'Subject: Mail delivery failed: returning message to sender',
  '',
  'A message that you sent could not be delivered to one or more of its recipients.',
  '  gone@example.com',
  '    host mx.example [192.0.2.1]: 550 User unknown',
  '------ This is a copy of your message. ------',
  'Message-ID: <ours@northwind.example>',
)

test('reports of failed deliveries have the email, the recipient and the reason', async () => {
  for (const [raw, status, recipients] of [
    [postfix, '5.1.1', ['real@elsewhere.example', 'gone@example.com']],
    [exchange, '5.1.10', ['gone@example.com']],
    [qmail, '5.1.1', []],
    [exim, '5.0.0', ['gone@example.com']],
  ] as const) {
    const { bounce } = await parseMail(raw)
    assert.equal(bounce?.isFailure, true)
    assert.equal(bounce.status, status)
    assert.deepEqual(bounce.recipients, recipients)
    assert.deepEqual(bounce.originalIds, ['<ours@northwind.example>'])
    assert.ok(bounce.message.length > 10)
  }
  const delayed = Buffer.from(
    postfix.toString().replace('Action: failed', 'Action: delayed').replace('Status: 5.1.1', 'Status: 4.4.1'),
  )
  assert.equal((await parseMail(delayed)).bounce?.isFailure, false)
  assert.equal(
    (
      await parseMail(
        crlf(
          'From: anna@x.example',
          'Subject: Delivery failed?',
          '',
          'My parcel was not delivered: 550 euros!',
        ),
      )
    ).bounce,
    null,
  )
})

test('a file name has no path', async () => {
  const names = ['../../etc/passwd', 'C:\\dir\\a.exe', '\u202egpj.exe', '.htaccess', 'a\u0000b.txt', '']
  const parts = names.flatMap((name) => [
    '--B',
    'Content-Type: application/octet-stream',
    `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(name)}`,
    '',
    'x',
  ])
  const mail = await parseMail(
    crlf('From: a@b.example', 'Content-Type: multipart/mixed; boundary=B', '', ...parts, '--B--'),
  )
  assert.deepEqual(
    mail.attachments.map(({ name }) => name),
    ['passwd', 'a.exe', 'gpj.exe', 'htaccess', mail.attachments[4]!.name, 'attachment'],
  )
  for (const { name } of mail.attachments) assert.doesNotMatch(name, /[\p{Cc}\u202e/\\]/u)
})

test('every email is read within its time limit, at least with its sender', async () => {
  const head = 'From: a@b.example\r\nSubject: s\r\nMIME-Version: 1.0\r\n'
  const asHtml = `${head}Content-Type: text/html\r\n\r\n`
  const nested = Array.from(
    { length: 5_000 },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`,
  )
  const hostile: Record<string, string> = {
    'a hundred thousand headers': `${head}${'X-A: b\r\n'.repeat(100_000)}\r\nHello`,
    'a header of five megabytes': `${head}To: ${'a@b.example, '.repeat(400_000)}\r\n\r\nHello`,
    'parts in parts': `${head}${nested.join('')}\r\nx`,
    'fifty thousand parts': `${head}Content-Type: multipart/mixed; boundary=B\r\n\r\n${'--B\r\n\r\nx\r\n'.repeat(50_000)}`,
    'one line of ten megabytes': `${head}\r\n${'a'.repeat(10_000_000)}`,
    'open elements': `${asHtml}${'<blockquote type=cite>x'.repeat(40_000)}`,
    'only brackets': `${asHtml}${'<'.repeat(2_000_000)}`,
    styles: `${asHtml}${'<p style="color:red;margin:0 0 0 0;background:url(x)">x</p>'.repeat(15_000)}`,
    'soft line ends': `${head}Content-Transfer-Encoding: quoted-printable\r\n\r\n${'=\r\n'.repeat(3_000_000)}`,
    'delivery groups': `${head}Content-Type: multipart/report; report-type=delivery-status; boundary=B\r\n\r\n--B\r\nContent-Type: message/delivery-status\r\n\r\n${'Action: failed\r\n\r\n'.repeat(60_000)}`,
  }
  await parseMail(Buffer.from(`${head}\r\nwarm`))
  for (const [name, text] of Object.entries(hostile)) {
    const startedMs = performance.now()
    const mail = await parseMail(Buffer.from(text))
    // Two seconds of CPU time, plus what a shared machine takes for other work.
    assert.ok(performance.now() - startedMs < 6_000, name)
    assert.equal(mail.from?.address, 'a@b.example', name)
  }
})

test('emails with changed, missing or repeated bytes are read, and the result can be stored', async () => {
  let seed = 20_240_312
  const random = (max: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % max
  }
  const samples = [GMAIL_REPLY, postfix, exchange, html(QUOTED_HTML['Outlook for Windows']!)]
  const mutants = Array.from({ length: 300 }, (_, at) => {
    const sample = Buffer.from(samples[at % samples.length]!)
    for (let change = 0; change < 1 + random(8); change++) sample[random(sample.length)] = random(256)
    const cut = random(sample.length)
    return at % 3 === 0
      ? sample.subarray(0, cut)
      : at % 3 === 1
        ? Buffer.concat([sample.subarray(0, cut), sample.subarray(random(sample.length))])
        : sample
  })
  for (const mail of await Promise.all(mutants.map(parseMail))) {
    assert.match(mail.messageId, /^<[^<>\s]{1,500}>$/)
    for (const text of [
      mail.text,
      mail.visible,
      mail.subject,
      mail.html ?? '',
      mail.from?.name ?? '',
      mail.from?.address ?? '',
    ])
      assert.ok(text.isWellFormed() && !text.includes('\0'))
    if (mail.text.trim() !== '') assert.notEqual(mail.visible, '')
    assert.doesNotMatch(JSON.stringify([mail.subject, mail.from, mail.to]), /[\r\n]/)
  }
})
