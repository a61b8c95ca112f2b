import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decompressRtf } from './lzfu.ts'
import { readRtf } from './rtf.ts'

/** The two examples of MS-OXRTFCP, section 4. */
const HELLO = Buffer.from(
  '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c0900206277' + '05b06c647d0a800fa0',
  'hex',
)
const REPEATED = Buffer.from('1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0', 'hex')

const read = (rtf: string) => readRtf(Buffer.from(rtf, 'latin1'))

test('compressed RTF is decompressed, including references into bytes just written', () => {
  assert.equal(
    decompressRtf(HELLO, 1_000)?.toString('latin1'),
    '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
  )
  assert.equal(decompressRtf(REPEATED, 1_000)?.toString('latin1'), '{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}')
  assert.equal(decompressRtf(REPEATED, 10)?.toString('latin1'), '{\\rtf1 WXY')
  assert.equal(decompressRtf(Buffer.from('neither one nor the other'), 1_000), undefined)
})

test('the text of RTF is read: paragraphs, letters of every code page, links', () => {
  for (const [rtf, text] of [
    [
      '{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}\\f0 First.\\par\r\nSecond\\tab end.\\par}',
      'First.\nSecond\tend.\n',
    ],
    ["{\\rtf1\\ansi\\ansicpg1252 Gr\\'fc\\'dfe}", 'Grüße'],
    [
      "{\\rtf1\\ansi{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}}\\f1 \\'ca\\'e8\\'e5\\'e2\\f0 !}",
      'Киев!',
    ],
    ["{\\rtf1\\ansi{\\fonttbl{\\f2\\fcharset128 G;}}{\\f2 \\'93\\'fa\\'96\\'7b}}", '日本'],
    ['{\\rtf1\\uc1 \\u8364?5 and \\u-10179?\\u-8704?}', '€5 and 😀'],
    ["{\\rtf1\\uc2 \\u8364\\'80\\'80x\\uc0\\u8364 y}", '€x€y'],
    ['{\\rtf1 a\\{b\\}\\\\c\\~d}', 'a{b}\\c\u00a0d'],
    ['{\\rtf1{\\pict\\bin5 }}}}}}Kept}', 'Kept'],
    ['{\\rtf1{\\*\\generator Riched20;}{\\info{\\author Anna}}Kept}', 'Kept'],
    [
      '{\\rtf1 See {\\field{\\*\\fldinst HYPERLINK "https://x.example/a"}{\\fldrslt{\\ul our page}}}.}',
      'See our page <https://x.example/a>.',
    ],
    [
      '{\\rtf1 {\\field{\\*\\fldinst{HYPERLINK "https://x.example/"}}{\\fldrslt https://x.example/}}}',
      'https://x.example/',
    ],
  ] as const)
    assert.deepEqual(read(rtf), { text, html: '' }, rtf)
  assert.deepEqual(read('no RTF'), { text: '', html: '' })
})

test('HTML that Outlook put into RTF is extracted, without the content for other programs', () => {
  const rtf =
    "{\\rtf1\\ansi\\ansicpg1252\\fromhtml1 {\\*\\htmltag64 <p>}\\htmlrtf {\\htmlrtf0 Gr\\'fc\\'dfe {\\*\\htmltag84 <b>}" +
    '\\htmlrtf {\\b \\htmlrtf0 Anna{\\*\\htmltag92 </b>}\\htmlrtf }\\htmlrtf0 {\\*\\htmltag84 &lt;}\\htmlrtf <\\htmlrtf0 ' +
    '{\\*\\mhtmltag84 <i>}\\htmlrtf\\par}\\htmlrtf0 {\\*\\htmltag72 </p>}}'
  assert.deepEqual(read(rtf), { text: '', html: '<p>Grüße <b>Anna</b>&lt;</p>' })
})

test('all RTF is read quickly and without errors, even with changed or missing bytes', () => {
  for (const given of [HELLO, REPEATED])
    for (let at = 0; at < given.length; at++) {
      decompressRtf(given.subarray(0, at), 10_000)
      for (const byte of [0, 1, 127, 255]) {
        const changed = Buffer.from(given)
        changed[at] = byte
        decompressRtf(changed, 10_000)
      }
    }
  for (const piece of [
    '{',
    '}',
    '\\',
    "\\'",
    '\\u1',
    '\\bin9',
    '\\f1\\fcharset204',
    '{\\*\\x',
    '{\\field{\\fldrslt a{\\*\\fldinst HYPERLINK "https://x.example"}',
    '{\\fldrslt {\\*\\fldinst HYPERLINK "https://x.example"}a}',
  ]) {
    const startedMs = performance.now()
    read(`{\\rtf1${piece.repeat(1_000_000 / piece.length)}`)
    const ms = performance.now() - startedMs
    assert.ok(ms < 5_000, `${ms} ms for ${piece}`)
  }
})
