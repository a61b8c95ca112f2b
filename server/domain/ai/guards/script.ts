// The languages of the scripts that only few are written in.

const SCRIPTS: readonly [RegExp, readonly string[]][] = [
  [/\p{sc=Hiragana}|\p{sc=Katakana}/gu, ['ja']],
  [/\p{sc=Hangul}/gu, ['ko']],
  [/\p{sc=Han}/gu, ['zh', 'ja']],
  [/\p{sc=Thai}/gu, ['th']],
  [/\p{sc=Greek}/gu, ['el']],
  [/\p{sc=Hebrew}/gu, ['he', 'yi']],
  [/\p{sc=Arabic}/gu, ['ar', 'fa', 'ur', 'ps', 'ckb']],
  [/\p{sc=Cyrillic}/gu, ['ru', 'uk', 'bg', 'sr', 'mk', 'be', 'kk', 'ky', 'mn', 'tg']],
  [/\p{sc=Devanagari}/gu, ['hi', 'mr', 'ne']],
]
/** Part of all letters. A name in another script doesn't make a language. */
const SCRIPT_SHARE = 0.5

/** The languages that are written in the script of most letters. Undefined for Latin ones. */
export const languagesOfScript = (text: string): readonly string[] | undefined => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  for (const [script, languages] of SCRIPTS)
    if ((text.match(script)?.length ?? 0) > letters * SCRIPT_SHARE) return languages
  return undefined
}
