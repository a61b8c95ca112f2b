// Packs a Python package as a wheel: a zip file with a list of its files' hashes. The same files give the same bytes.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'

/** What the name of a file says of a package that runs everywhere. */
const TAG = 'py3-none-any'
/** 1 January 1980, the first day that a zip file knows. */
const DATE = 0x21
const VERSION_NEEDED = 20
/** File names are UTF-8. */
const FLAGS = 0x800
const DEFLATED = 8
/** A regular file that everyone may read, as Unix says it. */
const MODE = 0o100644
const MADE_ON_UNIX = (3 << 8) | VERSION_NEEDED

type About = {
  name: string
  version: string
  description: string
  /** The versions of Python that it runs on, such as >=3.9. */
  python: string
}
type Member = [path: string, content: Buffer]

/** Writes a file such as foyer_sdk-1.0.0-py3-none-any.whl into a folder, and returns its name. */
export const writeWheel = (source: string, about: About, folder: string): string => {
  const { name, version } = about
  const module = name.replaceAll('-', '_')
  const info = `${module}-${version}.dist-info`
  const readme = readFileSync(join(source, 'README.md'), 'utf8')
  const files: Member[] = [
    ...pythonFiles(join(source, module)).map(
      (file): Member => [`${module}/${file}`, readFileSync(join(source, module, file))],
    ),
    [`${info}/METADATA`, Buffer.from(metadata(about, readme))],
    [
      `${info}/WHEEL`,
      Buffer.from(`Wheel-Version: 1.0\nGenerator: foyer\nRoot-Is-Purelib: true\nTag: ${TAG}\n`),
    ],
  ]
  const record = [
    ...files.map(([path, content]) => `${path},sha256=${hashOf(content)},${content.length}`),
    `${info}/RECORD,,`,
    '',
  ].join('\n')
  const file = `${module}-${version}-${TAG}.whl`
  writeFileSync(join(folder, file), zip([...files, [`${info}/RECORD`, Buffer.from(record)]]))
  return file
}

/** Python leaves compiled files beside those that it ran. */
const pythonFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.py$|^py\.typed$/.test(name))
    .map((name) => name.replaceAll('\\', '/'))
    .sort()

const metadata = ({ name, version, description, python }: About, readme: string): string =>
  [
    'Metadata-Version: 2.1',
    `Name: ${name}`,
    `Version: ${version}`,
    `Summary: ${description}`,
    'License: UNLICENSED',
    // The public index refuses packages that say so.
    'Classifier: Private :: Do Not Upload',
    'Classifier: Typing :: Typed',
    `Requires-Python: ${python}`,
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n')

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('base64url')

const zip = (files: Member[]): Buffer => {
  let offset = 0
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  for (const [path, content] of files) {
    const name = Buffer.from(path)
    const packed = deflateRawSync(content, { level: 9 })
    const common = Buffer.alloc(26)
    common.writeUInt16LE(VERSION_NEEDED, 0)
    common.writeUInt16LE(FLAGS, 2)
    common.writeUInt16LE(DEFLATED, 4)
    common.writeUInt16LE(DATE, 8)
    common.writeUInt32LE(crc32(content), 10)
    common.writeUInt32LE(packed.length, 14)
    common.writeUInt32LE(content.length, 18)
    common.writeUInt16LE(name.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((MODE << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    const made = Buffer.alloc(2)
    made.writeUInt16LE(MADE_ON_UNIX)
    parts.push(Buffer.from('PK\x03\x04'), common, name, packed)
    directory.push(Buffer.from('PK\x01\x02'), made, common, rest, name)
    offset += 4 + common.length + name.length + packed.length
  }
  const index = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(index.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, index, end])
}
