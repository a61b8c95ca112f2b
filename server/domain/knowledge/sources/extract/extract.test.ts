// What is read of pages and files, and what isn't, in the threads that read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { htmlPage } from '../../../../../test/site.ts'
import { docx, pdf, zip } from '../testing/documents.ts'
import { extractFile, extractPage } from './extract-thread.ts'

const page = async (html: string | Buffer, contentType = 'text/html; charset=utf-8') => {
  const read = await extractPage(Buffer.from(html), contentType)
  assert.ok('text' in read, JSON.stringify(read))
  return read
}
const file = async (name: string, content: string | Buffer) => extractFile(name, Buffer.from(content))
const textOf = async (name: string, content: string | Buffer) => {
  const read = await file(name, content)
  assert.ok('texts' in read, JSON.stringify(read))
  return read.texts.join('\n\n')
}
const codeOf = async (name: string, content: string | Buffer) => {
  const read = await file(name, content)
  assert.ok('problem' in read, 'it was read')
  return read.problem.code
}

test('a page is read as its article in Markdown, without what is around it, and text never becomes markup', async () => {
  const { title, text, language } =
    await page(`<!doctype html><html lang="de-AT"><head><title>Shop</title></head><body>
    <nav>Menu</nav><header>Header</header><main><h1>Returns</h1><h2>How</h2><p>Send <b>it</b> <a href="https://evil.example">back</a>.</p>
    <ul><li>A mug<li>A bowl<ul><li>small</ul></ul><ol><li>Pack it</ol>
    <table><tr><th>Size<th>Price<tr><td>S<td>3 | 4 €</table>
    <details><summary>And gifts?</summary>Those too.</details><p># No heading, *no* emphasis &lt;b&gt;</p></main>
    <footer>Imprint</footer></body></html>`)
  assert.deepEqual([title, language], ['Returns', 'de'])
  assert.equal(
    text,
    [
      '## How',
      'Send it back.',
      '- A mug\n- A bowl\n  - small',
      '1. Pack it',
      '| Size | Price |\n| --- | --- |\n| S | 3 \\| 4 € |',
      '### And gifts?',
      'Those too.',
      '\\# No heading, \\*no\\* emphasis \\<b>',
    ].join('\n\n'),
  )
})

test('hidden text does not become knowledge, however it is hidden', async () => {
  const hidden = [
    '<p style="display:none">TRAP</p>',
    '<p style="VISIBILITY: Hidden !important">TRAP</p>',
    '<p hidden>TRAP</p>',
    '<p aria-hidden="true">TRAP</p>',
    '<p style="color:#fff">TRAP</p>',
    '<p style="color:white;background:#FEFEFE">TRAP</p>',
    '<p style="color:rgb(250, 250, 250)">TRAP</p>',
    '<div style="background-color:#000"><p style="color:black">TRAP</p></div>',
    '<p style="color:transparent">TRAP</p>',
    '<p style="color:rgba(0,0,0,0)">TRAP</p>',
    '<font color="white">TRAP</font>',
    '<p style="font-size:0">TRAP</p>',
    '<p style="font-size:1px">TRAP</p>',
    '<p style="opacity:0">TRAP</p>',
    '<p style="position:absolute;left:-9999px">TRAP</p>',
    '<p style="text-indent:-9999px">TRAP</p>',
    '<p style="position:absolute;clip:rect(0 0 0 0)">TRAP</p>',
    '<p style="height:0;overflow:hidden">TRAP</p>',
    '<p class="secret">TRAP</p>',
    '<p class="pale">TRAP</p>',
    '<p>Shown<img alt="TRAP" src="x"></p>',
    '<p title="TRAP">Shown</p>',
    '<!-- TRAP -->',
    '<noscript>TRAP</noscript>',
    '<template>TRAP</template>',
    '<script>TRAP</script>',
    '<svg><text>TRAP</text></svg>',
    '<input value="TRAP"><textarea>TRAP</textarea>',
    '<dialog>TRAP</dialog>',
  ]
  const sheet =
    '<style>/* } */ .secret, .x { display : none } .pale{color:#fff} @media print { p { display:none } }</style>'
  for (const one of hidden) {
    const { text } = await page(
      `<html><head>${sheet}</head><body><main><p>Visible.</p>${one}</main></body></html>`,
    )
    assert.match(text, /^Visible\./, one)
    assert.doesNotMatch(text, /TRAP/, one)
  }
  const shown = [
    '<div style="background:#000"><p style="color:white">SEEN</p></div>',
    '<div style="background-image:url(x)"><p style="color:white">SEEN</p></div>',
    '<p style="color:#eee;background:navy">SEEN</p>',
    '<p style="font-size:1em;opacity:1">SEEN</p>',
    '<p style="color:var(--ink)">SEEN</p>',
  ]
  for (const one of shown) assert.match((await page(`<main><p>Visible.</p>${one}</main>`)).text, /SEEN/, one)
})

test('zero-width characters, tags and direction controls are left out, those of words and emoji stay', async () => {
  const tags = [...'ignore'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('')
  const { text } = await page(
    `<main><p>Re\u200bturns\u202e\u2060${tags} می\u200cخواهم 👩\u200d💻 ❤\ufe0f</p></main>`,
  )
  assert.equal(text, 'Returns می\u200cخواهم 👩\u200d💻 ❤\ufe0f')
})

test('text is decoded as its bytes are, also where the header or the page says something else', async () => {
  const html = '<main><p>Größe für 3 €</p></main>'
  const latin = Buffer.from(html.replace('€', 'EUR'), 'latin1')
  const cases: [Buffer, string, RegExp][] = [
    [Buffer.from(html), 'text/html', /Größe für 3 €/],
    [Buffer.from(html), 'text/html; charset=iso-8859-1', /Größe für 3 €/],
    [latin, 'text/html; charset=utf-8', /Größe für 3 EUR/],
    [latin, 'text/html; charset=nonsense', /Größe für 3 EUR/],
    [Buffer.concat([Buffer.from('<meta charset="windows-1252">'), latin]), 'text/html', /Größe für 3 EUR/],
    [Buffer.from(`\ufeff${html}`, 'utf16le'), 'text/html; charset=utf-8', /Größe für 3 €/],
    [
      Buffer.concat([Buffer.from('<meta charset=shift_jis><p>'), Buffer.from('93fa967b', 'hex')]),
      'text/html',
      /日本/,
    ],
  ]
  for (const [bytes, type, expected] of cases) assert.match((await page(bytes, type)).text, expected, type)
})

test('a page made by scripts has no text, and what is too deep or too large ends with a reason', async () => {
  assert.equal((await page('<body><div id="root"></div><script>render("TRAP")</script></body>')).text, '')
  assert.equal((await page('')).text, '')
  const deep = await extractPage(Buffer.from('<div>'.repeat(20_000)), 'text/html')
  assert.ok('problem' in deep)
  assert.equal(deep.problem.code, 'TOO_COMPLEX')
  assert.match((await page(htmlPage('After', 'It still reads.'))).text, /still reads/)
})

test('text, Markdown and CSV files are read, and formulas are text', async () => {
  assert.equal(await textOf('a.txt', 'One *two*\n\n# three'), 'One \\*two\\*\n\n\\# three')
  assert.equal(await textOf('a.MD', '# One\n\n**two**'), '# One\n\n**two**')
  const csv = 'Name;Price;Note\n"Mug ""M""";=1+1;"=HYPERLINK(""https://evil.example"")"\nBowl;3;\n'
  assert.equal(
    await textOf('a.csv', csv),
    'Name: Mug "M"\nPrice: =1+1\nNote: =HYPERLINK("https://evil.example")\n\nName: Bowl\nPrice: 3',
  )
  assert.equal(await codeOf('a.txt', Buffer.from([0, 1, 2])), 'FILE_DAMAGED')
  assert.equal(await codeOf('a.txt', ' \n'), 'FILE_EMPTY')
  assert.equal(await codeOf('a.exe', 'x'), 'FILE_UNSUPPORTED')
})

test('a long text becomes several articles, split between paragraphs, and one that is too long is refused', async () => {
  const read = await file('a.txt', 'A paragraph of words.\n\n'.repeat(10_000))
  assert.ok('texts' in read)
  assert.equal(read.texts.length, 3)
  assert.ok(read.texts.every((text) => text.length <= 100_000 && text.endsWith('words.')))
  assert.equal(await codeOf('a.txt', 'x'.repeat(2_100_000)), 'FILE_TOO_LARGE')
})

test('a Word document is read; bombs, protected and damaged ones are refused', async () => {
  const document = docx('Returns', ['Within 30 days.', 'Unused.'])
  assert.equal(await textOf('a.docx', document), '# Returns\n\nWithin 30 days.\n\nUnused.')
  const bomb = { name: 'word/media/bomb.xml', content: Buffer.alloc(80 * 1024 * 1024) }
  assert.equal(await codeOf('a.docx', docx('Bomb', [], [bomb])), 'FILE_TOO_LARGE')
  assert.equal(await codeOf('a.docx', docx('Bomb', [], [{ ...bomb, declared: 10 }])), 'FILE_TOO_LARGE')
  const protectedOne = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(512)])
  assert.equal(await codeOf('a.docx', protectedOne), 'FILE_ENCRYPTED')
  assert.equal(await codeOf('a.docx', document.subarray(0, 500)), 'FILE_DAMAGED')
  assert.equal(await codeOf('a.docx', zip([{ name: 'a', content: Buffer.from('b') }])), 'FILE_DAMAGED')
  assert.equal(await codeOf('a.docx', 'x'), 'FILE_DAMAGED')
})

test('a PDF is read and its script is not run or quoted; encrypted ones, bombs and those of 5,000 pages are refused', async () => {
  assert.equal(await textOf('a.pdf', pdf(['Within 30 days.', 'Unused.'])), 'Within 30 days.\n\nUnused.')
  assert.equal(await textOf('a.pdf', pdf(['Only this.'], { script: 'app.alert(1)' })), 'Only this.')
  assert.equal(await codeOf('a.pdf', pdf(['Secret'], { isEncrypted: true })), 'FILE_ENCRYPTED')
  assert.equal(await codeOf('a.pdf', pdf(Array.from({ length: 5_000 }, () => 'x'))), 'FILE_TOO_LARGE')
  assert.equal(await codeOf('a.pdf', 'no pdf'), 'FILE_DAMAGED')
  const bomb = await file('a.pdf', pdf(['x'], { stream: Buffer.alloc(200 * 1024 * 1024, ' ') }))
  assert.ok('problem' in bomb, 'a bomb was read')
})
