/** A text with what is hidden in it: tags that can't be seen, Base64, rot13, digits for letters. */
export const revealed = (text: string): string => {
  const tagged = [...text]
    .map((character) => character.codePointAt(0)!)
    .filter((code) => code >= 0xe0020 && code <= 0xe007e)
    .map((code) => String.fromCharCode(code - 0xe0000))
    .join('')
  const plain = text.normalize('NFKC').replace(/\p{Cf}/gu, '')
  const hidden = [tagged, ...(plain.match(BASE64) ?? []).map(decode), ...rotated(plain), ...unleeted(plain)]
  return [plain, ...hidden].filter((part) => part !== '').join('\n')
}

const BASE64 = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,4000}={0,2}/g

const decode = (word: string): string => {
  const decoded = Buffer.from(word, 'base64').toString('utf8')
  return /^[\p{L}\p{N}\p{P}\p{Zs}\p{S}\n]+$/u.test(decoded) && / /.test(decoded) ? decoded : ''
}

/** “ignore”, “instructions” and “prompt” in rot13. */
const rotated = (text: string): string[] =>
  /vtaber|vafgehpgvba|cebzcg/i.test(text)
    ? [
        text.replace(/[a-z]/gi, (letter) => {
          const base = letter <= 'Z' ? 65 : 97
          return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
        }),
      ]
    : []

const LEET: Record<string, string> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', '@': 'a', $: 's' }

const unleeted = (text: string): string[] =>
  /[a-z][013457@$][a-z]/i.test(text) ? [text.replace(/[013457@$]/g, (digit) => LEET[digit] ?? digit)] : []
