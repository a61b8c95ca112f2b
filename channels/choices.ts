// How the options of a message are shown: as a channel's own buttons or list, or as numbered text. Nothing is cut:
// what doesn't fit a channel's limits becomes numbered text as a whole. Pure, so that the console shows the same.

/** How a channel shows options. Lengths are in UTF-16 units, of which some providers count fewer. */
export type ChoiceLimits = {
  /** Buttons below the message. Without hasDescriptions, descriptions are added to the text. */
  buttons: { max: number; titleMax: number; textMax: number; hasDescriptions?: true }
  /** For more options, longer titles or descriptions. Beyond rowsMax, the last row leads to the next options. */
  list?: { rowsMax: number; titleMax: number; descriptionMax: number; labelMax: number; textMax: number }
  /** Two options of the same title are refused. */
  hasUniqueTitles?: true
}

export type LaidOption = { title: string; description?: string }

export type ChoiceContent<T extends LaidOption = LaidOption> = {
  /** The question, without its options. */
  text: string
  /** Of the button that opens a list. */
  label: string
  options: readonly T[]
  /** The title of the row that leads to the next options. */
  more: string
}

export type ChoiceLayout<T extends LaidOption = LaidOption> =
  /** As the readable body: the channel has no buttons, or they don't fit. */
  | { as: 'text' }
  | { as: 'buttons'; text: string; options: readonly T[] }
  /** `moreFrom`: the index of the first option that a last row, "More…", leads to. */
  | { as: 'list'; text: string; label: string; options: readonly T[]; moreFrom: number | null }

/** What a channel makes of options; without limits, it shows text only. */
export const layChoices = <T extends LaidOption>(
  limits: ChoiceLimits | null | undefined,
  content: ChoiceContent<T>,
): ChoiceLayout<T> => {
  const { options } = content
  if (!limits || options.length === 0 || options.some(({ title }) => title.trim() === '')) return AS_TEXT
  if (limits.hasUniqueTitles && new Set(options.map(({ title }) => title)).size < options.length)
    return AS_TEXT
  return asButtons(limits, content) ?? asList(limits, content) ?? AS_TEXT
}

const AS_TEXT = { as: 'text' } as const

const asButtons = <T extends LaidOption>(
  { buttons, list }: ChoiceLimits,
  { text, options }: ChoiceContent<T>,
): ChoiceLayout<T> | undefined => {
  const isDescribed = options.some(({ description }) => description)
  if (options.length > buttons.max || (list && isDescribed)) return undefined
  if (options.some(({ title }) => title.length > buttons.titleMax)) return undefined
  const shown = isDescribed && !buttons.hasDescriptions ? describedText(text, options) : text
  return shown.length <= buttons.textMax ? { as: 'buttons', text: shown, options } : undefined
}

const asList = <T extends LaidOption>(
  { list, hasUniqueTitles }: ChoiceLimits,
  { text, label, options, more }: ChoiceContent<T>,
): ChoiceLayout<T> | undefined => {
  if (!list || text.length > list.textMax || label.length > list.labelMax || label.trim() === '')
    return undefined
  const isTooLong = ({ title, description = '' }: LaidOption) =>
    title.length > list.titleMax || description.length > list.descriptionMax
  if (options.some(isTooLong)) return undefined
  if (options.length <= list.rowsMax) return { as: 'list', text, label, options, moreFrom: null }
  if (isTooLong({ title: more }) || (hasUniqueTitles && options.some(({ title }) => title === more)))
    return undefined
  const moreFrom = list.rowsMax - 1
  return { as: 'list', text, label, options: options.slice(0, moreFrom), moreFrom }
}

const describedText = (text: string, options: readonly LaidOption[]): string =>
  [text, options.flatMap((option) => (option.description ? [lineOf(option)] : [])).join('\n')].join('\n\n')

const lineOf = ({ title, description }: LaidOption): string =>
  description ? `${title} - ${description}` : title

/** The option that leads to a person is shown last and typed as 0; the others count from 1. */
const PERSON_NUMBER = 0

const isNumber = (title: string): boolean => /^\s*\p{Nd}+\s*$/u.test(title)

/**
 * A question and its options as text that can be answered with a number. Where titles are numbers themselves, as in a
 * rating, the title is the answer. `from`: how many options were shown before these. Only characters that keep a text
 * message at 160 characters are added.
 */
export const numberedText = (
  text: string,
  options: readonly (LaidOption & { number: number })[],
  from = 0,
): string => [text, linesOf(options, from).join('\n')].join('\n\n')

/**
 * The same in as few messages as `max` characters allow, cut between options. Without the options of a message, the
 * question is one of its own.
 */
export const numberedParts = (
  text: string,
  options: readonly (LaidOption & { number: number })[],
  { from = 0, max }: { from?: number | undefined; max: number },
): string[] => {
  const parts = [text]
  for (const line of linesOf(options, from)) {
    const last = parts.at(-1)!
    const longer = [last, line].join(parts.length === 1 && last === text ? '\n\n' : '\n')
    if (longer.length <= max) parts[parts.length - 1] = longer
    else parts.push(line)
  }
  return parts
}

const linesOf = (options: readonly (LaidOption & { number: number })[], from: number): string[] => {
  const own = options.filter(({ number }) => number !== PERSON_NUMBER)
  const person = options.filter(({ number }) => number === PERSON_NUMBER)
  const areNumbers = own.some(({ title }) => isNumber(title))
  const lines =
    areNumbers && own.every(({ title, description }) => isNumber(title) && !description)
      ? [own.map(({ title }) => title.trim()).join(', ')]
      : own.map((option, at) => `${areNumbers ? '-' : `${from + at + 1}.`} ${lineOf(option)}`)
  const last = person.map((option) => `${areNumbers ? '-' : `${PERSON_NUMBER}.`} ${lineOf(option)}`)
  return [...lines, ...last].filter((line) => line !== '')
}
