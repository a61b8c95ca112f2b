// Removes what follows the text: signatures, mailing list footers, device lines.
import { withoutInvisible } from './clean-text.ts'
import { isSentFrom } from './device-signature.ts'

const LINE_MAX = 400
/** A signature after "-- " has at most this many lines. */
const SIGNATURE_LINES_MAX = 25
/** The maximum length of a mailing list footer. */
const FOOTER_LINES_MAX = 6

/** A row of one character, or the letter that open-tracking programs leave. */
const WORDLESS = /^(?:-{2,}|_{2,}|={2,}|~{2,}|\*{2,}|#{2,}|\+{2,}|\u1427)$/

/** Several devices may each have added a line. */
const dropTail = (lines: readonly string[]): string[] => {
  let end = lines.length
  for (let devices = 0; end > 0 && devices < SIGNATURE_LINES_MAX; end--) {
    const line = withoutInvisible(lines[end - 1]!)
      .slice(0, LINE_MAX)
      .trim()
    if (line === '' || WORDLESS.test(line)) continue
    if (!isSentFrom(line)) break
    devices++
  }
  return lines.slice(0, end)
}

export const dropSignature = (lines: readonly string[]): string[] => {
  let kept = dropTail(lines)
  const footer = kept.findIndex(
    (line, at) => at >= kept.length - FOOTER_LINES_MAX && /^_{2,}$/.test(line.trim()),
  )
  if (footer > 0) kept = kept.slice(0, footer)
  for (let at = kept.length - 1; at >= Math.max(0, kept.length - SIGNATURE_LINES_MAX); at--)
    if (/^(?:--\s?|—)$/.test(kept[at]!)) {
      kept = kept.slice(0, at)
      break
    }
  return dropTail(kept)
}

/** Some programs put the line above the text. */
export const dropOpeningDevice = (lines: readonly string[]): string[] => {
  const first = lines.findIndex((line) => line.trim() !== '')
  const isAlone = first !== -1 && lines[first + 1]?.trim() === ''
  return isAlone && isSentFrom(lines[first]!.slice(0, LINE_MAX).trim()) ? lines.slice(first + 1) : [...lines]
}
