// Numbers that are written as words, in seven languages: “nineteen”, “fünfundzwanzig”, “quatre-vingt-dix”, “doscientos”.
import { foldText } from '../../../../flow-engine/fold-text.ts'

type Language = {
  /** 0 to 20; other forms of the same separated by /. */
  small: string
  /** 20 to 90. */
  tens: string
  join: (ten: string, one: string) => string
  /** Forms of one before a noun, which are articles as well. */
  one: string
}

const LANGUAGES: readonly Language[] = [
  {
    small:
      'zero/oh/nil one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
    tens: 'twenty thirty forty/fourty fifty sixty seventy eighty ninety',
    join: (ten, one) => `${ten} ${one}`,
    one: 'a an',
  },
  {
    small:
      'null eins zwei/zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
    tens: 'zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig',
    join: (ten, one) => `${one === 'eins' ? 'ein' : one}und${ten}`,
    one: 'ein eine einen einem einer',
  },
  {
    small:
      'cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    join: (ten, one) => (ten === 'veinte' ? `veinti${one}` : `${ten} y ${one}`),
    one: 'un una',
  },
  {
    small:
      'zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix_sept dix_huit dix_neuf vingt',
    tens: 'vingt trente quarante cinquante soixante soixante_dix/septante quatre_vingts/quatre_vingt/huitante quatre_vingt_dix/nonante',
    join: (ten, one) => `${ten} ${one}`,
    one: 'un une',
  },
  {
    small:
      'zero um/uma dois/duas três quatro cinco seis sete oito nove dez onze doze treze catorze/quatorze quinze dezesseis/dezasseis dezessete/dezassete dezoito dezenove/dezanove vinte',
    tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    join: (ten, one) => `${ten} e ${one}`,
    one: 'um uma',
  },
  {
    small:
      'zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti',
    tens: 'venti trenta quaranta cinquanta sessanta settanta ottanta novanta',
    join: (ten, one) => (/^[uo]/.test(one) ? ten.slice(0, -1) : ten) + one,
    one: 'un una',
  },
  {
    small:
      'nul een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig',
    tens: 'twintig dertig veertig vijftig zestig zeventig tachtig negentig',
    join: (ten, one) => `${one}${one.endsWith('e') ? 'ë' : 'e'}n${ten}`,
    one: 'een',
  },
]

/** From 100 on, by themselves; before others they multiply or add. */
const HUNDRED = new Set(['hundred', 'hundert', 'honderd', 'cento', 'cien', 'ciento', 'cem', 'cent', 'cents'])
const HUNDREDS = new Map(
  [
    'doscientos doscientas duzentos duzentas',
    'trescientos trescientas trezentos trezentas',
    'cuatrocientos cuatrocientas quatrocentos quatrocentas',
    'quinientos quinientas quinhentos quinhentas',
    'seiscientos seiscientas seiscentos seiscentas',
    'setecientos setecientas setecentos setecentas',
    'ochocientos ochocientas oitocentos oitocentas',
    'novecientos novecientas novecentos novecentas',
  ].flatMap((words, at) => words.split(' ').map((word) => [word, (at + 2) * 100] as const)),
)
const THOUSAND = new Set(['thousand', 'tausend', 'duizend', 'mil', 'mille', 'mila'])
const AND = new Set(['and', 'y', 'e', 'und', 'et', 'en'])
const COMPOUND = /^(.{2,12})?(?:hundert|honderd|cento)(?:und|en)?(.{2,30})?$/

const formsOf = (word: string): string[] => word.split('/').map((form) => foldText(form.replaceAll('_', ' ')))

/** Of several words at most; the longest first. */
const WORDS_MAX = 4

type Table = { below: Map<string, number>; articles: Set<string> }
let made: Table | undefined

/** Made when it is first needed. */
const table = (): Table => {
  if (made) return made
  const below = new Map<string, number>()
  const add = (word: string, value: number): void => {
    for (const form of formsOf(word)) if (!below.has(form)) below.set(form, value)
  }
  for (const { small, tens, join } of LANGUAGES) {
    const smalls = small.split(' ')
    for (const [value, word] of smalls.entries()) add(word, value)
    for (const [at, ten] of tens.split(' ').entries()) {
      add(ten, (at + 2) * 10)
      for (const [value, one] of smalls.slice(0, 20).entries())
        if (value > 0 && (value < 10 || /^(?:soixante|quatre_vingt)/.test(ten)))
          for (const form of ten.split('/'))
            for (const unit of one.split('/'))
              add(join(form.replaceAll('_', ' '), unit.replaceAll('_', ' ')), (at + 2) * 10 + value)
    }
  }
  // Vingt et un, soixante et onze.
  for (const [at, ten] of ['vingt', 'trente', 'quarante', 'cinquante', 'soixante'].entries()) {
    add(`${ten}_et_un`, (at + 2) * 10 + 1)
    add(`${ten}_et_une`, (at + 2) * 10 + 1)
  }
  add('soixante_et_onze', 71)
  made = {
    below,
    articles: new Set(LANGUAGES.flatMap(({ one }) => one.split(' ')).filter((word) => word !== '')),
  }
  return made
}

export type NumberWords = { value: number; length: number; isArticle: boolean }

/** The number that the folded words begin with at a place. */
export const readNumberWords = (folded: readonly string[], at: number): NumberWords | undefined => {
  const { articles } = table()
  if (articles.has(folded[at] ?? '') && !isLarge(folded[at + 1]))
    return { value: 1, length: 1, isArticle: true }
  let position = at
  let value = 0
  const hundreds = readHundreds(folded, position)
  if (hundreds) {
    value = hundreds.value
    position += hundreds.length
  }
  if (THOUSAND.has(folded[position] ?? '')) {
    value = (hundreds ? value : 1) * 1_000
    position++
    const rest = readHundreds(folded, AND.has(folded[position] ?? '') ? position + 1 : position)
    if (rest) {
      value += rest.value
      position += rest.length + (AND.has(folded[position] ?? '') ? 1 : 0)
    }
  }
  return position === at ? undefined : { value, length: position - at, isArticle: false }
}

const isLarge = (word: string | undefined): boolean =>
  word !== undefined && (HUNDRED.has(word) || THOUSAND.has(word))

type Part = { value: number; length: number }

const readHundreds = (folded: readonly string[], at: number): Part | undefined => {
  const word = folded[at] ?? ''
  const compound = compoundOf(word)
  if (compound !== undefined) return { value: compound, length: 1 }
  const first = table().articles.has(word) ? { value: 1, length: 1 } : readBelow(folded, at)
  const hundredAt = at + (first?.length ?? 0)
  const own = HUNDREDS.get(word)
  const isHundred = HUNDRED.has(folded[hundredAt] ?? '') && (first?.value ?? 1) < 10
  if (!isHundred && own === undefined) return table().articles.has(word) ? undefined : first
  let value = own ?? (first?.value ?? 1) * 100
  let position = own === undefined ? hundredAt + 1 : at + 1
  const skip = AND.has(folded[position] ?? '') ? 1 : 0
  const rest = readBelow(folded, position + skip)
  if (rest) {
    value += rest.value
    position += rest.length + skip
  }
  return { value, length: position - at }
}

const readBelow = (folded: readonly string[], at: number): Part | undefined => {
  for (let length = WORDS_MAX; length > 0; length--) {
    if (at + length > folded.length) continue
    const value = table().below.get(folded.slice(at, at + length).join(' '))
    if (value !== undefined) return { value, length }
  }
  return undefined
}

/** Zweihundertfünfzig, honderdtwintig, duecentocinquanta. */
const compoundOf = (word: string): number | undefined => {
  const [, times, rest] = COMPOUND.exec(word) ?? []
  if (times === undefined && rest === undefined) return undefined
  const { below, articles } = table()
  const of = (part: string | undefined, none: number): number | undefined =>
    part === undefined ? none : articles.has(part) ? 1 : below.get(part)
  const first = of(times, 1)
  const second = of(rest, 0)
  return first === undefined || second === undefined || first > 9 ? undefined : first * 100 + second
}

const DIGITS_MIN = 3
/** A card has nineteen at most. */
const DIGITS_MAX = 20

/** “Four two four two”: the digits that are said one by one, and how many words they take. */
export const readDigitWords = (
  folded: readonly string[],
  at: number,
): { digits: string; length: number } | undefined => {
  let digits = ''
  let spelled = 0
  let position = at
  for (; position < folded.length && digits.length < DIGITS_MAX; position++) {
    const word = folded[position]!
    const value = /^\d$/.test(word) ? Number(word) : table().articles.has(word) ? 1 : table().below.get(word)
    if (value === undefined || value > 9) break
    if (!/^\d$/.test(word)) spelled++
    digits += value
  }
  return digits.length >= DIGITS_MIN && spelled >= 2 ? { digits, length: position - at } : undefined
}

/** Whether a number may begin with this word; most words don't. */
export const beginsNumber = (word: string): boolean => {
  const { below, articles } = table()
  return (
    below.has(word) ||
    articles.has(word) ||
    HUNDRED.has(word) ||
    HUNDREDS.has(word) ||
    THOUSAND.has(word) ||
    FIRST_WORDS.has(word) ||
    COMPOUND.test(word)
  )
}

/** Of numbers of several words. */
const FIRST_WORDS = new Set(['quatre', 'soixante'])
