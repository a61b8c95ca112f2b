// Where code was written, for what runs from the bundle (setup/bundle.mjs). Its maps are read when an error is logged;
// Node would read them at every start.
import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

const maps = new Map<string, SourceMap | undefined>()

const mapOf = (url: string): SourceMap | undefined => {
  if (!maps.has(url)) {
    let map: SourceMap | undefined
    try {
      map = new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8')))
    } catch {
      // It is no bundle.
    }
    maps.set(url, map)
  }
  return maps.get(url)
}

/** A line of a stack, with the file's URL and the line in it as they were written. */
export const writtenAt = (frame: string): string => {
  const [place, url, line, column] = /(file:\/\/[^ ]*?\.js):(\d{1,9}):(\d{1,9})/.exec(frame) ?? []
  const found = url && mapOf(url)?.findOrigin(Number(line), Number(column))
  return found && 'fileName' in found
    ? frame.replace(place!, () => `${new URL(found.fileName, url).href}:${found.lineNumber}`)
    : frame
}
