import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { closeParser, parseMail } from './parse.ts'
import { readTnef } from './tnef.ts'

after(closeParser)

const u16 = (value: number) => Buffer.from([value & 255, value >> 8])
const u32 = (value: number) => Buffer.concat([u16(value & 0xffff), u16(value >>> 16)])
const padded = (value: Buffer) => Buffer.concat([value, Buffer.alloc((4 - (value.length % 4)) % 4)])

const attribute = (level: number, id: number, value: Buffer) =>
  Buffer.concat([Buffer.from([level]), u16(id), u16(6), u32(value.length), value, u16(0)])
const property = (type: number, id: number, value: Buffer, named = Buffer.alloc(0)) =>
  Buffer.concat([u16(type), u16(id), named, u32(1), u32(value.length), padded(value)])
const properties = (...all: Buffer[]) => Buffer.concat([u32(all.length), ...all])
const wide = (text: string) => Buffer.from(`${text}\0`, 'utf16le')
const tnef = (...attributes: Buffer[]) => Buffer.concat([u32(0x223e9f78), u16(1), ...attributes])

const NAMED = Buffer.concat([Buffer.alloc(16, 7), u32(0), u32(0x8554)])
const WINMAIL = tnef(
  attribute(1, 0x9007, u32(1252)),
  attribute(
    1,
    0x9003,
    properties(
      Buffer.concat([u16(3), u16(0x0e07), u32(1)]),
      property(0x1f, 0x8554, wide('16.0'), NAMED),
      property(0x1f, 0x1000, wide('Here is the Grüne list.')),
    ),
  ),
  attribute(2, 0x9002, Buffer.alloc(14)),
  attribute(2, 0x8010, Buffer.from('LIST~1.PDF\0')),
  attribute(2, 0x800f, Buffer.from('%PDF-1.7')),
  attribute(
    2,
    0x9005,
    properties(
      property(0x1f, 0x3707, wide('Grüne list.pdf')),
      property(0x1e, 0x370e, Buffer.from('application/pdf\0')),
    ),
  ),
  attribute(2, 0x9002, Buffer.alloc(14)),
  attribute(2, 0x8010, Buffer.from('../../note.txt\0')),
  attribute(2, 0x800f, Buffer.from('note')),
)

const mail = (content: Buffer, text = '') =>
  Buffer.from(
    [
      'From: a@b.example',
      'Subject: s',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=B',
      '',
      ...(text ? ['--B', 'Content-Type: text/plain', '', text] : []),
      '--B',
      'Content-Type: application/ms-tnef; name="winmail.dat"',
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename="winmail.dat"',
      '',
      content.toString('base64').replace(/.{76}/g, '$&\r\n'),
      '--B--',
    ].join('\r\n'),
  )

test('Outlook’s winmail.dat is opened: its files are added, and its text is used if there is no other', async () => {
  const read = await parseMail(mail(WINMAIL))
  assert.deepEqual(
    read.attachments.map(({ name, mimeType, content }) => [name, mimeType, content.toString()]),
    [
      ['Grüne list.pdf', 'application/pdf', '%PDF-1.7'],
      ['note.txt', 'application/octet-stream', 'note'],
    ],
  )
  assert.equal(read.visible, 'Here is the Grüne list.')
  assert.equal((await parseMail(mail(WINMAIL, 'My own words'))).visible, 'My own words')
})

test('a winmail.dat whose text is only compressed RTF is read', async () => {
  const rtf = Buffer.from("{\\rtf1\\ansi Thank you, the gr\\'fcne bowl is fine.\\par Anna}")
  // Uncompressed, which the format also allows.
  const stored = Buffer.concat([u32(rtf.length + 12), u32(rtf.length), u32(0x414c454d), u32(0), rtf])
  const given = tnef(attribute(1, 0x9003, properties(property(0x102, 0x1009, stored))))
  const { visible, attachments } = await parseMail(mail(given))
  assert.equal(visible, 'Thank you, the grüne bowl is fine.\nAnna')
  assert.deepEqual(attachments, [])
  assert.equal((await parseMail(mail(given, 'My own words'))).visible, 'My own words')
})

test('an unreadable winmail.dat is kept as a file', async () => {
  for (const content of [Buffer.from('nothing'), tnef(), tnef(Buffer.alloc(40, 255))]) {
    const { attachments } = await parseMail(mail(content, 'Hello'))
    assert.deepEqual(
      attachments.map(({ name }) => name),
      ['winmail.dat'],
    )
  }
})

test('every winmail.dat is read quickly and without errors, even with changed or missing bytes', () => {
  for (let at = 0; at < WINMAIL.length; at++) {
    readTnef(WINMAIL.subarray(0, at))
    for (const byte of [0, 1, 127, 255]) {
      const changed = Buffer.from(WINMAIL)
      changed[at] = byte
      readTnef(changed)
    }
  }
  const empty = attribute(1, 0x9003, properties(Buffer.concat([u16(0x101f), u16(0x1000), u32(0xffffffff)])))
  const startedMs = performance.now()
  readTnef(tnef(...Array.from({ length: 100_000 }, () => empty)))
  assert.ok(performance.now() - startedMs < 2_000)
})
