// A source map that knows lines and no columns, and of libraries only which one it is: a tenth of the size. It is read
// when an error is logged.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const valueOfDigit = new Map([...digits].map((digit, value) => [digit, value]))

const readNumbers = (segment) => {
  const numbers = []
  let number = 0
  let shift = 0
  for (const digit of segment) {
    const value = valueOfDigit.get(digit)
    number |= (value & 31) << shift
    shift += 5
    if (value & 32) continue
    numbers.push(number & 1 ? -(number >> 1) : number >> 1)
    number = 0
    shift = 0
  }
  return numbers
}

const writeNumber = (number) => {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1
  let text = ''
  do {
    const more = rest >> 5
    text += digits[(rest & 31) | (more ? 32 : 0)]
    rest = more
  } while (rest)
  return text
}

/** Where each generated line begins in the sources, or undefined for lines that no source has. */
const readLines = ({ mappings }) => {
  let source = 0
  let line = 0
  return mappings.split(';').map((segments) => {
    let first
    for (const segment of segments ? segments.split(',') : []) {
      const [, sourceStep, lineStep] = readNumbers(segment)
      if (sourceStep === undefined) continue
      source += sourceStep
      line += lineStep
      first ??= { source, line }
    }
    return first
  })
}

/** `isLibrary` is asked for each of the map's sources. */
export const keepLines = (map, isLibrary) => {
  const libraries = map.sources.map(isLibrary)
  let before = { source: 0, line: 0 }
  let current
  const mappings = readLines(map).map((place) => {
    if (!place || (place.source === current && libraries[place.source])) return ''
    current = place.source
    const text = `A${writeNumber(place.source - before.source)}${writeNumber(place.line - before.line)}A`
    before = place
    return text
  })
  return { version: 3, file: map.file, sources: map.sources, names: [], mappings: mappings.join(';') }
}
