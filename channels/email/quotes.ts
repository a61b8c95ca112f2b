// Separates what the sender wrote from quoted plain text. Mail programs mark quotes in the user's language: see
// quote-words.ts. At most LINES_MAX lines and LINE_MAX characters of each are checked, and no pattern has nested
// repetitions, so no text takes long.
import { withoutInvisible } from './clean-text.ts'
import {
  ADDRESS_FIRST,
  ATTRIBUTIONS,
  DASHED,
  DATE_FIRST,
  FORWARD,
  FORWARD_SUBJECT,
  FROM_LABEL,
  NAME_FIRST,
  NAME_FIRST_DATED,
  NAME_FIRST_PLAIN,
  ORIGINAL,
  ORIGINAL_WITH_HEAD,
  OTHER_LABEL,
  RULE,
  SHARED_LINE,
  SUBJECT_LABEL,
} from './quote-words.ts'
import { dropOpeningDevice, dropSignature } from './signature.ts'

export type Split = {
  visible: string
  /** Whether anything was removed. */
  hasQuote: boolean
}

const LINES_MAX = 5_000
const LINE_MAX = 400
/** "On … wrote:" may be wrapped over this many lines. */
const WRAPPED_MAX = 6
/** Quoted lines from this length on may have been wrapped without marking the rest. */
const BROKEN_MIN = 60

/** Lines of a header block that must have a known label. */
const LABELS_MIN = 2
const BLOCK_LINES_MAX = 9

const QUOTED = /^\s{0,3}>/
/** Some programs quote with bars after an introduction. */
const MARKED = /^\s{0,3}[>|]/
const trimmed = (line: string): string => withoutInvisible(line.slice(0, LINE_MAX)).trim()

const introduces = (line: string): boolean =>
  ATTRIBUTIONS.some(([begins, ends]) => begins.test(line) && ends.test(line))
const isDatedOrAddressed = (line: string): boolean => /\p{Nd}/u.test(line) || line.includes('@')

/** The number of lines from here that introduce a quote; 0 if they don't. */
const attributionAt = (lines: readonly string[], at: number): number => {
  let joined = ''
  for (let count = 1; count <= WRAPPED_MAX && at + count <= lines.length; count++) {
    const raw = lines[at + count - 1]!
    const line = trimmed(raw.replace(/^[>\s]{0,10}/, ''))
    // The address may be on a later line.
    if (line === '' && joined !== '' && /^\s*<\s*$/.test(lines[at + count] ?? '')) continue
    if (line === '' || raw.length > LINE_MAX) return 0
    joined = joined ? `${joined} ${line}` : line
    if (joined.length > LINE_MAX) return 0
    if (DASHED.test(joined)) return count
    const bare = joined.replace(/^[-*_\s]{0,10}/, '').replace(/[-*_\s]{0,10}$/, '')
    const isFollowed = MARKED.test(lines[at + count] ?? '') || MARKED.test(lines[at + count + 1] ?? '')
    const dated = DATE_FIRST.exec(bare)
    const isUnended = /^[>\s]{0,5}\p{L}{2,12}\s?[:：]$/u.test(lines[at + count] ?? '')
    if (dated && (dated[1] || (isFollowed && !isUnended))) return count
    if (!/[:：]$/.test(bare) && !/\bwrote$/i.test(bare)) continue
    if (NAME_FIRST.test(bare) || NAME_FIRST_DATED.test(bare) || ADDRESS_FIRST.test(bare)) return count
    if (isFollowed && NAME_FIRST_PLAIN.test(bare)) return count
    // A sentence ending in "wrote:" has neither a date nor an address.
    if (isDatedOrAddressed(bare) && introduces(bare)) return count
    return 0
  }
  return 0
}

/** Whether the line looks like the start of an introduction, i.e. has a date. */
const beginsOne = (line: string): boolean => {
  const bare = trimmed(line.replace(/^[>\s]{0,10}/, ''))
  return /\d/.test(bare) && ATTRIBUTIONS.some(([begins]) => begins.test(bare))
}

/** Whether an email's headers (From:, Sent:, To:, Subject:) start here, in any order; not a form or an itinerary. */
const isHeaderBlock = (lines: readonly string[], at: number): boolean => {
  if (lines[at]!.length > LINE_MAX * 4) return false
  const first = withoutInvisible(lines[at]!)
  if (!FROM_LABEL.test(first) && !OTHER_LABEL.test(first.slice(0, 80))) return false
  let labels = 0
  let hasFrom = false
  let hasSubject = false
  let hasAddress = false
  let hasTime = false
  for (let i = at; i < Math.min(lines.length, at + BLOCK_LINES_MAX); i++) {
    const line = withoutInvisible(lines[i]!.slice(0, LINE_MAX))
    const isFrom = FROM_LABEL.test(line)
    if (isFrom || OTHER_LABEL.test(line.slice(0, 80))) labels++
    else if (!isBlank(line) && labels < 2) {
      // The rest of a long line, or of a wrapped address.
      if (i > at + 1) break
    }
    hasFrom ||= isFrom
    hasSubject ||= SUBJECT_LABEL.test(line)
    hasAddress ||= line.includes('@')
    hasTime ||= /\d:\d\d/.test(line) && /\d{4}/.test(line)
    if (hasFrom && labels > LABELS_MIN && (hasSubject || hasAddress)) return true
    if (labels >= LABELS_MIN && hasAddress && hasTime) return true
  }
  return false
}

type Cut = {
  at: number /** Lines of the marker itself. */
  length: number
  kind: 'attribution' | 'block' | 'shared'
}

/** Where the first quote starts, or a forwarded message, which isn't a quote. */
const findCut = (lines: readonly string[]): Cut | 'forward' | undefined => {
  for (let at = 0; at < lines.length; at++) {
    const raw = lines[at]!
    const line = trimmed(raw)
    if (line === '') continue
    if (FORWARD.test(line)) return 'forward'
    if (ORIGINAL_WITH_HEAD.test(line)) return { at, length: 1, kind: 'block' }
    if (ORIGINAL.test(line) && /[-_=*]|:$|[^\p{ASCII}]/u.test(line)) return { at, length: 1, kind: 'block' }
    if (RULE.test(line)) {
      let next = at + 1
      while (next < lines.length && next < at + 3 && lines[next]!.trim() === '') next++
      if (next < lines.length && isHeaderBlock(lines, next)) return { at, length: 1, kind: 'block' }
      continue
    }
    if (isHeaderBlock(lines, at)) return { at, length: 1, kind: 'block' }
    let length = attributionAt(lines, at)
    if (length === 0 && raw.length <= LINE_MAX && SHARED_LINE.test(line))
      return { at, length: 1, kind: 'shared' }
    if (length === 0) continue
    // The text just above it is not part of it.
    while (length > 1 && !beginsOne(lines[at]!) && attributionAt(lines, at + 1) === length - 1) {
      at++
      length--
    }
    return { at, length, kind: 'attribution' }
  }
  return undefined
}

const isBlank = (line: string): boolean => withoutInvisible(line).trim() === ''
const isQuoted = (line: string): boolean => QUOTED.test(line)

/** Removes quoted and blank lines at the end. */
const dropTrailingQuote = (lines: readonly string[]): string[] => {
  let end = lines.length
  while (end > 0 && (isBlank(lines[end - 1]!) || isQuoted(lines[end - 1]!))) end--
  return lines.slice(0, end)
}

/** Removes lines that introduce a header block. */
const dropLead = (lines: readonly string[]): string[] => {
  let end = lines.length
  while (end > 0) {
    const line = trimmed(lines[end - 1]!)
    const isLead =
      line !== '' && lines[end - 1]!.length <= LINE_MAX && /\d/.test(line) && introduces(`${line}:`)
    if (!isLead && line !== '' && !/^[_*=-]{3,}$/.test(line) && !OTHER_LABEL.test(line.slice(0, 80))) break
    end--
  }
  return lines.slice(0, end)
}

/** Whether the line is the rest of a wrapped quoted line, or of a link in it. */
const isBrokenOff = (before: string, line: string): boolean =>
  (isQuoted(before) && before.length >= BROKEN_MIN) ||
  (isQuoted(before) && before.lastIndexOf('(') > before.lastIndexOf(')') && line.includes(')')) ||
  /^\s{0,3}\(https?:[^\s)]{1,400}\)\s?>?\s*$/.test(line)

/** What follows an introduction: only quotes, or also the sender's own text. */
const ownAfter = (lines: readonly string[], from: number): 'none' | 'below' | 'between' => {
  let runs = 0
  let inRun = false
  let own = 0
  let ownBetween = 0
  let before = ''
  const after = dropSignature(lines.slice(from))
  for (let at = 0; at < after.length; at++) {
    const line = after[at]!
    // An older introduction is not a reply, and its marks are not a quote.
    const nested = isQuoted(line) ? 0 : attributionAt(after, at)
    if (nested > 0) {
      at += nested - 1
      continue
    }
    // The rest of a wrapped quoted line is directly below it.
    const isBroken = !isQuoted(line) && !isBlank(line) && isBrokenOff(before, line)
    before = line
    if (isBlank(line) || isBroken) continue
    if (isQuoted(line)) {
      if (!inRun) runs++
      inRun = true
      if (own > 0) ownBetween = own
    } else {
      inRun = false
      if (runs > 0) own++
    }
  }
  if (runs === 0 || own === 0) return 'none'
  return ownBetween > 0 ? 'between' : 'below'
}

/** Drops text below the last reply. */
const withoutTail = (whole: Split, lines: readonly string[]): Split => {
  const visible = dropSignature(dropTrailingQuote(dropSignature(lines)))
    .join('\n')
    .trim()
  return visible === '' ? whole : { visible, hasQuote: visible.length < whole.visible.length }
}

/**
 * The part that the sender wrote. Inline replies keep the quotes, as they make no sense without them. A forwarded
 * message is content, not a quote. If nothing would be left, everything is visible.
 */
export const splitQuotes = (text: string, subject = ''): Split => {
  const all = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')
  const lines = all.split('\n', LINES_MAX)
  const whole: Split = { visible: all.trim(), hasQuote: false }
  let rest = ''
  if (lines.length === LINES_MAX) {
    let length = 0
    for (const line of lines) length += line.length + 1
    rest = all.slice(length)
  }
  const cut = findCut(lines)
  if (cut === 'forward' || (cut?.kind === 'block' && FORWARD_SUBJECT.test(subject))) return whole
  let kept: string[]
  if (!cut) kept = rest ? lines : dropTrailingQuote(dropSignature(dropTrailingQuote(lines)))
  else {
    const before = lines.slice(0, cut.at)
    if (cut.kind === 'shared')
      before.push(SHARED_LINE.exec(trimmed(lines[cut.at]!))![1]!.replace(/[-\s]{1,10}$/, ''))
    const own = cut.kind === 'attribution' && !rest ? ownAfter(lines, cut.at + cut.length) : 'none'
    if (own === 'between') return withoutTail(whole, lines)
    if (own === 'below') {
      const after = lines.slice(cut.at + cut.length).filter((line) => !isQuoted(line))
      kept = [...before, ...dropSignature(after)]
    } else kept = dropSignature(dropTrailingQuote(cut.kind === 'block' ? dropLead(before) : before))
    rest = ''
  }
  const written = dropOpeningDevice(kept).join('\n')
  const visible = (rest ? `${written}\n${rest}` : written).trim()
  if (visible === '') return whole
  return { visible, hasQuote: visible.length < whole.visible.length }
}
