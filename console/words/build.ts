// Puts the words of each language into the console's files, so that no browser loads more than its own. The tags of t.ts
// stay through bundling and minifying under names that nothing shortens, and are then replaced: English in the files
// themselves, and for every catalogue in a copy of each whose name says the language and the catalogue's hash.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Plugin, parseAst } from 'vite'
import { type Catalogue, keyOf, piecesOf, type TaggedText, taggedTexts } from './tagged.ts'

/** In a minified file; unknown to the minifier, so kept. */
const KEPT = { t: '__foyer_t', rich: '__foyer_rich' } as const
const IMPORT = /words\/t\.ts/
/** A file's name, and much that is none. */
const FILE_NAME = /[\w.-]+/g

/** `de` for `de.json`, with its texts by the English ones. */
export const readCatalogues = (): Map<string, { texts: Catalogue; hash: string }> => {
  const folder = import.meta.dirname
  return new Map(
    globSync('*.json', { cwd: folder })
      .sort()
      .map((name) => {
        const text = readFileSync(join(folder, name), 'utf8')
        const hash = createHash('sha256').update(text).digest('hex').slice(0, 8)
        return [basename(name, '.json'), { texts: JSON.parse(text) as Catalogue, hash }]
      }),
  )
}

const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
const inTemplate = (text: string): string => text.replace(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r')

/** The code of a text in a language: a string, a template or, with elements, an array. */
const codeOf = (
  tagged: TaggedText,
  texts: Catalogue,
  print: (value: TaggedText['values'][number]) => string,
): string => {
  const pieces = piecesOf(texts[keyOf(tagged)] ?? keyOf(tagged))
  if (pieces.every((piece) => typeof piece === 'string')) return quoted(pieces.join(''))
  if (tagged.tag === KEPT.rich)
    return `[${pieces
      .filter((piece) => piece !== '')
      .map((piece) => (typeof piece === 'string' ? quoted(piece) : print(tagged.values[piece]!)))
      .join()}]`
  return `\`${pieces.map((piece) => (typeof piece === 'string' ? inTemplate(piece) : `\${${print(tagged.values[piece]!)}}`)).join('')}\``
}

/** A file's code with the texts of a language. */
const inLanguage = (code: string, all: readonly TaggedText[], texts: Catalogue): string => {
  const print = (start: number, end: number): string => {
    let printed = ''
    let at = start
    for (const tagged of all)
      if (tagged.start >= at && tagged.end <= end) {
        printed +=
          code.slice(at, tagged.start) + codeOf(tagged, texts, (value) => print(value.start, value.end))
        at = tagged.end
      }
    return printed + code.slice(at, end)
  }
  return print(0, code.length)
}

const keepTags: Plugin = {
  name: 'keep-tagged-texts',
  apply: 'build',
  enforce: 'post',
  transform: {
    filter: { id: /\/console\/.*\.tsx?$/, code: IMPORT },
    handler(code) {
      let kept = code
      for (const { tag, start } of taggedTexts(parseAst(code), ['t', 'rich']).toReversed())
        kept = kept.slice(0, start) + KEPT[tag as keyof typeof KEPT] + kept.slice(start + tag.length)
      return { code: kept, map: null }
    },
  },
}

const replaceTags: Plugin = {
  name: 'words-of-each-language',
  apply: 'build',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const names = new Set(chunks.map(({ fileName }) => basename(fileName)))
      const found = chunks.map((chunk) => ({
        chunk,
        code: chunk.code,
        all: taggedTexts(parseAst(chunk.code), Object.values(KEPT)),
      }))
      const page = bundle['index.html'] as { source: string }
      for (const [language, { texts, hash }] of readCatalogues()) {
        const own = (text: string): string =>
          text.replace(FILE_NAME, (name) =>
            names.has(name) ? name.replace(/\.js$/, `.${language}-${hash}.js`) : name,
          )
        for (const { chunk, code, all } of found)
          this.emitFile({
            type: 'asset',
            fileName: own(chunk.fileName),
            source: own(inLanguage(code, all, texts)),
          })
        const source = own(page.source).replace('<html lang="en">', `<html lang="${language}">`)
        this.emitFile({ type: 'asset', fileName: `index.${language}.html`, source })
      }
      for (const { chunk, code, all } of found) chunk.code = inLanguage(code, all, {})
    },
  },
}

export const wordsOfEachLanguage = (): Plugin[] => [keepTags, replaceTags]
