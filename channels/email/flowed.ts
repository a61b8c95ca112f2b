// Text whose paragraphs were broken into lines for narrow screens (RFC 3676, format=flowed), put together again. A quote's
// lines flow among themselves alone: words that follow a quote are not the quote's, whatever space its last line ends with.

/** With the space that some programs put between the marks, which the standard has not. */
const MARKS = /^>(?: ?>)*/
const SIGNATURE = '-- '

export const unflow = (text: string, deletesSpace: boolean): string => {
  const paragraphs: string[] = []
  let parts: string[] = []
  let marks = ''
  let depth = 0
  const end = () => {
    if (parts.length > 0) paragraphs.push(marks + parts.join(''))
    parts = []
  }
  for (const line of text.split(/\r?\n/)) {
    const given = MARKS.exec(line)?.[0] ?? ''
    const lineDepth = given.replaceAll(' ', '').length
    // A space was put before what must not be taken for a mark. There it stays, so that nobody takes it for one here.
    const words = line.slice(given.length).replace(/^ (?!>)/, '')
    if (lineDepth !== depth || words === '' || words === SIGNATURE) end()
    if (parts.length === 0) {
      depth = lineDepth
      marks = given === '' || words === '' ? given : `${given} `
    }
    const isBroken = words.endsWith(' ') && words !== SIGNATURE
    parts.push(isBroken && deletesSpace ? words.slice(0, -1) : words)
    if (!isBroken) end()
  }
  end()
  return paragraphs.join('\n')
}
