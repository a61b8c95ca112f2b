// Makes a text of somebody else (a message, a mail, a name, a page, the result of a tool) a part of a prompt: what can't
// be seen is removed, what looks like the words of another side is shown as a quotation, and it has a length.
import { cutText } from '../../../../flow-engine/fold-text.ts'

/** Characters of each part. */
export const PART_MAX = {
  message: 4_000,
  mail: 8_000,
  chunk: 2_500,
  toolResult: 8_000,
  /** Names, subjects, names of files, alternative texts. */
  line: 200,
} as const

/** More is dropped before anything is looked at. */
const READ_FACTOR = 4

/** Never part of writing. Joiners and the selectors of signs are, between some characters; see below. */
const INVISIBLE =
  /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\p{Co}\u2800\ufff9-\uffff]/gu
/** Joiners stand between letters of scripts that join them, and between signs; selectors stand alone behind a sign. */
const JOINED = String.raw`(?![\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}])[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]`
const STRAY_JOINERS = new RegExp(`(?<!${JOINED})[\\u200c\\u200d]+|[\\u200c\\u200d]+(?!${JOINED})`, 'gu')
const SELECTORS = /(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]+|[\ufe00-\ufe0d]/gu
/** More than four on one letter cover the lines around it. */
const MARKS = /(\p{M}{4})\p{M}+/gu

/** Several lines, at most `max` UTF-16 units. Cleaning a clean text changes nothing. */
export const cleanText = (text: string, max: number): string => {
  const visible = visibleOf(text.slice(0, max * READ_FACTOR))
    .replace(/[^\S\n]{9,}/gu, ' ')
    .replace(/[^\S\n]{1,8}\n/gu, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return cutText(visible.split('\n').map(defused).join('\n'), max)
}

/** One line: a name, a subject. */
export const cleanLine = (text: string, max: number = PART_MAX.line): string =>
  cutText(
    defused(
      visibleOf(text.slice(0, max * READ_FACTOR))
        .replace(/\s+/gu, ' ')
        .trim(),
    ),
    max,
  )

const visibleOf = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029\u0085\v\f]/gu, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(INVISIBLE, '')
    .replace(SELECTORS, '')
    .replace(MARKS, '$1')
    .replace(STRAY_JOINERS, '')

/** Letters of other alphabets that look like Latin ones. */
const LOOKS: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  ѕ: 's',
  і: 'i',
  ј: 'j',
  ԁ: 'd',
  ո: 'n',
  ս: 'u',
  т: 't',
  м: 'm',
  н: 'h',
  к: 'k',
  в: 'b',
  г: 'r',
  ɡ: 'g',
  ı: 'i',
  α: 'a',
  ε: 'e',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  ν: 'v',
  ι: 'i',
  κ: 'k',
  ѵ: 'v',
  ꜱ: 's',
  ꮪ: 's',
  ѡ: 'w',
}

const lookOf = (word: string): string =>
  [
    ...word
      .normalize('NFKC')
      .toLowerCase()
      .normalize('NFD')
      .replace(/\p{Mn}/gu, ''),
  ]
    .map((letter) => LOOKS[letter] ?? letter)
    .join('')

/** Who speaks in a prompt, in the languages of the attacks that we know. */
const ROLES: ReadonlySet<string> = new Set(
  [
    'system system_message system_prompt systemmessage systemprompt sys assistant ai bot model user human customer person agent tool tool_result tool_call',
    'function function_call developer dev admin administrator instruction instructions prompt response context source internal note internal_note end_turn',
    'systemnachricht anweisung anweisungen sistema instrucciones instrucoes asistente assistente usuario usuaria systeme instructions utente istruzioni',
    'systeem gebruiker uzytkownik kullanici sistem asistan система ассистент пользователь система користувач النظام المساعد المستخدم 系统 系統 助手 用户 用戶',
    'システム アシスタント ユーザー 시스템 사용자 मददगार सिस्टम',
  ]
    .flatMap((words) => words.split(' '))
    .map(lookOf),
)
/** What stands before a role in the spellings of prompts: “### System”, “[system]:”, “**Assistant**:”. */
const LABEL =
  /^(?<lead>[\s>]{0,20})(?<label>(?<open>[#*_\-=[({]{0,8})[\s]{0,3}(?<role>[\p{L}\p{M}_]{2,20}(?:[ _-][\p{L}\p{M}]{2,20})?)(?:[ ][\p{N}]{1,4})?[\s]{0,3}(?<close>[\])}*_\-=]{0,8}[\s]{0,3}[:：]?[*_]{0,3}))(?<rest>.*)$/u

/** Shown as what it is, the words of somebody else; nothing else of the line changes. */
const defused = (line: string): string => {
  const marked = line
    // Tags and tokens of prompts: <|im_start|>, </source>, <<SYS>>, ＜system＞.
    .replace(/[<＜﹤](?=[\p{L}/!|?<＜｜_])/gu, '‹')
    .replace(/(?<=[\p{L}\p{N}"'/|>＞｜_])[>＞﹥]/gu, '›')
    .replace(/\[(\/?)(INST|SYS)\]/giu, '($1$2)')
    // “[A colleague wrote:]”
    .replace(/^([\s>]{0,20})\[([^\]\n]{2,60}[:：])\]/u, '$1“($2)”')
    .replace(/^(\s{0,20})(`{3,}|~{3,})\s{0,3}(system|assistant|user|tool\w{0,10})/iu, '$1“$3”')
  const match = LABEL.exec(marked)
  const { lead = '', label = '', open = '', role = '', close = '', rest = '' } = match?.groups ?? {}
  if (!match || !ROLES.has(lookOf(role).replace(/[ -]/g, '_'))) return marked
  const isHeading = open.includes('#') && rest.trim() === ''
  return /[:：]/u.test(close) || isHeading || (open !== '' && /[\])}*=]/.test(close))
    ? `${lead}“${label.trim()}”${label.slice(label.trimEnd().length)}${rest}`
    : marked
}
