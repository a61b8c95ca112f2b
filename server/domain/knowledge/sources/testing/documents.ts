// Documents for tests, written byte by byte.
import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

type ZipEntry = { name: string; content: Buffer /** What it says to unpack to. */; declared?: number }

export const zip = (entries: ZipEntry[]): Buffer => {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const { name, content, declared = content.length } of entries) {
    const packed = deflateRawSync(content)
    const sizes = (header: Buffer, at: number) => {
      header.writeUInt32LE(crc32(content), at)
      header.writeUInt32LE(packed.length, at + 4)
      header.writeUInt32LE(declared, at + 8)
      header.writeUInt16LE(name.length, at + 12)
    }
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(8, 8)
    sizes(local, 14)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry.writeUInt16LE(20, 6)
    entry.writeUInt16LE(8, 10)
    sizes(entry, 16)
    entry.writeUInt32LE(offset, 42)
    locals.push(local, Buffer.from(name), packed)
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + packed.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...locals, ...directory, end])
}

const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'

/** A Word document of a heading and paragraphs. */
export const docx = (heading: string, paragraphs: string[], more: ZipEntry[] = []): Buffer => {
  const part = (name: string, xml: string): ZipEntry => ({
    name,
    content: Buffer.from(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${xml}`),
  })
  const paragraph = (text: string, style = '') =>
    `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`
  return zip([
    part(
      '[Content_Types].xml',
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    part(
      'word/document.xml',
      `<w:document xmlns:w="${WORD}"><w:body>${paragraph(heading, 'Heading1')}${paragraphs.map((text) => paragraph(text)).join('')}</w:body></w:document>`,
    ),
    part(
      'word/styles.xml',
      `<w:styles xmlns:w="${WORD}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    ),
    ...more,
  ])
}

/** A PDF of these pages. `script` runs when it is opened; `stream` replaces the first page's content, compressed. */
export const pdf = (
  pages: string[],
  { script, stream, isEncrypted = false }: { script?: string; stream?: Buffer; isEncrypted?: boolean } = {},
): Buffer => {
  const objects: Buffer[] = []
  const add = (text: string | Buffer): number => objects.push(Buffer.from(text))
  const kids = pages.map((_, at) => `${3 + at} 0 R`).join(' ')
  const fontId = 3 + pages.length
  const action = script ? ` /OpenAction << /S /JavaScript /JS (${script}) >>` : ''
  add(`<< /Type /Catalog /Pages 2 0 R${action} >>`)
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`)
  pages.forEach((_, at) => {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents ${fontId + 1 + at} 0 R /Resources << /Font << /F1 ${fontId} 0 R >> >> >>`,
    )
  })
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  pages.forEach((text, at) => {
    const packed = deflateSync(at === 0 && stream ? stream : `BT /F1 12 Tf 50 700 Td (${text}) Tj ET`)
    add(
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    )
  })
  // A user password that isn't empty; what it is doesn't matter, because nobody knows it.
  const key = `<${'5a'.repeat(32)}>`
  const encryption = isEncrypted ? add(`<< /Filter /Standard /V 1 /R 2 /O ${key} /U ${key} /P -4 >>`) : null
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets = objects.map((object, at) => {
    const offset = parts.reduce((sum, { length }) => sum + length, 0)
    parts.push(Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]))
    return offset
  })
  const start = parts.reduce((sum, { length }) => sum + length, 0)
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `/Size ${objects.length + 1} /Root 1 0 R${encryption ? ` /Encrypt ${encryption} 0 R /ID [<00> <00>]` : ''}`
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< ${trailer} >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  )
  return Buffer.concat(parts)
}
